#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# All eight queues on one CPU under load: spread within 3 s of the start, off the busy application's CPU, and
# then left alone for a minute.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

need_product

mapfile -t irqs < <(queue_irqs lab0)
assert_equal 8 "${#irqs[@]}" "receive queue interrupts of lab0"
pile_all_on 0 lab0
load_start
nap 3
echo "before: $(busy_percents 3)"

started=$EPOCHREALTIME
systemctl start --no-block nicbalanced
wait_until 60 spread_over 2 "$GENERATOR_CPU" "${irqs[@]}" ||
	fail "after $(since "$started") s the queues are on CPUs ${cpus[*]}"
took=$(since "$started")
service_active || wait_until 5 service_active || fail "the service is not active"
echo "spread after $took s: CPUs ${cpus[*]}"
assert_at_most 3 "$took" "seconds from systemctl start to spread"

# A round of placement may end a moment after the first good look at it.
nap 1
read_cpus "${irqs[@]}"
placed="${cpus[*]}"
settled=$EPOCHREALTIME
interrupt_counts lab0 > /tmp/counts
for ((second = 0; second < 60; second++)); do
	nap 1
	read_cpus "${irqs[@]}"
	assert_equal "$placed" "${cpus[*]}" "CPUs of the queues, $((second + 1)) s into constant load"
done
moves=$(moves_since "$settled")
[[ -z $moves ]] || fail "moves under constant load:"$'\n'"$moves"
service_active || fail "the service is not active after a minute"

landed /tmp/counts lab0
echo "after: $(busy_percents 3)"
show_status
