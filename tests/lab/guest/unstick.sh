# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Ways to move a NAPI that never finishes, tried in turn and measured. Sourced in the guest, after
# set -euo pipefail; says what it saw and judges nothing.

# shellcheck source-path=SCRIPTDIR source=outside.sh
. /lab/guest/outside.sh

ORDER=/lab/native/order
UNSTICK_RULES=3000
FLOWS=64
# The fewest packets that are on CPU 1, of a hundred, for its queue to be there.
MOVED_PERCENT=20
BEFORE_SECONDS=1
AFTER_SECONDS=3
RESULTS=/lab/out/unstick
# Where each queue is to go.
goal=(0 1)
# What the RSS table is when a try begins: "weight 0 1" has the queue to be moved be the only one.
rss_table=default

# --- the ways -------------------------------------------------------------------------------------------------------

# rps MASK... : of queue after queue.
rps() {
	local queue=0 mask
	for mask; do
		echo "$mask" > "/sys/class/net/lab0/queues/rx-$queue/rps_cpus"
		queue=$((queue + 1))
	done
}

way_nothing() { nap 0.3; }

# The masks of both queues for so long.
way_rps() {
	rps "$2" "$3"
	nap "$1"
	rps 0 0
}

# The same with a short backlog, which keeps fewer packets that later ones can overtake.
way_rps_short() {
	local backlog
	backlog=$(< /proc/sys/net/core/netdev_max_backlog)
	echo 64 > /proc/sys/net/core/netdev_max_backlog
	way_rps "$@"
	echo "$backlog" > /proc/sys/net/core/netdev_max_backlog
}

way_rss() {
	local step
	for step in "${@:2}"; do
		# shellcheck disable=SC2086 # words
		ethtool -X lab0 $step
		nap "$1"
	done
	ethtool -X lab0 default
}

way_threaded() {
	local pid cpu=0

	echo 1 > /sys/class/net/lab0/threaded
	if [[ ${2:-} == placed ]]; then
		for pid in $(pgrep napi/lab0 | sort -n); do
			taskset -pc "$((cpu & 1))" "$pid" > /dev/null
			cpu=$((cpu + 1))
		done
	fi
	nap "$1"
	echo 0 > /sys/class/net/lab0/threaded
}

way_defer() {
	echo 2 > /sys/class/net/lab0/napi_defer_hard_irqs
	echo 200000 > /sys/class/net/lab0/gro_flush_timeout
	nap "$1"
	echo 0 > /sys/class/net/lab0/gro_flush_timeout
	echo 0 > /sys/class/net/lab0/napi_defer_hard_irqs
}

# What is dropped before any other layer costs next to nothing, as with XDP.
way_drop() {
	nft 'add table netdev cut; add chain netdev cut early { type filter hook ingress device lab0 priority -500; policy drop; }'
	nap "$1"
	nft 'delete table netdev cut'
}

way_ring() {
	ethtool -G lab0 rx 80
	nap "$1"
	ethtool -G lab0 rx 256
}

# --- measuring ------------------------------------------------------------------------------------------------------

# stick : both queues on CPU 0, and pointed at where they are to go, which changes nothing if they never finish.
stick() {
	ethtool -X lab0 default 2> /dev/null || true
	place 0 0
	# shellcheck disable=SC2086 # words
	ethtool -X lab0 $rss_table 2> /dev/null || true
	pace "$pps" "$FLOWS"
	wait_until 5 obeyed "$pps" || fail "the sender does not begin"
	nap 0.5
	point "${goal[@]}"
	nap 0.5
}

# outcome FROM TO END : of what was metered: "stuck before after1 seconds not-served": whether it was stuck, served a
# second before, and after, seconds until CPU 1 had its share for good, served less than before during the trick.
outcome() {
	awk -v from="${1/,/.}" -v to="${2/,/.}" -v end="${3/,/.}" -v percent="$MOVED_PERCENT" \
		-v before_s="$BEFORE_SECONDS" '
		{ t[NR] = $1; served[NR] = $2; cpu0[NR] = $3; cpu1[NR] = $4 }
		# The sample that is the last one before that moment.
		function at(when,   i) { for (i = NR; i > 1 && t[i] > when; i--); return i }
		function rate(i, j) { return j > i ? (served[j] - served[i]) / (t[j] - t[i]) : 0 }
		function share(i, j,   all) {
			all = cpu0[j] + cpu1[j] - cpu0[i] - cpu1[i]
			return all ? 100 * (cpu1[j] - cpu1[i]) / all : 0
		}
		END {
			f = at(from - before_s); a = at(from); b = at(to) + 1; e = at(end)
			before = rate(f, a); after = rate(b, e)
			lost = before * (t[b] - t[a]) - (served[b] - served[a])
			moved = "-"
			if (share(at(end - 1), e) >= percent) {
				for (i = e; i - 4 > a && share(i - 4, i) >= percent; i--);
				moved = sprintf("%.2f", t[i] - from)
			}
			printf "%s %d %d %d %s %d\n", share(f, a) < percent / 2 ? "yes" : "no", before, after,
				share(b, e), moved, lost
		}' "$METERED"
}

