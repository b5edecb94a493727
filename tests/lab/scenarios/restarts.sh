#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Whatever the order of start, stop, restart, kill and failure: where no daemon runs, and none is about to, everything
# is as it was found.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

need_product

mapfile -t irqs < <(queue_irqs lab0)

# Beside the generator as well: what it leaves of its CPU is seen in short windows of an emulated machine by chance.
moved() { spread_over 2 - "${irqs[@]}"; }
as_found() { knobs > /tmp/now && cmp -s /tmp/found /tmp/now; }

# begin : a daemon that has moved something, of no start that counts for the limit.
begin() {
	systemctl reset-failed nicbalanced 2> /dev/null || true # not before its first start
	service_start
	wait_until 20 moved || fail "not moved: CPUs ${cpus[*]}"
}

# assert_as_found WHAT : soon, and the daemon is not active.
assert_as_found() {
	wait_until 20 as_found || fail "not as found after $1:"$'\n'"$(diff /tmp/found /tmp/now)"
	! service_active || fail "the service is active after $1"
	[[ ! -e /run/nicbalance/baseline ]] || fail "a baseline is left after $1"
	echo "as found after $1"
}

# drop_in TEXT : what the unit is changed by, for a while.
drop_in() {
	mkdir -p "${UNIT_DROPIN%/*}"
	printf '%s\n' "$1" > "$UNIT_DROPIN"
	systemctl daemon-reload
}

no_drop_in() {
	rm "$UNIT_DROPIN"
	systemctl daemon-reload
}

is_refused() {
	! systemctl restart nicbalanced 2> /dev/null
}

load_start
pile_all_on 0 lab0
nap 3
knobs > /tmp/found

# A restart takes the emulated machine some ten seconds.
begin
drop_in $'[Unit]\nStartLimitIntervalSec=1h\nStartLimitBurst=2'
wait_until 120 is_refused || fail "no restart is refused"
assert_equal start-limit-hit "$(systemctl show -P Result nicbalanced)" "why the last restart was refused"
assert_as_found "restarts until one is refused"
no_drop_in

begin
drop_in $'[Service]\nExecStart=\nExecStart=/bin/false'
! systemctl restart nicbalanced 2> /dev/null || fail "/bin/false has become ready"
systemctl stop nicbalanced
assert_as_found "a restart to a program that fails"
no_drop_in

begin
drop_in $'[Service]\nExecStartPre=/bin/sleep 60'
systemctl restart --no-block nicbalanced
nap 2
systemctl stop nicbalanced
assert_as_found "a stop during a restart"
no_drop_in

begin
drop_in $'[Unit]\nConditionPathExists=/nowhere'
systemctl restart nicbalanced
assert_as_found "a restart whose condition fails"
no_drop_in

begin
systemctl restart --no-block nicbalanced
systemctl stop nicbalanced
assert_as_found "a stop at once after a restart"

begin
systemctl kill --kill-whom=main -s KILL nicbalanced
systemctl stop nicbalanced
assert_as_found "a kill and a stop"

# What comes in between does not keep a daemon from starting, and a running one keeps what it has set.
# A start that waits for a stop counts several times for the limit.
begin
drop_in $'[Unit]\nStartLimitIntervalSec=0'
for ((i = 0; i < 3; i++)); do
	systemctl stop --no-block nicbalanced
	systemctl start nicbalanced || fail "no start after a stop: $(systemctl show -P Result nicbalanced)"
done
wait_until 20 moved || fail "not moved after stops and starts: CPUs ${cpus[*]}"
systemctl start nicbalance-restore
service_active || fail "the service is not active after nicbalance-restore"
moved || fail "nicbalance-restore took from a running daemon what it had set: CPUs ${cpus[*]}"
systemctl stop nicbalanced
assert_as_found "a stop"
no_drop_in
