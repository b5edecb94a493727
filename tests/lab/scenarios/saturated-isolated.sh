#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lab-append: isolcpus=1,3
# All queues on one CPU and too much for it, two CPUs isolated, an application on a third: the five that are left share
# the queues within seconds, and the isolated ones get nothing. (igb has half as many queues as CPUs that are not isolated.)
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/saturated.sh
. /lab/guest/saturated.sh

need_product
[[ $(< /sys/devices/system/cpu/isolated) == 1,3 ]] || skip "booted without isolcpus=1,3"

# Each of CPUs 0, 2, 4, 5 and 6 polls no more than its share of the queues, and no other CPU any.
shared_out() {
	looked_at=$EPOCHREALTIME
	busy_napis 1
	awk -v all="$queues" -v most="$(((queues + 4) / 5))" '
		{ if ($1 !~ /^[02456]$/ || ++n[$1] > most) bad = 1 }
		END { exit bad || NR != all }' /tmp/napis
}

isolated_polls() { awk '$1 == 1 || $1 == 3' /tmp/polls; }

# Looking takes most of an emulated CPU; one that no queue may have is best.
taskset -p -c 3 $$ > /dev/null
queues=$(queue_irqs lab0 | wc -l)
overload 0
busy_napis 2
echo "before: $(napis)"

limit=$(relief_limit "$capacity")
service_start
ready=$(ready_at)
wait_until $((8 * limit)) shared_out || { show_status; fail "$((8 * limit)) s after the start polled on $(napis)"; }
echo "shared out $(since "$ready" "$looked_at") s after READY: $(napis)"
assert_at_most $((3 * limit)) "$(since "$ready" "$looked_at")" "seconds from the first look to queues shared out"

interrupt_counts lab0 > /tmp/counts
for _ in 1 2 3 4 5; do
	polls_by_cpu lab0 2 > /tmp/polls
	[[ -z $(isolated_polls) ]] || fail "polled on isolated CPUs: $(isolated_polls)"
done
landed /tmp/counts lab0 | tee /tmp/landed
! grep -q 'cpu[13] ' /tmp/landed || fail "interrupts landed on isolated CPUs"
shared_out || fail "not shared out any more: $(napis)"
service_active || fail "the service is not active"
