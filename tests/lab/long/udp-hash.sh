#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lab-load: outside
# lab-seconds: 1200
# UDP of one host to another is one flow to a NIC that hashes addresses alone, and fills one queue. UdpHash=sdfn serves it on both
# CPUs, as much as by hand; without that line the remedy is told, and nothing is worse than with nothing.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/gain.sh
. /lab/guest/gain.sh

need_product

ROUNDS=3
# shellcheck disable=SC2034 # pace of outside.sh reads it
sending_hosts=1

hash() { ethtool -N lab0 rx-flow-hash udp4 "$1"; }
advice() { nicbalancectl status --json | jq -r '.nics[] | select(.nic == "lab0") | .advice[].advice'; }
is_advised() { advice | grep -qx udp-hash; }

start_by-hand() {
	hash sdfn
	start_placed 0 1
}
start_hashed() {
	printf '[Device lab0]\nUdpHash=sdfn\n' > "$CONF_DROPIN"
	service_start
}
stop_hashed() {
	stop_nicbalance
	ethtool -n lab0 rx-flow-hash udp4 | grep -q 'L4 bytes' && fail "the hash is not as found after the stop"
	return 0
}
stop_advised() {
	wait_until 30 is_advised || fail "not advised: $(advice)"
	stop_nicbalance
}

mkdir -p "${CONF_DROPIN%/*}"
gain_prepare
echo "one host sends"
for ((round = 1; round <= ROUNDS; round++)); do
	hash sd
	measure nothing "$round" "$GAIN_SHORT_SECONDS" stop_nothing start_nothing
	measure by-hand "$round" "$GAIN_SHORT_SECONDS" stop_nothing start_by-hand
	hash sd
	rm -f "$CONF_DROPIN"
	measure advised "$round" "$GAIN_SECONDS" stop_advised start_nicbalance
	hash sd
	measure hashed "$round" "$GAIN_SECONDS" stop_hashed start_hashed
done
table by-hand nothing by-hand advised hashed
(($(settled_median by-hand) * 10 >= $(settled_median nothing) * 13)) ||
	skip "two CPUs serve no more than one here: this host has not two idle ones for them"
percent=$(percents hashed by-hand "$SETTLED_SECONDS" 9999 | middle)
((percent >= GAIN_PERCENT)) || fail "with UdpHash= nicbalance serves $percent % of by hand"
percent=$(percents advised nothing "$SETTLED_SECONDS" 9999 | middle)
((percent >= GAIN_PERCENT)) || fail "without UdpHash= nicbalance serves $percent % of nothing"
