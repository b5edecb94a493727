#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Six queues that are far too much for the one CPU that polls them all: none of their NAPIs ever finishes, so none follows
# its interrupt. Each is polled on a CPU of its own within seconds, and stays there.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/saturated.sh
. /lab/guest/saturated.sh

need_product

lay_six
busy_napis 2
echo "before: $(napis); $(busy_percents 2)"

# Each mask that was to help a NAPI for a moment is gone again.
help_is_over() {
	moves_since "$started" > /tmp/moves
	[[ $(grep -c ': rps-unstick$' /tmp/moves) == "$(grep -c ': rps-unstuck$' /tmp/moves)" ]]
}

started=$EPOCHREALTIME
# shellcheck disable=SC2034 # of assert_relieved
calm_pace=$((capacity * 7 / 100))
assert_relieved "$capacity" 6 "$GENERATOR_CPU"
wait_until 10 help_is_over || fail "masks of help are left:"$'\n'"$(cat /tmp/moves)"
# Where the host has little to give, a queue may have been too much for one CPU: RPS for that goes with the load. From then
# on there is half of what one CPU did before. Six need nearly twice its time for the same packets, each poll finding
# fewer: all of it and the generator would be more than the two cores of a host have, and the emulated CPUs were full again.
wait_until 150 no_rps || fail "RPS is still set"
pktgen "lab1@$GENERATOR_CPU" "ratep $((capacity / 2))"
nap 3

settled=$EPOCHREALTIME
nap 20
polled_apart 6 "$GENERATOR_CPU" || fail "not apart any more: $(napis)"
# The two that get no packets are in nobody's way: a CPU that comes free late may still be given one.
moves=$(moves_since "$settled" | grep -v ' queue [67] ' || true)
[[ -z $moves ]] || fail "moves afterwards, with $(busy_percents 2):"$'\n'"$moves"
echo "no moves in 20 s more: $(napis); $(busy_percents 2)"
service_active || fail "the service is not active"
