#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Mode=observe says what it would do and writes nothing; a reload to balance does it.
. "$NB_SOURCE_DIR/tests/daemon/lib.sh"

pile_captured_guest
found=$(masks)

configure '[Daemon]' 'Mode=observe'
start --restore-on-exit
wait_until logged 'lab0 queue 6'
[[ $(masks) == "$found" ]] || fail "wrote in observe mode"
[[ ! -e $machine/run/nicbalance/baseline ]] || fail "kept a baseline in observe mode"

configure '[Daemon]' 'Mode=balance'
reload
wait_until is_spread
stop
[[ $(masks) == "$found" ]] || fail "not put back"
