#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lab-seconds: 1500
# Ten minutes under load with two queues limited to CPUs 0 and 1, over a restart: nothing is ever written outside. Then a
# program that writes ten random affinities a second for five minutes: none is written over, the journal has a message a
# minute, and the daemon's CPU time is set beside that of five minutes without.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

need_product
POOL_SECONDS=${POOL_SECONDS:-600}
WRITER_SECONDS=${WRITER_SECONDS:-300}

mapfile -t irqs < <(queue_irqs lab0)

cpu_msec() { echo $(($(systemctl show -P CPUUsageNSec nicbalanced) / 1000000)); }

load_start
service_start
wait_until 60 spread_over 2 "$GENERATOR_CPU" "${irqs[@]}" || fail "the queues are on CPUs ${cpus[*]}"
nap 15

outside=
is_inside() {
	local irq
	for irq in "${irqs[1]}" "${irqs[2]}"; do
		case $(affinity "$irq") in
		0 | 1 | 0-1) ;;
		*) outside+=" $(affinity "$irq")" ;;
		esac
	done
	nap 0.2
}
pin "${irqs[1]}" 0-1
pin "${irqs[2]}" 0-1
again_for $((POOL_SECONDS / 2)) is_inside
systemctl restart nicbalanced
again_for $((POOL_SECONDS / 2)) is_inside
[[ ! $outside ]] || fail "outside the pool:$outside"
echo "inside the pool for $POOL_SECONDS s: CPUs $(affinity "${irqs[1]}") and $(affinity "${irqs[2]}")"
nicbalancectl release lab0

idle=$(cpu_msec)
nap "$WRITER_SECONDS"
idle=$(($(cpu_msec) - idle))
began=$EPOCHREALTIME
cost=$(cpu_msec)
fought=0
for ((i = 0; i < WRITER_SECONDS * 10; i++)); do
	irq=${irqs[RANDOM % ${#irqs[@]}]} cpu=$((RANDOM % 7))
	pin "$irq" "$cpu"
	nap 0.1
	[[ $(affinity "$irq") == "$cpu" ]] || fought=$((fought + 1))
done
cost=$(($(cpu_msec) - cost))
took=$(since "$began")
yields_since "$began"
messages=$(yields_since "$began" | wc -l)
echo "$i affinities in $took s: $messages messages; CPU time $cost ms, in $WRITER_SECONDS s without $idle ms"
assert_equal 0 "$fought" "affinities that were written over"
assert_at_most "$(awk -v s="$took" 'BEGIN { print int(s / 60) + 1 }')" "$messages" "messages about it"
service_active || fail "the service is not active"
show_status
