# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What scenarios say in the machine of two CPUs whose packets come from outside ("# lab-load: outside"): its pace, which
# CPU polls which queue, how many packets are served. Sourced in the guest, after set -euo pipefail.
#
# A queue that fills its CPU stays there whatever is done to its interrupt. So the load is held for a moment whenever
# a queue has to be somewhere for certain.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. /lab/guest/lib.sh

METER=/lab/native/meter
METERED=/tmp/metered

# --- load -----------------------------------------------------------------------------------------------------------

# The addresses that packets come from: of any number of hosts, unless a scenario sets this.
sending_hosts=0
# pace PPS [FLOWS] : so many packets from now on, from random senders or from a number of fixed ones.
pace() { echo "$1 ${2:-0} $sending_hosts" > "$OUTSIDE_PACE"; }

# obeyed PPS : the sender has this pace.
obeyed() {
	local pps
	read -r _ pps 2> /dev/null < /lab/sent && ((10#$pps == $1))
}

# at_rest : no packet has come to any protocol for a while. What the tap and the ring hold takes a slow host some time.
at_rest() {
	local before
	before=$(cut -d ' ' -f 1 /proc/net/softnet_stat)
	nap 0.3
	[[ $before == "$(cut -d ' ' -f 1 /proc/net/softnet_stat)" ]]
}

# hold : no packets, until the next pace, and no NAPI that has any left.
hold() {
	pace 0
	wait_until 10 obeyed 0 || fail "the sender does not stop"
	wait_until 10 at_rest || fail "packets are still coming after the sender has stopped"
}

# sent : packets that the sender has made so far.
sent() {
	local packets
	read -r packets _ < /lab/sent
	echo "$((10#$packets))"
}

# --- placement ------------------------------------------------------------------------------------------------------

# know_queues : sets rx_irqs and tx_irqs, by queue, and n_receiving, how many queues get packets; tx_irqs is empty where
# one interrupt is for both directions.
know_queues() {
	local irq kind queue

	rx_irqs=() tx_irqs=()
	while read -r irq _ kind queue; do
		if [[ $kind == rx ]]; then rx_irqs[queue]=$irq; else tx_irqs[queue]=$irq; fi
	done < <(queue_rows lab0)
	n_receiving=${#rx_irqs[@]}
	# QEMU's knows only one, and the interrupt of another is never raised.
	[[ $(ethtool -i lab0) != *"driver: vmxnet3"* ]] || n_receiving=1
}

# point CPU... : the interrupts of queue after queue to these CPUs, in whatever state its NAPI is.
point() {
	local queue=0 cpu irq

	for cpu; do
		for irq in "${rx_irqs[queue]}" ${tx_irqs[queue]:-}; do
			echo "$cpu" > "/proc/irq/$irq/smp_affinity_list"
		done
		queue=$((queue + 1))
	done
}

# interrupts_on CPU... : the receiving interrupt of queue after queue goes there, of those that receive.
interrupts_on() {
	local -a wanted=("${@:1:n_receiving}")

	read_cpus "${rx_irqs[@]:0:n_receiving}"
	[[ ${cpus[*]} == "${wanted[*]}" ]]
}

rps_off() {
	local file mask
	for file in /sys/class/net/lab0/queues/rx-*/rps_cpus; do
		read -r mask < "$file"
		[[ ! $mask =~ [1-9a-f] ]] || echo 0 > "$file"
	done
}

# place CPU... : has each queue polled on its CPU, from the next pace on. The load is held then. An interrupt moves when
# it is next raised, for which there are a few packets.
place() {
	hold
	rps_off
	point "$@"
	if ! interrupts_on "$@"; then
		pace 500
		wait_until 20 interrupts_on "$@" || fail "queues on CPUs ${cpus[*]}, not on $*"
		hold
	fi
}

# --- what is served -------------------------------------------------------------------------------------------------

# meter_start MILLISECONDS, meter_stop : what is served meanwhile is in the file $METERED, see native/meter.c.
meter_start() {
	"$METER" "$1" > "$METERED" &
	meter=$!
}

meter_stop() {
	kill "$meter"
	wait "$meter" || true
}

# rates FROM TO : packets a second between two moments, by what was metered: "served cpu0 cpu1", the latter what each
# CPU's protocol layers got.
rates() {
	awk -v from="${1/,/.}" -v to="${2/,/.}" '
		$1 < from { for (i = 1; i <= 4; i++) a[i] = $i; next }
		!a[1] { for (i = 1; i <= 4; i++) a[i] = $i }
		$1 <= to || !b[1] { for (i = 1; i <= 4; i++) b[i] = $i }
		END {
			t = b[1] - a[1]
			if (t <= 0) { print "0 0 0"; exit }
			print int((b[2] - a[2]) / t), int((b[3] - a[3]) / t), int((b[4] - a[4]) / t)
		}' "$METERED"
}

# rates_for SECONDS : the same, from now on.
rates_for() {
	local from=$EPOCHREALTIME
	"$METER" "$(awk -v s="$1" 'BEGIN { print int(1000 * s) }')" 2 > "$METERED"
	rates "$from" 9999999999
}

# measure_capacity : sets capacity to what one CPU serves that has more to do than it can, in packets a second.
measure_capacity() {
	local pps=10000

	# All of the NIC's queues on CPU 0.
	place "${rx_irqs[@]/*/0}"
	while :; do
		pace "$pps"
		wait_until 5 obeyed "$pps" || fail "the sender does not begin"
		nap 1
		read -r capacity _ < <(rates_for 3)
		((capacity * 2 > pps && pps < 40000)) || break
		pps=$((pps * 2))
	done
	hold
	((capacity > 200)) || fail "one CPU serves $capacity packets a second"
}

# find_capacity : the better of two measurements, as emulated code is translated when it first runs.
find_capacity() {
	local first

	measure_capacity
	first=$capacity
	measure_capacity
	((capacity > first)) || capacity=$first
}

# paced TENTHS : sets pps to so many tenths of the capacity.
paced() {
	pps=$((capacity * $1 / 10))
	((pps <= 50000)) || pps=50000
}

# outside_prepare RULES : everything but packets.
outside_prepare() {
	BALLAST_RULES=$1
	load_stop
	ballast_start
	ethtool -N lab0 rx-flow-hash udp4 sdfn 2> /dev/null || true
	know_queues
}
