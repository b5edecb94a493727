#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A captured guest whose configuration says which CPUs its queues may use: they go there and nowhere else, and a
# reload changes it.
set -euo pipefail
. "$NB_SOURCE_DIR/tests/daemon/lib.sh"

# on MASK... : each queue is on one of these, and each of them has some.
on() { [[ $(masks | sort -u | xargs) == "$*" ]]; }
mask_of() { sed 's/^0*//' "$machine/proc/irq/$1/smp_affinity"; }

pile_captured_guest
configure '[Device driver:igb]' CPUs=4-5
start --restore-on-exit
wait_until on 10 20
echo "in the pool of a driver"

configure '[Device driver:igb]' CPUs=2-3 '[Interrupt *-TxRx-0]' CPUs=3,6 '[Interrupt 36]' Ignore=yes
stays=$(mask_of 36)
reload
mapfile -t expected < <(printf '%s\n' 4 8 "$stays" | sort)
wait_until on "${expected[@]}"
[[ $(mask_of 35) == 8 ]] || fail "is not where both sections allow it: $(mask_of 35)"
[[ $(mask_of 36) == "$stays" ]] || fail "moved what it should ignore"
"$NB_CTL" --socket "$tmp/bus" status --json > "$tmp/status"
grep -q '"reason": *"ignored"' "$tmp/status" || fail "does not tell what is ignored"
stop
