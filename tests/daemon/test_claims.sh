#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Bans and claims as an operator orders them, of the daemon itself: obeyed when the command ends, and kept over a restart.
# shellcheck disable=SC2119 # start needs no options
set -euo pipefail
. "$NB_SOURCE_DIR/tests/daemon/lib.sh"

ctl() { "$NB_CTL" --socket "$tmp/bus" "$@"; }
# Of CPUs 0 and 1.
on_banned() { masks | grep -E '^[1-3]$'; }
listed() { ctl claims --noheadings -o KIND,TARGET,CPUS,OWNER | grep -q -- "$1"; }
not_listed() { ! listed "$1"; }

pile_captured_guest
start
wait_until is_spread

if ((EUID != 0)); then
	! ctl ban 0-1 2> "$tmp/denied" || fail "another user may ban"
	grep -q 'Only root may call Ban' "$tmp/denied" || fail "denied without a word"
	echo "for root alone: denied; the rest needs root"
	stop
	exit 0
fi

ctl ban 0-1 --owner tuned
! on_banned || fail "a queue is on a banned CPU after the command"
listed 'ban *- *0-1 *tuned' || fail "not listed: $(ctl claims)"
echo "a ban is obeyed when the command ends"

ctl claim 37 7
[[ $(sed 's/^0*//' "$machine/proc/irq/37/smp_affinity") == 80 ]] || fail "IRQ 37 is not on the CPU that was claimed for it"
echo "and so is a claim"

! ctl claim lab0:1 0 2> "$tmp/refused" || fail "a claim of banned CPUs is taken"
grep -q 'left by the ban of CPUs 0-1 by tuned' "$tmp/refused" || fail "refused without the owner: $(< "$tmp/refused")"
! ctl unban 0 2> /dev/null || fail "an operator ended the ban of another"
echo "what is refused says whose the CPUs are"

crash
start
wait_until listed 'ban *- *0-1 *tuned'
wait_until listed 'claim *37 *7 *operator'
! on_banned || fail "a queue is on a banned CPU after the restart"
echo "a restart keeps both"

ctl ban 3 --lease 2s
"$NB_CTL" --socket "$tmp/bus" claim lab0:1 4 --while-connected > /dev/null &
holder=$!
wait_until listed 'claim *lab0:1 *4 *operator'
kill "$holder"
wait "$holder" 2> /dev/null || true
wait_until not_listed 'lab0:1'
wait_until not_listed 'ban *- *3 '
echo "a lease and a connection end theirs"

ctl release all
ctl unban 0-1 --owner tuned
[[ -z $(ctl claims --noheadings) ]] || fail "something is left: $(ctl claims)"
[[ ! -e $machine/run/nicbalance/claims ]] || fail "the file is left"
echo "nothing is left of what was released"

stop

printf 'nicbalance claims 1\nban 1 0-1 0 0 0 tuned\nban 2\n' > "$machine/run/nicbalance/claims"
start
wait_until logged 'damaged in line 3 of /run/nicbalance/claims'
listed 'ban *- *0-1 *tuned' || fail "a good line does not count"
echo "of a damaged file the good lines count"
stop
