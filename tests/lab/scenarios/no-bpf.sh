#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Without eBPF, from the start or all of a sudden: said once with its reason, and the load is balanced all the same.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

need_product

mapfile -t irqs < <(queue_irqs lab0)

one_notice() {	# one_notice EPOCH
	local notices
	notices=$(grade_notices_since "$1")
	echo "  $notices"
	assert_equal 1 "$(grep -c . <<< "$notices")" "notices of the grade"
}

mkdir -p "${UNIT_DROPIN%/*}"
printf '[Service]\nCapabilityBoundingSet=\nCapabilityBoundingSet=CAP_NET_ADMIN\n' > "$UNIT_DROPIN"
systemctl daemon-reload
pile_all_on 0 lab0
load_start
started=$EPOCHREALTIME
service_start
wait_until 20 spread_over 2 "$GENERATOR_CPU" "${irqs[@]}" || fail "without CAP_BPF: not spread: CPUs ${cpus[*]}"
echo "without CAP_BPF: spread after $(since "$started") s: CPUs ${cpus[*]}"
assert_polled_evenly 7 "$GENERATOR_CPU"
# eBPF is tried when nothing is about to be done, and 8 s after the start at the latest.
lacks_cap_bpf() { [[ $(grade_reason) == *CAP_BPF* ]]; }
wait_until 20 lacks_cap_bpf || fail "the reason does not name CAP_BPF: $(grade_reason)"
echo "  $(grade_reason)"
assert_equal estimated "$(grade)" "grade without CAP_BPF"
one_notice "$started"
service_active || fail "the service is not active"

systemctl stop nicbalanced
rm -f "$UNIT_DROPIN"
systemctl daemon-reload
pile_all_on 0 lab0
measure_always
service_start
wait_until 20 in_grade measured || fail "with CAP_BPF: grade $(grade), $(grade_reason)"
wait_until 20 spread_over 2 "$GENERATOR_CPU" "${irqs[@]}" || fail "not spread: CPUs ${cpus[*]}"
pid=$(systemctl show -P MainPID nicbalanced)
lost=$EPOCHREALTIME
closed=$(perl /lab/guest/close-links "$pid")
assert_at_least 4 "$closed" "BPF links closed"
wait_until 25 in_grade estimated || fail "$(since "$lost") s after its $closed links were closed: grade $(grade)"
# Asking takes seconds here; the journal knows better when it was.
told=$(entries_since "$lost" | jq -r --arg id $GRADE_CHANGED 'select(.MESSAGE_ID == $id) | .__REALTIME_TIMESTAMP' | head -n 1)
took=$(((${told:-0} - ${lost/[.,]/}) / 100000))
took=$((took / 10)).$((took % 10))
echo "estimated $took s after $closed links were closed: $(grade_reason)"
assert_at_most 15 "$took" "seconds from the loss of eBPF to estimated loads"
nap 3
one_notice "$lost"
assert_equal "$pid" "$(systemctl show -P MainPID nicbalanced)" "process of the service"

# And the loop goes on: queues with new interrupts are put right as ever.
ethtool -L lab0 combined 4
changed=$EPOCHREALTIME
wait_until 20 each_alone 4 || fail "not balanced any more: CPUs ${cpus[*]}"
echo "estimated, four queues apart after $(since "$changed") s: CPUs ${cpus[*]}"
assert_polled_evenly 7 "$GENERATOR_CPU"
service_active || fail "the service is not active"
