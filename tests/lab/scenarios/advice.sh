#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What stands in the way on a real NIC is said, with a command that mends it: igb hashes UDP by addresses alone unless told
# otherwise, so that all flows between two hosts meet in one queue; and it can be left with one channel.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

need_product

# More than one emulated CPU manages, whichever machine it is on: with 400 rules a fast one did 6700 in 44 % of its time.
FULL_PPS=9000
BALLAST_RULES=1500

advice() { nicbalancectl status --json | jq -r '.nics[] | select(.nic == "lab0") | .advice[].advice'; }
is_advised() { [[ $(advice) == "$1" ]]; }
# Does what the status says, for the kind of advice.
follow() {
	local command

	command=$(nicbalancectl status --json | jq -r --arg kind "$1" \
		'.nics[] | select(.nic == "lab0") | .advice[] | select(.advice == $kind) | .text' | sed 's/.*: //')
	[[ $command ]] || fail "no longer advised: $1"
	eval "$command"
}
# Queues of lab0 that receive.
n_receiving() {
	rx_packets lab0 > /tmp/packets-before
	nap 3
	rx_packets lab0 | awk 'NR == FNR { was[$1] = $2; next } $2 - was[$1] > 100' /tmp/packets-before - | wc -l
}

# Many flows from one host.
load_prepare
ethtool -N lab0 rx-flow-hash udp4 sd
load_device "lab1@$GENERATOR_CPU" "$GENERATOR_CPU" 'count 0' "ratep $FULL_PPS" 'src_min 10.77.1.1' 'src_max 10.77.1.1' \
	'udp_src_min 1024' 'udp_src_max 65000' 'udp_dst_min 9' 'udp_dst_max 9' 'flag UDPSRC_RND'
load_go
service_start
wait_until 60 is_advised udp-hash || { show_status; fail "advised: $(advice)"; }
assert_equal 1 "$(n_receiving)" "queues that receive"
nicbalancectl status | grep '^  Advice' || fail "the status does not tell"
wait_until 10 is_told "lab0: UDP is not hashed by ports" || fail "the journal does not tell"
follow udp-hash
nicbalancectl reload
wait_until 30 is_advised "" || fail "still advised: $(advice)"
n=$(n_receiving)
((n >= 4)) || fail "$n queues receive after the command"
echo "1 queue received, $n after the command"

load_stop
ethtool -L lab0 combined 1
wait_until 30 is_advised channels || fail "advised: $(advice)"
nicbalancectl status | grep '^  Advice' || fail "the status does not tell"
follow channels
wait_until 30 is_advised "" || fail "still advised: $(advice)"
assert_equal 8 "$(queue_irqs lab0 | wc -l)" "queues after the command"
service_active || fail "the service is not active"
