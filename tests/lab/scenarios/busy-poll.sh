#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lab-append: isolcpus=4-7
# An application polls the NIC for its packets on an isolated CPU (SO_BUSY_POLL): its queue is where its interrupt goes all
# the same, and nothing is changed because of it.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

need_product
[[ $(< /sys/devices/system/cpu/isolated) == 4-7 ]] || skip "booted without isolcpus=4-7"
[[ -x /lab/native/poller ]] || skip "the host has no C compiler, to make the application"

POLLER_CPU=5
PORT=9

poller_start() {
	systemd-run -q --unit=lab-poller --slice=lab.slice -p CPUAffinity=$POLLER_CPU /lab/native/poller $PORT
}
trap 'systemctl stop lab-poller 2> /dev/null || true' EXIT

# polls : "cpu application softirq" for each CPU that polled lab0 in a fifth of a second: polls by the application, whose budget is 8
# (net/core/dev.c BUSY_POLL_BUDGET), and those in softirqs, whose is 64. Only the tracepoint tells them apart.
polls() {
	trace_begin napi/napi_poll
	nap 0.2
	trace_end
	awk '
		/ for device lab0 / { polls[$1 + 0, / budget 8$/ ? "busy" : "softirq"]++; cpus[$1 + 0] }
		END { for (cpu in cpus) print cpu, polls[cpu, "busy"] + 0, polls[cpu, "softirq"] + 0 }' /tmp/trace | sort -n
}

busy_polled() {
	polls > /tmp/polls
	awk -v cpu=$POLLER_CPU '$1 == cpu && $2 >= 20 { found = 1 } END { exit !found }' /tmp/polls
}

# The CPU of its queue, by the daemon.
served_on() {
	nicbalancectl status --json |
		jq --argjson queue "${flow_queues[0]}" '.queues[] | select(.nic == "lab0" and .queue == $queue) | .cpu'
}

mapfile -t irqs < <(queue_irqs lab0)
measure_always
load_prepare
find_flows 1
nft insert rule inet ballast pre udp dport $PORT accept
load_flow "${flow_queues[0]}" 500 cheap
load_go
service_start
wait_until 30 in_grade measured || fail "not measured: $(grade)"
wait_until 30 spread_over 2 - "${irqs[@]}" || fail "queues on CPUs ${cpus[*]}"
irq=${irqs[${flow_queues[0]}]}
poller_start
wait_until 10 busy_polled || fail "nobody polls on CPU $POLLER_CPU: $(paste -sd ';' /tmp/polls)"
nap 1

started=$EPOCHREALTIME
# A poll of the application that uses its budget up leaves the rest to a softirq on its CPU (net/core/dev.c busy_poll_stop()): the queue
# is served there, for once.
elsewhere=0
for ((i = 0; i < 15; i++)); do
	nap 1
	[[ $(served_on) == "$(irq_cpu "$irq")" ]] || elsewhere=$((elsewhere + 1))
done
echo "said to be served elsewhere than its interrupt goes: $elsewhere times of 15"
((elsewhere <= 1)) || { show_status; fail "it is said to be served where the application polls"; }
moves=$(moves_since "$started")
# It sleeps while nothing arrives for 10 ms, as when the host gives the generator no time: one look would not do.
wait_until 10 busy_polled || fail "nobody polls on CPU $POLLER_CPU any more: $(paste -sd ';' /tmp/polls)"
echo "queue ${flow_queues[0]}, interrupt on CPU $(irq_cpu "$irq"); polls in 0.2 s by the application and in softirqs:"
awk '{ print "  CPU " $1 ": " $2 ", " $3 }' /tmp/polls
[[ -z $moves ]] || { show_status; fail "changes in 15 s of busy polling:"$'\n'"$moves"; }
echo "no change in $(since "$started") s"
service_active || fail "the service is not active"
