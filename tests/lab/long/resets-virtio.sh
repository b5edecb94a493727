#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lab-seconds: 900
# lab-nics: virtio
# As resets, with virtio-net, which keeps its interrupts while it is down.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/resets.sh
. /lab/guest/resets.sh

need_product
resets_compare "down and up=ip link set lab0 down; nap 8; ip link set lab0 up" \
	"another number of channels=ethtool -L lab0 combined 2; nap 1; ethtool -L lab0 combined 4"
