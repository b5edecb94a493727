#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The measured grade: the time that queues and the backlog are said to cost is what each CPU spent on the network, and
# two queues cost as the work that they make.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

need_product

# measure SECONDS : /tmp/shares "cpu by-the-kernel's-events queues+backlog rest" of the CPUs that do at least 15 % for the
# network (interrupts of other devices, which the kernel's events hold too, are half a point); /tmp/recorded as
# recorded_percents tells it.
measure() {
	network_percents nicbalancectl record --seconds "$1" --file /tmp/recording > /tmp/network
	recorded_percents /tmp/recording > /tmp/recorded
	awk '$1 == "cpu" { print $2, $3 + $4, $5 }' /tmp/recorded | join /tmp/network - | awk '$2 >= 15' > /tmp/shares
}

cost_of() { awk -v queue="$1" '$1 == "queue" && $2 == queue { print $3 }' /tmp/recorded; }

# What it finds no queue and no backlog for, on CPUs that do little beside, with two points for timers and the like.
complete() { awk '$4 > 2 && $4 > 0.05 * $3 { bad = 1 } END { exit bad }' /tmp/shares; }

within() { awk '$3 < 0.95 * $2 || $3 > 1.05 * $2 { bad = 1 } END { exit bad || !NR }' /tmp/shares; }

# compare WHAT : CPU by CPU. Both sides are means of the same seconds, but for the part of one by which they end apart,
# in which a busy host may serve more or fewer packets than in the others: what is wrong by itself is so three times.
compare() {
	local try
	for ((try = 0; try < 3; try++)); do
		measure 6
		echo "$1: by the kernel's events; the daemon's queues and backlog; and what else it sees there"
		awk '{ printf "  CPU %d  %6.2f %%  %6.2f %%  %6.2f %%\n", $1, $2, $3, $4 }' /tmp/shares
		! complete || ! within || return 0
	done
	complete || fail "$1: more than 5 % of a CPU's network time belongs to no queue and is no backlog"
	fail "$1: a CPU's queues and backlog are not within 5 % of its network time by the kernel's events"
}

# What looks must not be seen on a CPU with queues.
taskset -p -c "$GENERATOR_CPU" $$ > /dev/null
pile_all_on 0 lab0
BALLAST_RULES=3000
# So many packets that both queues together would take some 70 % of one CPU, on a fast host as on a slow one.
tenths=40 pace=787
load_start --weights "$tenths 10" --pps "$pace"
network_percents nap 2 > /tmp/network
pktgen "lab1@$GENERATOR_CPU" "ratep $(awk -v pace="$pace" '$1 == 0 { print int(pace * 70 / $2) }' /tmp/network)"
measure_always
# What a queue costs is compared, so nothing may be steered: with everything measured its CPU comes to Hot= on some hosts.
printf '[RPS]\nEnabled=no\n' >> "$CONF_DROPIN"
service_start
wait_until 20 in_grade measured || fail "not measured: $(grade)"
status=$(nicbalancectl status)
grep '^  Loads' <<< "$status"
mapfile -t irqs < <(queue_irqs lab0)
wait_until 20 spread_over 1 "$GENERATOR_CPU" "${irqs[@]:0:2}" || fail "not spread: CPUs ${cpus[*]}"
assert_polled_evenly 7 "$GENERATOR_CPU"

# A packet costs the more the fewer there are: nothing is in the caches any more. How many times the packets are three
# times the work differs by host and moment; what the work is the kernel tells.
for ((try = 0; try < 4; try++)); do
	packets=$((tenths / 10)).$((tenths % 10))
	compare "queues"
	read_cpus "${irqs[@]:0:2}"
	ratio=$(awk -v a="$(cost_of 0)" -v b="$(cost_of 1)" 'BEGIN { printf "%.2f", a / b }')
	real=$(awk -v a="${cpus[0]}" -v b="${cpus[1]}" '{ network[$1] = $2 } END { printf "%.2f", network[a] / network[b] }' /tmp/network)
	echo "queue 0 costs $(cost_of 0) %, queue 1 $(cost_of 1) %: $packets : 1 packets cost $ratio : 1; by the kernel's events $real : 1"
	hundredths=${real/./}
	((hundredths < 250 || hundredths > 350)) || break
	tenths=$((tenths * 300 / hundredths))
	ethtool -X lab0 weight "$tenths" 10
	nap 1
done
((try < 4)) || fail "$packets : 1 packets are $real : 1 work, not some 3 : 1"
awk -v r="$ratio" -v real="$real" 'BEGIN { exit !(r >= 0.9 * real && r <= 1.1 * real) }' ||
	fail "$real : 1 work is said to cost $ratio : 1"

# Steered, most of the work is another CPU's backlog.
nap 1
cpu=$(irq_cpu "${irqs[0]}")
printf '%x\n' $((1 << (cpu == 6 ? 5 : 6))) > /sys/class/net/lab0/queues/rx-0/rps_cpus
nap 2
compare "with RPS of queue 0"
echo "queue 0 itself costs $(cost_of 0) % then"
service_active || fail "the service is not active"
