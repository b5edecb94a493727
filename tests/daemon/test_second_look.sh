#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Something that starts beside the daemon fills every CPU but the one on which all queues are piled up: they stay.
# Once it is over, each CPU gets its share.
set -euo pipefail
. "$NB_SOURCE_DIR/tests/daemon/lib.sh"

# work : for a tick of 100 ms or more, CPUs 1 to 7 did nothing but run programs.
work() {
	awk '/^cpu[1-7] / { $2 += 100 } { print }' "$machine/proc/stat" > "$tmp/stat"
	cp "$tmp/stat" "$machine/proc/stat"
}

work_for() {
	local end=$((${EPOCHREALTIME/[.,]/} + $1 * 1000000))

	while ((${EPOCHREALTIME/[.,]/} < end)); do
		work
		sleep 0.1
	done
}

pile_captured_guest
found=$(masks)
work_for 6 &
worker=$!
start --restore-on-exit
sleep 3
[[ $(masks) == "$found" ]] || fail "put beside what fills a CPU: $(masks | tr '\n' ' ')"
wait "$worker"
wait_until is_spread
(($(grep -c 'CPU 0 → CPU' "$log") == 7)) || fail "not one move for each queue that leaves"
sleep 3
(($(grep -c 'CPU . → CPU' "$log") == 7)) || fail "moved again"
stop
