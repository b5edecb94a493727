#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# For people: all eight queues on one CPU under load, what the service makes of it, and how it says so.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

need_product

mapfile -t irqs < <(queue_irqs lab0)

# The CPU that makes the traffic counts as an application's: its share is marked.
show_cpus() {
	local words cpu busy soft
	read -r -a words <<< "$(busy_percents 3)"
	printf '  %-5s %5s %9s\n' CPU busy softirq
	for ((i = 0; i + 3 < ${#words[@]} + 1; i += 4)); do
		cpu=${words[i]} busy=${words[i + 1]} soft=${words[i + 3]%)}
		printf '  %-5s %5s %9s%s\n' "$cpu" "$busy" "$soft" \
			"$([[ $cpu != "cpu$GENERATOR_CPU" ]] || echo '   makes the traffic')"
	done
}

show_queues() {
	local i
	read_cpus "${irqs[@]}"
	printf '  %-5s %5s %5s\n' queue IRQ CPU
	for ((i = 0; i < ${#irqs[@]}; i++)); do
		printf '  %-5s %5s %5s\n' "$i" "${irqs[i]}" "${cpus[i]}"
	done
}

pile_all_on 0 lab0
load_start
nap 2
echo
echo "Before: lab0 under traffic, every queue on CPU 0"
show_queues
show_cpus

started=$EPOCHREALTIME
echo
echo "systemctl start nicbalanced"
systemctl start --no-block nicbalanced
wait_until 30 spread_over 2 "$GENERATOR_CPU" "${irqs[@]}" ||
	fail "after $(since "$started") s the queues are on CPUs ${cpus[*]}"
took=$(since "$started")
nap 4

echo
echo "After: spread $took s after the start"
show_queues
show_cpus
echo
echo "nicbalancectl status"
show_status
