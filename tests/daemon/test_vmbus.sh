#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The channels of a synthetic NIC, all on CPU 0: spread, put back, adopted and left alone like interrupts.
set -euo pipefail
. "$NB_SOURCE_DIR/tests/daemon/lib.sh"

channels=$machine/sys/class/net/eth0/device/channels
cpus() { sort -n "$channels"/*/cpu; }
are_spread() { (($(cpus | uniq | wc -l) == 4)); }
found=$(printf '0\n%.0s' 1 2 3 4)

pile_channels() {
	local file

	rm -rf "$machine"
	"$NB_SOURCE_DIR/tests/support/unpack-machine" "$NB_SOURCE_DIR/tests/sysroots/hv_netvsc.machine" "$machine"
	for file in "$channels"/*/cpu; do
		echo 0 > "$file"
	done
}

pile_channels
start --restore-on-exit
wait_until are_spread
logged 'eth0 queue [0-3] \(channel 2[1-4]\): CPU 0 → CPU [1-7]' || fail "does not name the channels"
"$NB_CTL" --socket "$tmp/bus" owners eth0 > "$tmp/owners" || fail "no owners"
(($(grep -Ec 'affinity +[1-7] +ours' "$tmp/owners") == 3)) || fail "does not own them: $(< "$tmp/owners")"
stop
[[ $(cpus) == "$found" ]] || fail "not put back on exit: $(cpus)"
[[ ! -e $machine/run/nicbalance/baseline ]] || fail "the baseline outlives the restore"
logged 'Restored 3 ' || fail "does not tell what was put back"
echo "spread, and put back on exit"

start
wait_until are_spread
placed=$(cpus)
crash
: > "$log"
start
reload
wait_until logged 'Configuration reloaded'
[[ $(cpus) == "$placed" ]] || fail "a restart moved what it found in its own places"
! logged 'CPU . → CPU' || fail "a restart placed again"
crash
"$NB_DAEMON" --root "$machine" --restore 2>> "$log" || fail "--restore failed"
[[ $(cpus) == "$found" ]] || fail "not put back after a crash: $(cpus)"
echo "adopted by a restart, and put back after a crash"

start --restore-on-exit
wait_until are_spread
for file in "$channels"/*; do
	(($(< "$file/cpu") == 0)) || break
done
echo 4 > "$file/cpu.new"
mv "$file/cpu.new" "$file/cpu"
stop
(($(< "$file/cpu") == 4)) || fail "overwrote what someone else had written"
echo "left what someone else wrote"

# A NIC that is opened anew has other channels.
pile_channels
start --restore-on-exit
wait_until are_spread
for file in "$channels"/2[2-4]; do
	mv "$file" "${file%/*}/3${file: -1}"
	echo 0 > "${file%/*}/3${file: -1}/cpu"
done
wait_until are_spread
logged 'eth0 queue [1-3] \(channel 3[2-4]\): CPU 0 → CPU [1-7]' || fail "the new channels are not placed"
stop
[[ $(cpus) == "$found" ]] || fail "new channels not put back: $(cpus)"
echo "followed new channels"

# Before Linux 5.10 nobody may write.
pile_channels
chmod 0444 "$channels"/*/cpu
start
sleep 3
[[ $(cpus) == "$found" ]] || fail "wrote what may not be written"
stop
echo "left what may not be written"
