# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What a balancer does to applications: columns in turn within each round, each from the same collapse. Sourced in the guest,
# after set -euo pipefail, by scenarios that define
#
#	clients_start PHASE SECONDS	begin and return; the clients end by themselves after so long
#	clients_figures FROM TO		once they have ended: "figure value" lines, of the seconds FROM to TO (of the epoch)
#
# of which the figure that is named rate is better the higher it is, and p99 the lower; start is the rate right after the start
# of a balancer. An emulated machine is faster in one minute than in the next, by half, so what counts are ratios within a
# round; their medians of five rounds still differ by a tenth from one run to the next. What the daemon takes of the time of
# all CPUs differs less: cost.
#
# Eight emulated CPUs share the host's few, so spreading queues gains nothing here. It costs: with all on one CPU a poll finds more
# packets, and fewer emulated CPUs have to be woken. What the placement costs in emulation is told apart from what the daemon
# does by a column of its own: the queues where nicbalance left them, put there by hand, and no daemon.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. /lab/guest/lib.sh

COMPARED=(nothing static irqbalance nicbalance by-hand)
COLLAPSED_CPU=0
# Clients have so long before a balancer starts, and that has so long until rates count; those until then are told apart.
# What fails counts always. nicbalance loads its programs when it has placed the queues, up to 8 s after its start, which
# takes an emulated CPU one or two seconds, and clients an eighth of their rate for five; a real one takes 60 ms. Until its
# last move has been judged they measure without a pause.
LEAD_SECONDS=3
SETTLE_SECONDS=30
MEASURED_SECONDS=15
# What starting a balancer and asking what it took may take besides.
SLOW_SECONDS=10
# Requests a second, and latency at the 99th percentile, in per cent of what there is by hand: the bounds are for the
# medians of rounds. A tail differs more from one minute of an emulated machine to the next than a rate.
RATE_PERCENT=97
P99_PERCENT=110
# Of the time that all CPUs worked, by the daemon and its programs: likewise.
COST_PERCENT=3

FIGURES=/tmp/figures	# "phase column round figure value"

# The clients' CPUs: they stand for other machines.
CLIENT_CPUS=6,7
in_client() { ip netns exec client taskset -c "$CLIENT_CPUS" "$@"; }

# --- the columns ----------------------------------------------------------------------------------------------------

start_nothing() { :; }
stop_nothing() { :; }

# put CPU... : each queue on its CPU.
put() {
	local irq

	for irq in $(queue_irqs lab0); do
		pin "$irq" "$1"
		shift
	done
}

# As a vendor's script does it.
start_static() { put 0 1 2 3 4 5 6 7; }
stop_static() { :; }

start_by-hand() { put "${left[@]}"; }
stop_by-hand() { :; }

start_irqbalance() { systemctl start irqbalance || fail "irqbalance does not start"; }
stop_irqbalance() { irqbalance_stop; }

start_nicbalance() { service_start; }
stop_nicbalance() {
	service_active || fail "the service is not active"
	echo "  nicbalance: $(nicbalancectl status --json | jq -c '.daemon | {grade, "grade-reason", "probe-cost-nsec"}')"
	moves_since "$started" | sed 's/^/    /'
	systemctl stop nicbalanced
	left=("${cpus[@]}")
}
left=()	# where it left the queues

# --- measuring ------------------------------------------------------------------------------------------------------

columns_prepare() {
	: > "$FIGURES"
	# Writes its settings, which takes a slow reload of systemd.
	irqbalance_start
	systemctl stop irqbalance
}

collapse() {
	local irq

	reset_state
	pile_all_on "$COLLAPSED_CPU" lab0
	# Balancers see these, too; another machine's they would not.
	for irq in $irqs_of_client; do
		pin "$irq" "$GENERATOR_CPU"
	done
}
irqs_of_client=$(ip netns exec client cat /proc/interrupts | awk '$NF ~ /^lab1-/ { sub(":", "", $1); print $1 }')

# What the kernel counts: interrupts of all kinds, those between CPUs too; NET_RX softirqs; context switches.
kernel_counts() { awk '$1 == "intr" || $1 == "ctxt" { print $1, $2 } $1 == "softirq" { print "net_rx", $6 }' /proc/stat; }

softirq_ticks() { awk '/^cpu[0-9]/ { print $8 }' /proc/stat; }

