#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lab-load: outside
# lab-seconds: 3600
# Requests and responses (native/exchange.c) between programs of the host and servers on two CPUs, whose packets cost as much
# as those of a firewall: nothing done, affinity by hand, RPS and RFS by hand, both, nicbalance, and that with RFS. What counts
# are ratios within a round; each begins with another column. The judge is the client.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/outside.sh
. /lab/guest/outside.sh

need_product

ROUNDS=${STEERING_ROUNDS:-3}
RULES=${STEERING_RULES:-3000}
CONNECTIONS=${STEERING_CONNECTIONS:-16}
PORT=7000
# nicbalance places queues within a second or two, and loads its programs in the next ones.
LEAD_SECONDS=2
SETTLE_SECONDS=10
MEASURED_SECONDS=12
FLOWS=32768
# Of the rate of the best column by hand, in the median of rounds. Two runs of the same may differ by a quarter: what reaches it in
# one of the rounds is within the noise.
RATE_PERCENT=95

COLUMNS_BY_HAND=(nothing affinity rps-rfs both)
COMPARED=("${COLUMNS_BY_HAND[@]}" nicbalance nicbalance-rfs)
PHASES=(tcp-1 tcp-256 udp-1 udp-256)
FIGURES=/tmp/figures	# "phase column round rate p50 p99 lost"

# --- the columns ----------------------------------------------------------------------------------------------------

steer_by_hand() {	# steer_by_hand MASK FLOWS
	local file

	for file in /sys/class/net/lab0/queues/rx-*; do
		echo "$1" > "$file/rps_cpus"
		echo $(($2 / n_receiving)) > "$file/rps_flow_cnt"
	done
	sysctl -q -w net.core.rps_sock_flow_entries="$2"
}

start_nothing() { :; }
start_affinity() { point 0 1; }
start_rps-rfs() { steer_by_hand 3 $FLOWS; }
start_both() { start_affinity && start_rps-rfs; }
start_nicbalance() {
	rm -f "$CONF_DROPIN"
	service_start
}
start_nicbalance-rfs() {
	mkdir -p "${CONF_DROPIN%/*}"
	printf '[RPS]\nRfsFlows=%d\n' $FLOWS > "$CONF_DROPIN"
	service_start
}

stop_column() {
	case $1 in
	nicbalance*)
		service_active || fail "the service is not active"
		moves_since "$started" | sed 's/^/    /'
		systemctl stop nicbalanced
		;;
	*) steer_by_hand 0 0 ;;
	esac
}

# --- the load -------------------------------------------------------------------------------------------------------

costs_start() {
	{
		echo 'table inet ballast {'
		echo '	chain pre {'
		echo '		type filter hook prerouting priority raw; policy accept;'
		echo '		iifname "lab0" udp dport 9 drop'
		echo '		iifname "lab0" jump rules'
		echo '	}'
		echo '	chain rules {'
		seq -f '		meta l4proto 47 meta mark %.0f drop' 1 "$RULES"
		echo '	}'
		echo '}'
	} | nft -f -
}

asked=0
# ask PROTOCOL BYTES WARM SECONDS : the client begins.
ask() {
	asked=$((asked + 1))
	echo "$asked $1 $2 $CONNECTIONS $3 $4" > /lab/ask.new
	mv /lab/ask.new /lab/ask
}

# answered : sets answer to "rate p50 p99 lost" once the client has ended.
answered() {
	local id

	read -r id answer 2> /dev/null < /lab/answer && ((id == asked))
}

# --- measuring ------------------------------------------------------------------------------------------------------

softirq_ticks() { awk '/^cpu[0-9]/ { print $8 }' /proc/stat; }

measure() {	# measure PHASE ROUND COLUMN
	local phase=$1 round=$2 column=$3 before answer

	place 0 0
	ask "${phase%-*}" "${phase#*-}" $((LEAD_SECONDS + SETTLE_SECONDS)) $MEASURED_SECONDS
	nap $LEAD_SECONDS
	started=$EPOCHREALTIME
	"start_$column"
	nap $SETTLE_SECONDS
	before=$(softirq_ticks)
	nap $((MEASURED_SECONDS - 2))
	ticks=$(paste <(echo "$before") <(softirq_ticks) | awk -v s=$((MEASURED_SECONDS - 2)) '{ printf "%s%.0f", sep, ($2 - $1) / s; sep = " " }')
	wait_until 30 answered || fail "the client does not answer"
	echo "$phase $column $round $answer" >> "$FIGURES"
	echo "$phase, round $round, $column: rate, p50, p99, lost: $answer; softirq % by CPU: $ticks"
	stop_column "$column"
}

median() { sort -n | awk '{ v[NR] = $1 } END { print NR ? (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 : 0 }'; }

# values PHASE COLUMN FIELD : by round.
values() { awk -v p="$1" -v c="$2" -v f="$3" '$1 == p && $2 == c { print $f }' "$FIGURES"; }

# percents PHASE COLUMN BASE : of that column's rate, by round.
percents() { paste <(values "$1" "$2" 4) <(values "$1" "$3" 4) | awk '$2 > 0 { printf "%.1f\n", 100 * $1 / $2 }'; }

# best_of PHASE : the column by hand with the highest median rate.
best_of() {
	local column

	for column in "${COLUMNS_BY_HAND[@]}"; do
		echo "$(values "$1" "$column" 4 | median) $column"
	done | sort -n | awk 'END { print $2 }'
}

# is_worse PHASE BEST : nicbalance is, and not by noise.
is_worse() {
	percents "$1" nicbalance "$2" | sort -n | awk -v least=$RATE_PERCENT '
		{ v[NR] = $1 }
		END { median = (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2; exit !(median < least && v[NR] < 100) }'
}

missed=''
tell() {	# tell PHASE
	local phase=$1 best column percent

	best=$(best_of "$phase")
	! is_worse "$phase" "$best" || missed+="${missed:+; }$phase: less than $best"
	for column in "${COMPARED[@]}"; do
		percent=$(percents "$phase" "$column" "$best" | median)
		printf '%s %-14s rate %s  p50 %s us  p99 %s us  lost %s; in per cent of %s: %s; by round %s\n' "$phase" "$column" \
			"$(values "$phase" "$column" 4 | median)" "$(values "$phase" "$column" 5 | median)" \
			"$(values "$phase" "$column" 6 | median)" "$(values "$phase" "$column" 7 | awk '{ n += $1 } END { print n + 0 }')" "$best" "$percent" \
			"$(percents "$phase" "$column" "$best" | paste -sd ' ')"
	done
}

load_stop
know_queues
ethtool -N lab0 rx-flow-hash udp4 sdfn
costs_start
/lab/native/exchange serve $PORT "$CONNECTIONS" &
server=$!
trap 'pkill -P $server; kill $server' EXIT
: > "$FIGURES"
for ((round = 1; round <= ROUNDS; round++)); do
	for phase in "${PHASES[@]}"; do
		for ((i = 0; i < ${#COMPARED[@]}; i++)); do
			measure "$phase" "$round" "${COMPARED[(round - 1 + i) % ${#COMPARED[@]}]}"
		done
	done
done
for phase in "${PHASES[@]}"; do
	tell "$phase"
done
[[ ! $missed ]] || fail "$missed"
