#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Two queues that together fill their CPU never finish a poll there, so neither follows its interrupt elsewhere:
# that is seen, put right, and then left alone.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

need_product

mapfile -t irqs < <(queue_irqs lab0)

# Packets that lab0 received on each CPU in a second, by where its NAPIs were polled.
polled() { polls_by_cpu lab0 1 | awk '{ printf "%sCPU %d: %d", sep, $1, $2; sep = ", " }'; }

# moves FILTER : of what the daemon did.
moves() {
	nicbalancectl status --json |
		jq -r ".moves[] | select($1)"' | "  \(.time[11:19]) \(.what): \(.why): \(.result)"'
}

# stick TENTHS : gives the two queues so much more than one CPU manages that neither ever finishes, which shows when
# moving one in the way of a tool that trusts smp_affinity changes nothing.
stick() {
	local pps=$((capacity * $1 / 10)) stuck=yes
	# What an earlier try left behind: a queue that followed, and now fills its new CPU.
	pktgen "lab1@$GENERATOR_CPU" 'ratep 500'
	nap 2
	pktgen "lab1@$GENERATOR_CPU" "ratep $pps"
	nap 2
	echo "one CPU manages $capacity packets a second and gets $pps: polled on $(polled)"
	echo 5 > "/proc/irq/${irqs[1]}/smp_affinity_list"
	nap 3
	echo "queue 1 sent to CPU 5, 3 s later on CPU $(irq_cpu "${irqs[1]}"): polled on $(polled)"
	! work_apart || stuck=no
	echo 0 > "/proc/irq/${irqs[1]}/smp_affinity_list"
	wait_until 5 all_on 0 "${irqs[1]}" || fail "queue 1 does not come back to CPU 0"
	[[ $stuck == yes ]]
}

BALLAST_RULES=2000
pile_all_on 0 lab0
load_start --queues 2 --pps 8000
nap 3
capacity=$(polled_per_second)
stick 14 || stick 18 || stick 24 || skip "its NAPIs finish and follow their interrupts: this host is too slow to fill one emulated CPU, or the kernel does not let them stay"

started=$EPOCHREALTIME
service_start
wait_until 40 work_apart || { moves true; fail "$(since "$started") s after the start: polled on $(polled)"; }
took=$(since "$started")
echo "apart $took s after the start: $(polled)"
# Some five of them are for loading the programs, which an emulated CPU takes long to verify.
assert_at_most 20 "$took" "seconds from the start to two queues polled on two CPUs"
nap 6
moves true
[[ $(moves '.reason == "rps-unstick"') ]] || fail "nothing was done about it by the daemon"
[[ $(moves '.reason == "rps-unstuck"') ]] || fail "what was done about it was not undone"
# A queue that is too much for one CPU gets RPS for that, which goes when its CPU would be below half of Hot= without.
# What RPS itself costs counts, too, and for few packets that is most of it.
pktgen "lab1@$GENERATOR_CPU" "ratep $((capacity * 7 / 100))"
paced=$EPOCHREALTIME
wait_until 150 no_rps || { show_status; fail "RPS is still set $(since "$paced") s after the queues have little to do"; }
echo "no RPS $(since "$paced") s after they have little to do"
settled=$EPOCHREALTIME
nap 30
work_apart || fail "not apart any more: polled on $(polled)"
moves=$(moves_since "$settled")
[[ -z $moves ]] || fail "moves afterwards:"$'\n'"$moves"
echo "no moves in 30 s more; polled on $(polled)"
busy_percents 3
service_active || fail "the service is not active"
