#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Whatever is wrong outside: a sentence, the last good state, and no end of the daemon.
set -euo pipefail
. "$NB_SOURCE_DIR/tests/daemon/lib.sh"

pile_captured_guest

configure '[Balance]' 'Hot=140%'
if "$NB_DAEMON" --root "$machine" --socket "$tmp/bus" --no-system-bus 2>> "$log"; then
	fail "started with a broken configuration"
fi
logged 'nicbalance.conf:2: .*Hot' || fail "no file and line"
echo "a broken configuration is refused at the start"

configure '[Daemon]' 'CompleteSampleSec=1s'
start --restore-on-exit
wait_until is_spread

configure '[Daemon]' 'CompleteSampleSec=1s' 'Mode=dance'
reload
wait_until logged 'nicbalance.conf:3: .*Mode'
running || fail "a broken reload ended the daemon"
echo "a broken configuration is refused by a reload"

cp "$machine/proc/stat" "$tmp/stat"
head -c 100 "$tmp/stat" > "$machine/proc/stat"
wait_until lost 1
cp "$tmp/stat" "$machine/proc/stat"
wait_until back 1
echo "a /proc/stat cut in the middle is told once"

cp "$machine/proc/softirqs" "$tmp/softirqs"
sed '1s/CPU7//' "$tmp/softirqs" > "$machine/proc/softirqs"
wait_until lost 2
cp "$tmp/softirqs" "$machine/proc/softirqs"
wait_until back 2
echo "columns that are not those of the header are told once"

rm -r "$machine"/proc/irq/3[5-9] "$machine/sys/class/net/lab0"
configure '[Daemon]' 'CompleteSampleSec=2s'
reload
wait_until logged 'Configuration reloaded'
running || fail "a NIC that vanished ended the daemon"
echo "a NIC that vanishes is left out"

stop
