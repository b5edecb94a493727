#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A daemon that has nothing to do looks at the CPUs alone: a file of the rest may break unseen. It looks at all of it
# when a CPU gets hot, and when someone asks.
set -euo pipefail
. "$NB_SOURCE_DIR/tests/daemon/lib.sh"

# burst : CPU 3 has been in softirqs for a whole second more than it was.
burst() {
	awk '$1 == "cpu3" { $8 += 100 } { print }' "$machine/proc/stat" > "$tmp/stat"
	cp "$tmp/stat" "$machine/proc/stat"
}

break_softirqs() { cp "$machine/proc/softirqs" "$tmp/softirqs" && : > "$machine/proc/softirqs"; }
mend_softirqs() { cp "$tmp/softirqs" "$machine/proc/softirqs"; }

unpack_captured_guest
configure '[Daemon]' 'IntervalSec=250ms'
start --restore-on-exit
sleep 4

break_softirqs
sleep 2 # eight cycles; the next look by itself comes after ten seconds
lost 0 || fail "looks at all of a host on which nothing happens"
burst
burst=$(uptime)
wait_until lost 1
took=$(($(uptime) - burst))
((took < 4)) || fail "a hot CPU was looked at after $took s"
mend_softirqs
wait_until back 1

# Until it rests again, fifteen seconds after the burst; a look is at the latest a second old then.
sleep 19
break_softirqs
sleep 1
lost 1 || fail "looks at all of a host on which nothing happens any more"
"$NB_CTL" --socket "$tmp/bus" status > /dev/null
wait_until lost 2
stop