# try NAME COMMAND... : one line of the results, from a fresh stuck state.
try() {
	local name=$1 from to end order reordered
	shift

	stick
	meter_start 50
	nap "$BEFORE_SECONDS"
	"$ORDER" lab0 2500 > /tmp/order &
	order=$!
	wait_until 5 grep -q ready /tmp/order
	nap 0.3
	from=$EPOCHREALTIME
	"$@"
	to=$EPOCHREALTIME
	nap "$AFTER_SECONDS"
	end=$EPOCHREALTIME
	meter_stop
	wait "$order" || true
	read -r _ reordered _ < <(tail -n 1 /tmp/order)
	echo "$pps $name $(since "$from" "$to") $(outcome "$from" "$to" "$end") $reordered" | tee -a "$RESULTS"
}

# --- what is compared -----------------------------------------------------------------------------------------------

# try_way NAME : one of the ways, by the name it has in the table.
try_way() {
	case $1 in
	nothing) try "$1" way_nothing ;;
	rps-all-*) try "$1" way_rps "${1##*-}" 2 2 ;;
	rps-short-*) try "$1" way_rps_short "${1##*-}" 2 2 ;;
	rps-moved-*) try "$1" way_rps "${1##*-}" 0 2 ;;
	rps-own-*) try "$1" way_rps "${1##*-}" 1 2 ;;
	rss-both-*) try "$1" way_rss "${1##*-}" "weight 1 0" "weight 0 1" ;;
	rss-moved-*) try "$1" way_rss "${1##*-}" "weight 1 0" ;;
	threaded-*) try "$1" way_threaded "${1##*-}" ;;
	placed-*) try "$1" way_threaded "${1##*-}" placed ;;
	defer-*) try "$1" way_defer "${1##*-}" ;;
	drop-*) try "$1" way_drop "${1##*-}" ;;
	ring-*) try "$1" way_ring "${1##*-}" ;;
	*) fail "no way $1" ;;
	esac
}

# unstick ROUNDS TENTHS WAY... : in turn, at that overload.
unstick() {
	local rounds=$1 way
	paced "$2"
	shift 2

	for ((; rounds > 0; rounds--)); do
		for way; do
			try_way "$way"
		done
	done
}

unstick_prepare() {
	: > "$RESULTS"
	outside_prepare "$UNSTICK_RULES"
	find_capacity
	echo "one CPU serves $capacity packets a second"
	echo "offered way seconds stuck before after cpu1% moved-after not-served reordered"
}

# unstick_table : the medians of what was tried.
unstick_table() {
	printf '\n%-8s %-16s %6s %7s %7s %7s %7s %7s %9s\n' offered way moved after/s before after 'CPU 1 %' lost reordered
	sort -k 1,1n -k 2,2 "$RESULTS" | awk '
		function median(list,   v, n, i, j, x) {
			n = split(list, v, " ")
			for (i = 2; i <= n; i++) {
				x = v[i] + 0
				for (j = i; j > 1 && v[j - 1] + 0 > x; j--) v[j] = v[j - 1]
				v[j] = x
			}
			return n ? (v[int((n + 1) / 2)] + v[int(n / 2) + 1]) / 2 : "-"
		}
		function show() {
			if (tries)
				printf "%-8s %-16s %2d/%-3d %7s %7d %7d %7d %7d %9d\n", offered, way, n_moved, tries,
					median(when), median(before), median(after), median(share), median(lost),
					median(reordered)
			tries = n_moved = 0; when = before = after = share = lost = reordered = ""
		}
		$4 != "yes" { next }	# it did not stay where it was
		$1 != offered || $2 != way { show(); offered = $1; way = $2 }
		{
			tries++; before = before " " $5; after = after " " $6; share = share " " $7
			lost = lost " " $9; reordered = reordered " " $10
			if ($8 != "-") { n_moved++; when = when " " $8 }
		}
		END { show() }'
}
