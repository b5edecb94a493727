#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lab-append: isolcpus=4-7
# Isolated CPUs get no queue and no RPS work, however loaded the others are.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

need_product
[[ $(< /sys/devices/system/cpu/isolated) == 4-7 ]] || skip "booted without isolcpus=4-7"

isolated_used() {
	local cpu file mask
	read_cpus "${irqs[@]}"
	for cpu in "${cpus[@]}"; do
		((cpu < 4)) || { echo "a queue is on CPU $cpu: ${cpus[*]}"; return; }
	done
	for file in /sys/class/net/lab0/queues/rx-*/rps_cpus; do
		read -r mask < "$file"
		((0x${mask//,/} < 0x10)) || { echo "$file is $mask"; return; }
	done
}

mapfile -t irqs < <(queue_irqs lab0)
# Looking takes most of an emulated CPU: on one of the few left it would be an application that queues keep clear of.
taskset -p -c 6 $$ > /dev/null
pile_all_on 0 lab0
load_start
nap 2
started=$EPOCHREALTIME
systemctl start --no-block nicbalanced
# At most two queues each on CPUs 0 to 3 is the only even placement. What starts beside the daemon may fill one of the
# four for a while, which then gets its share later; how soon queues are spread, spread.sh tells.
wait_until 60 spread_over 2 - "${irqs[@]}" || fail "after $(since "$started") s the queues are on CPUs ${cpus[*]}"
spread=$EPOCHREALTIME
echo "spread $(since "$started" "$spread") s after systemctl start, $(since "$(ready_at)" "$spread") s after READY: CPUs ${cpus[*]}"

interrupt_counts lab0 > /tmp/counts
samples=0
stays_off() {
	used=$(isolated_used)
	[[ -z $used ]] || fail "$used"
	samples=$((samples + 1))
	nap 0.1
}
again_for 30 stays_off
echo "30 s, $samples samples: CPUs $(read_cpus "${irqs[@]}"; echo "${cpus[*]}")"
landed /tmp/counts lab0 | tee /tmp/landed
! grep -q 'cpu[4-7] ' /tmp/landed || fail "interrupts landed on isolated CPUs"
assert_polled_evenly 4
! grep -q '^[4-7] ' /tmp/napis || fail "polled on an isolated CPU: $(napis)"
service_active || fail "the service is not active"
show_status
