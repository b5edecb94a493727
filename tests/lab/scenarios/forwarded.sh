#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Packets of one queue are forwarded by a veth to another namespace, as to a container, and cost most there: on the backlog of the
# CPU that received them. That is load of the queue, not fixed load of its CPU, so the queue is not moved away from it.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

need_product

INNER=10.79.0
BALLAST_RULES=1000
remove_pod() {
	load_stop
	ip netns delete pod 2> /dev/null || true
	ip link delete pod0 2> /dev/null || true
}
trap remove_pod EXIT

ip netns add pod
ip link add pod0 type veth peer name eth0 netns pod
ip addr add "$INNER.1/24" dev pod0
ip link set pod0 up
ip netns exec pod ip addr add "$INNER.2/24" dev eth0
ip netns exec pod ip link set eth0 up
sysctl -q -w net.ipv4.ip_forward=1 net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.lab0.rp_filter=0

load_prepare
ethtool -X lab0 equal 1
# The rules that cost are in the pod; the queue's own work is little.
nft delete table inet ballast
{
	echo 'table inet ballast {'
	echo '	chain pre {'
	echo '		type filter hook prerouting priority raw; policy accept;'
	seq -f '		udp dport %.0f drop' 20001 $((20000 + BALLAST_RULES))
	echo '		meta l4proto udp drop'
	echo '	}'
	echo '}'
} | ip netns exec pod nft -f -
load_device "lab1@$GENERATOR_CPU" "$GENERATOR_CPU" 'count 0' 'ratep 3000' "dst_min $INNER.2" "dst_max $INNER.2" \
	'src_min 10.77.1.1' 'src_max 10.77.250.250' 'udp_src_min 1024' 'udp_src_max 65000' 'udp_dst_min 9' 'udp_dst_max 9' \
	'flag IPSRC_RND' 'flag UDPSRC_RND'
load_go
measure_always
service_start
wait_until 60 in_grade measured || fail "not measured: $(grade)"
nap 10
show_status
queue=$(nicbalancectl status --json | jq '[.queues[] | select(.nic == "lab0")] | max_by(."time-percent") | {cpu, load: ."time-percent"}')
cpu=$(jq .cpu <<< "$queue")
load=$(jq .load <<< "$queue")
fixed=$(nicbalancectl status --json | jq ".cpus[] | select(.cpu == $cpu) | .\"fixed-percent\"")
echo "queue: $load % of CPU $cpu, of which $fixed % are fixed"
awk -v load="$load" -v fixed="$fixed" 'BEGIN { exit !(load >= 20 && fixed < load / 3) }' ||
	fail "the work in the pod is fixed load: $fixed %, and $load % of the queue"
