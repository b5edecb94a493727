#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lab-nics: virtio
# lab-load: outside
# lab-seconds: 7200
# As gain, with virtio-net, whose queues raise no interrupts while they are polled.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/gain.sh
. /lab/guest/gain.sh

need_product
gain_compare 0-1
