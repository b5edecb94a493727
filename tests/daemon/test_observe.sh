#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Mode=observe says once what it would do and writes nothing; a reload to balance does it.
set -euo pipefail
. "$NB_SOURCE_DIR/tests/daemon/lib.sh"

pile_captured_guest
# A mask of several CPUs is looked at anew after each rescan.
echo ff > "$machine/proc/irq/42/smp_affinity"
found=$(masks)

configure '[Daemon]' 'Mode=observe' '[Balance]' 'CooldownSec=250ms' 'PanicCooldownSec=250ms'
start --restore-on-exit
wait_until logged 'lab0 queue 7 .*not written'
[[ $(masks) == "$found" ]] || fail "wrote in observe mode"
[[ ! -e $machine/run/nicbalance/baseline ]] || fail "kept a baseline in observe mode"

# A reload asks for a rescan; a reading lost and found again shows that cycles have gone by since.
reload
wait_until logged 'Configuration reloaded'
cp "$machine/proc/stat" "$tmp/stat"
: > "$machine/proc/stat"
wait_until lost 1
cp "$tmp/stat" "$machine/proc/stat"
wait_until back 1

configure '[Daemon]' 'Mode=balance'
reload
wait_until is_spread
(($(grep -c 'lab0 queue 7 .*not written' "$log") == 1)) || fail "one rehearsal was told twice"
stop
[[ $(masks) == "$found" ]] || fail "not put back"
