#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The flow tables of a captured guest, of the host and of its eight queues, are made as large as RfsFlows= asks, once, and are put
# back: on exit, after a crash, and when the line goes. Larger ones stay, and so do those of another program.
set -euo pipefail
. "$NB_SOURCE_DIR/tests/daemon/lib.sh"

queues=sys/class/net/lab0/queues
host=proc/sys/net/core/rps_sock_flow_entries
# The table of the host, then those of the queues, and how often each is there.
tables() {
	local queue
	cat "$machine/$host"
	for queue in {0..7}; do
		cat "$machine/$queues/rx-$queue/rps_flow_cnt"
	done | sort -n | uniq -c | awk '{ print $2 "x" $1 }'
}
are() { [[ $(tables | tr '\n' ' ') == "$* " ]]; }
ask() { configure '[RPS]' "RfsFlows=$1" '[Daemon]' IntervalSec=250ms; }
# A table that is written is emptied: its file, here, gets another time.
touched() { find "$machine/$host" "$machine"/$queues/rx-*/rps_flow_cnt -newer "$tmp/mark"; }

fresh() {
	rm -rf "$machine"
	unpack_captured_guest
	mkdir -p "$machine/proc/sys/net/core"
	echo "${1:-0}" > "$machine/$host"
	for queue in {0..7}; do
		echo "${2:-0}" > "$machine/$queues/rx-$queue/rps_flow_cnt"
	done
	: > "$log"
	ask 30000
}

fresh
start --restore-on-exit
wait_until are 32768 4096x8
logged 'lab0: RFS for 30000 flows, the configuration asks for it' || fail "not told"
touch "$tmp/mark"
reload
wait_until logged 'onfiguration.*reloaded'
sleep 2
(($(grep -c 'RFS for' "$log") == 1)) || fail "told more than once"
[[ -z $(touched) ]] || fail "written again: $(touched)"
stop
are 0 0x8 || fail "not put back on exit: $(tables | tr '\n' ' ')"
echo "made once, then put back on exit"

fresh
start
wait_until are 32768 4096x8
crash
"$NB_DAEMON" --root "$machine" --restore 2>> "$log" || fail "--restore failed"
are 0 0x8 || fail "not put back after a crash: $(tables | tr '\n' ' ')"
echo "put back after a crash"

fresh 65536 1024
echo 8192 > "$machine/$queues/rx-5/rps_flow_cnt"
start --restore-on-exit
wait_until are 65536 4096x7 8192x1
echo 512 > "$machine/$queues/rx-2/rps_flow_cnt"
ask 0
reload
wait_until logged 'lab0: RFS restored'
are 65536 512x1 1024x6 8192x1 || fail "not put back by a reload: $(tables | tr '\n' ' ')"
stop
are 65536 512x1 1024x6 8192x1 || fail "changed on exit: $(tables | tr '\n' ' ')"
echo "put back by a reload, but for what another program wrote; larger ones stayed"

fresh
start --restore-on-exit
wait_until are 32768 4096x8
echo 512 > "$machine/$queues/rx-2/rps_flow_cnt"
ask 100000
reload
wait_until logged 'RFS for 100000 flows.*set by an administrator'
are 32768 512x1 4096x7 || fail "another program's table was overwritten: $(tables | tr '\n' ' ')"
stop
echo "left what another program had set"

fresh
rm "$machine/$host"
start --restore-on-exit
wait_until logged 'RFS for 30000 flows.*net.core.rps_sock_flow_entries in sysctl.d'
sleep 1
(($(grep -c 'RFS for' "$log") == 1)) || fail "told more than once"
stop
[[ $(cat "$machine"/$queues/rx-*/rps_flow_cnt | sort -u) == 0 ]] || fail "written without a table of the host"
echo "did nothing without a table of the host, and said so"
