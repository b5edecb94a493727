#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# One CPU leaves nothing to choose: a line that says so, and exit status 0.
set -euo pipefail
. "$NB_SOURCE_DIR/tests/daemon/lib.sh"

make_machine --cpus 1 --nic lab0:igb:1:-1
start --restore-on-exit
ended_well
logged 'one CPU' || fail "no line says so"
