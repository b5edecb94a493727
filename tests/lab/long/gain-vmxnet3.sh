#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lab-nics: vmxnet3
# lab-load: outside
# lab-seconds: 7200
# As gain, with vmxnet3, which QEMU has receive on its first queue alone: too much for one CPU whichever it is, so RPS is
# what there is by hand.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/gain.sh
. /lab/guest/gain.sh

need_product
gain_compare rps-3
