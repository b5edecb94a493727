# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# All packets of a tunnel have one queue of an igb, which sees nothing but their outer addresses: that is said, and RPS, which looks
# inside, spreads them. Most of the work is the tunnel's own NAPI's, and goes with the queue. Sourced in the guest.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. /lab/guest/lib.sh

INNER=10.79
# Of what carries Ethernet.
OUR_MAC=02:00:00:00:79:02
THEIR_MAC=02:00:00:00:79:01
TUNNEL=tunnel0

in_client() { ip netns exec client "$@"; }

remove_tunnel() {
	ip link delete $TUNNEL 2> /dev/null || true
	in_client ip link delete $TUNNEL 2> /dev/null || true
	in_client ip link delete source 2> /dev/null || true
}

# lay_tunnel TYPE [OPTION...] : what pktgen sends into a veth of the client's namespace is forwarded through the tunnel, as it makes no
# GRE itself.
lay_tunnel() {
	local ours=() theirs=()

	modprobe ip_gre
	# One that carries Ethernet is not recognised if it is bound to a device.
	[[ $1 != gre ]] || { ours=(dev lab0) && theirs=(dev lab1); }
	ip link add $TUNNEL type "$@" local "$LAB0_ADDRESS" remote "$LAB1_ADDRESS" "${ours[@]}"
	in_client ip link add $TUNNEL type "$@" local "$LAB1_ADDRESS" remote "$LAB0_ADDRESS" "${theirs[@]}"
	if [[ $1 != gre ]]; then
		ip link set $TUNNEL address $OUR_MAC
		in_client ip link set $TUNNEL address $THEIR_MAC
	fi
	ip addr add "$INNER.0.2/16" dev $TUNNEL
	ip link set $TUNNEL up
	in_client ip link set $TUNNEL up
	in_client ip link add source type veth peer name forward
	in_client ip link set source up
	in_client ip link set forward up
	in_client ip route add "$INNER.0.2/32" dev $TUNNEL
	[[ $1 == gre ]] || in_client ip neigh replace "$INNER.0.2" lladdr $OUR_MAC dev $TUNNEL
	in_client sysctl -q -w net.ipv4.ip_forward=1 net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.forward.rp_filter=0
}

is_advised() { nicbalancectl status --json | jq -e '.nics[] | select(.nic == "lab0") | .advice[] | select(.advice == "tunnel")' > /dev/null; }
# Queues of lab0 that receive.
n_receiving() {
	rx_packets lab0 > /tmp/packets-before
	nap 3
	rx_packets lab0 | awk 'NR == FNR { was[$1] = $2; next } $2 - was[$1] > 100' /tmp/packets-before - | wc -l
}

# tunnel_is_advised TYPE [OPTION...] : a load through such a tunnel, and what the daemon says of it.
tunnel_is_advised() {
	BALLAST_RULES=3000
	trap remove_tunnel EXIT
	lay_tunnel "$@"
	load_prepare
	nft add rule inet ballast pre iifname $TUNNEL meta l4proto udp jump rules
	# Forwarding is the generator's, too.
	pktgen "kpktgend_$GENERATOR_CPU" "add_device source@$GENERATOR_CPU"
	pktgen "source@$GENERATOR_CPU" 'clone_skb 0' 'count 0' 'pkt_size 60' "dst_min $INNER.0.2" "dst_max $INNER.0.2" \
		"dst_mac $(in_client cat /sys/class/net/forward/address)" 'ratep 9000' "src_min $INNER.1.1" "src_max $INNER.250.250" \
		'udp_src_min 1024' 'udp_src_max 65000' 'udp_dst_min 9' 'udp_dst_max 9' 'flag IPSRC_RND' 'flag UDPSRC_RND'
	load_go
	nap 1
	assert_equal 1 "$(n_receiving)" "queues that receive"
	echo "before: $(busy_percents 3)"

	service_start
	wait_until 60 is_advised || { show_status; fail "not advised"; }
	wait_until 10 is_told "lab0: most packets are of tunnel $TUNNEL" || fail "the journal does not tell"
	nicbalancectl status | grep '^  Advice' || fail "the status does not tell"
}

# tunnel_is_spread : by RPS of lab0.
tunnel_is_spread() {
	local mask cpu packets n=0

	wait_until 60 rps_spreads || { show_status; fail "no RPS, though the tunnel's work fills the queue's CPU"; }
	nap 3
	show_status
	backlog_by_cpu 2 > /tmp/backlog
	echo "with RPS: $(busy_percents 3); backlog served on $(awk '{ printf "%sCPU %d %d", sep, $1, $2; sep = ", " }' /tmp/backlog)"
	# On the queue's own CPU the backlog is the tunnel's NAPI.
	mask=$(cat /sys/class/net/lab0/queues/rx-*/rps_cpus | grep -v '^[0,]*$' | tail -n 1) || fail "the mask is gone"
	while read -r cpu packets; do
		((packets < 100)) || n=$((n + (0x$mask >> cpu & 1)))
	done < /tmp/backlog
	((n >= 2)) || fail "RPS ($mask) hands packets of the tunnel to $n CPUs"
	echo "RPS ($mask) hands packets to $n CPUs"
	systemctl stop nicbalanced
	no_rps || fail "a mask is left"
}
