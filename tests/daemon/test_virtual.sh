#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A mask of a device without hardware that the run before left is known as ours: it goes when nothing needs it, one that somebody
# else wrote since stays, and other devices of that kind are not in scope.
set -euo pipefail
. "$NB_SOURCE_DIR/tests/daemon/lib.sh"

add_virtual() {	# add_virtual NAME IFINDEX MASK
	local dir=$machine/sys/class/net/$1
	mkdir -p "$dir/queues/rx-0" "$dir/queues/tx-0"
	echo "$2" > "$dir/ifindex"
	echo 65534 > "$dir/type"
	echo 0x1043 > "$dir/flags"
	echo "$3" > "$dir/queues/rx-0/rps_cpus"
}
mask() { cat "$machine/sys/class/net/$1/queues/rx-0/rps_cpus"; }
is_off() { [[ $(mask "$1") =~ ^[0,]+$ ]]; }

unpack_captured_guest
add_virtual wg0 90 0c
add_virtual wg1 91 30
add_virtual wg2 92 0c
mkdir -p "$machine/run/nicbalance"
printf '%s\n' 'nicbalance baseline 1' 'rps 90 0 00 00 0c wg0' 'rps 91 0 00 00 0c wg1' > "$machine/run/nicbalance/baseline"
configure '[RPS]' Virtual=yes DwellSec=10s '[Daemon]' IntervalSec=250ms
start --restore-on-exit
wait_until is_off wg0
logged 'wg0' || fail "not told"
excluded=$("$NB_CTL" --socket "$tmp/bus" status | sed -n '/^Excluded/,$p')
grep -q 'wg0  *no hardware is behind it, but work: RPS alone$' <<< "$excluded" || fail "not steered: $excluded"
grep -q 'wg2  *no hardware is behind it$' <<< "$excluded" || fail "taken in: $excluded"
! grep -q 'wg0 queue 0' <<< "$excluded" || fail "told twice: $excluded"
[[ $(mask wg1) == 30 ]] || fail "a mask that somebody else wrote has become $(mask wg1)"
[[ $(mask wg2) == 0c ]] || fail "a mask that is not ours has become $(mask wg2)"
stop
[[ $(mask wg1) == 30 && $(mask wg2) == 0c ]] || fail "masks of others are not left alone"
echo "a mask of the run before goes, those of others stay"
