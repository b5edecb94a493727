#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lab-seconds: 1500
# How soon a saturated CPU of eight is relieved, and how evenly: by hand, by irqbalance, by nicbalance, from the same
# layouts in turn. By the kernel's own events.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/saturated.sh
. /lab/guest/saturated.sh

need_product
WATCHED_SECONDS=20
evenness=''
ROUNDS=${RELIEF_ROUNDS:-2}

# --- columns ----------------------------------------------------------------------------------------------------------

# With the sender all but stopped, so that NAPIs finish.
six_by_hand() {
	local queue
	pktgen "lab1@$GENERATOR_CPU" 'ratep 200'
	nap 2
	for queue in 0 1 2 3 4 5; do
		echo "$queue" > "/proc/irq/${irqs[queue]}/smp_affinity_list"
	done
	nap 3
	pktgen "lab1@$GENERATOR_CPU" "ratep $((2 * capacity))"
}

two_by_hand() {
	pace_two 200
	nap 2
	point_two 3 6
	nap 3
	pace_two $((capacity * 65 / 100))
}

start_column() {	# start_column CASE COLUMN
	case $2 in
	by-hand) "${1}_by_hand" ;;
	irqbalance) irqbalance_start ;;
	nicbalance) service_start ;;
	esac
}

# --- measuring ----------------------------------------------------------------------------------------------------------

# row CASE N ROUND COLUMN
row() {
	local begun apart

	reset_state
	"lay_$1"
	mapfile -t irqs < <(queue_irqs lab0)
	trace_begin napi/napi_poll
	read -r begun _ < /proc/uptime
	start_column "$1" "$4"
	nap "$WATCHED_SECONDS"
	trace_end
	apart=$(apart_from "$begun" "$2" "$GENERATOR_CPU")
	polled_evenly 7 "$GENERATOR_CPU" || true
	printf '%-4s round %d %-10s apart after %5s s of %d; %s; %s\n' "$1" "$3" "$4" "$apart" "$WATCHED_SECONDS" "$evenness" \
		"$(busy_percents 2 | sed 's/ (softirq [0-9]*%)//g')"
	[[ $apart != never || $4 != nicbalance ]] || show_status
}

for ((round = 1; round <= ROUNDS; round++)); do
	for column in by-hand irqbalance nicbalance; do
		row six 6 "$round" "$column"
		row two 2 "$round" "$column"
	done
done
