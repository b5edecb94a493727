#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# All eight queues on one CPU under load: spread as soon as the daemon starts, off the busy application's CPU, and
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
limit=$(start_limit)

started=$EPOCHREALTIME
systemctl start --no-block nicbalanced
wait_until 60 spread_over 2 "$GENERATOR_CPU" "${irqs[@]}" ||
	fail "after $(since "$started") s the queues are on CPUs ${cpus[*]}"
spread=$EPOCHREALTIME
wait_until 5 service_active || fail "the service is not active"
ready=$(ready_at)
echo "spread $(since "$started" "$spread") s after systemctl start: CPUs ${cpus[*]}"
echo "READY after $(since "$started" "$ready") s of $limit s; spread $(since "$ready" "$spread") s later"
assert_at_most "$limit" "$(since "$started" "$ready")" "seconds from systemctl start to READY"
assert_at_most 1.5 "$(since "$ready" "$spread")" "seconds from READY to spread"

# A round of placement may end a moment after the first good look at it.
nap 1
read_cpus "${irqs[@]}"
placed="${cpus[*]}"
settled=$EPOCHREALTIME
interrupt_counts lab0 > /tmp/counts
stays() {
	nap 1
	read_cpus "${irqs[@]}"
	[[ ${cpus[*]} == "$placed" ]] ||
		fail "$(since "$settled") s into constant load the queues are on CPUs ${cpus[*]}, not $placed: $(moves_since "$settled")"
}
again_for 60 stays
moves=$(moves_since "$settled")
[[ -z $moves ]] || fail "moves under constant load:"$'\n'"$moves"
service_active || fail "the service is not active after a minute"

landed /tmp/counts lab0
assert_polled_evenly 7 "$GENERATOR_CPU"
echo "after: $(busy_percents 3)"
show_status
