#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Eight queues of a captured guest, all on CPU 0: spread, and put back on exit and after a crash; a restart adopts
# what the run before it left, and still knows what was found.
set -euo pipefail
. "$NB_SOURCE_DIR/tests/daemon/lib.sh"

pile_captured_guest
found=$(masks)

start --restore-on-exit --debug
wait_until is_spread
logged 'Cycle 1: nothing has been measured yet' || fail "--debug does not log each cycle"
[[ -s $machine/run/nicbalance/baseline ]] || fail "no baseline was kept"
stop
[[ $(masks) == "$found" ]] || fail "not put back on exit: $(masks | tr '\n' ' ')"
[[ ! -e $machine/run/nicbalance/baseline ]] || fail "the baseline outlives the restore"
echo "put back on exit"

start
wait_until is_spread
placed=$(masks)
crash
[[ $(masks) == "$placed" ]] || fail "a killed daemon wrote"

: > "$log"
start --restore-on-exit
reload
wait_until logged 'Configuration reloaded'
[[ $(masks) == "$placed" ]] || fail "a restart moved what it found in its own places"
! logged 'Cycle' || fail "logs each cycle without --debug"
! logged 'CPU . → CPU' || fail "a restart placed again"
stop
[[ $(masks) == "$found" ]] || fail "a restart forgot what was found"
echo "adopted by a restart, then put back"

start
wait_until is_spread
crash
"$NB_DAEMON" --root "$machine" --restore 2>> "$log" || fail "--restore failed"
[[ $(masks) == "$found" ]] || fail "not put back after a crash"
echo "put back after a crash"

start
wait_until is_spread
crash
echo 'irq 36' >> "$machine/run/nicbalance/baseline"
"$NB_DAEMON" --root "$machine" --restore 2>> "$log" || fail "--restore gives up on a damaged baseline"
[[ $(masks) == "$found" ]] || fail "not put back by what is left of the baseline"
echo "put back by a baseline with a damaged line"

start --restore-on-exit
wait_until is_spread
echo 80 > "$machine/proc/irq/36/smp_affinity"
stop
[[ $(masks | sed -n 2p) == 80 ]] || fail "overwrote what someone else had written"
logged 'Restored 6 ' || fail "does not tell what was put back"
logged 'Did not restore 1 ' || fail "does not tell what was left"
echo "left what someone else wrote"
