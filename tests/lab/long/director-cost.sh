#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lab-packages: applications
# lab-clock: instructions
# lab-seconds: 4500
# What nicbalance takes from a director's requests, once it has placed the queues: beside the same placement by hand, over the
# minute in which it measures once. All that the machine executes takes time from requests, and nothing else does, so rates of
# one placement differ by less than a hundredth.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/director.sh
. /lab/guest/director.sh

# Nothing changes any more in the columns without a balancer.
# shellcheck disable=SC2034 # measure()
measure_for() {
	SETTLE_SECONDS=10 MEASURED_SECONDS=20
	[[ $1 != nicbalance ]] || SETTLE_SECONDS=60 MEASURED_SECONDS=60
}

need_product
director_start
columns_prepare
COMPARED=(nothing nicbalance by-hand)
for phase in many one; do
	for column in "${COMPARED[@]}"; do
		measure_for "$column"
		measure "$phase" 1 "$column"
	done
	table "$phase" start rate p50 p99 most failed resets timeouts lost net_rx std cost
	judge "$phase" failed resets
done
verdict
