#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# One nicbalanced per host: another is refused while the lock is held, and not after. In a mount namespace with a
# /run of its own, and with --restore, which finds nothing to restore there.
set -euo pipefail
. "$NB_SOURCE_DIR/tests/daemon/lib.sh"

if [[ ! ${NB_OWN_RUN-} ]]; then
	unshare --user --map-root-user --mount true 2> /dev/null || {
		echo "SKIP: no user namespace"
		exit 77
	}
	NB_OWN_RUN=yes unshare --user --map-root-user --mount bash "$0"
	exit
fi

mount -t tmpfs tmpfs /run
"$NB_DAEMON" --restore 2> "$log" || fail "is refused, but nobody holds the lock"

exec 9> /run/nicbalance/lock
flock 9
! "$NB_DAEMON" --restore 2> "$log" || fail "runs beside another"
logged 'Another nicbalanced is running on this host' || fail "does not say why it is refused"

flock --unlock 9
"$NB_DAEMON" --restore 2> "$log" || fail "is refused after the other has ended"
