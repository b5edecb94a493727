#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Bans and claims at run time, over the system bus: root's count when the command returns, and outlast a restart; nobody
# else's are taken; a lease ends by itself; two owners cannot both have a CPU.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

need_product

n_claims() { nicbalancectl claims --json | jq '.claims | length'; }
has_none() { (($(n_claims) == 0)); }

mapfile -t irqs < <(queue_irqs lab0)
load_start
service_start
wait_until 60 spread_over 2 "$GENERATOR_CPU" "${irqs[@]}" || fail "the queues are on CPUs ${cpus[*]}"
nap 10
read_cpus "${irqs[@]}"
echo "before: CPUs ${cpus[*]}"

! runuser -u nobody -- nicbalancectl ban 2 2> /tmp/refused || fail "anyone may ban a CPU"
echo "nobody: $(< /tmp/refused)"
! runuser -u nobody -- nicbalancectl claim lab0:0 2 2> /tmp/refused || fail "anyone may claim a CPU"
echo "nobody: $(< /tmp/refused)"
has_none || fail "what was refused counts"

begun=$EPOCHREALTIME
nicbalancectl ban 2-3 --lease 20s --owner lab || fail "a ban of root's ended with $?"
answered=$(since "$begun")
wait_until 1 is_off_cpus 2 3 || fail "after the answer the queues are on CPUs ${cpus[*]}"
echo "banned and answered in $answered s, left $(since "$begun") s after the order"
interrupt_counts lab0 > /tmp/counts
nap 3
landed /tmp/counts lab0 > /tmp/landed
! grep -q 'cpu[23] ' /tmp/landed || fail "interrupts on banned CPUs: $(< /tmp/landed)"

systemctl restart nicbalanced
wait_until 60 service_active || fail "the service is not active after a restart"
nap 2
is_off_cpus 2 3 || fail "a restart forgot the ban: CPUs ${cpus[*]}"
assert_equal 1 "$(n_claims)" "bans after the restart"
wait_until 25 has_none || fail "the ban outlasts its lease"
echo "its lease was over $(since "$begun") s after the order"

nicbalancectl claim lab0:0 5 --exclusive --owner feed || fail "a claim of root's ended with $?"
read_cpus "${irqs[@]}"
wait_until 1 all_on 5 "${irqs[0]}" || fail "queue 0 is on CPU ${cpus[*]}, not on the one claimed for it"
nap 1
read_cpus "${irqs[@]:1}"
[[ " ${cpus[*]} " != *" 5 "* ]] || fail "others are on a CPU that is claimed exclusively: ${cpus[*]}"
! nicbalancectl claim lab0:1 5 --exclusive --owner other 2> /tmp/refused || fail "two owners have CPU 5"
grep -q feed /tmp/refused || fail "the refusal does not say whose the CPU is: $(< /tmp/refused)"
echo "other: $(< /tmp/refused)"
nicbalancectl claims
nicbalancectl release all --owner feed
has_none || fail "what was released counts"

claimed=$EPOCHREALTIME
nicbalancectl claim lab0:1 6 --lease 5s --owner feed || fail "a claim with a lease ended with $?"
read_cpus "${irqs[@]}"
wait_until 1 all_on 6 "${irqs[1]}" || fail "queue 1 is on CPU ${cpus[*]}, not on the one claimed for it"
wait_until 10 has_none || fail "the claim outlasts its lease"
echo "the lease of the claim was over $(since "$claimed") s after the order"
service_active || fail "the service is not active"
