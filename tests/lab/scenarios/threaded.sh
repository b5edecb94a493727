#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Threaded NAPI: the scheduler places the work then, not the interrupt. It is still the queue's, and nothing that
# moving interrupts could help.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

need_product

mapfile -t irqs < <(queue_irqs lab0)
trap 'echo 0 > /sys/class/net/lab0/threaded' EXIT

# Run time of all of lab0's NAPI threads, nanoseconds.
thread_nsec() {
	local file sum=0 run
	for file in /proc/[0-9]*/comm; do
		[[ $(< "$file") == napi/lab0-* ]] || continue
		read -r run _ < "${file%comm}schedstat"
		sum=$((sum + run))
	done 2> /dev/null
	echo "$sum"
}

# share JSON-KEY : of all queues of lab0 together, percent of one CPU.
share() { nicbalancectl status --json | jq "[.queues[] | select(.nic == \"lab0\") | .\"$1\"] | add"; }

pile_all_on 0 lab0
load_start --queues 2
measure_always
service_start
wait_until 20 in_grade measured || fail "not measured: $(grade)"
wait_until 20 spread_over 1 "$GENERATOR_CPU" "${irqs[@]:0:2}" || fail "both queues on one CPU, or the generator's: ${cpus[*]}"
nap 5
assert_polled_evenly 7 "$GENERATOR_CPU"
echo "softirq: cost $(share time-percent) %, threads $(share threaded-percent) %"

echo 1 > /sys/class/net/lab0/threaded
nap 6
settled=$EPOCHREALTIME
before=$(thread_nsec)
sum=0
for ((i = 0; i < 10; i++)); do
	nap 1.5
	sum=$(awk -v a="$sum" -v b="$(share threaded-percent)" 'BEGIN { print a + b }')
done
took=$(since "$settled")
got=$(awk -v sum="$sum" 'BEGIN { printf "%.1f", sum / 10 }')
real=$(awk -v nsec="$(($(thread_nsec) - before))" -v took="$took" 'BEGIN { printf "%.1f", nsec / took / 1e7 }')
echo "threaded: cost $(share time-percent) %, threads $got %; the scheduler says $real %"
assert_at_least 20 "$real" "percent of a CPU that the threads use"
awk -v got="$got" -v real="$real" 'BEGIN { exit !(got >= 0.9 * real && got <= 1.1 * real) }' ||
	fail "the queues' threads are said to use $got % of a CPU, and use $real %"
moves=$(moves_since "$settled")
[[ -z $moves ]] || fail "moves in $took s of threaded NAPI:"$'\n'"$moves"
echo "no moves in $took s"

echo 0 > /sys/class/net/lab0/threaded
back=$EPOCHREALTIME
# What is smoothed keeps 0.7 of itself each second: from 50 % it takes 7 s and a window to get there.
threads_are_gone() { awk -v percent="$(share threaded-percent)" 'BEGIN { exit percent > 5 }'; }
wait_until 15 threads_are_gone || fail "$(since "$back") s after the threads ended: $(share threaded-percent) % of a CPU in them"
echo "softirq again after $(since "$back") s: cost $(share time-percent) %, threads $(share threaded-percent) %"
service_active || fail "the service is not active"
