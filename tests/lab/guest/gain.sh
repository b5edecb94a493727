# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What a balancer is good for, in packets served: columns in turn, each from the same collapse, some rounds of all. Sourced
# in the guest, after set -euo pipefail.
#
# A host that is itself a guest is faster in one minute than in the next. So nicbalance is compared within each round, with
# what is measured directly before and after it, and what counts is the median of these ratios. And the host is watched, by a
# program of its own: a slot in which one of its CPUs did less than it can does not count, and a column of which too little is left
# is measured again.
#
# The judge is the counter of the last nftables rule, read every 100 ms by native/meter. No figure of a daemon counts.

# shellcheck source-path=SCRIPTDIR source=outside.sh
. /lab/guest/outside.sh

GAIN_RULES=2000
# Between what one CPU manages and what two do, and that with something to spare.
GAIN_TENTHS=26
GAIN_ROUNDS=5
GAIN_TRIES=16
GAIN_SECONDS=20
GAIN_SHORT_SECONDS=15
# One round of the column that is judged is longer, to see that it stays.
GAIN_LONG_SECONDS=70
SLOT_SECONDS=1
# After its start a balancer has so long until it counts, and so long until it may change nothing more.
SETTLED_SECONDS=5
QUIET_SECONDS=10
GAIN_PERCENT=95

# Slots that have to count when a column is settled, and of nicbalance before it has to be quiet.
CALM_SLOTS=5
CALM_EARLY_SLOTS=3

SLOTS=/tmp/slots	# "column round seconds-since-the-start served"
SLOTS_OF_TRY=/tmp/slots-of-try

# See native/speed.c: "time CPU nanoseconds", of each CPU of the host twice a second.
HOST_SPEED=/lab/speed
# What a line tells of: five pauses of a tenth, and the work.
HOST_SPEED_SECONDS=0.6
# Of the time that the work takes when nothing disturbs it: more, and something does. The core's other thread makes it half
# as much again.
DISTURBED_PERCENT=115
DISTURBED=/tmp/disturbed
CALM_SECONDS=3
CALM_WAIT_SECONDS=1200

# --- the columns ----------------------------------------------------------------------------------------------------

resume() {
	pace "$pps"
	wait_until 5 obeyed "$pps" || fail "the sender does not begin"
}

start_nothing() { :; }
stop_nothing() { :; }

# start_placed CPU... : the static placement.
start_placed() {
	place "$@"
	resume
}

# start_steered MASK : one queue, its packets handed on to those CPUs.
start_steered() {
	echo "$1" > /sys/class/net/lab0/queues/rx-0/rps_cpus
}

# start_column "CPU-CPU" | "rps-MASK" : queues placed, or the packets of the one there is handed on.
start_column() {
	case $1 in
	rps-*) start_steered "${1#rps-}" ;;
	*) start_placed "${1%-*}" "${1#*-}" ;;
	esac
}

stop_irqbalance() { irqbalance_stop; }

start_nicbalance() { service_start; }

stop_nicbalance() {
	service_active || fail "the service is not active"
	show_status
	systemctl stop nicbalanced
	quiet_since "$started"
}

# --- measuring ------------------------------------------------------------------------------------------------------

# collapse : everything as at the beginning: all queues polled on CPU 0, and too much for it.
collapse() {
	local served cpu0 cpu1

	place "${collapsed[@]}"
	resume
	nap 1
	read -r served cpu0 cpu1 < <(rates_for 1)
	((cpu1 * 20 < cpu0)) || fail "collapsed, yet CPU 0 gets $cpu0 and CPU 1 $cpu1 packets a second"
	((served > 0)) || fail "collapsed, nothing is served"
}

# know_host_clock : sets host_ahead, by how many seconds the clock of the host is ahead of this machine's.
know_host_clock() {
	local last

	last=$(tail -n 1 "$HOST_SPEED")
	wait_until 5 host_tells_more_than "$last" || fail "nobody watches how fast the host is"
	host_ahead=$(tail -n 1 "$HOST_SPEED" | awk -v now="${EPOCHREALTIME/,/.}" '{ printf "%.3f", $1 - now }')
}
host_tells_more_than() { [[ $(tail -n 1 "$HOST_SPEED") != "$1" ]]; }

# disturbed : when a CPU of the host did less than it can, as "from to" by this machine's clock. It can what it did in the best
# tenth of the time so far.
disturbed() {
	sort -k 2,2n -k 3,3n "$HOST_SPEED" |
		awk -v ahead="$host_ahead" -v lasting="$HOST_SPEED_SECONDS" -v percent="$DISTURBED_PERCENT" '
		function tell(  i, best) {
			best = nsec[int(1 + n / 10)]
			for (i = 1; i <= n; i++)
				if (nsec[i] * 100 > best * percent)
					printf "%.3f %.3f\n", when[i] - ahead - lasting, when[i] - ahead
			n = 0
		}
		NF != 3 { next }
		$2 != cpu { tell(); cpu = $2 }
		{ n++; when[n] = $1; nsec[n] = $3 }
		END { tell() }'
}

