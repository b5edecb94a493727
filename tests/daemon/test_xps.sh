#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# XPS masks of a captured guest follow the interrupts of its eight queues once these stay, and are put back: on exit, after a
# crash, and when the setting goes. Those of an administrator are left, and that is told once.
set -euo pipefail
. "$NB_SOURCE_DIR/tests/daemon/lib.sh"

queues=sys/class/net/lab0/queues
# As numbers: a kernel shows each mask in one way, files do not.
xps() {
	local queue
	for queue in {0..7}; do
		echo $((16#$(< "$machine/$queues/tx-$queue/xps_cpus")))
	done
}
# Each queue has the CPU of its interrupt.
follows() {
	local queue cpu
	for queue in {0..7}; do
		cpu=$(< "$machine/proc/irq/$((35 + queue))/smp_affinity")
		(((16#$(< "$machine/$queues/tx-$queue/xps_cpus") & 16#$cpu) == 16#$cpu)) || return 1
	done
}
# The captured guest is not the igb of a kernel: what its files hold first is written here.
fresh() {
	rm -rf "$machine"
	pile_captured_guest
	for queue in {0..7}; do
		echo "${1:-00}" > "$machine/$queues/tx-$queue/xps_cpus"
	done
	: > "$log"
	configure '[XPS]' Enabled=yes '[Daemon]' IntervalSec=250ms
}

fresh
found=$(xps)
start --restore-on-exit
wait_until follows
logged 'lab0: XPS follows interrupts' || fail "not told"
(($(grep -c 'XPS follows' "$log") == 1)) || fail "told more than once"
stop
[[ $(xps) == "$found" ]] || fail "not put back on exit: $(xps | tr '\n' ' ')"
echo "followed, then put back on exit"

fresh
start
wait_until follows
crash
"$NB_DAEMON" --root "$machine" --restore 2>> "$log" || fail "--restore failed"
[[ $(xps) == "$found" ]] || fail "not put back after a crash: $(xps | tr '\n' ' ')"
echo "put back after a crash"

fresh
start --restore-on-exit
wait_until follows
echo 3 > "$machine/$queues/tx-4/xps_cpus"
configure '[XPS]' Enabled=no '[Daemon]' IntervalSec=250ms
reload
is_back() { [[ $(xps) == "$(echo "$found" | sed '5s/.*/3/')" ]]; }
wait_until is_back
logged 'lab0: XPS restored' || fail "not told"
stop
is_back || fail "another program's mask was overwritten: $(xps | tr '\n' ' ')"
echo "put back by a reload, but for what another program wrote"

fresh ff
found=$(xps)
start --restore-on-exit
wait_until logged 'XPS follows interrupts.*set by an administrator'
[[ $(xps) == "$found" ]] || fail "an administrator's masks were overwritten: $(xps | tr '\n' ' ')"
stop
echo "left what an administrator had set"
