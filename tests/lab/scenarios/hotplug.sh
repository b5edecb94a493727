#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# CPU 3 leaves and comes back under load: no queue is lost, and both times the placement is even again.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

need_product

# The kernel sends the queues of a CPU that leaves anywhere, and the mask it leaves names several CPUs.
single_cpus() {
	local irq list
	for irq in "${irqs[@]}"; do
		read -r list < "/proc/irq/$irq/smp_affinity_list"
		[[ $list =~ ^[0-9]+$ ]] || return 1
	done
}
even() { spread_over 2 "$GENERATOR_CPU" "${irqs[@]}" && single_cpus; }
all_online() {
	local cpu
	read_cpus "${irqs[@]}"
	for cpu in "${cpus[@]}"; do
		[[ $cpu == 0 || $(< "/sys/devices/system/cpu/cpu$cpu/online") == 1 ]] || return 1
	done
}

mapfile -t irqs < <(queue_irqs lab0)
pile_all_on 0 lab0
load_start
service_start
wait_until 20 even || fail "not settled: CPUs ${cpus[*]}"
pid=$(systemctl show -P MainPID nicbalanced)
nap 3
echo "eight CPUs: queues on ${cpus[*]}"

for online in 0 1; do
	started=$EPOCHREALTIME
	echo "$online" > /sys/devices/system/cpu/cpu3/online
	wait_until 60 even || fail "CPU 3 online=$online: after $(since "$started") s queues on CPUs ${cpus[*]}"
	echo "CPU 3 online=$online: even after $(since "$started") s, queues on CPUs ${cpus[*]}"
	for ((second = 0; second < 10; second++)); do
		all_online || fail "CPU 3 online=$online: a queue on a CPU that is not: ${cpus[*]}"
		nap 1
	done
	assert_polled_evenly $((6 + online)) "$GENERATOR_CPU"
	even || fail "CPU 3 online=$online: not even any more: CPUs ${cpus[*]}"
	service_active || fail "the service is not active"
	assert_equal "$pid" "$(systemctl show -P MainPID nicbalanced)" "process of the service"
done
