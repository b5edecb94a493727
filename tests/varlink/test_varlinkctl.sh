#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The interface as an operator and a program without any library use it, of the daemon itself.
# shellcheck disable=SC2119 # start needs no options
set -euo pipefail
. "$NB_SOURCE_DIR/tests/daemon/lib.sh"

skip() {
	echo "skipped: $1"
	exit 77
}
command -v varlinkctl > /dev/null || skip "no varlinkctl"
command -v jq > /dev/null || skip "no jq"
((EUID == 0)) || skip "only root may order anything"

interface=org.nicbalance.Constraints
socket=$tmp/$interface
method() { varlinkctl call --json=short "$socket" "$interface.$1" "${2:-{\}}"; }
# Of CPUs 0 and 1.
on_banned() { masks | grep -E '^[1-3]$'; }

pile_captured_guest
start
wait_until is_spread

varlinkctl introspect "$socket" "$interface" > "$tmp/told"
grep -q "^interface $interface$" "$tmp/told" || fail "not introspected: $(< "$tmp/told")"
grep -q '^method Subscribe() ->' "$tmp/told" || fail "no Subscribe: $(< "$tmp/told")"
echo "it can be introspected"

[[ $(method Ban '{"cpus": "0-1", "owner": "tuned"}' | jq -c .remains) == '[]' ]] || fail "something remains"
! on_banned || fail "a queue is on a banned CPU after the call"
"$NB_CTL" --socket "$tmp/bus" claims --noheadings | grep -q tuned || fail "nicbalancectl does not list it"
echo "a ban is obeyed when the call is answered"

! method Claim '{"target": "lab0:1", "cpus": "0"}' > "$tmp/refused" 2>&1 || fail "a claim of banned CPUs is taken"
grep -q "$interface.CPUsTaken" "$tmp/refused" || fail "refused otherwise: $(< "$tmp/refused")"
grep -q '"owner":"tuned"' "$tmp/refused" || fail "refused without the owner: $(< "$tmp/refused")"
echo "what is refused says whose the CPUs are"

varlinkctl --more --json=short call "$socket" "$interface.Subscribe" {} > "$tmp/changes" &
subscriber=$!
n_changes() { (($(tr '\036' ' ' < "$tmp/changes" | jq -s length) == $1)); }
wait_until n_changes 1
"$NB_CTL" --socket "$tmp/bus" ban 3
wait_until n_changes 2
"$NB_CTL" --socket "$tmp/bus" release all
wait_until n_changes 3
kill "$subscriber"
wait "$subscriber" 2> /dev/null || true
echo "those who subscribed are told of what others order by the bus"

method Unban '{"cpus": "0-1", "owner": "tuned"}' > /dev/null
if command -v socat > /dev/null; then
	printf '{"method":"%s.Ban","parameters":{"cpus":"2","leaseUSec":1000000}}\0' "$interface" |
		socat -t 10 - "UNIX-CONNECT:$socket" > "$tmp/answer"
	[[ $(tr -d '\0' < "$tmp/answer" | jq -c .parameters.remains) == '[]' ]] ||
		fail "answered otherwise: $(< "$tmp/answer")"
	listed_nothing() { [[ $(method List) == '{"orders":[]}' ]]; }
	! listed_nothing || fail "not ordered"
	wait_until listed_nothing
	echo "a line over a socket is enough, and the lease ends by itself"
fi
stop
