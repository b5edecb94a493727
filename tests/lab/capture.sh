#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Not a test: captures the guest for tests/sysroots, under some traffic, and its counters about a second later.
#
#	lab run --nics virtio --out DIR tests/lab/capture.sh
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=guest/lib.sh
. /lab/guest/lib.sh

load_start
nap 3
/lab/guest/capture-machine --nic lab0 > /lab/out/now.machine
nap 1
/lab/guest/capture-machine --nic lab0 --counters > /lab/out/later.machine
