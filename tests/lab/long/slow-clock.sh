#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lab-append: clocksource=hpet
# lab-seconds: 900
# A clock that takes microseconds to read, under load: what measuring with eBPF may take of the CPUs is bounded, the
# status says why it is not more, and as many packets are served as without the daemon. A run of its own, on a host
# that has nothing else to do.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

need_product
clock=$(< /sys/devices/system/clocksource/clocksource0/current_clocksource)
[[ $clock == hpet ]] || skip "booted with the clocksource $clock, not hpet"

ROUNDS=5

median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# probe_cost : what the programs have taken of all CPUs so far, in milliseconds.
was_tried() { (($(probe_cost) > 0)); }
probe_cost() { nicbalancectl status --json | jq '.daemon."probe-cost-nsec" / 1000000 | floor'; }

# Placed before, so that both columns have the same queues on the same CPUs.
mapfile -t irqs < <(queue_irqs lab0)
cpu=0
for irq in "${irqs[@]:0:4}"; do
	echo "$cpu" > "/proc/irq/$irq/smp_affinity_list"
	cpu=$((cpu + 1))
done
# One CPU is hot, so that the programs are attached; it has one queue, and nothing better.
pace=787
load_start --weights "40 10 10 10" --pps "$pace"
network_percents nap 2 > /tmp/network
pktgen "lab1@$GENERATOR_CPU" "ratep $(awk -v pace="$pace" '$1 == 0 { print int(pace * 78 / $2) }' /tmp/network)"
rm -f /tmp/nothing /tmp/ours
for ((round = 0; round < ROUNDS; round++)); do
	nap 3
	polled_per_second >> /tmp/nothing
	service_start
	# A trial of a quarter of a second tells what it costs.
	wait_until 90 was_tried || fail "never attached: $(grade), $(grade_reason)"
	nap 5
	cost=$(probe_cost) began=$EPOCHREALTIME
	nap 15
	polled_per_second >> /tmp/ours
	spent=$(($(probe_cost) - cost)) budget=$(awk -v t="$(since "$began")" -v n="$(nproc)" \
		'BEGIN { print int(1000 * t * n * 0.005 * 1.2) }')
	echo "  $(grade): $(grade_reason); $spent ms of $budget allowed"
	((spent <= budget)) || fail "the programs took $spent ms, ProbeBudget= and a fifth allow $budget"
	systemctl stop nicbalanced
done
without=$(median /tmp/nothing) with=$(median /tmp/ours)
echo "packets a second: $without without the daemon, $with with it"
assert_at_least "$((without * 97 / 100))" "$with" "packets a second with the daemon"
