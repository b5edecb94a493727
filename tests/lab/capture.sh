#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Not a test: captures the guest for tests/sysroots, under some traffic, twice about a second apart.
#
#	lab run --nics virtio --out tests/sysroots/virtio4 tests/lab/capture.sh
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=guest/lib.sh
. /lab/guest/lib.sh

load_start
nap 3
now=/run/capture/now later=/run/capture/later
/lab/guest/capture-machine "$now" --nic lab0
nap 1
/lab/guest/capture-machine "$later" --nic lab0
# Of the later one only what changed.
cd "$later" || exit
{ diff -rqs --no-dereference "$now" "$later" || true; } | sed -n 's/^Files .* and \(.*\) are identical$/\1/p' | xargs -r -d '\n' rm
find . -type l -delete
find . -depth -type d -empty -delete
tar -C /run/capture -cf /lab/out/capture.tar .
