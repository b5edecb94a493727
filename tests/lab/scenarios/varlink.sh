#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The Varlink interface of the installed service, in its sandbox: root's orders count when the call is answered, nobody
# else's are taken, one that hangs on a connection ends with it, and a stop leaves no socket.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

need_product
[[ $(nicbalanced --version) != *"without the Varlink interface"* ]] || skip "built without the Varlink interface"
command -v varlinkctl > /dev/null || skip "no varlinkctl"

interface=org.nicbalance.Constraints
socket=/run/nicbalance/$interface
method() { varlinkctl call --json=short "$socket" "$interface.$1" "${2:-{\}}"; }
n_listed() { method List | jq '.orders | length'; }
has_none() { (($(n_listed) == 0)); }

mapfile -t irqs < <(queue_irqs lab0)
load_start
service_start
wait_until 60 spread_over 2 "$GENERATOR_CPU" "${irqs[@]}" || fail "the queues are on CPUs ${cpus[*]}"
nap 10

runuser -u nobody -- varlinkctl introspect "$socket" "$interface" > /tmp/told || fail "it cannot be introspected"
grep -q '^method Subscribe() ->' /tmp/told || fail "no Subscribe: $(< /tmp/told)"
! runuser -u nobody -- varlinkctl call "$socket" "$interface.Ban" '{"cpus": "2"}' 2> /tmp/refused ||
	fail "anyone may ban a CPU"
grep -q PermissionDenied /tmp/refused || fail "refused otherwise: $(< /tmp/refused)"
has_none || fail "what was refused counts"

begun=$EPOCHREALTIME
method Ban '{"cpus": "2-3", "owner": "lab", "leaseUSec": 20000000}' > /tmp/answer || fail "a ban of root's is refused"
echo "banned and answered in $(since "$begun") s: $(< /tmp/answer)"
wait_until 1 is_off_cpus 2 3 || fail "after the answer the queues are on CPUs ${cpus[*]}"
nicbalancectl claims --noheadings | grep -q lab || fail "nicbalancectl does not list it"

! method Claim '{"target": "lab0:0", "cpus": "2", "owner": "feed"}' 2> /tmp/refused ||
	fail "a claim of banned CPUs is taken"
grep -q CPUsTaken /tmp/refused || fail "refused otherwise: $(< /tmp/refused)"

wait_until 25 has_none || fail "the ban outlasts its lease"
echo "its lease was over $(since "$begun") s after the order"

method Ban '{"cpus": "4", "whileConnected": true}' || fail "a ban of a connection is refused"
wait_until 2 has_none || fail "the ban outlasts its connection"

systemctl stop nicbalanced
[[ ! -e $socket ]] || fail "the socket is left"
