#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Affinities by hand under load: one CPU is a pin that stays over a renegotiated link, another ring size, a reload and
# a restart; two CPUs are a pool in which queues are placed, also over a restart, and nowhere else; closing the device
# for a while ends none, interrupts that are made anew do.
# The bounds are those of a host with a hot CPU that cannot be helped, which is sampled once a minute.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

need_product

mapfile -t irqs < <(queue_irqs lab0)

written() { nicbalancectl status --json | jq -r '.excluded[] | select(.reason == "written") | .what + ": " + .why'; }
n_written() { (($(written | wc -l) == $1)); }
# What a user may do to a device that stays open: resets of igb that leave its interrupts as they are.
reconfigure() {
	ethtool -r lab0
	nap 3
	ethtool -G lab0 rx "$1"
	nap 3
}

load_start
pin "${irqs[0]}" 5
reconfigure 512
assert_equal 5 "$(affinity "${irqs[0]}")" "CPU of a pinned queue after resets without the daemon"
pile_all_on 0 lab0

mkdir -p "${CONF_DROPIN%/*}"
printf '[Daemon]\nCompleteSampleSec=1s\n' > "$CONF_DROPIN"
service_start
wait_until 60 spread_over 2 "$GENERATOR_CPU" "${irqs[@]}" || fail "the queues are on CPUs ${cpus[*]}"
nap 10
n_written 0 || fail "limited at the start: $(written)"
read_cpus "${irqs[@]}"
pinned=$(((cpus[0] + 3) % 7))
pin "${irqs[0]}" "$pinned"
wait_until 70 n_written 1 || fail "the pin is not seen: $(written)"
echo "pinned: $(written)"
stays() { assert_equal "$pinned" "$(affinity "${irqs[0]}")" "CPU of the pinned queue $1"; }
reconfigure 256
stays "after resets"
nicbalancectl reload
nap 5
stays "after a reload"
systemctl restart nicbalanced
wait_until 70 n_written 1 || fail "the pin is not seen after a restart: $(written)"
stays "after a restart"

outside=
is_inside() {
	local irq
	for irq in "${irqs[1]}" "${irqs[2]}"; do
		case $(affinity "$irq") in
		0 | 1 | 0-1) ;;
		*) outside+=" $(affinity "$irq")" ;;
		esac
	done
	nap 0.1
}
is_placed() {
	is_inside
	[[ $(affinity "${irqs[1]}"; affinity "${irqs[2]}") != *-* ]]
}
pin "${irqs[1]}" 0-1
pin "${irqs[2]}" 0-1
pools_seen() {
	is_inside
	n_written 3
}
wait_until 70 pools_seen || fail "the pools are not seen: $(written)"
wait_until 100 is_placed || fail "not placed inside: $(nicbalancectl status --json |
	jq -c '.daemon.verdict, .queues[1:3], (.excluded[] | select(.kind == "queue") | [.what, .why])')"
echo "inside the pool: CPUs $(affinity "${irqs[1]}") and $(affinity "${irqs[2]}"); the pin is on CPU $pinned"
stays "all the time"
systemctl restart nicbalanced
again_for "${POOL_SECONDS:-10}" is_inside
[[ ! $outside ]] || fail "outside the pool:$outside"
n_written 3 || fail "after a restart: $(written)"

nicbalancectl release lab0
n_written 0 || fail "still limited after a release: $(written)"

read_cpus "${irqs[0]}"
pin "${irqs[0]}" $(((cpus[0] + 2) % 7))
wait_until 70 n_written 1 || fail "the pin is not seen after a release: $(written)"
read_cpus "${irqs[0]}"
pinned=${cpus[0]}
ip link set lab0 down
nap 8
ip link set lab0 up
nap 8
stays "after the device was closed for a while"
n_written 1 || fail "forgotten while the device was closed: $(written)"

load_stop
reset=$EPOCHREALTIME
ethtool -L lab0 combined 4
ethtool -L lab0 combined 8
wait_until 20 n_written 0 || fail "still limited after the driver began anew: $(written)"
nap 8
n_written 0 || fail "the driver is taken for another program: $(written)"
assert_equal "" "$(yields_since "$reset")" "changes by other programs while the driver began anew"
service_active || fail "the service is not active"
