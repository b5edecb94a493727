#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# One queue that fills its CPU cannot be helped by moving it: RPS is widened, and withdrawn without load.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

need_product

RPS=/sys/class/net/lab0/queues/rx-0/rps_cpus
rps_mask() { local mask; read -r mask < "$RPS"; echo "$((0x${mask//,/}))"; }
rps_set() { (($(rps_mask) != 0)); }
rps_clear() { (($(rps_mask) == 0)); }

ethtool -L lab0 combined 1
wait_until 10 grep -qx 1 /sys/class/net/lab0/carrier || fail "no link after ethtool -L"
mapfile -t irqs < <(queue_irqs lab0)
assert_equal 1 "${#irqs[@]}" "receive queue interrupts of lab0"
pile_all_on 0 lab0
# Packets that cost more than the one emulated CPU has; a fast host needs more rules for that.
BALLAST_RULES=800
load_start
nap 2
for ((try = 0; try < 4 && $(softirq_percent 0 3) < 90; try++)); do
	BALLAST_RULES=$((BALLAST_RULES * 2))
	load_start
	nap 2
done
echo "before, with $BALLAST_RULES rules: $(busy_percents 3)"

started=$EPOCHREALTIME
service_start
wait_until 60 rps_spreads || fail "no RPS after $(since "$started") s"
took=$(since "$started")
nap 1
cpu=$(irq_cpu "${irqs[0]}")
echo "RPS after $took s: rps_cpus $(< "$RPS"), the interrupt is on CPU $cpu"
assert_at_most 20 "$took" "seconds from the start to RPS"
(($(rps_mask) >> cpu & 1)) && fail "RPS includes CPU $cpu, the interrupt's own"
echo "with RPS: $(busy_percents 5)"
# What is handed on, by the kernel's own count.
backlog_by_cpu 2 > /tmp/backlog
echo "backlog served on $(awk '{ printf "%sCPU %d %d", sep, $1, $2; sep = ", " }' /tmp/backlog)"
while read -r where packets; do
	((packets < 50 || $(rps_mask) >> where & 1)) || fail "$packets packets were handed to CPU $where, rps_cpus is $(< "$RPS")"
done < /tmp/backlog
awk '{ all += $2; if ($2 > most) most = $2 } END { exit most * 4 > all * 3 }' /tmp/backlog ||
	fail "one CPU serves more than three quarters of what is handed on"
show_status
# As long as ten calm samples would take, and longer: it is needed as long as the load lasts.
nap 12
rps_set || fail "RPS is gone $(since "$started") s after the start, under the load that needs it"

load_stop
stopped=$EPOCHREALTIME
wait_until 180 rps_clear || fail "RPS is still $(< "$RPS") $(since "$stopped") s after the load ended"
took=$(since "$stopped")
echo "RPS withdrawn $took s after the load ended"
assert_at_most 120 "$took" "seconds from the end of the load to no RPS"
service_active || fail "the service is not active"
moves_since "$started"
