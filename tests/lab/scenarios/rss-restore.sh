#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# An RSS table that a run which died left set is put back as it was found: an administrator's entry by entry, the
# kernel's own as nobody's; and one that someone else has set since is left alone.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

need_product

BASELINE=/run/nicbalance/baseline
ifindex=$(< /sys/class/net/lab0/ifindex)

# The entries of lab0's table, joined by commas.
table() {
	ethtool -x lab0 | awk '/^ *[0-9]+:/ { for (i = 2; i <= NF; i++) { printf "%s%s", sep, $i; sep = "," } }'
}

# leave FOUND : all packets go to queue 0, and the baseline says so, as a run leaves it that is killed there.
leave() {
	ethtool -X lab0 equal 1
	mkdir -p "${BASELINE%/*}"
	printf 'nicbalance baseline 1\nrss %s %s %s %s lab0\n' "$ifindex" "$1" "$1" "$(table)" > "$BASELINE"
}

restored() {	# restored WANTED WHAT
	assert_equal "$1" "$(table)" "$2"
	[[ ! -e $BASELINE ]] || fail "$2: the baseline is still there: $(< "$BASELINE")"
	echo "$2: as found"
}

ethtool -X lab0 weight 3 1 1 1 0 0 2 2
admins=$(table)
leave "$admins"
[[ $(table) != "$admins" ]] || fail "the table cannot be set"
nicbalanced --restore
restored "$admins" "an administrator's table"

leave "$admins"
ethtool -X lab0 equal 2
theirs=$(table)
nicbalanced --restore
restored "$theirs" "a table that someone else has set since"

ethtool -X lab0 default
kernels=$(table)
leave default
nicbalanced --restore
restored "$kernels" "the kernel's own table"
# It is nobody's: with one that counts as set, fewer queues than it points at would be refused.
ethtool -L lab0 combined 4 || fail "the kernel's own table counts as set"
ethtool -L lab0 combined 8

# In the sandbox of the unit, which has no internet sockets.
ethtool -X lab0 weight 3 1 1 1 0 0 2 2
leave "$admins"
service_start
nap 3
systemctl stop nicbalanced
restored "$admins" "after a start and a stop of the unit"
ethtool -X lab0 default
