#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lab-seconds: 300
# Bursts of two queues meet on one CPU of eight, which is at half of its time: far from hot, but either waits until the other is worked off.
# At most two moves halve the p99 wait, by the kernel's own events irq:softirq_raise and irq:softirq_entry, and for a minute nothing moves
# after. With DelayMax=0 none moves, and no wait is measured.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

need_product

BURSTS=60 # a second, of each of the two queues
RULES=600 # a packet is dear, so that few of them make a burst
QUIET=60

# waits SECONDS : of all CPUs but the generator's together, µs: p99 of NET_RX from raise to entry, and how many runs there were.
waits() {
	trace_begin irq/softirq_raise:'vec==3' irq/softirq_entry:'vec==3'
	nap "$1"
	trace_end
	awk '
		$3 == "softirq_raise" && !($1 in raised) { raised[$1] = $2 }
		$3 == "softirq_entry" && $1 in raised { printf "%d\n", ($2 - raised[$1]) * 1e6; delete raised[$1] }' /tmp/trace |
		sort -n | awk '{ wait[NR] = $1 } END { n = int((NR * 99 + 99) / 100); print (NR ? wait[n] : 0), NR }'
}

# bursts_start PACKETS : so many in each burst of either queue.
bursts_start() {
	local queue

	pktgen pgctrl stop
	pktgen pgctrl reset
	for queue in "${flow_queues[@]}"; do
		load_device "lab1@q$queue" "$GENERATOR_CPU" 'count 0' "ratep $BURSTS" "burst $1" 'src_min 10.77.1.1' 'src_max 10.77.1.1' \
			"udp_src_min ${flow_ports[queue]}" "udp_src_max ${flow_ports[queue]}" 'udp_dst_min 9' 'udp_dst_max 9'
	done
	load_go
}

# meet : the two queues on one CPU, every other one on its own.
meet() {
	local queue

	for queue in "${!irqs[@]}"; do
		pin "${irqs[queue]}" "$queue"
	done
	pin "${irqs[flow_queues[1]]}" "$meeting"
}

# limit SPAN : how long NET_RX may wait, from the next start on. What an emulated CPU has to do may take twice the time from one
# minute to the next, and would make it hot: what is tried here is what happens to a CPU that is not.
limit() {
	mkdir -p "${CONF_DROPIN%/*}"
	printf '[Daemon]\nProbeBudget=100%%\n[Balance]\nHot=97%%\nPanic=100%%\nDelayMax=%s\n' "$1" > "$CONF_DROPIN"
}

delay_moves() { moves_since "$1" | grep -c ': delay$' || true; }
moved() { (($(delay_moves "$begun") > 0)); }
knows_waits() { nicbalancectl status --json | jq -e 'any(.cpus[]; ."delay-p99-usec" != null)' > /dev/null; }

BALLAST_RULES=$RULES
# Fewer queues than CPUs, so that no CPU has three.
ethtool -L lab0 combined 6
wait_until 10 grep -qx 1 /sys/class/net/lab0/carrier || fail "no link after ethtool -L"
mapfile -t irqs < <(queue_irqs lab0)
load_prepare
find_flows 2
application_start "$GENERATOR_CPU"
meeting=${flow_queues[0]}
meet

# How many packets of a burst make half of a CPU.
load=0
for ((packets = 2; packets < 120 && load < 40; )); do
	packets=$((packets + 2))
	bursts_start "$packets"
	nap 1
	load=$(softirq_percent "$meeting" 2)
done
((load >= 40)) || fail "bursts of $packets packets take $load % of a CPU"
((load <= 65)) || skip "bursts of $packets packets take $load % of a CPU at once: this host is too busy"
read -r before runs < <(waits 5)
echo "$BURSTS bursts of $packets packets a second to each of two queues take $load % of CPU $meeting; p99 wait of $runs runs: $before µs"
((runs >= 300)) || fail "the kernel tells of $runs runs of NET_RX alone"
# A limit that this host exceeds, and would not if the bursts were apart.
limit "$((before * 2 / 3))us"
start=$EPOCHREALTIME

# Loading its programs takes a good part of an emulated CPU: not beside the bursts.
pktgen pgctrl stop
service_start
nap 20
assert_equal '' "$(moves_since "$start")" "moves without load"
begun=$EPOCHREALTIME
bursts_start "$packets"
wait_until 100 moved || { show_status; fail "no queue has left CPU $meeting $(since "$begun") s later"; }
echo "moved $(since "$begun") s later: $(moves_since "$begun" | xargs -d '\n')"
nap 12
read -r after runs < <(waits 5)
echo "p99 wait of $runs runs: $after µs, before $before µs"
assert_at_most 2 "$(moves_since "$begun" | grep -c .)" "moves"
assert_at_most $((before / 2)) "$after" "p99 wait, µs"
settled=$EPOCHREALTIME
nap $QUIET
assert_equal '' "$(moves_since "$settled")" "moves in the minute after"
show_status
systemctl stop nicbalanced

# Switched off: nothing moves for it, and nothing is measured.
meet
limit 0
service_start
begun=$EPOCHREALTIME
for _ in {1..10}; do
	nap 3
	! knows_waits || fail "a wait is known, in spite of DelayMax=0"
done
assert_equal 0 "$(delay_moves "$begun")" "moves for a wait, with DelayMax=0"
service_active || fail "the service is not active"
