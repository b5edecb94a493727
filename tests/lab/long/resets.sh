#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lab-seconds: 1200
# What the kernel's selftest for affinities asks (tools/testing/selftests/drivers/net/hw/irq.py): an affinity that a user has set is
# there again after a reset of the device, as far as its driver keeps it at all. It is the same without the daemon, while that
# observes, and while it balances.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/resets.sh
. /lab/guest/resets.sh

need_product
resets_compare "renegotiation=ethtool -r lab0" "another ring size=ethtool -G lab0 rx 512" \
	"ring size as it was=ethtool -G lab0 rx 256" "down and up=ip link set lab0 down; nap 8; ip link set lab0 up" \
	"another number of channels=ethtool -L lab0 combined 4; nap 1; ethtool -L lab0 combined 8"
