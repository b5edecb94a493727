#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What comes by a veth with a NAPI (GRO) fills the CPU of its sender, and no interrupt leads to it. With Virtual=yes RPS of the veth
# shares it out, and goes when the load has gone or the daemon stops; without that, and with another device beside it that costs nothing,
# nothing is written.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

need_product
[[ $GENERATOR_CPU != none ]] || skip "the sender is to be in the guest"

INNER=10.78.0
mask() { cat "/sys/class/net/$1/queues/rx-0/rps_cpus"; }
is_steered() { [[ $(mask virt1) == *[1-9a-f]* ]]; }
is_off() { ! is_steered; }
is_found() { nicbalancectl status --json | jq -e '.nics[] | select(.nic == "virt1" and .scope == "steered")' > /dev/null; }
received() { cat /sys/class/net/virt1/statistics/rx_packets; }
is_receiving() { local before; before=$(received); nap 0.2; (($(received) > before + 50)); }

remove_veths() {
	load_stop
	ip link delete virt1 2> /dev/null || true
	ip link delete virt2 2> /dev/null || true
}
trap remove_veths EXIT

for i in 1 2; do
	ip link add "virt$i" numrxqueues 1 numtxqueues 1 type veth peer name "source$i" numrxqueues 1 numtxqueues 1
	ip link set "source$i" netns client
	ip netns exec client ethtool -K "source$i" tso off gso off
	ethtool -K "virt$i" gro on || skip "a veth of this kernel has no NAPI"
	ip netns exec client ip link set "source$i" up
	ip link set "virt$i" up
done
ip addr add "$INNER.1/24" dev virt1

# send : pktgen into source1, from many addresses, by the kernel thread of the generator's CPU; rules that cost.
send() {
	load_prepare
	nft add rule inet ballast pre iifname virt1 meta l4proto udp jump rules
	pktgen "kpktgend_$GENERATOR_CPU" "add_device source1@$GENERATOR_CPU"
	pktgen "source1@$GENERATOR_CPU" 'clone_skb 0' 'count 0' 'pkt_size 60' "dst_min $INNER.1" "dst_max $INNER.1" \
		"dst_mac $(< /sys/class/net/virt1/address)" "ratep $LOAD_PPS" 'src_min 10.78.1.1' 'src_max 10.78.250.250' \
		'udp_src_min 1024' 'udp_src_max 65000' 'udp_dst_min 9' 'udp_dst_max 9' 'flag IPSRC_RND' 'flag UDPSRC_RND'
	setsid ip netns exec client sh -c 'echo start > /proc/net/pktgen/pgctrl' < /dev/null > /dev/null 2>&1 &
	disown
	wait_until 10 is_receiving || fail "no packet reaches virt1"
}

BALLAST_RULES=2000
send
echo "before: $(busy_percents 3)"
measure_always
service_start
wait_until 60 in_grade measured || fail "not measured: $(grade)"
nap 15
is_off || fail "a mask without Virtual=yes"
is_found && fail "looked for without Virtual=yes"

printf '[RPS]\nVirtual=yes\nDwellSec=10s\n[Daemon]\nDelays=yes\n' > "$CONF_DROPIN"
nicbalancectl reload
wait_until 30 is_found || { show_status; fail "not found"; }
wait_until 60 is_steered || { show_status; fail "no RPS, though its work fills a CPU"; }
nap 3
show_status
backlog_by_cpu 2 > /tmp/backlog
echo "with RPS, $(mask virt1): $(busy_percents 3); backlog served on $(awk '{ printf "%sCPU %d %d", sep, $1, $2; sep = ", " }' /tmp/backlog)"
n=$(awk '$2 >= 100' /tmp/backlog | wc -l)
((n >= 2)) || fail "RPS hands its packets to $n CPUs"
[[ $(mask virt2) != *[1-9a-f]* ]] || fail "a device that costs nothing has a mask"
nap 20
is_steered || fail "the mask is gone under load"

load_stop
wait_until 60 is_off || fail "the mask stays without load"
send
wait_until 60 is_steered || fail "no mask a second time"
systemctl stop nicbalanced
is_off || fail "a mask is left"
