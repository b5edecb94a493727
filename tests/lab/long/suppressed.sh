#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lab-nics: virtio
# The queues that cost the most raise no interrupts, for they are polled all the time; one beside them that costs
# next to nothing raises many. Who weighs by interrupts leaves that CPU as it is.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

need_product

mapfile -t irqs < <(all_queue_irqs lab0)
mapfile -t rx_irqs < <(queue_irqs lab0)

# begin : two costly queues that are half as much again as CPU 0 can do, and a cheap one, all on CPU 0. A queue of
# virtio-net moves when it next raises an interrupt, so each gets some cheap packets first.
begin() {
	local irq queue

	load_prepare
	for irq in "${irqs[@]}"; do
		echo 0 > "/proc/irq/$irq/smp_affinity_list"
	done
	for queue in "${flow_queues[@]}"; do
		load_flow "$queue" 100 cheap
	done
	load_go
	wait_until 10 all_on 0 "${rx_irqs[@]:0:3}" || fail "queues on CPUs ${cpus[*]}, not on 0"
	pktgen pgctrl stop
	pktgen pgctrl reset
	load_flow "$one" "$1" costly
	load_flow "$two" "$1" costly
	load_flow "$cheap" 211 cheap
	load_go
	nap 3
}

show() {
	echo "  interrupts on CPUs $(read_cpus "${rx_irqs[@]}"; echo "${cpus[*]}"); packets a second:" \
		"$(polls_by_cpu lab0 2 | awk '{ printf "%sCPU %d %d", sep, $1, $2 / 2; sep = ", " }')"
}

raised() { awk -v irq="irq $1:" 'index($0, irq) == 1 { for (i = 4; i <= NF; i += 2) n += $i } END { print n + 0 }' /tmp/landed; }

# suppress TENTHS : sets pace and gives each costly queue so much of what CPU 0 manages; whether they raise the fewest
# interrupts then. What it manages while a busy host is slow may not fill it a moment later.
suppress() {
	local costly cheap

	pace=$((capacity * $1 / 10))
	load_pace "$one" "$pace"
	load_pace "$two" "$pace"
	nap 2
	echo "CPU 0 manages $capacity packets a second; the costly queues $one and $two get $pace each"
	interrupt_counts lab0 > /tmp/counts
	nap 5
	landed /tmp/counts lab0 > /tmp/landed
	show
	costly=$(($(raised "${rx_irqs[0]}") + $(raised "${rx_irqs[1]}"))) cheap=$(raised "${rx_irqs[2]}")
	echo "interrupts in 5 s: costly $costly, cheap $cheap"
	((costly <= cheap))
}

BALLAST_RULES=2000
load_prepare
find_flows 3
one=${flow_queues[0]} two=${flow_queues[1]} cheap=${flow_queues[2]}
rx_irqs=("${rx_irqs[@]:one:1}" "${rx_irqs[@]:two:1}" "${rx_irqs[@]:cheap:1}")
begin 4000
capacity=$(polled_per_second)
suppress 7 || suppress 10 || suppress 14 || fail "the queues that cost the most raise the most interrupts"
! work_apart || skip "virtio-net did not keep both queues on CPU 0"

# One round in two seconds instead of ten, so that there are enough.
mkdir -p /run/systemd/system/irqbalance.service.d
trap 'rm -rf /run/systemd/system/irqbalance.service.d; systemctl daemon-reload' EXIT
printf '[Service]\nEnvironment="IRQBALANCE_ARGS=--interval=2"\n' > /run/systemd/system/irqbalance.service.d/50-lab.conf
systemctl daemon-reload
systemctl start irqbalance
nap 20
echo "irqbalance, ten rounds later:"
show
! work_apart || echo "which happened to part the costly queues"
systemctl stop irqbalance

begin "$pace"
echo "all on CPU 0 again:"
show
measure_always
service_start
wait_until 60 in_grade measured || fail "not measured: $(grade)"
started=$EPOCHREALTIME
wait_until 40 work_apart || { show; show_status; fail "$(since "$started") s after the programs came one CPU does it all"; }
took=$(since "$started")
nap 3
echo "nicbalanced, apart $took s after the programs came:"
show
show_status
# Two audits, ten seconds apart, to know NAPIs that raise no interrupt; then two windows, and what it takes to see it.
assert_at_most 25 "$took" "seconds from measured loads to two costly queues on two CPUs"
service_active || fail "the service is not active"
