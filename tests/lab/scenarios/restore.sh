#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the daemon changes it puts back, on stop and after a crash; a restart moves nothing.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

need_product

mapfile -t irqs < <(queue_irqs lab0)

# Two different masks, so that a restore to one common default would be seen.
set_up() {
	local i
	pile_all_on 0 lab0
	for ((i = 0; i < ${#irqs[@]}; i += 2)); do
		echo 01 > "/proc/irq/${irqs[i]}/smp_affinity"
		echo 03 > "/proc/irq/${irqs[i + 1]}/smp_affinity"
	done
	nap 3
	knobs > /tmp/found
}

moved() { spread_over 2 "$GENERATOR_CPU" "${irqs[@]}"; }
as_found() { knobs > /tmp/now && cmp -s /tmp/found /tmp/now; }

load_start
set_up
service_start
wait_until 20 moved || fail "not moved: CPUs ${cpus[*]}"
systemctl stop nicbalanced
as_found || fail "not as found after systemctl stop:"$'\n'"$(diff /tmp/found /tmp/now)"
echo "stopped and all as found"

limit=$(start_limit)
mkdir -p "${UNIT_DROPIN%/*}"
printf '[Service]\nRestart=no\n' > "$UNIT_DROPIN"
systemctl daemon-reload
set_up
service_start
wait_until 20 moved || fail "not moved: CPUs ${cpus[*]}"
killed=$EPOCHREALTIME
systemctl kill --kill-whom=main -s KILL nicbalanced
wait_until 30 as_found || fail "not as found after kill -9:"$'\n'"$(diff /tmp/found /tmp/now)"
took=$(since "$killed")
echo "killed and all as found after $took s of $limit s"
# systemd starts what puts all back as it started the daemon.
assert_at_most "$limit" "$took" "seconds from kill -9 to all as found"
rm -f "$UNIT_DROPIN"
systemctl daemon-reload
systemctl reset-failed nicbalanced

service_start
wait_until 20 moved || fail "not moved: CPUs ${cpus[*]}"
nap 8
read_cpus "${irqs[@]}"
placed="${cpus[*]}"
affinities=$(cd /proc/irq && for irq in "${irqs[@]}"; do cat "$irq/smp_affinity"; done)
restarted=$EPOCHREALTIME
systemctl restart --no-block nicbalanced
stays() {
	read_cpus "${irqs[@]}"
	[[ ${cpus[*]} == "$placed" ]] ||
		fail "$(since "$restarted") s after systemctl restart the queues are on CPUs ${cpus[*]}, not $placed: $(moves_since "$restarted")"
	nap 0.05
}
again_for 10 stays
assert_equal "$affinities" "$(cd /proc/irq && for irq in "${irqs[@]}"; do cat "$irq/smp_affinity"; done)" \
	"affinities after a restart"
service_active || fail "the service is not active after a restart"
echo "restarted, the queues stayed on CPUs $placed"
assert_polled_evenly 7 "$GENERATOR_CPU"
# The restarted daemon still knows what the first one found.
systemctl stop nicbalanced
as_found || fail "not as found after restart and stop:"$'\n'"$(diff /tmp/found /tmp/now)"
