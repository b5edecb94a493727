#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A disk whose interrupts all come to CPU 0, and another device's that come to an isolated CPU: put in their
# place once, adopted by a restart, put back on exit; and left alone when the configuration says so. A recording tells
# of them by their numbers.
set -euo pipefail
. "$NB_SOURCE_DIR/tests/daemon/lib.sh"

# Behind 24 to 26 of eth0 and 27, the disk's admin interrupt: its queues, and a device that is on no bus.
disk=({28..35}) usb=36
came=0

pile_disk() {
	local irq

	make_machine --cpus 4 --nic eth0:igb:2:-1 --disk 8:-1
	for irq in "${disk[@]}" $usb; do
		mkdir -p "$machine/proc/irq/$irq" "$machine/sys/kernel/irq/$irq"
		echo f > "$machine/proc/irq/$irq/smp_affinity"
		echo 0 > "$machine/proc/irq/$irq/effective_affinity_list"
	done
	echo xhci_hcd > "$machine/sys/kernel/irq/$usb/actions"
	echo 3 > "$machine/proc/irq/$usb/effective_affinity_list"
	echo 3 > "$machine/sys/devices/system/cpu/isolated"
}

# Each of them comes again, and the machine is scanned anew.
come() {
	local irq text='intr 1'

	came=$((came + 1000))
	for ((irq = 0; irq < disk[0]; irq++)); do text+=' 0'; done
	for irq in "${disk[@]}" $usb; do text+=" $came"; done
	sed -i "s/^intr .*/$text/" "$machine/proc/stat"
	reload
}

# As sets, see masks() of lib.sh; that of the device on no bus is the last.
places() {
	local files=("${disk[@]/#/$machine/proc/irq/}" "$machine/proc/irq/$usb")
	grep -h '' "${files[@]/%//smp_affinity}" | sed 's/^0*//'
}
n_on() { places | head -n ${#disk[@]} | grep -cx "$1" || true; }
is_placed() {
	come
	(($(n_on f) + $(n_on 1) == 3 && $(n_on 2) + $(n_on 4) == 5)) && [[ $(places | tail -n 1) == [124] ]]
}
cycles_end() { come; (($(uptime) >= until)); }

trace=$tmp/trace
recorder=
record() {
	"$NB_CTL" --socket "$tmp/bus" record --file "$trace" &
	recorder=$!
}
recorded() { grep -qxE "device-irq $1" "$trace"; }
yield_recorded() { come; recorded "$1 yielded $2 -"; }
n_moves_recorded() { (($(grep -c '^device-irq [0-9]* moved ' "$trace") == $1)); }

pile_disk
found=$(places)
start
record
wait_until is_placed
placed=$(places)
(($(n_on 2) <= 3 && $(n_on 4) <= 3)) || fail "spread unevenly: ${placed//$'\n'/ }"
# The disk's five and one; a move is written first, then told.
wait_until n_moves_recorded 6
recorded "$usb moved 3 [0-2] ineligible" || fail "not recorded: the isolated CPU"
recorded '[0-9]+ moved 0 [12] device-crowded' || fail "not recorded: the pile"
logged "^xhci_hcd \(IRQ $usb\): .*its CPU is isolated" || fail "does not tell of the isolated CPU"
logged '^nvme1q[0-9] \(IRQ [0-9]+\): .*on one CPU' || fail "does not tell of the pile"
! grep -qE 'nvme|xhci' "$trace" || fail "a device is recorded by name"
echo "spread once, and recorded"

ours=$(< "$machine/proc/irq/$usb/smp_affinity")
echo f > "$machine/proc/irq/$usb/smp_affinity"
wait_until yield_recorded "$usb" '[0-2]'
logged "^xhci_hcd \(IRQ $usb\): .*another program" || fail "does not tell of someone else"
echo "$ours" > "$machine/proc/irq/$usb/smp_affinity"
kill -s INT "$recorder"
wait "$recorder" || fail "exit status $? of the recording"
n_moves_recorded 6 || fail "more was moved than the pile: $(grep '^device-irq' "$trace")"
echo "yielded to someone else, and recorded"

crash
: > "$log"
start --restore-on-exit
until=$(($(uptime) + 15))
wait_until cycles_end
[[ $(places) == "$placed" ]] || fail "a restart moved what it found in its own places"
! logged 'IRQ' || fail "a restart told of an interrupt"
stop
[[ $(places) == "$found" ]] || fail "not put back on exit: $(places | tr '\n' ' ')"
echo "adopted by a restart, then put back"

configure '[Balance]' 'DeviceInterrupts=no'
start --restore-on-exit
until=$(($(uptime) + 15))
wait_until cycles_end
[[ $(places) == "$found" ]] || fail "moved against DeviceInterrupts=no"
stop
echo "left alone when told so"
