#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lab-packages: applications
# What comes out of a WireGuard tunnel fills the CPU that its NAPI is on, while all packets of the tunnel are one flow of the NIC. With
# [RPS] Virtual=yes its work is shared out, without that it is not, and all is as found after a stop.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

need_product
[[ $GENERATOR_CPU != none ]] || skip "the sender is to be in the guest"

INNER=10.79.0.1
PORT=51820
PPS=3000
BALLAST_RULES=2400

RPS=/sys/class/net/wg0/queues/rx-0/rps_cpus
mask() { cat $RPS; }
is_steered() { [[ $(mask) == *[1-9a-f]* ]]; }
is_off() { ! is_steered; }
is_found() { nicbalancectl status --json | jq -e '.nics[] | select(.nic == "wg0" and .scope == "steered")' > /dev/null; }
received() { cat /sys/class/net/wg0/statistics/rx_packets; }
is_receiving() { local before; before=$(received); nap 0.5; (($(received) > before + 50)); }
served() { nft -j list counter inet ballast served | jq '.nftables[] | select(.counter) | .counter.packets'; }
# served_for SECONDS : packets a second.
served_for() { local before; before=$(served); nap "$1"; echo $((($(served) - before) / $1)); }

remove_tunnel() {
	load_stop
	ip link delete wg0 2> /dev/null || true
	ip netns exec client ip link delete wg1 2> /dev/null || true
	ip netns exec client ip link delete source 2> /dev/null || true
}
trap remove_tunnel EXIT

# tunnel_end NAME KEY-FILE PEER-KEY-FILE ALLOWED [ENDPOINT]
tunnel_end() {
	wg set "$1" private-key "$2" listen-port $PORT peer "$(wg pubkey < "$3")" allowed-ips "$4" ${5:+endpoint "$5:$PORT"}
}

umask 077
wg genkey > /run/lab-wg0
wg genkey > /run/lab-wg1
ip link add wg0 type wireguard || skip "no WireGuard"
tunnel_end wg0 /run/lab-wg0 /run/lab-wg1 10.78.0.0/16
ip addr add $INNER/24 dev wg0
ip link set wg0 up
ip route add 10.78.0.0/16 dev wg0
# The other end: what pktgen sends into one end of a veth is routed into the tunnel.
ip netns exec client bash -euc '
	ip link add wg1 type wireguard
	ip addr add 10.79.0.2/24 dev wg1
	ip link add source numrxqueues 1 numtxqueues 1 type veth peer name router numrxqueues 1 numtxqueues 1
	sysctl -q -w net.ipv4.ip_forward=1 net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.router.rp_filter=0
	ip addr add 10.78.0.1/16 dev router
	ip link set router up
	ip link set source up'
ip netns exec client wg set wg1 private-key /run/lab-wg1 listen-port $PORT peer "$(wg pubkey < /run/lab-wg0)" \
	allowed-ips $INNER/32 endpoint $LAB0_ADDRESS:$PORT
ip netns exec client ip link set wg1 up

send() {
	load_prepare
	nft add rule inet ballast pre iifname wg0 meta l4proto udp jump rules
	# The outer packets are UDP, too, and pass no rules.
	nft insert rule inet ballast pre iifname lab0 udp dport $PORT accept
	pktgen "kpktgend_$GENERATOR_CPU" "add_device source@$GENERATOR_CPU"
	pktgen "source@$GENERATOR_CPU" 'clone_skb 0' 'count 0' 'pkt_size 60' "dst_min $INNER" "dst_max $INNER" \
		"dst_mac $(ip netns exec client cat /sys/class/net/router/address)" "ratep $PPS" 'src_min 10.78.1.1' \
		'src_max 10.78.250.250' 'udp_src_min 1024' 'udp_src_max 65000' 'udp_dst_min 9' 'udp_dst_max 9' 'flag IPSRC_RND' \
		'flag UDPSRC_RND'
	setsid ip netns exec client sh -c 'echo start > /proc/net/pktgen/pgctrl' < /dev/null > /dev/null 2>&1 &
	disown
	wait_until 15 is_receiving || fail "no packet comes out of the tunnel: $(wg show; ip netns exec client wg show)"
}

send
echo "before: $(busy_percents 3)"
measure_always
service_start
wait_until 60 in_grade measured || fail "not measured: $(grade)"
nap 15
is_off || fail "a mask without Virtual=yes"
is_found && fail "looked for without Virtual=yes"
echo "without RPS: $(served_for 10) packets served a second; $(busy_percents 3)"

printf '[RPS]\nVirtual=yes\nDwellSec=10s\n[Daemon]\nDelays=yes\n' > "$CONF_DROPIN"
nicbalancectl reload
wait_until 30 is_found || { show_status; fail "not found"; }
wait_until 60 is_steered || { show_status; fail "no RPS, though its work fills a CPU"; }
nap 3
show_status
backlog_by_cpu 2 > /tmp/backlog
echo "with RPS, $(mask): $(served_for 10) packets served a second; $(busy_percents 3); backlog served on" \
	"$(awk '{ printf "%sCPU %d %d", sep, $1, $2; sep = ", " }' /tmp/backlog)"
n=$(awk '$2 >= 100' /tmp/backlog | wc -l)
((n >= 2)) || fail "RPS hands its packets to $n CPUs"
nap 20
is_steered || fail "the mask is gone under load"

load_stop
wait_until 60 is_off || fail "the mask stays without load"
send
wait_until 90 is_steered || fail "no mask a second time"
systemctl stop nicbalanced
is_off || fail "a mask is left"
