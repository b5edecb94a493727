#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What a container runtime does for pods with CPUs of their own: it writes the default affinity of interrupts without
# them and irqbalance's bans with them, and back. A hundred times in ten seconds, and two CPUs are taken all the while: two seconds later no interrupt of
# the NIC comes there any more, by the kernel's own count, and at the end all is as it was.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

need_product

DEFAULT=/proc/irq/default_smp_affinity
BANS=/etc/sysconfig/irqbalance
ALL=0xff

# As CRI-O does it: both files at once.
allow() {
	printf '%x\n' "$1" > "$DEFAULT"
	printf 'IRQBALANCE_BANNED_CPULIST="%s"\n' "$(cpus_of $((ALL & ~$1)))" > "$BANS"
}
# The mask as a list.
cpus_of() {
	local cpu list=
	for ((cpu = 0; cpu < 8; cpu++)); do
		((!($1 >> cpu & 1))) || list+=${list:+,}$cpu
	done
	echo "$list"
}
dropped() {
	local _ lost sum=0
	while read -r _ lost _; do
		sum=$((sum + 0x$lost))
	done < /proc/net/softnet_stat
	echo "$sum"
}
banned() { nicbalancectl status --json | jq -r '.excluded[] | select(.reason == "banned") | .what'; }
are_banned() { [[ $(banned) == "$1" ]]; }
cpu_nsec() { systemctl show -P CPUUsageNSec nicbalanced; }
restarts() { systemctl show -P NRestarts -P MainPID nicbalanced | tr '\n' ' '; }

mapfile -t irqs < <(queue_irqs lab0)
mkdir -p "${BANS%/*}"
load_start
service_start
wait_until 60 spread_over 2 "$GENERATOR_CPU" "${irqs[@]}" || fail "the queues are on CPUs ${cpus[*]}"
nap 15
read_cpus "${irqs[@]}"
[[ " ${cpus[*]} " == *" 2 "* || " ${cpus[*]} " == *" 3 "* ]] || fail "CPUs 2 and 3 serve nothing: ${cpus[*]}"
echo "before: CPUs ${cpus[*]}"
process=$(restarts)
lost=$(dropped)

# The first pod has CPUs 2 and 3, each other one two neighbours of 0 to 6, some of them the same.
begun=$EPOCHREALTIME
cost=$(cpu_nsec)
allow $((ALL & ~0x0c))
wait_until 2 is_off_cpus 2 3 || fail "$(since "$begun") s after two CPUs were taken the queues are on CPUs ${cpus[*]}"
echo "CPUs 2 and 3 are left $(since "$begun") s after they were taken"
nap 0.5
counted=$(interrupts_on 2 3)
for ((pod = 0; pod < 50; pod++)); do
	allow $((ALL & ~(0x0c | 0x03 << pod % 6)))
	nap 0.1
	allow $((ALL & ~0x0c))
	nap 0.1
done
churned=$(since "$begun")
cost=$((($(cpu_nsec) - cost) / 1000000))
read_cpus "${irqs[@]}"
echo "100 orders later, $churned s after the first: CPUs ${cpus[*]}; the daemon took $cost ms of CPU time"
assert_equal "$counted" "$(interrupts_on 2 3)" "interrupts on CPUs 2 and 3 while they were taken"

# What was given back is used when there is a reason to; what is taken last holds.
allow "$ALL"
nap 3
allow $((ALL & ~0x0c))
wait_until 2 is_off_cpus 2 3 || fail "taken again, CPUs 2 and 3 still serve: ${cpus[*]}"
wait_until 3 are_banned 2-3 || fail "banned are the CPUs '$(banned)'"
allow "$ALL"
assert_equal "$process" "$(restarts)" "restarts and process of the service"
assert_equal "$lost" "$(dropped)" "packets dropped by backlogs"
service_active || fail "the service is not active"
show_status
systemctl stop nicbalanced
assert_equal ff "$(< "$DEFAULT")" "the default affinity at the end"
