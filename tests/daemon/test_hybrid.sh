#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A captured guest whose CPUs are made to differ in capacity: it is told, and queues are placed by it; where they do
# not, nothing tells of it.
set -euo pipefail
. "$NB_SOURCE_DIR/tests/daemon/lib.sh"

ctl() { "$NB_CTL" --socket "$tmp/bus" "$@"; }
# Two queues of eight on each large CPU; one on a CPU with 45 % of its capacity would be more than two of a large one.
on_large_cpus() { (($(n_places) == 4)) && ! masks | grep -qv '^[1248]$'; }

pile_captured_guest
start --restore-on-exit
wait_until is_spread
! ctl status --all | grep CAPACITY > /dev/null || fail "all CPUs are equal, and it tells their capacity"
ctl status --json | grep '"capacity-percent": null' > /dev/null || fail "equal CPUs have a capacity"
stop
echo "equal CPUs: as before"

for cpu in {0..7}; do
	echo $((cpu < 4 ? 1024 : 460)) > "$machine/sys/devices/system/cpu/cpu$cpu/cpu_capacity"
done
start --restore-on-exit
wait_until on_large_cpus
ctl status --all | grep CAPACITY > /dev/null || fail "the capacity of CPUs is not in their table"
ctl status --json | grep '"cpu": 7.*"capacity-percent": 44.9[0-9]*,' > /dev/null || fail "not 44.9 %: $(ctl status --json)"
ctl record --seconds=2 --file="$tmp/trace" || fail "does not record"
stop
grep -q '^capacity 4492 4-7$' "$tmp/trace" || fail "a recording does not tell: $(head -20 "$tmp/trace")"
ctl replay "$tmp/trace" > /dev/null || fail "and is not read"
echo "small CPUs: told, recorded, and given no queue as long as large ones have room"
