#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --restore asks the kernel for the NAPI of a queue: one that is not there, as the device is down, is tried again later, and
# kept till then. In network and mount namespaces, with a /run and a /sys of their own.
set -euo pipefail
. "$NB_SOURCE_DIR/tests/daemon/lib.sh"

IFS=.- read -r major minor _ < /proc/sys/kernel/osrelease
((major * 100 + minor >= 617)) || {
	echo "SKIP: before Linux 6.17 NAPIs have no switch of their own"
	exit 77
}
if [[ ! ${NB_OWN_RUN-} ]]; then
	unshare --user --map-root-user --mount --net mount -t sysfs sysfs /sys 2> /dev/null || {
		echo "SKIP: no user namespace"
		exit 77
	}
	NB_OWN_RUN=yes unshare --user --map-root-user --mount --net bash "$0"
	exit
fi

mount -t sysfs sysfs /sys
mount -t tmpfs tmpfs /run
mkdir /run/nicbalance
ip link add v0 type veth peer name v1
{
	echo 'nicbalance baseline 1'
	echo "threaded-queue $(cat /sys/class/net/v0/ifindex) 0 0 0 1 v0"
} > /run/nicbalance/baseline
cp /run/nicbalance/baseline "$tmp/before"

! "$NB_DAEMON" --restore 2> "$log" || fail "a NAPI that is not there was put back"
logged 'Failed to restore 1 of 1 values; run nicbalanced --restore to try again' || fail "does not say that it can be tried again"
cmp "$tmp/before" /run/nicbalance/baseline || fail "what can be tried again is forgotten"

ip link delete v0
"$NB_DAEMON" --restore 2> "$log" || fail "a device that is gone is waited for"
[[ ! -e /run/nicbalance/baseline ]] || fail "a device that is gone is remembered"
