#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lab-seconds: 900
# lab-nics: virtio
# The same of virtio-net, whose driver gives each of four queues two CPUs.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/xps.sh
. /lab/guest/xps.sh
