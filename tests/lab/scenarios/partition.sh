#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A cpuset partition that isolates two CPUs, made and ended at run time under load: the NIC's interrupts leave, and by the
# kernel's own count none comes while a real-time task is measured there; the daemon tells the same.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

need_product

PARTITION=/sys/fs/cgroup/lab
# The kernel lists isolated CPUs since 6.8; before, the rescan of the minute finds them, or one that is asked for.
bound=2
notice() { :; }
if [[ ! -e /sys/fs/cgroup/cpuset.cpus.isolated ]]; then
	bound=15
	notice() { nicbalancectl reload; }
fi

isolated() { nicbalancectl status --json | jq -r '.daemon."isolated-cpus"'; }
is_isolated() { [[ $(isolated) == "$1" ]]; }

mapfile -t irqs < <(queue_irqs lab0)
load_start
service_start
wait_until 60 spread_over 2 "$GENERATOR_CPU" "${irqs[@]}" || fail "the queues are on CPUs ${cpus[*]}"
nap 8
read_cpus "${irqs[@]}"
[[ " ${cpus[*]} " == *" 2 "* || " ${cpus[*]} " == *" 3 "* ]] || fail "CPUs 2 and 3 serve nothing: ${cpus[*]}"
echo "before: CPUs ${cpus[*]}"

echo +cpuset > /sys/fs/cgroup/cgroup.subtree_control
mkdir "$PARTITION"
echo 2-3 > "$PARTITION/cpuset.cpus"
made=$EPOCHREALTIME
echo isolated > "$PARTITION/cpuset.cpus.partition"
assert_equal isolated "$(< "$PARTITION/cpuset.cpus.partition")" "kind of the partition"
notice
wait_until "$bound" is_off_cpus 2 3 || fail "$(since "$made") s after two CPUs were isolated the queues are on CPUs ${cpus[*]}, isolated are $(isolated)"
echo "CPUs 2 and 3 are left $(since "$made") s after they were isolated, of $bound s"
is_isolated 2-3 || fail "isolated by the status: $(isolated)"
nap 3

counted=$(interrupts_on 2 3)
bash -c "echo \$\$ > $PARTITION/cgroup.procs; exec cyclictest -q -t 1 -a 3 -p 80 -i 2000 -D 15" > /tmp/cyclictest
sed -n 's/^T: 0/cyclictest on CPU 3:/p' /tmp/cyclictest
assert_equal "$counted" "$(interrupts_on 2 3)" "interrupts of the NIC on isolated CPUs"
told=$(nicbalancectl status --json | jq -r '.intrusions[] | select(.what | test("lab0")) | select(.count > 0) | .what')
assert_equal "" "$told" "interrupts of lab0 that the daemon counted on isolated CPUs"

echo member > "$PARTITION/cpuset.cpus.partition"
rmdir "$PARTITION"
notice
wait_until 5 is_isolated "" || fail "isolated after the partition has ended: $(isolated)"
service_active || fail "the service is not active"