# watched : it was told in the last seconds how fast the host is.
watched() {
	tail -n 2 "$HOST_SPEED" |
		awk -v now="${EPOCHREALTIME/,/.}" -v ahead="$host_ahead" -v seconds="$CALM_SECONDS" '
		$1 - ahead > now - seconds { told = 1 }
		END { exit !told }'
}

# host_calm : for the last seconds it was.
host_calm() {
	disturbed | awk -v now="${EPOCHREALTIME/,/.}" -v seconds="$CALM_SECONDS" '
		$2 > now - seconds { n++ }
		END { exit n > 0 }'
}

# calm_now : the same, to be waited for: if it was not, a second passes, for the look itself takes CPU time of the host.
calm_now() { host_calm || ! nap 1; }

# slots COLUMN ROUND START SECONDS : prints what was served in each slot from there on; in brackets where the host was disturbed,
# the others count.
slots() {
	disturbed > "$DISTURBED"
	: > "$SLOTS_OF_TRY"
	awk -v name="$1 $2" -v from="${3/,/.}" -v n="$(($4 / SLOT_SECONDS))" -v step="$SLOT_SECONDS" -v slots="$SLOTS_OF_TRY" '
		function is_disturbed(from, to,  i) {
			for (i = 1; i <= n_disturbed; i++)
				if (begin[i] < to && end[i] > from)
					return 1
			return 0
		}
		BEGIN { next_ = from }
		FILENAME == ARGV[1] { n_disturbed++; begin[n_disturbed] = $1; end[n_disturbed] = $2; next }
		$1 >= next_ && slot <= n {
			if (slot++) {
				rate = int(($2 - served) / ($1 - when))
				if (is_disturbed(when, $1)) {
					printf " (%d)", rate
				} else {
					printf " %d", rate
					print name, (slot - 2) * step, rate >> slots
				}
			}
			when = $1; served = $2; next_ += step
		}' "$DISTURBED" "$METERED"
}

# try COLUMN ROUND SECONDS STOP START... : one column of one round.
try() {
	local name=$1 round=$2 seconds=$3 stop=$4 begun offered served
	shift 4

	wait_until "$CALM_WAIT_SECONDS" calm_now || skip "the host was not calm for $CALM_SECONDS s in $CALM_WAIT_SECONDS s"
	collapse
	meter_start 100
	begun=$EPOCHREALTIME
	"$@"
	started=$EPOCHREALTIME
	offered=$(sent)
	nap "$seconds"
	offered=$((($(sent) - offered) / seconds))
	nap 0.2
	meter_stop
	watched || fail "nobody watches any longer how fast the host is"
	served=$(slots "$name" "$round" "$started" "$seconds")
	echo "round $round, $name: started in $(since "$begun" "$started") s; offered $offered packets a second;" \
		"served in slots of $SLOT_SECONDS s:$served"
	echo "  polled since (tracing): $(polls_by_cpu lab0 1 | awk '{ printf "%sCPU %d %d", sep, $1, $2; sep = ", " }')"
	"$stop"
}

# count_slots FROM TO : of the last try, those that count and begin in these seconds.
count_slots() { awk -v from="$1" -v to="$2" '$3 >= from && $3 < to { n++ } END { print n + 0 }' "$SLOTS_OF_TRY"; }

# calm COLUMN : enough of the last try counts.
calm() {
	(($(count_slots "$SETTLED_SECONDS" 9999) >= CALM_SLOTS)) || return 1
	[[ $1 != nicbalance ]] || (($(count_slots "$SETTLED_SECONDS" "$QUIET_SECONDS") >= CALM_EARLY_SLOTS))
}

# measure COLUMN ROUND SECONDS STOP START... : again until the host is calm meanwhile.
measure() {
	local tries

	for ((tries = 0; tries < GAIN_TRIES; tries++)); do
		try "$@"
		if calm "$1"; then
			cat "$SLOTS_OF_TRY" >> "$SLOTS"
			return
		fi
		echo "round $2, $1, is measured again: the host was disturbed"
	done
	skip "the host was disturbed $GAIN_TRIES times in turn"
}

# quiet_since START : the daemon has changed nothing since QUIET_SECONDS after its start.
quiet_since() {
	local moves settled

	settled=$(awk -v s="${1/,/.}" -v q="$QUIET_SECONDS" 'BEGIN { printf "%.6f", s + q }')
	echo "  its changes:"
	moves_since "$1" | sed 's/^/    /'
	moves=$(moves_since "$settled")
	[[ -z $moves ]] || late+="$moves"$'\n'
}

middle() { sort -n | awk '{ v[NR] = $1 } END { print NR ? int((v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2) : 0 }'; }

# rounds COLUMN : those in which it was measured.
rounds() { awk -v name="$1" '$1 == name { print $2 }' "$SLOTS" | sort -nu; }

# round_median COLUMN ROUND FROM TO : served in that round, of the slots that begin in those seconds after its start.
round_median() {
	awk -v name="$1" -v round="$2" -v from="$3" -v to="$4" '
		$1 == name && $2 == round && $3 >= from && $3 < to { print $4 }' "$SLOTS" | middle
}

