#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lab0 in a bond of two, with a VLAN on top, whose packets are the load: it is lab0 whose queues are placed, also after a fail-over to
# the other one and back, and nothing else; all of it is put back.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

need_product

VLAN=5
BALLAST_RULES=800

remove_bond() {
	ip link delete bond0 2> /dev/null || true
	ip link delete second 2> /dev/null || true
}
trap remove_bond EXIT

lay_bond() {
	modprobe 8021q
	ip link add second type veth peer name other
	ip link set other netns client
	ip netns exec client ip link set other up
	ip link add bond0 type bond mode active-backup miimon 100
	ip link set lab0 down
	ip link set second down
	ip link set lab0 master bond0
	ip link set second master bond0
	ip link set bond0 type bond primary lab0
	ip link set bond0 up
	ip link add link bond0 name "bond0.$VLAN" type vlan id $VLAN
	ip link set "bond0.$VLAN" up
	wait_until 30 is_active lab0 || fail "bond0 does not use lab0"
	ethtool -N lab0 rx-flow-hash udp4 sdfn
}

is_active() { [[ $(< /sys/class/net/bond0/bonding/active_slave) == "$1" ]]; }
has_all_queues() { (($(queue_irqs lab0 | wc -l) == 8)); }
served() { nft list counter inet ballast served | awk '$1 == "packets" { print $2 }'; }
is_served() {
	local before
	before=$(served)
	nap 0.5
	(($(served) > before + 100))
}
# Seven queues or eight are polled on as many CPUs, or nearly.
are_polled_apart() {
	polls_by_cpu lab0 1 > /tmp/polls
	(($(wc -l < /tmp/polls) >= 5)) && awk '{ all += $2; if ($2 > most) most = $2 } END { exit !(most * 3 < all) }' /tmp/polls
}
are_apart() {
	mapfile -t irqs < <(queue_irqs lab0)
	((${#irqs[@]} == 8)) && spread_over 2 - "${irqs[@]}"
}

load_prepare
lay_bond
nft add rule inet ballast pre iifname "bond0.$VLAN" meta l4proto udp jump rules
load_device "lab1@$GENERATOR_CPU" "$GENERATOR_CPU" 'count 0' "ratep $LOAD_PPS" 'src_min 10.77.1.1' 'src_max 10.77.250.250' \
	'udp_src_min 1024' 'udp_src_max 65000' 'udp_dst_min 9' 'udp_dst_max 9' 'flag IPSRC_RND' 'flag UDPSRC_RND' "vlan_id $VLAN"
load_go
wait_until 10 is_served || fail "no packet comes through bond0.$VLAN"
pile_all_on 0 lab0
echo "before: $(busy_percents 3)"

service_start
wait_until 15 are_apart || fail "queues on CPUs ${cpus[*]}"
wait_until 10 are_polled_apart || fail "polled on CPUs: $(tr '\n' ';' < /tmp/polls)"
echo "after: $(busy_percents 3)"
assert_equal lab0 "$(nicbalancectl status --json | jq -r '[.nics[] | select(.queues > 0) | .nic] | join(" ")')" "NICs with queues"

# Down, lab0 has no interrupts.
ip link set lab0 down
wait_until 10 is_active second || fail "no fail-over"
nap 5
service_active || fail "the service has not survived the fail-over"
ip link set lab0 up
wait_until 30 is_active lab0 || fail "no way back"
wait_until 10 has_all_queues || fail "lab0 has $(queue_irqs lab0 | wc -l) queues"
pile_all_on 0 lab0
wait_until 60 are_apart || fail "after the fail-over: queues on CPUs ${cpus[*]}"
wait_until 10 is_served || fail "no packet comes through bond0.$VLAN after the fail-over"
wait_until 20 are_polled_apart || fail "after the fail-over polled on CPUs: $(tr '\n' ';' < /tmp/polls)"
! is_told "Failed to" || fail "the fail-over was taken for a fault: $(journalctl -q -u nicbalanced -o cat | grep 'Failed to' | head -3)"

systemctl stop nicbalanced
wait_until 10 all_on 0 "${irqs[@]}" || fail "after the stop: queues on CPUs ${cpus[*]}, not on 0 as found"
if grep -q '[1-9a-f]' /sys/class/net/lab0/queues/rx-*/rps_cpus; then fail "a mask is left"; fi
