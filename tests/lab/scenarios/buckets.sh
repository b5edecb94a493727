#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Flows that all meet in one queue of six are shared out by the RSS table: few entries move, the CPUs end as even as can be
# without RPS, no packet is lost by it, and the table returns with the load. The same where the NIC tells no hash. A table of an
# administrator stays. Flows that differ are those of the scenario zipf.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

need_product

QUEUE=2
FLOWS=12
# Twelve sources cannot be as fast together as one.
BALLAST_RULES=2400
# Points of one CPU, by the kernel's own events.
DEVIATION=3
# In eight seconds some emulated CPUs get a fifth more of the real ones than others.
EVEN_SECONDS=14

table() { ethtool -x lab0 | awk '/^ *[0-9]+:/ { $1 = ""; print }' | xargs; }
# entries that differ : of two tables.
differing() { paste <(tr ' ' '\n' <<< "$1") <(tr ' ' '\n' <<< "$2") | awk '$1 != $2 { n++ } END { print n + 0 }'; }
is_spread() { [[ $(table) != "$found" ]]; }
is_back() { [[ $(table) == "$found" ]]; }
no_rps() { ! grep -qv '^[0,]*$' /sys/class/net/lab0/queues/rx-*/rps_cpus; }
lost() { ethtool -S lab0 | awk '/rx_fifo_errors|rx_missed_errors|rx_no_buffer_count|drops:/ { n += $2 } END { print n + 0 }'; }

# Since 6.17 a table can be set by netlink: the kernel's function for that says whether it was.
SET_BY_NETLINK=ethnl_rss_set
TRACING=/sys/kernel/tracing
watch_netlink() {
	grep -qw $SET_BY_NETLINK /proc/kallsyms || return 0
	mountpoint -q $TRACING || mount -t tracefs tracefs $TRACING
	echo "p:lab/rss $SET_BY_NETLINK" > $TRACING/kprobe_events
	echo 1 > $TRACING/events/lab/rss/enable
}
assert_by_netlink() {
	[[ -e $TRACING/events/lab/rss ]] || return 0
	grep -q ' rss:' $TRACING/trace || fail "the table was not set by netlink"
	echo "the table was set by netlink"
}

assert_even() {
	local mean deviation most clock

	read_cpus "${irqs[@]}"
	read -r mean deviation most clock < <(even_loads $EVEN_SECONDS "${cpus[@]}")
	echo "CPUs of the queues: mean $mean %, standard deviation $deviation ($clock by the clock), hottest $most %"
	assert_at_most $DEVIATION "$deviation" "standard deviation of the loads"
}

# flows_start PPS : all of them together. All begin at once: while paces change one after another, and are caught up with,
# the flows are not alike.
flows_start() {
	local i

	pktgen pgctrl stop
	pktgen pgctrl reset
	for ((i = 0; i < FLOWS; i++)); do
		load_device "lab1@f$i" "$GENERATOR_CPU" 'count 0' "ratep $(($1 / FLOWS))" \
			'src_min 10.77.1.1' 'src_max 10.77.1.1' "udp_src_min ${ports[i]}" "udp_src_max ${ports[i]}" \
			'udp_dst_min 9' 'udp_dst_max 9'
	done
	load_go
}

ethtool -L lab0 combined 6
wait_until 10 grep -qx 1 /sys/class/net/lab0/carrier || fail "no link after ethtool -L"
load_prepare
found=$(table)
mapfile -t ports < <(ethtool -x lab0 | perl /lab/guest/buckets $QUEUE $FLOWS 10.77.1.1 $LAB0_ADDRESS 9)
assert_equal $FLOWS "${#ports[@]}" "flows that meet in queue $QUEUE"
application_start "$GENERATOR_CPU"
# What this script and the daemon cost on an emulated CPU would be another load of a queue's CPU, to be evened out, too.
taskset -p -c "$GENERATOR_CPU" $$ > /dev/null
mkdir -p "${UNIT_DROPIN%/*}"
printf '[Service]\nCPUAffinity=%s\n' "$GENERATOR_CPU" > "$UNIT_DROPIN"
systemctl daemon-reload

