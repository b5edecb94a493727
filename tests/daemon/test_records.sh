#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A recording is what the loop saw: the machine without names, a window a cycle, and the moves that
# were made. Nothing is kept while nobody records, and the end of the daemon is told.
set -euo pipefail
. "$NB_SOURCE_DIR/tests/daemon/lib.sh"

trace=$tmp/trace
recorder=
record() {
	rm -f "$trace"
	"$NB_CTL" --socket "$tmp/bus" record --file "$trace" "$@" 2> "$tmp/said" &
	recorder=$!
}
n_windows() { grep -cs '^end$' "$trace" || true; }
has_windows() { (($(n_windows) + 0 >= $1)); }

pile_captured_guest
configure '[Daemon]' 'Mode=observe' 'IntervalSec=250ms' '[Balance]' 'CooldownSec=250ms' \
	'PanicCooldownSec=250ms'
start --restore-on-exit
record
wait_until has_windows 3
[[ $(head -n 1 "$trace") == 'nicbalance-trace 2' ]] || fail "no first line"
(($(grep -c '^machine ' "$trace") == 1)) || fail "the machine was told more than once"
grep -qx 'nic 1 igb - 8 8 1' "$trace" || fail "the NIC is not there: $(grep ^nic "$trace")"
grep -qx 'queue 1 0-7 rt 1' "$trace" || fail "its queues are not there"
! grep -q lab0 "$trace" || fail "the interface is there by name"
! grep -q '^move ' "$trace" || fail "a move that was not made is told"

# From here on moves are made, and told.
configure '[Daemon]' 'IntervalSec=250ms'
reload
wait_until is_spread
wait_until grep -q '^move 1\.7 ' "$trace"
(($(grep -c '^move ' "$trace") == 7)) || fail "not the seven moves that were made"

# A signal ends it well, and --seconds does.
kill -s INT "$recorder"
wait "$recorder" || fail "exit status $? after SIGINT"
[[ ! -s $tmp/said ]] || fail "said: $(< "$tmp/said")"
record --seconds 2
wait "$recorder" || fail "exit status $? after two seconds"
has_windows 2 || fail "too few windows in two seconds"

# Two at once: the second one's beginning is in the first one's trace, too.
record
wait_until has_windows 2
"$NB_CTL" --socket "$tmp/bus" record --seconds 2 > "$tmp/second"
[[ $(head -n 1 "$tmp/second") == 'nicbalance-trace 2' ]] || fail "the second one has no beginning"
begun_twice() { (($(grep -c '^nicbalance-trace 2$' "$trace") == 2)); }
wait_until begun_twice

stop
status=0
wait "$recorder" || status=$?
((status == 1)) || fail "exit status $status without a daemon"
grep -q 'nicbalanced' "$tmp/said" || fail "the end of the daemon is not told"
has_windows 2 || fail "what was recorded is gone"
