#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lab-seconds: 240
# Something holds the RTNL lock for longer than the watchdog of the service waits, as a driver may while it resets its
# device. What the daemon asks about its NICs then has no answer; bans are obeyed all the same, status answers, and the
# service is neither killed nor at a loss when the lock is free again.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

need_product
[[ -x /lab/native/holder ]] || skip "the host has no C compiler, to make what holds the lock"

HELD_SECONDS=45

process() { systemctl show -P NRestarts -P MainPID nicbalanced | tr '\n' ' '; }
# What takes the lock does not return meanwhile, nor can it be killed.
is_held() {
	ethtool lo > /dev/null 2>&1 &
	nap 1
	kill -0 $! 2> /dev/null
}
is_free() { ! is_held; }
# How its queues and their packets were found: both are asked under the lock.
found() { nicbalancectl status --json | jq -c '.nics[] | select(.nic == "lab0") | [.mapping, .packets]'; }

mapfile -t irqs < <(queue_irqs lab0)
mkdir -p "${CONF_DROPIN%/*}"
printf '[Daemon]\nCompleteSampleSec=1s\n' > "$CONF_DROPIN"
load_start
service_start
wait_until 60 spread_over 2 "$GENERATOR_CPU" "${irqs[@]}" || fail "the queues are on CPUs ${cpus[*]}"
nap 15
before=$(process)
facts=$(found)
[[ $facts ]] || fail "nothing is known of lab0"
echo "lab0: $facts"

begun=$EPOCHREALTIME
systemd-run -q --unit=lab-holder --slice=lab.slice /lab/native/holder $HELD_SECONDS
wait_until 10 is_held || fail "the lock is not held"
nicbalancectl reload
nap 3
for round in 1 2 3 4; do
	read_cpus "${irqs[@]}"
	cpu=${cpus[round]}
	ordered=$EPOCHREALTIME
	nicbalancectl ban "$cpu" --lease 5s || fail "a ban ended with $? while the lock was held"
	wait_until 2 is_off_cpus "$cpu" || fail "$(since "$ordered") s after CPU $cpu was banned the queues are on CPUs ${cpus[*]}"
	echo "round $round: CPU $cpu was left $(since "$ordered") s after the order"
	nicbalancectl status > /dev/null || fail "no status while the lock is held"
	nap 5
done
is_held || fail "the lock was free before the end: $(since "$begun") s"
wait_until $HELD_SECONDS is_free || fail "the lock is held for ever"
echo "held for $(since "$begun") s"
assert_equal "$before" "$(process)" "restarts and process of the service"

nap 5
nicbalancectl reload
nap 2
assert_equal "$facts" "$(found)" "what is known of lab0"
service_active || fail "the service is not active"