# How much makes the CPU of the queue hot, but not full.
mapfile -t irqs < <(queue_irqs lab0)
pin "${irqs[QUEUE]}" 0
load=0
for ((pps = 1000; pps < 6000 && load < 78; )); do
	pps=$((pps + 300))
	flows_start $pps
	nap 1
	load=$(softirq_percent 0 2)
done
((load >= 78)) || fail "$pps packets a second take $load % of a CPU"
pin "${irqs[QUEUE]}" 0-7
calm=$((pps / 10))

# Calm first, so that queues are placed, and measured from then on: attaching the programs takes emulated CPUs as much time as
# a flow, and where that happens together with the load it is taken for other work of some CPU.
measure_always
service_start
flows_start $calm
wait_until 30 each_alone 6 || fail "queues are on CPUs ${cpus[*]}"
wait_until 60 in_grade measured || fail "not measured: $(grade)"
nap 5
rx_packets lab0 > /tmp/packets-before
nap 2
rx_packets lab0 | awk -v queue=$QUEUE 'NR == FNR { was[$1] = $2; next } { n = $2 - was[$1]; all += n; if ($1 == queue) here = n }
	END { exit here * 20 < all * 19 }' /tmp/packets-before - || fail "the flows do not meet in queue $QUEUE"

# Then as much as makes the queue's CPU hot.
read_cpus "${irqs[@]}"
hot=${cpus[QUEUE]}
watch_netlink
flows_start $pps
begun=$EPOCHREALTIME
echo "queue $QUEUE, on CPU $hot, gets $pps packets a second: $(busy_percents 2)"
wait_until 60 is_spread || { show_status; fail "no entry has moved $(since "$begun") s later"; }
took=$(since "$begun")
moved=$(differing "$found" "$(table)")
echo "$moved of 128 entries moved $took s later"
assert_by_netlink
is_told "$moved of 128 RSS table entries moved to other queues" || fail "the journal does not tell"
assert_at_most $FLOWS "$moved" "entries that moved"
no_rps || fail "RPS is set"
lost_before=$(lost)
nap 3
assert_even
rx_packets lab0 > /tmp/packets-before
nap 2
rx_packets lab0 | awk 'NR == FNR { was[$1] = $2; next } { printf "queue %d: %d  ", $1, ($2 - was[$1]) / 2 } END { print "" }' /tmp/packets-before -
spread=$(table)
nap 5
assert_equal "$spread" "$(table)" "the table half a minute later"
no_rps || fail "RPS is set"
echo "packets lost since: $(($(lost) - lost_before))"
show_status

# The next run keeps it, and takes it back.
systemctl restart nicbalanced
nap 5
assert_equal "$spread" "$(table)" "the table after a restart"
flows_start $calm
stopped=$EPOCHREALTIME
wait_until 120 is_back || fail "the table is not back $(since "$stopped") s after the load"
echo "the table is back $(since "$stopped") s after the load"

# Without hashes of the NIC they are reckoned from the headers.
ethtool -K lab0 rxhash off
ethtool -k lab0 | grep -q '^receive-hashing: off' || fail "the NIC goes on telling hashes"
flows_start $pps
begun=$EPOCHREALTIME
wait_until 90 is_spread || { show_status; fail "without rxhash no entry has moved $(since "$begun") s later"; }
moved=$(differing "$found" "$(table)")
echo "$moved of 128 entries moved $(since "$begun") s later, by hashes that were reckoned"
assert_at_most $FLOWS "$moved" "entries that moved"
nap 3
assert_even
flows_start $calm
wait_until 120 is_back || fail "the table is not back"
ethtool -K lab0 rxhash on

# What somebody set stays.
systemctl stop nicbalanced
ethtool -X lab0 weight 1 1 4 1 1 1
mapfile -t ports < <(ethtool -x lab0 | perl /lab/guest/buckets $QUEUE $FLOWS 10.77.1.1 $LAB0_ADDRESS 9)
theirs=$(table)
flows_start $pps
service_start
nap 25
assert_equal "$theirs" "$(table)" "an administrator's table"

service_active || fail "the service is not active"
