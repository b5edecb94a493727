#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Samples may be a minute apart: what others order is obeyed within seconds all the same.
set -euo pipefail
. "$NB_SOURCE_DIR/tests/daemon/lib.sh"

off() { ! masks | grep -qx "$1"; }

pile_captured_guest
configure '[Daemon]' IntervalSec=1min CompleteSampleSec=2min
start --restore-on-exit
wait_until is_spread
for cpu in 3 5; do
	ordered=$(uptime)
	mkdir -p "$machine/etc/sysconfig"
	echo "IRQBALANCE_BANNED_CPULIST=$cpu" > "$machine/etc/sysconfig/irqbalance"
	wait_until off "$(printf '%x' $((1 << cpu)))"
	(($(uptime) - ordered < 15)) || fail "CPU $cpu was left $(($(uptime) - ordered)) s after it was banned"
done
stop
