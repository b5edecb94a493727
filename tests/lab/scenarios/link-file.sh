#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# IRQAffinity= in the .link file of an interface, as udev tells which that is: queues are placed inside, and elsewhere when
# it is gone. An older systemd takes the file all the same, and only warns that it does not know the key.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

need_product

LINK=/etc/systemd/network/10-lab0.link

apply_links() {
	udevadm control --reload
	udevadm trigger --action=add --settle /sys/class/net/lab0
}
link_file() { udevadm info -q property --property=ID_NET_LINK_FILE --value /sys/class/net/lab0; }
inside() {
	local cpu
	read_cpus "${irqs[@]}"
	for cpu in "${cpus[@]}"; do
		((cpu <= 2)) || return 1
	done
}
limited() { nicbalancectl status --json | jq -r '.excluded[] | select(.reason == "link") | .what + ": " + .why'; }
none_limited() { [[ ! $(limited) ]]; }

mapfile -t irqs < <(queue_irqs lab0)
mkdir -p "${LINK%/*}"
printf '[Match]\nMACAddress=%s\n\n[Link]\nNamePolicy=keep\nIRQAffinity=0-2\n' "$(< /sys/class/net/lab0/address)" > "$LINK"
apply_links
assert_equal "$LINK" "$(link_file)" "the .link file that udev has applied"

load_start
service_start
wait_until 60 spread_over 3 "$GENERATOR_CPU" "${irqs[@]}" || fail "not spread: ${cpus[*]}"
wait_until 20 inside || fail "outside IRQAffinity=0-2: CPUs ${cpus[*]}"
echo "by the .link file: CPUs ${cpus[*]}; $(limited)"
[[ $(limited) == "lab0: limited to CPUs 0-2: "* ]] || fail "the status says: $(limited)"

rm "$LINK"
apply_links
nicbalancectl reload
wait_until 5 none_limited || fail "still limited: $(limited)"
service_active || fail "the service is not active"
