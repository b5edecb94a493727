#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What is wrong with a command line is said, with the option or the path that it is about.
set -euo pipefail
. "$NB_SOURCE_DIR/tests/daemon/lib.sh"

# refused STATUS PATTERN OPTION...
refused() {
	local wanted=$1 pattern=$2 status=0
	shift 2

	timeout 60 "$NB_DAEMON" "$@" 2> "$log" || status=$?
	((status == wanted)) || fail "exit status $status of $*"
	logged "$pattern" || fail "does not say: $pattern"
}

unpack_captured_guest
refused 2 '--unless-running are for --restore' --root "$machine" --unless-running
refused 2 '--unless-restarting and' --root "$machine" --unless-restarting
refused 2 'takes no arguments' --root "$machine" status

refused 1 "open the root directory $tmp/gone: No such file" --root "$tmp/gone"
refused 1 "open the root directory $tmp/gone: No such file" --root "$tmp/gone" --restore

refused 1 "listen on $tmp/gone/bus: No such file" --root "$machine" --no-system-bus --socket "$tmp/gone/bus"
echo "in the way" > "$tmp/bus"
refused 1 "listen on $tmp/bus: Address already in use" --root "$machine" --no-system-bus --socket "$tmp/bus"
[[ $(< "$tmp/bus") == "in the way" ]] || fail "what is no socket was replaced"