# median COLUMN FROM TO : of the rounds, of which one may be longer, or fall into a busy moment of the host.
median() {
	local round
	for round in $(rounds "$1"); do
		round_median "$1" "$round" "$2" "$3"
	done | middle
}

settled_median() { median "$1" "$SETTLED_SECONDS" 9999; }

# percents COLUMN BASE FROM TO : of each round, what that column serves in those seconds of what BASE serves once settled.
percents() {
	local round
	for round in $(rounds "$1"); do
		echo "$((100 * $(round_median "$1" "$round" "$3" "$4") / $(round_median "$2" "$round" "$SETTLED_SECONDS" 9999)))"
	done
}

# --- the table ------------------------------------------------------------------------------------------------------

# table BASE COLUMN... : medians in packets a second, and of the share of BASE, round by round.
table() {
	local base=$1 name
	shift

	printf '%-12s %8s %8s %8s %8s %8s  %s\n' served/s '0-3 s' '3-5 s' '5-10 s' '5 s-end' percent 'percent by round'
	for name; do
		printf '%-12s %8s %8s %8s %8s %8s  %s\n' "$name" "$(median "$name" 0 3)" "$(median "$name" 3 5)" \
			"$(median "$name" 5 10)" "$(settled_median "$name")" \
			"$(percents "$name" "$base" "$SETTLED_SECONDS" 9999 | middle)" \
			"$(percents "$name" "$base" "$SETTLED_SECONDS" 9999 | tr '\n' ' ')"
	done
}

# enough BASE FROM TO
enough() {
	local percent

	percent=$(percents nicbalance "$1" "$2" "$3" | middle)
	((percent >= GAIN_PERCENT)) ||
		fail "from second $2 to $3 nicbalance serves $percent % of $1 ($(percents nicbalance "$1" "$2" "$3" | tr '\n' ' '))"
}

# judge BASE : nicbalance soon serves nearly what that column does, and leaves it at that. Soon is a claim of its own, for
# a few slow seconds are lost in the median of all.
judge() {
	[[ -z $late ]] || fail "changes later than $QUIET_SECONDS s after the start: ${late//$'\n'/; }"
	enough "$1" "$SETTLED_SECONDS" "$QUIET_SECONDS"
	enough "$1" "$SETTLED_SECONDS" "$GAIN_LONG_SECONDS"
}

# --- what is compared -----------------------------------------------------------------------------------------------

gain_prepare() {
	late=''
	: > "$SLOTS"
	outside_prepare "$GAIN_RULES"
	know_host_clock
	find_capacity
	paced "$GAIN_TENTHS"
	collapsed=(0 0)
	echo "one CPU serves $capacity packets a second and gets $pps"
}

# measure_nicbalance ROUND COLUMN : between two measurements of that static column. The last round is the long one.
measure_nicbalance() {
	local seconds=$GAIN_SECONDS

	(($1 < GAIN_ROUNDS)) || seconds=$GAIN_LONG_SECONDS
	measure_static "$1" "$2"
	measure nicbalance "$1" "$seconds" stop_nicbalance start_nicbalance
	measure_static "$1" "$2"
}

# measure_static ROUND COLUMN : a placement by hand.
measure_static() { measure "$2" "$1" "$GAIN_SHORT_SECONDS" stop_nothing start_column "$2"; }

# gain_compare COLUMN : nothing, irqbalance, nicbalance, and that placement by hand. Where two CPUs do not serve much more
# than one there is nothing to be had.
gain_compare() {
	local round

	gain_prepare
	for ((round = 1; round <= GAIN_ROUNDS; round++)); do
		measure collapsed "$round" "$GAIN_SHORT_SECONDS" stop_nothing start_nothing
		measure irqbalance "$round" "$GAIN_SHORT_SECONDS" stop_irqbalance irqbalance_start
		measure_nicbalance "$round" "$1"
	done
	table "$1" collapsed "$1" irqbalance nicbalance
	(($(settled_median "$1") * 10 >= $(settled_median collapsed) * 13)) ||
		skip "two CPUs serve no more than one here: this host has not two idle ones for them"
	judge "$1"
}

# find_best COLUMN... : sets best to the static column that serves the most.
find_best() {
	local round column

	best=$1
	for round in 1 2; do
		for column; do
			measure_static "$round" "$column"
		done
	done
	for column; do
		(($(settled_median "$column") <= $(settled_median "$best"))) || best=$column
	done
	table "$best" "$@"
	: > "$SLOTS"
}

# gain_beside_application COLUMN... : beside an application that keeps CPU 1 busy three fifths of the time, against the
# best of these columns.
gain_beside_application() {
	local round best

	gain_prepare
	application_start 1 18 12
	find_best "$@"
	for ((round = 1; round <= GAIN_ROUNDS; round++)); do
		measure_nicbalance "$round" "$best"
	done
	table "$best" "$best" nicbalance
	judge "$best"
}