# softirq_shares BEFORE AFTER SECONDS : of each CPU, per cent, from two files by softirq_ticks.
softirq_shares() { paste "$1" "$2" | awk -v s="$3" '{ printf "%s%.0f", sep, ($2 - $1) / s; sep = " " }'; }

# busy_msec : of all CPUs, idle and waiting left out.
busy_msec() { awk '$1 == "cpu" { print 10 * ($2 + $3 + $4 + $7 + $8) }' /proc/stat; }

# balancer_msec UNIT : CPU time of the service since its start, and of what it runs in the kernel.
balancer_msec() {
	local group usec=0 programs=0

	group=/sys/fs/cgroup$(systemctl show -P ControlGroup "$1")
	[[ ! -e $group/cpu.stat ]] || usec=$(awk '$1 == "usage_usec" { print $2 }' "$group/cpu.stat")
	[[ $1 != nicbalanced ]] || programs=$(nicbalancectl status --json | jq '.daemon."probe-cost-nsec"')
	echo $((usec / 1000 + programs / 1000000))
}

# balancer_of COLUMN : its unit.
balancer_of() {
	case $1 in
	nicbalance) echo nicbalanced ;;
	irqbalance) echo irqbalance ;;
	esac
}

deviation() { tr ' ' '\n' | awk '{ n++; sum += $1; squares += $1 * $1 } END { printf "%.1f", sqrt(squares / n - (sum / n) ^ 2) }'; }

# tcp_count NAME... : the sum of these counters of the clients' namespace, as "Tcp:EstabResets".
tcp_count() {
	ip netns exec client cat /proc/net/snmp /proc/net/netstat | awk -v names="$*" '
		BEGIN { n = split(names, name, " "); for (i = 1; i <= n; i++) wanted[name[i]] }
		$1 != kind { kind = $1; for (i = 2; i <= NF; i++) title[i] = $1 $i; next }
		{ for (i = 2; i <= NF; i++) if (title[i] in wanted) sum += $i; kind = "" }
		END { print sum + 0 }'
}
resets() { tcp_count Tcp:AttemptFails Tcp:EstabResets; }
timeouts() { tcp_count TcpExt:TCPTimeouts; }

# measure PHASE ROUND COLUMN : one column of one round.
measure() {
	local phase=$1 round=$2 column=$3 from to reset timed_out shares unit busy cost=0
	local -a irqs

	collapse
	mapfile -t irqs < <(queue_irqs lab0)
	clients_start "$phase" $((LEAD_SECONDS + SETTLE_SECONDS + MEASURED_SECONDS + SLOW_SECONDS))
	nap $LEAD_SECONDS
	reset=$(resets) timed_out=$(timeouts)
	started=$EPOCHREALTIME
	unit=$(balancer_of "$column")
	"start_$column"
	nap $SETTLE_SECONDS
	[[ ! $unit ]] || cost=$(balancer_msec "$unit")
	busy=$(busy_msec)
	softirq_ticks > /tmp/ticks-before
	kernel_counts > /tmp/counts-before
	from=$EPOCHSECONDS
	nap "$MEASURED_SECONDS"
	to=$EPOCHSECONDS
	[[ $(jobs -rp) ]] || fail "the clients ended before the seconds that count did"
	reset=$(($(resets) - reset)) timed_out=$(($(timeouts) - timed_out))
	busy=$(($(busy_msec) - busy))
	[[ ! $unit ]] || cost=$(($(balancer_msec "$unit") - cost))
	softirq_ticks > /tmp/ticks-after
	kernel_counts > /tmp/counts-after
	read_cpus "${irqs[@]}"
	wait
	shares=$(softirq_shares /tmp/ticks-before /tmp/ticks-after $((to - from)))
	{
		clients_figures "$from" "$to"
		clients_figures "${started%[.,]*}" "$from" | sed -n 's/^rate /start /p'
		echo "resets $reset"
		echo "timeouts $timed_out"
		paste -d ' ' /tmp/counts-before /tmp/counts-after | awk -v s=$((to - from)) '{ print $1, int(($4 - $2) / s) }'
		echo "std $(deviation <<< "$shares")"
		awk -v cost="$cost" -v busy="$busy" 'BEGIN { printf "cost %.2f\n", 100 * cost / busy }'
	} | sed "s/^/$phase $column $round /" > /tmp/row
	cat /tmp/row >> "$FIGURES"
	echo "$phase, round $round, $column:$(awk '{ printf " %s %s", $4, $5 }' /tmp/row); softirq % by CPU: $shares; queues on CPUs ${cpus[*]}"
	"stop_$column"
}

