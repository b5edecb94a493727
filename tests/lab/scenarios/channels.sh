#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A change of the number of queues makes new interrupts with the kernel's default placement: put right in 5 s.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

need_product

mapfile -t irqs < <(queue_irqs lab0)
pile_all_on 0 lab0
load_start
service_start
wait_until 20 spread_over 2 "$GENERATOR_CPU" "${irqs[@]}" || fail "not settled: CPUs ${cpus[*]}"
nap 5
echo "eight queues on CPUs ${cpus[*]}"

ethtool -L lab0 combined 4
started=$EPOCHREALTIME
wait_until 60 each_alone 4 || fail "after $(since "$started") s: interrupts ${irqs[*]} on CPUs ${cpus[*]}"
took=$(since "$started")
echo "four queues apart after $took s: CPUs ${cpus[*]}"
assert_at_most 5 "$took" "seconds from ethtool -L to four queues on four CPUs"
nap 3
assert_polled_evenly 7 "$GENERATOR_CPU"
each_alone 4 || fail "and then not any more: CPUs ${cpus[*]}"
service_active || fail "the service is not active"
moves_since "$started"
