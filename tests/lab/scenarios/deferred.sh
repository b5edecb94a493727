#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lab-nics: e1000e
# A queue that defers its interrupt (napi_defer_hard_irqs) beside an application: under steady traffic it follows its interrupt
# nowhere, so it is left where it is, and status says why. Without the deferral it is moved.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

need_product

CPU=2
mapfile -t irqs < <(all_queue_irqs lab0)

# defer POLLS NSEC : what lab0 has of both.
defer() {
	echo "$1" > /sys/class/net/lab0/napi_defer_hard_irqs
	echo "$2" > /sys/class/net/lab0/gro_flush_timeout
}
trap 'defer 0 0; systemctl stop lab-neighbour 2> /dev/null || true' EXIT

# on_cpu CPU : all packets of lab0 are received there.
on_cpu() {
	polls_by_cpu lab0 1 > /tmp/polls
	[[ $(cut -d ' ' -f 1 /tmp/polls) == "$1" ]]
}

polled() { awk '{ printf "%sCPU %d: %d packets in %d polls", sep, $1, $2, $3; sep = ", " }' /tmp/polls; }

has_load() { nicbalancectl status --json | jq -e '.queues[] | select(.nic == "lab0") | ."time-percent" > 5' > /dev/null; }

moved_away() { ! on_cpu $CPU; }

verdict() { nicbalancectl status --json | jq -r .daemon.verdict; }

verdicts=''
note_verdict() {
	verdicts+=" $(verdict)"
	nap 1
}

pile_all_on $CPU lab0
load_start --pps 2000
measure_always
# RPS, which needs no interrupt, would relieve the CPU.
printf '[RPS]\nEnabled=no\n' >> "$CONF_DROPIN"
service_start
wait_until 30 in_grade measured || fail "not measured: $(grade)"
wait_until 10 has_load || fail "the time of the queue is not known"

# Only a second without a packet would end it, which no busy host makes of a moment.
defer 100 10000000
systemctl reload nicbalanced
nap 2
on_cpu $CPU || fail "not polled on CPU $CPU: $(polled)"
systemd-run -q --unit=lab-neighbour --slice=lab.slice -p CPUAffinity=$CPU bash /lab/guest/application 90 5
started=$EPOCHREALTIME
again_for 15 note_verdict
moves=$(moves_since "$started")
on_cpu $CPU || fail "not polled on CPU $CPU any more: $(polled)"
echo "$(since "$started") s later:$verdicts; $(polled); $(busy_percents 1)"
nicbalancectl status --json | jq -c '.queues[] | select(.nic == "lab0") | {cpu, "time-percent", "interrupts-per-second", note}'
[[ -z $moves ]] || fail "changes beside the application:"$'\n'"$moves"
# What a busy host makes of the loads may ask for more gain at times.
[[ $verdicts == *deferred* ]] || fail "never deferred, but$verdicts"

defer 0 0
wait_until 20 moved_away || { show_status; fail "without the deferral still on $(polled)"; }
echo "without the deferral: $(polled)"
moves_since "$started"
service_active || fail "the service is not active"