# measure_rounds PHASE ROUNDS : each round begins with another column, for what comes first in a round may have it better.
measure_rounds() {
	local round i n=${#COMPARED[@]}

	for ((round = 1; round <= $2; round++)); do
		for ((i = 0; i < n; i++)); do
			measure "$1" "$round" "${COMPARED[(round - 1 + i) % n]}"
		done
	done
}

# measure_cost PHASE : on a machine whose time is a number of instructions one round tells what the daemon takes, for all that
# the machine executes takes time from requests, and nothing else does: rates of one placement differ by less than a
# hundredth. Over the minute in which the programs measure once; in the columns without them nothing changes after a moment.
measure_cost() {
	COMPARED=(nothing nicbalance by-hand)
	SLOW_SECONDS=25
	SETTLE_SECONDS=10 MEASURED_SECONDS=20
	measure "$1" 1 nothing
	SETTLE_SECONDS=60 MEASURED_SECONDS=60
	measure "$1" 1 nicbalance
	SETTLE_SECONDS=10 MEASURED_SECONDS=20
	measure "$1" 1 by-hand
}

# --- the table ------------------------------------------------------------------------------------------------------

# values PHASE COLUMN FIGURE : by round.
values() { awk -v p="$1" -v c="$2" -v f="$3" '$1 == p && $2 == c && $4 == f { print $5 }' "$FIGURES"; }

# percents PHASE COLUMN FIGURE BASE : of what there is in the column BASE, by round.
percents() {
	awk -v p="$1" -v c="$2" -v f="$3" -v base="$4" '
		$1 == p && $4 == f { value[$2, $3] = $5; if ($3 > last) last = $3 }
		END { for (i = 1; i <= last; i++) if (value[base, i] > 0) printf "%.1f\n", 100 * value[c, i] / value[base, i] }
	' "$FIGURES"
}

median() { sort -n | awk '{ v[NR] = $1 } END { print NR ? (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 : 0 }'; }
sum() { awk '{ n += $1 } END { print n + 0 }'; }

# spread : "median (least to most)" of the numbers that come in.
spread() { sort -n | awk '{ v[NR] = $1 } END { printf "%.6g (%.6g to %.6g)", (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2, v[1], v[NR] }'; }

# table PHASE FIGURE...
table() {
	local phase=$1 column figure
	shift

	for column in "${COMPARED[@]}"; do
		printf '%s %-10s' "$phase" "$column"
		for figure; do
			printf '  %s %s' "$figure" "$(values "$phase" "$column" "$figure" | spread)"
		done
		printf '\n'
	done
	for figure in rate p99 start; do
		for column in "${COMPARED[@]:1}"; do
			ratios "$phase" "$column" "$figure" nothing
		done
		ratios "$phase" nicbalance "$figure" by-hand
	done
}

# ratios PHASE COLUMN FIGURE BASE : a line of the table.
ratios() {
	printf '%s %s of %-10s in per cent of %s: %s; by round %s\n' "$1" "$3" "$2" "$4" "$(percents "$@" | median)" \
		"$(percents "$@" | paste -sd ' ')"
}

missed=''
miss() { missed+="${missed:+; }$*"; }

# judge PHASE FIGURE... : the daemon itself does no harm, and there is no more of these figures than without it.
judge() {
	local phase=$1 figure rate p99 cost ours
	shift

	rate=$(percents "$phase" nicbalance rate by-hand | median)
	p99=$(percents "$phase" nicbalance p99 by-hand | median)
	awk -v r="$rate" -v least=$RATE_PERCENT 'BEGIN { exit !(r >= least) }' || miss "$phase: $rate % of the rate by hand"
	awk -v p="$p99" -v most=$P99_PERCENT 'BEGIN { exit !(p <= most) }' || miss "$phase: $p99 % of the p99 by hand"
	cost=$(values "$phase" nicbalance cost | median)
	awk -v c="$cost" -v most=$COST_PERCENT 'BEGIN { exit !(c > 0 && c <= most) }' || miss "$phase: it takes $cost % of the time of all CPUs"
	for figure; do
		ours=$(values "$phase" nicbalance "$figure" | sum)
		((ours <= $(values "$phase" nothing "$figure" | sum))) || miss "$phase: $figure $ours, more than without"
	done
}

# verdict : all bounds are told before one of them ends the scenario.
verdict() { [[ ! $missed ]] || fail "$missed"; }
