#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The rig itself, without the product: eight queues, load where the interrupts are, interrupts that move.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

mapfile -t irqs < <(queue_irqs lab0)
echo "interrupts of lab0: $(queue_rows lab0 | awk '{ printf "%s=%s ", $1, $2 }')"
assert_equal 8 "${#irqs[@]}" "receive queue interrupts of lab0"

pile_all_on 0 lab0
# Twice what scenarios have: what a packet costs differs by as much from host to host.
BALLAST_RULES=1000
load_start

# measure : percent of CPU 0 in softirqs, queues that receive, and packets a second.
measure() {
	nap 2
	rx_packets lab0 > /tmp/before
	interrupt_counts lab0 > /tmp/counts
	percent=$(softirq_percent 0 8)
	queues=$(rx_packets lab0 | awk 'NR == FNR { was[$1] = $2; next } $2 > was[$1] + 100 { n++ } END { print n + 0 }' /tmp/before -)
	pps=$(rx_packets lab0 | awk 'NR == FNR { was[$1] = $2; next } { n += $2 - was[$1] } END { printf "%d", n / 8 }' /tmp/before -)
	echo "all queues on CPU 0: about $pps packets/s over $queues queues, CPU 0 is $percent % in softirq"
}

measure
# A fast host has more to do.
for ((try = 0; try < 3 && percent < 50; try++)); do
	BALLAST_RULES=$((BALLAST_RULES * 70 / (percent + 1)))
	load_start
	measure
done
landed /tmp/counts lab0
busy_percents 3
assert_at_least 50 "$percent" "softirq share of CPU 0"
assert_at_least 6 "$queues" "queues with traffic"

irq=${irqs[3]}
started=$EPOCHREALTIME
echo 3 > "/proc/irq/$irq/smp_affinity_list"
wait_until 5 all_on 3 "$irq" || fail "interrupt $irq does not move to CPU 3"
echo "a moved interrupt is effective after $(since "$started") s"
interrupt_counts lab0 > /tmp/counts
nap 3
landed /tmp/counts lab0
landed /tmp/counts lab0 | grep -q "^irq $irq: cpu3 [0-9]*$" || fail "interrupt $irq does not land on CPU 3 alone"
busy_percents 3

load_stop
nap 1
percent=$(softirq_percent 0 3)
echo "without load: CPU 0 is $percent % in softirq"
assert_at_most 20 "$percent" "softirq share of CPU 0 without load"
