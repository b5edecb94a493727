#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lab-seconds: 900
# Elephants and mice: flows whose paces go by Zipf's law, of which those of one queue fill its CPU. The RSS table shares them out as
# evenly as can be; and where the largest is more than any other queue can get, it keeps its queue, and all others leave. The table is
# as found after a stop.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

need_product

QUEUES=4
QUEUE=2
# The largest flows, in the queue that is hot, and as many small ones in the others. Each of them has a bucket of its own.
LARGE=12
FLOWS=24
BALLAST_RULES=2400
# Points of one CPU, by the kernel's own events, above what is best.
DEVIATION=3

table() { ethtool -x lab0 | awk '/^ *[0-9]+:/ { $1 = ""; print }' | xargs; }
is_spread() { [[ $(table) != "$found" ]]; }
is_back() { [[ $(table) == "$found" ]]; }
lost() { ethtool -S lab0 | awk '/rx_fifo_errors|rx_missed_errors|rx_no_buffer_count|drops:/ { n += $2 } END { print n + 0 }'; }

# ports_of QUEUE N
ports_of() { ethtool -x lab0 | perl /lab/guest/buckets "$1" "$2" 10.77.1.1 $LAB0_ADDRESS 9; }

# zipf PPS EXPONENT : the pace of each flow, the largest first, all of them together so many packets a second.
zipf() {
	awk -v pps="$1" -v s="$2" -v n=$FLOWS 'BEGIN {
		for (i = 1; i <= n; i++) sum += i ^ -s
		for (i = 1; i <= n; i++) print int(pps * i ^ -s / sum + 0.5)
	}'
}

# best_deviation PPS EXPONENT PERCENT : of the loads of so many queues that take so many per cent of a CPU together, with the flows
# dealt out, the largest first.
best_deviation() {
	zipf "$1" "$2" | awk -v queues=$QUEUES -v percent="$3" '
		{
			least = 0
			for (i = 1; i < queues; i++) if (dealt[i] + 0 < dealt[least] + 0) least = i
			dealt[least] += $1; all += $1
		}
		END {
			for (i = 0; i < queues; i++) { load = percent * dealt[i] / all; sum += load; squares += load * load }
			printf "%.1f", sqrt(squares / queues - (sum / queues) ^ 2)
		}'
}

# flows_start PPS EXPONENT
flows_start() {
	local i=0 pace

	pktgen pgctrl stop
	pktgen pgctrl reset
	while read -r pace; do
		load_device "lab1@f$i" "$GENERATOR_CPU" 'count 0' "ratep $pace" 'src_min 10.77.1.1' 'src_max 10.77.1.1' \
			"udp_src_min ${ports[i]}" "udp_src_max ${ports[i]}" 'udp_dst_min 9' 'udp_dst_max 9'
		i=$((i + 1))
	done < <(zipf "$1" "$2")
	load_go
}

# received SECONDS : "queue packets-a-second" of each queue.
received() {
	rx_packets lab0 > /tmp/packets-before
	nap "$1"
	rx_packets lab0 | awk -v s="$1" 'NR == FNR { was[$1] = $2; next } { printf "%s %d\n", $1, ($2 - was[$1]) / s }' \
		/tmp/packets-before -
}

