#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Two busy devices that are no NICs, both on CPU 0: told apart with the second look at them, a minute after the
# first, then left alone, and put back on stop.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

need_product

# irq_of DRIVER : the interrupt for the data of the one virtio device that this driver has. The kernel manages neither.
irq_of() {
	local device

	device=$(basename "$(echo "/sys/bus/virtio/drivers/$1"/virtio*)")
	awk -v device="$device" '$NF ~ "^" device "-" && $NF !~ /-config$/ { sub(":", "", $1); print $1; exit }' \
		/proc/interrupts
}

# Each name that is not there is a question to the server of the share.
busy_share() { while :; do [[ -e /lab/guest/absent.$RANDOM ]]; done; }
busy_random() { while :; do dd if=/dev/hwrng of=/dev/null bs=64 count=1000 status=none; done; }

came() { awk -v irq="$1:" '$1 == irq { for (i = 2; i <= 9; i++) sum += $i; print sum }' /proc/interrupts; }
apart() { read_cpus "${irqs[@]}"; [[ ${cpus[0]} != "${cpus[1]}" ]]; }
moved_is_told() {
	journalctl -u nicbalanced --since "@${started%[.,]*}" -o cat | grep -E "IRQ (${irqs[0]}|${irqs[1]})\\): CPU 0"
}

irqs=("$(irq_of 9pnet_virtio)" "$(irq_of virtio_rng)")
[[ ${irqs[0]} && ${irqs[1]} ]] || fail "the interrupts of the share and of virtio-rng are not found"
taskset -c 7 bash -c "$(declare -f busy_share); busy_share" & share=$!
taskset -c 6 bash -c "$(declare -f busy_random); busy_random" & random=$!
trap 'kill "$share" "$random"' EXIT

for irq in "${irqs[@]}"; do
	echo 0 > "/proc/irq/$irq/smp_affinity_list"
done
wait_until 15 all_on 0 "${irqs[@]}" || fail "not on CPU 0, but on ${cpus[*]}"
before=("$(came "${irqs[0]}")" "$(came "${irqs[1]}")")
nap 5
for i in 0 1; do
	rate=$((($(came "${irqs[i]}") - before[i]) / 5))
	echo "interrupt ${irqs[i]}: $rate a second"
	# Fewer than 100 do not count.
	((rate >= 120)) || skip "interrupt ${irqs[i]} comes only $rate times a second here"
done

service_start
started=$EPOCHREALTIME
wait_until 150 apart || fail "still together on CPU ${cpus[0]} after $(since "$started") s"
placed="${cpus[*]}"
echo "apart after $(since "$started") s: CPUs $placed"
wait_until 5 moved_is_told || fail "the journal does not tell"
nap 20
read_cpus "${irqs[@]}"
assert_equal "$placed" "${cpus[*]}" "CPUs of both, 20 s later"
systemctl stop nicbalanced
wait_until 15 all_on 0 "${irqs[@]}" || fail "not put back: CPUs ${cpus[*]}"
