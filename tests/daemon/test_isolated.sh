#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A captured machine whose kernel isolates CPUs 4-7, by one list or another: no queue goes there.
set -euo pipefail
. "$NB_SOURCE_DIR/tests/daemon/lib.sh"

on_isolated() { masks | grep -E '^[1-9a-f]0$'; }
is_spread_over_four() { (($(n_places) == 4)); }

check() {
	wait_until is_spread_over_four
	! on_isolated || fail "a queue went to an isolated CPU ($1)"
	stop
	rm -rf "$machine"
	echo "kept off: $1"
}

pile_captured_guest
echo 4-7 > "$machine/sys/devices/system/cpu/isolated"
start --restore-on-exit
check "isolcpus"

pile_captured_guest
echo 4-7 > "$machine/sys/devices/system/cpu/nohz_full"
start --restore-on-exit
check "nohz_full"

pile_captured_guest
echo "quiet isolcpus=managed_irq,4-7" > "$machine/proc/cmdline"
start --restore-on-exit
check "managed_irq"

pile_captured_guest
mkdir -p "$machine/sys/fs/cgroup"
echo 4-7 > "$machine/sys/fs/cgroup/cpuset.cpus.isolated"
start --restore-on-exit
check "an isolated cpuset partition"

pile_captured_guest
echo 4-5 > "$machine/sys/devices/system/cpu/isolated"
configure '[Balance]' 'BannedCPUs=6-7'
start --restore-on-exit
check "isolcpus and a ban list, both"
