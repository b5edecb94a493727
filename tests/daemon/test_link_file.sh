#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A captured guest whose systemd limits the interrupts of its NIC by a .link file: its queues stay there. What is broken
# in it is told once.
set -euo pipefail
. "$NB_SOURCE_DIR/tests/daemon/lib.sh"

link=etc/systemd/network/10-lan.link

on() { [[ $(masks | sort -u | xargs) == "$*" ]]; }

pile_captured_guest
mkdir -p "$machine/run/udev/data" "$machine/${link%/*}"
ifindex=$(cat "$machine/sys/class/net/lab0/ifindex")
echo "E:ID_NET_LINK_FILE=/$link" > "$machine/run/udev/data/n$ifindex"
printf '%s\n' '[Match]' 'OriginalName=*' '[Link]' 'IRQAffinity=4-5' > "$machine/$link"
start --restore-on-exit
wait_until on 10 20
! logged 'link file' || fail "finds fault with a good file"

printf '%s\n' '[Match]' 'OriginalName=*' '[Link]' 'IRQAffinity=soon' > "$machine/$link"
reload
wait_until logged "/$link:4: IRQAffinity=soon is not a list of CPUs"
for n in 2 3; do
	reload
	wait_until eval "((\$(grep -c 'Configuration reloaded' '$log') == $n))"
	sleep 1.5
done
(($(grep -c 'IRQAffinity=soon' "$log") == 1)) || fail "tells it again and again"
stop
