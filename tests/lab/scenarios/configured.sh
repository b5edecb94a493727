#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Channels=, UdpHash= (also by a profile) and RfsFlows= on a real NIC: set once, left to other programs from then on, and put back however the service ends.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

need_product

PPS=3000

configure() {	# configure LINE...
	mkdir -p "${CONF_DROPIN%/*}"
	printf '%s\n' '[Device lab0]' "$@" > "$CONF_DROPIN"
}
has_channels() { [[ $(channels) == "$1" ]]; }
hashes_ports() { ethtool -n lab0 rx-flow-hash "$1" | grep -q 'L4 bytes'; }
# has_flows N OF_QUEUE : entries of the table of the host, and of that of each queue.
has_flows() {
	[[ $(sysctl -n net.core.rps_sock_flow_entries) == "$1" &&
		$(cat /sys/class/net/lab0/queues/rx-*/rps_flow_cnt | sort -u) == "$2" ]]
}
flows() { echo "$(sysctl -n net.core.rps_sock_flow_entries), of queues $(cat /sys/class/net/lab0/queues/rx-*/rps_flow_cnt | xargs)"; }
hashes_addresses() { ! hashes_ports udp4 && ! hashes_ports udp6; }
owner_of() {
	nicbalancectl owners --json | jq -r --arg setting "$1" '.owners[] | select(.nic == "lab0" and .setting == $setting) | .who'
}

load_prepare
ethtool -N lab0 rx-flow-hash udp4 sd
ethtool -N lab0 rx-flow-hash udp6 sd
ethtool -L lab0 combined 1
load_device "lab1@$GENERATOR_CPU" "$GENERATOR_CPU" 'count 0' "ratep $PPS" 'src_min 10.77.1.1' 'src_max 10.77.1.1' \
	'udp_src_min 1024' 'udp_src_max 65000' 'udp_dst_min 9' 'udp_dst_max 9' 'flag UDPSRC_RND'
load_go

configure Channels=max UdpHash=sdfn '[RPS]' RfsFlows=32768
service_start
wait_until 20 has_channels 8 || fail "$(channels) channels"
wait_until 10 hashes_ports udp4 || fail "UDP over IPv4 is hashed by addresses"
hashes_ports udp6 || fail "UDP over IPv6 is hashed by addresses"
wait_until 10 is_told "lab0: channels 1 → 8" || fail "the journal does not tell of channels"
is_told "Changing the channels of lab0" || fail "the journal does not announce the change"
is_told "lab0: UDP hashed by addresses → addresses and ports" || fail "the journal does not tell of the hash"
mapfile -t irqs < <(queue_irqs lab0)
assert_equal 8 "${#irqs[@]}" "queues"
wait_until 20 spread_over 2 - "${irqs[@]}" || fail "the new queues are on CPUs ${cpus[*]}"
! is_told "Failed to sample" || fail "the change was taken for a fault"
echo "one channel became eight, on CPUs ${cpus[*]}"
wait_until 20 has_flows 32768 4096 || fail "entries of flow tables: $(flows)"
is_told "lab0: RFS for 32768 flows" || fail "the journal does not tell of flow tables"
assert_equal ours "$(owner_of channels)" "who wrote the channels"
assert_equal ours "$(owner_of udp-hash)" "who wrote the hash"

ethtool -L lab0 combined 2
nap 15
assert_equal 2 "$(channels)" "channels that another program set"

systemctl restart nicbalanced
wait_until 20 has_channels 8 || fail "$(channels) channels after a restart"
systemctl stop nicbalanced
assert_equal 2 "$(channels)" "channels after the stop, as the other program had set them"
hashes_addresses || fail "ports are still hashed after the stop"
has_flows 0 0 || fail "entries of flow tables after the stop: $(flows)"

ethtool -L lab0 combined 1
service_start
wait_until 20 has_channels 8 || fail "$(channels) channels after another start"
systemctl kill -s KILL nicbalanced
wait_until 20 has_channels 1 || fail "$(channels) channels after a crash"
wait_until 30 has_channels 8 || fail "$(channels) channels after the start that follows a crash"
wait_until 20 has_flows 32768 4096 || fail "entries of flow tables after it: $(flows)"

# While packets come they wait, but for the first fifteen seconds of the daemon; the hash does not.
nap 16
configure
nicbalancectl reload
wait_until 20 hashes_addresses || fail "ports are still hashed without the line"
wait_until 20 has_flows 0 0 || fail "entries of flow tables without the line: $(flows)"
nap 5
assert_equal 8 "$(channels)" "channels while packets are received"

# Of a host that forwards, the profile hashes ports.
sysctl -q net.ipv4.ip_forward=1
printf '[Daemon]\nProfile=auto\n' > "$CONF_DROPIN"
nicbalancectl reload
wait_until 20 hashes_ports udp4 || fail "UDP is hashed by addresses on a router"
is_told "Profile=auto: packets are forwarded, so the profile is router" || fail "the journal does not tell of the profile"
nicbalancectl config | grep -q 'UdpHash .*/profiles/router.conf' || fail "config does not say that a profile set UdpHash="
sysctl -q net.ipv4.ip_forward=0
nicbalancectl reload
wait_until 20 hashes_addresses || fail "ports are still hashed on a host that no longer forwards"

# On a host that was hot a moment ago the daemon measures, and looks, once a minute.
load_stop
stopped=$EPOCHREALTIME
wait_until 90 has_channels 1 || { show_status; fail "$(channels) channels without the line, and without packets"; }
echo "one channel again $(since "$stopped") s after the load"

configure Channels=3
nicbalancectl reload
wait_until 30 has_channels 3 || fail "$(channels) channels where 3 are asked for"
systemctl stop nicbalanced
assert_equal 1 "$(channels)" "channels at the end"
