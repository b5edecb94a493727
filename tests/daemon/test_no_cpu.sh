#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Bans that leave no CPU are told once, and so is their end; meanwhile nothing is moved.
set -euo pipefail
. "$NB_SOURCE_DIR/tests/daemon/lib.sh"

told() { (($(grep -c 'No CPU is left' "$log") == $1)); }
told_back() { (($(grep -c 'CPUs are left for interrupts again: ' "$log") == $1)); }
ban() { configure '[Daemon]' IntervalSec=250ms '[Balance]' "BannedCPUs=$1"; }

pile_captured_guest
ban 0-63
start --restore-on-exit
wait_until told 1
"$NB_CTL" --socket "$tmp/bus" status > "$tmp/status"
grep -q 'none eligible of 0-7; banned 0-63; only what' "$tmp/status" || fail "status: $(cat "$tmp/status")"
sleep 1
[[ $(masks | sort -u) == 1 ]] || fail "something was moved"

ban 0-3
reload
wait_until told_back 1
logged 'left for interrupts again: 4-7' || fail "which CPUs are left is not told"
mkdir -p "$machine/etc/default"
ban ''
echo IRQBALANCE_BANNED_CPULIST=0-7 > "$machine/etc/default/irqbalance"
reload
wait_until told 2
sleep 1
stop
told 2 || fail "told again"
told_back 1 || fail "its end is told again"
