#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lab-load: outside
# lab-cpus: 3
# lab-seconds: 900
# RPS of a NIC with one queue on a host that fills up: applications take what time there is on all CPUs, and RPS, which costs more for
# each packet than it gives then, is withdrawn; and given back, if the queue gets too little of its CPU beside an application. Whether what
# it came to is right is measured in the same run: packets served, and what applications do, with the mask and without it, by hand.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/outside.sh
. /lab/guest/outside.sh

need_product

ROUNDS=5
SECONDS_EACH=6
CPUS=3
# Three emulated CPUs share the two of the host: what takes this share of one while the others idle takes more beside applications. And
# time in which an emulated CPU does not run is in none of its counters, so a full host looks as if a third of its time was left.
TENTHS=4
FULL=50%
# Of the packets that are served with the mask.
LEAST_PERCENT=97

RPS=/sys/class/net/lab0/queues/rx-0/rps_cpus
mask() { cat "$RPS"; }
is_steered() { [[ $(mask) == *[1-9a-f]* ]]; }
is_unsteered() { ! is_steered; }

# An application on each CPU, whose work is counted by bytes of a file.
applications_start() {
	local cpu

	rm -f /run/lab-work.*
	for ((cpu = 0; cpu < CPUS; cpu++)); do
		systemd-run -q --collect --unit="lab-work-$cpu" --slice=lab.slice -p CPUAffinity=$cpu bash -c \
			"while :; do for ((i = 0; i < 1000; i++)); do :; done; printf . >> /run/lab-work.$cpu; done"
	done
}
applications_stop() { systemctl stop 'lab-work-*'; }
work_done() { cat /run/lab-work.* | wc -c; }

# measure : sets served and work, a second.
measure() {
	local work_before from=$EPOCHREALTIME

	work_before=$(work_done)
	read -r served _ < <(rates_for $SECONDS_EACH)
	work=$(awk -v n=$(($(work_done) - work_before)) -v s="$(since "$from")" 'BEGIN { printf "%.1f", n / s }')
}

middle() { sort -n | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }

ethtool -L lab0 combined 1
wait_until 10 grep -qx 1 /sys/class/net/lab0/carrier || fail "no link after ethtool -L"
outside_prepare 2000
find_capacity
paced $TENTHS
echo "one CPU serves $capacity packets a second and gets $pps"

place 0
# configure HOT : per cent.
configure() { printf '[Balance]\nHot=%d%%\n[RPS]\nNodeBusyMax=%s\n[Daemon]\nDelays=yes\n' "$1" $FULL > "$CONF_DROPIN"; }
queue_load() { nicbalancectl status --json | jq '[.queues[] | select(.nic == "lab0") | ."time-percent"] | max | floor'; }

mkdir -p "${CONF_DROPIN%/*}"
configure 85
pace "$pps"
nap 3
echo "before: $(busy_percents 3)"
service_start
wait_until 60 in_grade measured || fail "not measured: $(grade)"
# Such that the load is hot, but not what two CPUs have of it with RPS; it differs from one minute of this host to the next.
for ((try = 0; try < 5; try++)); do
	nap 5
	hot=$(($(queue_load) * 17 / 20))
	((hot >= 10)) || hot=10
	configure "$hot"
	nicbalancectl reload
	! wait_until 30 is_steered || break
done
is_steered || { show_status; fail "no RPS at a load of $hot %"; }
nap 15
is_steered || fail "RPS is gone under load"
steered=$(mask)
echo "RPS $steered: $(busy_percents 3)"
applications_start
begun=$EPOCHREALTIME
echo "and applications: $(busy_percents 3)"
wait_until 90 is_unsteered || { show_status; fail "RPS is still $(mask) $(since "$begun") s after the host has filled up"; }
echo "RPS withdrawn $(since "$begun") s after the host has filled up: $(busy_percents 3)"
nap 40
# A mask for a moment has a saturated NAPI follow its interrupt.
settled=$(mask)
echo "settled on RPS $settled: $(busy_percents 3)"
for _ in {1..20}; do
	nap 1
	echo "$settled $(mask)"
done | awk '$1 != $2 { n++ } END { exit n > 2 }' || { show_status; fail "RPS does not rest on a full host"; }
moves_since "$begun" | sed 's/^/    /'
systemctl stop nicbalanced

for ((round = 1; round <= ROUNDS; round++)); do
	for now in "$steered" 0; do
		echo "$now" > "$RPS"
		nap 1
		measure
		echo "round $round, RPS $now: $served packets served and $work units of work a second"
		echo "$served $work" >> "/tmp/busy-$now"
	done
done
echo 0 > "$RPS"
applications_stop
for field in 1 2; do
	paste -d ' ' /tmp/busy-0 "/tmp/busy-$steered" | awk -v f=$field '{ printf "%.1f\n", 100 * $f / $(f + 2) }' > "/tmp/ratios-$field"
done
echo "without RPS, in per cent of with it: packets served $(middle < /tmp/ratios-1) ($(xargs < /tmp/ratios-1))," \
	"work $(middle < /tmp/ratios-2) ($(xargs < /tmp/ratios-2))"
# With the mask no fewer packets are served than without; or there is none, and as many are served.
chosen=0
[[ $settled != *[1-9a-f]* ]] || chosen=1
awk -v p="$(middle < /tmp/ratios-1)" -v least=$LEAST_PERCENT -v chosen=$chosen 'BEGIN { exit chosen ? p > 10000 / least : p < least }' ||
	fail "settled on RPS $settled, and without the mask there are $(middle < /tmp/ratios-1) % of the packets"