# spread EXPONENT : from calm to hot, until entries have moved; lets them settle, and measures the deviation of the loads: by events,
# by the clock, and by the packets of each queue, as if each of them cost the same.
spread() {
	local lost_before begun packets

	lost_before=$(lost)
	flows_start "$pps" "$1"
	begun=$EPOCHREALTIME
	echo "Zipf $1, $pps packets a second: $(received 2 | xargs)"
	wait_until 60 is_spread || { show_status; fail "no entry has moved $(since "$begun") s later"; }
	echo "entries moved $(since "$begun") s later"
	nap 12
	read_cpus "${irqs[@]}"
	read -r mean deviation most clock < <(even_loads 8 "${cpus[@]}")
	best=$(best_deviation "$pps" "$1" "$(awk -v m="$mean" -v q=$QUEUES 'BEGIN { print m * q }')")
	packets=$(received 4)
	by_packets=$(awk -v mean="$mean" '{ sum += $2; squares += $2 ^ 2 } END {
		printf "%.1f", mean * sqrt(NR * squares / sum ^ 2 - 1) }' <<< "$packets")
	echo "CPUs of the queues: mean $mean %, standard deviation $deviation ($clock by the clock, $by_packets by packets, best $best)," \
		"hottest $most %; $(xargs <<< "$packets"); lost $(($(lost) - lost_before))"
}

# calm : few packets, until the table is as found.
calm() {
	flows_start "$calm" 1
	wait_until 120 is_back || fail "the table is not back without load"
}

ethtool -L lab0 combined $QUEUES
wait_until 10 grep -qx 1 /sys/class/net/lab0/carrier || fail "no link after ethtool -L"
load_prepare
found=$(table)
mapfile -t ports < <(ports_of $QUEUE $LARGE)
for queue in 0 1 3; do
	mapfile -t -O "${#ports[@]}" ports < <(ports_of $queue $(((FLOWS - LARGE) / (QUEUES - 1))))
done
assert_equal $FLOWS "${#ports[@]}" "flows"
application_start "$GENERATOR_CPU"
# What this script and the daemon cost on an emulated CPU would be another load of a queue's CPU, to be evened out, too.
taskset -p -c "$GENERATOR_CPU" $$ > /dev/null
mkdir -p "${UNIT_DROPIN%/*}"
printf '[Service]\nCPUAffinity=%s\n' "$GENERATOR_CPU" > "$UNIT_DROPIN"
systemctl daemon-reload

# How much makes the CPU of the queue hot, but not full.
mapfile -t irqs < <(queue_irqs lab0)
pin "${irqs[QUEUE]}" 6
load=0
for ((pps = 1000; pps < 8000 && load < 76; )); do
	pps=$((pps + 300))
	flows_start $pps 1
	nap 1
	load=$(softirq_percent 6 2)
done
((load >= 76)) || fail "$pps packets a second take $load % of a CPU"
pin "${irqs[QUEUE]}" 0-7
calm=$((pps / 10))

# A moment in which this host is slow would make a queue look as if it were too much for a CPU, and RPS takes queues out of this.
measure_always
printf '[RPS]\nEnabled=no\n' >> "$CONF_DROPIN"
service_start
flows_start "$calm" 1
wait_until 30 each_alone $QUEUES || fail "queues are on CPUs ${cpus[*]}"
wait_until 60 in_grade measured || fail "not measured: $(grade)"
nap 5

spread 1
assert_at_most "$(awk -v b="$best" -v d=$DEVIATION 'BEGIN { print b + d }')" "$deviation" "standard deviation of the loads"
settled=$(table)
nap 20
assert_equal "$settled" "$(table)" "the table 20 s later"
calm

# Nearly half of it is one flow, which no table can divide.
spread 1.5
largest=$(zipf "$pps" 1.5 | head -n 1)
left=$(received 4 | awk -v queue=$QUEUE -v largest="$largest" '$1 == queue { printf "%d", 100 * $2 / largest - 100 }')
echo "queue $QUEUE receives $left % besides the largest flow of $largest packets a second"
((left < 15 && left > -25)) || fail "queue $QUEUE receives $left % besides the largest flow"
# On a slow host the CPU of that flow is nearly full. Then it waits for a real one in most of its softirqs, so that a packet seems to
# cost it half as much again as the others.
assert_at_most "$(awk -v b="$best" -v d=$DEVIATION 'BEGIN { print b + d }')" "$by_packets" "standard deviation of the loads, by packets"

systemctl stop nicbalanced
is_back || fail "the table is not as found after the stop"
