#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A machine whose NIC has portals of DPAA, one for each CPU, and applications with portals on two isolated CPUs: they stay,
# whatever isolates, bans or narrows, while a disk's interrupt leaves an isolated CPU; who asks is told why.
set -euo pipefail
. "$NB_SOURCE_DIR/tests/daemon/lib.sh"

disk=48
came=0

# Each interrupt comes again, and the machine is scanned anew.
come() {
	local irq text='intr 1'

	came=$((came + 20000))
	for ((irq = 0; irq < 30; irq++)); do text+=' 0'; done
	for ((irq = 30; irq <= disk; irq++)); do text+=" $came"; done
	sed -i "s/^intr .*/$text/" "$machine/proc/stat"
	reload
}

portals() { grep -h '' "$machine"/proc/irq/{30..47}/smp_affinity; }
disk_left() {
	come
	[[ $(< "$machine/proc/irq/$disk/smp_affinity") == *[1248]?([0]) && $(< "$machine/proc/irq/$disk/smp_affinity") != ff ]]
}
cycles_end() { come; (($(uptime) >= until)); }

"$NB_SOURCE_DIR/tests/support/unpack-machine" "$NB_SOURCE_DIR/tests/sysroots/dpaa.machine" "$machine"
configure '[Interrupt QMan portal*]' 'CPUs=0'
found=$(portals)
start --restore-on-exit
wait_until disk_left
[[ $(portals) == "$found" ]] || fail "a portal was moved: $(portals | tr '\n' ' ')"
logged "^mmc0 \(IRQ $disk\): .*its CPU is isolated" || fail "does not tell of the disk"
! logged 'portal|usdpaa|vfio' || fail "tells of a portal"
echo "the disk leaves an isolated CPU, portals stay"

status=0
said=$("$NB_CTL" --socket "$tmp/bus" ban 3 2>&1) || status=$?
((status == 5)) || fail "exit status $status of a ban: $said"
[[ $said == *'QMan portal 3 (IRQ 33)'*'a DPAA portal stays on the CPU of its driver or application'* ]] ||
	fail "not told of the portal on a banned CPU: $said"
until=$(($(uptime) + 15))
wait_until cycles_end
[[ $(portals) == "$found" ]] || fail "a portal was moved off a banned CPU: $(portals | tr '\n' ' ')"
stop
[[ $(portals) == "$found" ]] || fail "a portal was written on exit"
echo "nor does one leave a banned CPU, and why is told"
