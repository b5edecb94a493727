# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the scenarios say: load, interrupts, waiting, claims. Sourced in the guest, after set -euo pipefail.
#
# lab0 is the NIC under test. lab1, its client, lives in the network namespace "client" on the same wire; where the load
# comes from outside there is none.

LAB0_ADDRESS=10.77.0.1
LAB1_ADDRESS=10.77.0.2
# The CPU that makes the load, and so belongs to an application as far as a balancer can see.
GENERATOR_CPU=7
# Where the load comes from outside, the file that says its pace.
OUTSIDE_PACE=/lab/pace
[[ ! -e $OUTSIDE_PACE ]] || GENERATOR_CPU=none
# One packet passes this many rules that do not match: it is the rules that cost CPU time, so that some 5000
# packets a second take about 80 % of one emulated CPU while the emulated NIC, which is slow, stays calm.
BALLAST_RULES=${LAB_BALLAST_RULES:-400}
# Not 5000: a pace that fits a whole number of times between two ticks shows in /proc/stat as all or nothing.
LOAD_PPS=4937

# --- claims -------------------------------------------------------------------------------------------------

# Why a scenario ended as it did, the agent tells on its last line.
fail() { echo "fail: $*" >&2; echo "$*" > /run/lab-why; exit 1; }
skip() { echo "$*" > /run/lab-why; exit 77; }

assert_equal() {	# assert_equal WANTED GOT WHAT
	[[ $1 == "$2" ]] || fail "$3: wanted '$1', got '$2'"
}

assert_at_most() {	# assert_at_most LIMIT GOT WHAT, decimals allowed
	awk -v limit="$1" -v got="$2" 'BEGIN { exit !(got <= limit) }' || fail "$3: $2, allowed $1"
}

assert_at_least() {	# assert_at_least LIMIT GOT WHAT
	((${2%.*} >= $1)) || fail "$3: $2, wanted at least $1"
}

need_product() {
	[[ -x /usr/sbin/nicbalanced ]] || skip "nicbalanced is not installed"
}

# --- time -----------------------------------------------------------------------------------------------------

# since EPOCHREALTIME [EPOCHREALTIME] : seconds from then to the other moment, or now, with milliseconds.
since() {
	local now=${2:-$EPOCHREALTIME}
	local usec=$((${now/[.,]/} - ${1/[.,]/}))
	printf '%d.%03d' $((usec / 1000000)) $((usec / 1000 % 1000))
}

# A pause without a process: starting one takes an emulated CPU many milliseconds of the time to be measured.
nap() {
	[[ ${nap_fd:-} ]] || exec {nap_fd}<> <(:)
	read -r -t "$1" -u "$nap_fd" || true
}

# wait_until SECONDS COMMAND... : 0 as soon as the command succeeds; prints nothing.
wait_until() {
	local deadline=$((${EPOCHREALTIME/[.,]/} + $1 * 1000000))
	shift

	until "$@"; do
		((${EPOCHREALTIME/[.,]/} < deadline)) || return 1
		nap 0.05
	done
}

# again_for SECONDS COMMAND... : the command again and again for so long.
again_for() {
	local deadline=$((${EPOCHREALTIME/[.,]/} + $1 * 1000000))
	shift

	while ((${EPOCHREALTIME/[.,]/} < deadline)); do
		"$@"
	done
}

# --- interrupts -------------------------------------------------------------------------------------------------

# queue_rows DEV : "irq name kind queue" of each queue interrupt; kind is rx (also when shared with tx) or tx.
queue_rows() {
	local dev=$1 device virtio=none

	device=$(readlink -f "/sys/class/net/$dev/device")
	[[ ${device##*/} != virtio* ]] || virtio=${device##*/}
	awk -v dev="$dev" -v virtio="$virtio" '
		{
			irq = $1; sub(":", "", irq); name = $NF; kind = ""
			if (name ~ "^" dev "-(TxRx|rx|rxtx)-[0-9]+$" || name ~ "^" virtio "-input\\.[0-9]+$")
				kind = "rx"
			else if (name ~ "^" dev "-tx-[0-9]+$" || name ~ "^" virtio "-output\\.[0-9]+$")
				kind = "tx"
			if (kind) {
				queue = name; sub(/.*[-.]/, "", queue)
				print irq, name, kind, queue
			}
		}' /proc/interrupts | sort -k 4,4n -k 3,3
}

# queue_irqs DEV : the interrupt of each receive queue, in queue order. igb has one for both directions
# (TxRx) with more than four queues, one for each (rx, tx) below.
queue_irqs() {
	queue_rows "$1" | while read -r irq _ kind _; do
		[[ $kind != rx ]] || echo "$irq"
	done
}

all_queue_irqs() {
	queue_rows "$1" | cut -d ' ' -f 1
}

irq_cpu() {
	local cpu=
	read -r cpu < "/proc/irq/$1/effective_affinity_list" || true
	echo "$cpu"
}

# read_cpus IRQ... : fills the array cpus with the CPU of each interrupt, without a process.
read_cpus() {
	local irq cpu
	cpus=()
	for irq; do
		cpu=
		read -r cpu 2> /dev/null < "/proc/irq/$irq/effective_affinity_list" || true
		cpus+=("${cpu:-gone}")
	done
}

# spread_over MAX EXCEPT IRQ... : no CPU has more than MAX of the interrupts, and the CPU EXCEPT none ("-": any).
spread_over() {
	local max=$1 except=$2 cpu
	local -A count=()
	shift 2

	read_cpus "$@"
	for cpu in "${cpus[@]}"; do
		[[ $cpu =~ ^[0-9]+$ && $cpu != "$except" ]] || return 1
		count[$cpu]=$((${count[$cpu]:-0} + 1))
		((count[$cpu] <= max)) || return 1
	done
}

# Packets to many ports, so that each transmit queue sends some and raises its interrupt. Before 7.x, igb's watchdog made
# all of them fire every two seconds without any traffic.
fire_all() {
	local port

	for ((port = 20000; port < 20100; port++)); do
		echo > "/dev/udp/$LAB1_ADDRESS/$port"
	done 2> /dev/null
}

# each_alone N : lab0 has N receive queues, each on a CPU of its own, none on the generator's. Sets irqs and cpus.
each_alone() {
	mapfile -t irqs < <(queue_irqs lab0)
	((${#irqs[@]} == $1)) || return 1
	spread_over 1 "$GENERATOR_CPU" "${irqs[@]}" && return
	fire_all # for the next look
	return 1
}

all_on() {	# all_on CPU IRQ...
	local wanted=$1 cpu
	shift

	read_cpus "$@"
	for cpu in "${cpus[@]}"; do
		[[ $cpu == "$wanted" ]] || return 1
	done
}

# pin IRQ CPUS : as a user or another program would.
pin() { echo "$2" > "/proc/irq/$1/smp_affinity_list"; }
affinity() { cat "/proc/irq/$1/smp_affinity_list"; }

# is_off_cpus CPU... : none of irqs is delivered there.
is_off_cpus() {
	local cpu
	read_cpus "${irqs[@]}"
	for cpu in "${cpus[@]}"; do
		[[ " $* " != *" $cpu "* ]] || return 1
	done
}

# piled_on CPU IRQ... : without interrupt remapping the kernel moves an interrupt when it next fires.
piled_on() {
	all_on "$@" && return
	fire_all # for the next look
	return 1
}

# pile_all_on CPU DEV
pile_all_on() {
	local irq
	local -a irqs

	mapfile -t irqs < <(all_queue_irqs "$2")
	for irq in "${irqs[@]}"; do
		echo "$1" > "/proc/irq/$irq/smp_affinity_list"
	done
	wait_until 30 piled_on "$1" "${irqs[@]}" || fail "queues of $2 on CPU ${cpus[*]}, not on $1"
}

# interrupt_counts DEV : "irq count-on-cpu0 count-on-cpu1 ..." of each receive queue.
interrupt_counts() {
	local irqs
	irqs=" $(queue_irqs "$1" | tr '\n' ' ')"
	awk -v irqs="$irqs" '
		NR == 1 { n = NF; next }
		{ irq = $1; sub(":", "", irq) }
		index(irqs, " " irq " ") { printf "%s", irq; for (i = 2; i <= n + 1; i++) printf " %s", $i; print "" }
	' /proc/interrupts
}

# interrupts_on CPU... : how many lab0's receive queues have raised there so far.
interrupts_on() {
	interrupt_counts lab0 | awk -v cpus="$*" '
		BEGIN { n = split(cpus, wanted) }
		{ for (i = 1; i <= n; i++) sum += $(wanted[i] + 2) }
		END { print sum + 0 }'
}

# landed BEFORE-FILE DEV : how many interrupts each queue raised on each CPU since interrupt_counts wrote the file.
landed() {
	interrupt_counts "$2" | awk '
		NR == FNR { for (i = 2; i <= NF; i++) was[$1, i] = $i; next }
		{ printf "irq %s:", $1; for (i = 2; i <= NF; i++) if ($i != was[$1, i]) printf " cpu%d %d", i - 2, $i - was[$1, i]; print "" }
	' "$1" -
}

# rx_packets DEV : "queue packets" of each receive queue.
rx_packets() {
	ethtool -S "$1" | sed -n 's/^ *rx_queue_\([0-9]*\)_packets: /\1 /p'
}

# --- CPUs ---------------------------------------------------------------------------------------------------------

# cpu_ticks CPU : "softirq total" of /proc/stat.
cpu_ticks() {
	awk -v cpu="cpu$1" '$1 == cpu { for (i = 2; i <= 9; i++) total += $i; print $8, total }' /proc/stat
}

# softirq_percent CPU SECONDS
softirq_percent() {
	local before after
	before=$(cpu_ticks "$1")
	nap "$2"
	after=$(cpu_ticks "$1")
	awk -v b="$before" -v a="$after" 'BEGIN { split(b, x); split(a, y); printf "%d", 100 * (y[1] - x[1]) / (y[2] - x[2]) }'
}

# busy_percents SECONDS : the share of each CPU that was not idle, and of it softirq, on one line.
busy_percents() {
	{ grep '^cpu[0-9]' /proc/stat; nap "$1"; echo; grep '^cpu[0-9]' /proc/stat; } | awk '
		NF == 0 { later = 1; next }
		{ total = 0; for (i = 2; i <= 9; i++) total += $i }
		!later { t[$1] = total; idle[$1] = $5 + $6; soft[$1] = $8; next }
		total > t[$1] {
			d = total - t[$1]
			printf "%s %d%% (softirq %d%%)  ", $1, 100 - 100 * ($5 + $6 - idle[$1]) / d, 100 * ($8 - soft[$1]) / d
		}
		END { print "" }'
}

# --- the kernel's own events ------------------------------------------------------------------------------------------

TRACE=/sys/kernel/tracing/instances/lab

# trace_begin EVENT[:FILTER]... : from now on to trace_end, which writes what happened to /tmp/trace, one line each: "cpu
# seconds event rest".
trace_begin() {
	local event traced

	mountpoint -q /sys/kernel/tracing || mount -t tracefs tracefs /sys/kernel/tracing
	mkdir -p "$TRACE"
	echo 0 > "$TRACE/tracing_on"
	# Either takes an emulated CPU seconds, even if nothing changes.
	[[ $(< "$TRACE/trace_clock") == *"[mono]"* ]] || echo mono > "$TRACE/trace_clock"
	[[ $(< "$TRACE/buffer_size_kb") == 8192 ]] || echo 8192 > "$TRACE/buffer_size_kb"
	# The generator's CPU is not of interest, and has the most to tell.
	traced=$(((1 << $(nproc --all)) - 1))
	[[ $GENERATOR_CPU == none ]] || traced=$((traced & ~(1 << GENERATOR_CPU)))
	printf '%x\n' "$traced" > "$TRACE/tracing_cpumask"
	echo > "$TRACE/trace"
	for event; do
		[[ $event != *:* ]] || echo "${event#*:}" > "$TRACE/events/${event%%:*}/filter"
		echo 1 > "$TRACE/events/${event%%:*}/enable"
	done
	echo 1 > "$TRACE/tracing_on"
}

trace_end() {
	echo 0 > "$TRACE/tracing_on"
	echo 0 > "$TRACE/events/enable"
	LC_ALL=C awk '
		match($0, / \[[0-9]+\] /) {
			cpu = substr($0, RSTART + 2, RLENGTH - 4)
			$0 = substr($0, RSTART + RLENGTH)
			$1 = cpu
			sub(/:$/, "", $2)
			sub(/:$/, "", $3)
			print
		}' "$TRACE/trace" > /tmp/trace
}

# polls_by_cpu DEV SECONDS : "cpu packets polls full", a line for each CPU that received packets of DEV. Where
# interrupts go does not tell: a NAPI that always finds its whole budget stays where it is.
polls_by_cpu() {
	trace_begin napi/napi_poll
	nap "$2"
	trace_end
	awk -v dev="$1" '
		/ for device / {
			work = $0; sub(/.* work /, "", work); work += 0
			device = $0; sub(/.* for device /, "", device); sub(/ .*/, "", device)
			if (device != dev || !work)
				next
			packets[$1 + 0] += work; polls[$1 + 0]++
			if (work >= 64)
				full[$1 + 0]++
		}
		END { for (cpu in polls) print cpu, packets[cpu], polls[cpu], full[cpu] + 0 }' /tmp/trace | sort -n
}

# backlog_by_cpu SECONDS : "cpu packets", a line for each CPU that served packets that RPS, or the loopback, left in its backlog.
backlog_by_cpu() {
	trace_begin napi/napi_poll
	nap "$1"
	trace_end
	awk '
		/ for device \(no_device\) / { work = $0; sub(/.* work /, "", work); packets[$1 + 0] += work }
		END { for (cpu in packets) if (packets[cpu]) print cpu, packets[cpu] }' /tmp/trace | sort -n
}

# busy_napis SECONDS : "cpu share" of each NAPI of lab0 that took in a twentieth of its packets or more: where it took
# in most of them, and its share of all in per cent.
busy_napis() {
	trace_begin napi/napi_poll
	nap "$1"
	trace_end
	awk '
		/ for device lab0 / {
			work = $0; sub(/.* work /, "", work); work += 0
			napi = $0; sub(/.* napi struct /, "", napi); sub(/ .*/, "", napi)
			packets[napi, $1 + 0] += work; sum[napi] += work; all += work
			if ($1 + 0 > last)
				last = $1 + 0
		}
		END {
			for (napi in sum) {
				most = 0
				for (cpu = 0; cpu <= last; cpu++)
					if (packets[napi, cpu] > packets[napi, most])
						most = cpu
				if (sum[napi] * 20 >= all)
					printf "%d %d\n", most, 100 * sum[napi] / all
			}
		}' /tmp/trace | sort -n > /tmp/napis
}

# polled_apart N [EXCEPT] : N busy NAPIs, each polled on a CPU of its own, none on EXCEPT.
polled_apart() {
	busy_napis 1
	(($(wc -l < /tmp/napis) == $1)) && (($(cut -d ' ' -f 1 /tmp/napis | sort -u | wc -l) == $1)) &&
		! grep -q "^${2:-none} " /tmp/napis
}

# apart_from MOMENT N [EXCEPT] : of what trace_begin napi/napi_poll and trace_end saw: seconds from that moment (of the clock
# since the boot) from which on, to the end, N busy NAPIs were each polled on a CPU of its own, none on EXCEPT; or "never".
# By half seconds.
apart_from() {
	awk -v from="$1" -v n="$2" -v except="${3:-none}" '
		/ for device lab0 / && $2 >= from {
			work = $0; sub(/.* work /, "", work); work += 0
			napi = $0; sub(/.* napi struct /, "", napi); sub(/ .*/, "", napi)
			slot = int(2 * ($2 - from))
			napis[napi]; cpus[$1 + 0]
			packets[slot, napi, $1 + 0] += work; sum[slot, napi] += work; all[slot] += work
		}
		function is_apart(slot,   napi, cpu, most, busy, taken) {
			for (napi in napis) {
				if (!all[slot] || sum[slot, napi] * 20 < all[slot])
					continue
				busy++
				most = ""
				for (cpu in cpus)
					if (most == "" || packets[slot, napi, cpu] > packets[slot, napi, most])
						most = cpu
				if (most == except || (most in taken))
					return 0
				taken[most]
			}
			return busy == n
		}
		END {
			# The last one is not whole.
			for (since = slot; since > 0 && is_apart(since - 1); since--)
				continue
			if (slot == 0 || since == slot) print "never"; else print since / 2
		}' /tmp/trace
}

# ready_moment : when the daemon said READY last, by the clock since the boot.
ready_moment() { systemctl show -P ActiveEnterTimestampMonotonic nicbalanced | awk '{ printf "%.6f", $1 / 1e6 }'; }

# polled_evenly CPUS [EXCEPT] : the CPU that polls most of lab0's packets polls no more than 1.25 times of what it would if
# the busy NAPIs were dealt out over so many CPUs, the largest first; and EXCEPT none. evenness tells of it.
polled_evenly() {
	busy_napis 2
	# The largest come first.
	evenness=$(sort -k 2,2nr /tmp/napis | awk -v cpus="$1" -v except="${2:-none}" '
		{
			on[$1] += $2; total += $2
			if ($1 == except)
				trespass = 1
			least = 0
			for (i = 1; i < cpus; i++)
				if (dealt[i] + 0 < dealt[least] + 0)
					least = i
			dealt[least] += $2
		}
		END {
			for (cpu in on) if (on[cpu] > hottest) hottest = on[cpu]
			for (i = 0; i < cpus; i++) if (dealt[i] > best) best = dealt[i]
			printf "%d NAPIs, the hottest CPU polls %d %%, dealt out over %d CPUs it would be %d %%\n", NR, hottest, cpus, best
			exit !(total > 80 && hottest <= 1.25 * best && !trespass)
		}')
}

# assert_polled_evenly CPUS [EXCEPT] : within 15 s at most.
assert_polled_evenly() {
	local begun=$EPOCHREALTIME
	wait_until 15 polled_evenly "$@" || fail "$(since "$begun") s later polled on $(napis): $evenness"
	echo "$(since "$begun") s later polled on $(napis): $evenness"
}

napis() { awk '{ printf "%sCPU %d (%d %%)", sep, $1, $2; sep = ", " }' /tmp/napis; }

# polled_per_second : packets of lab0, wherever.
polled_per_second() { polls_by_cpu lab0 2 | awk '{ n += $2 } END { print int(n / 2) }'; }

# work_apart : two CPUs or more receive over a quarter of lab0's packets each.
work_apart() {
	polls_by_cpu lab0 1 > /tmp/polls
	awk '{ packets[$1] = $2; all += $2 } END { for (cpu in packets) n += packets[cpu] > all / 4; exit n < 2 }' /tmp/polls
}

# network_percents COMMAND... : while the command runs; a line "cpu percent" for each CPU: its share in device interrupts
# and in NET_RX, by the clock and not by ticks.
network_percents() {
	trace_begin irq/softirq_{entry,exit}:vec==3 irq/irq_handler_{entry,exit}
	"$@"
	trace_end
	awk '
		{ cpu = $1 + 0; now = $2; if (!first) first = now }
		$3 ~ /_entry$/ { if (!depth[cpu]++) since[cpu] = now }
		$3 ~ /_exit$/ && depth[cpu] && !--depth[cpu] { sum[cpu] += now - since[cpu] }
		END { for (c in sum) printf "%d %.2f\n", c, 100 * sum[c] / (now - first) }' /tmp/trace | sort -n
}

# even_loads SECONDS CPU... : "mean deviation most clock" of what these CPUs spend on the network, in per cent of one: mean,
# standard deviation and maximum, and the deviation by the clock alone. An emulated CPU waits half of its time for a real one, some
# wait more than others, and each wait is in the clock; so the cost of a packet, and of an interrupt, is each CPU's median.
even_loads() {
	local seconds=$1
	shift

	trace_begin irq/softirq_{entry,exit}:vec==3 irq/irq_handler_{entry,exit} napi/napi_poll
	nap "$seconds"
	trace_end
	awk '
		{ cpu = $1 + 0; now = $2; if (!first) first = now }
		$3 == "napi_poll" { work = $0; sub(/.* work /, "", work); packets[cpu] += work }
		$3 ~ /_entry$/ { if (!depth[cpu]++) { since[cpu] = now; packets[cpu] = 0; kind[cpu] = $3 } }
		$3 ~ /_exit$/ && depth[cpu] && !--depth[cpu] {
			n = kind[cpu] ~ /^softirq/ ? packets[cpu] : 1
			printf "%d %s %d %.9f %.9f\n", cpu, kind[cpu], n, n ? (now - since[cpu]) / n : 0, now - since[cpu]
		}
		END { printf "- - 0 0 %.9f\n", now - first }' /tmp/trace | sort -k 1,2 -k 4,4g |
		awk -v cpus="$*" '
		function settle(   i, seen) {
			for (i = 0; i < n && 2 * seen < all; i++) seen += count[i]
			if (n) load[cpu] += all * cost[i - 1]
			n = all = 0
		}
		$1 == "-" { total = $5; next }
		$1 " " $2 != key { settle(); key = $1 " " $2; cpu = $1 }
		{ clock[$1] += $5 }
		$3 { count[n] = $3; cost[n++] = $4; all += $3 }
		END {
			settle()
			m = split(cpus, wanted)
			for (i in wanted) {
				l = 100 * load[wanted[i]] / total; sum += l; squares += l * l; if (l > most) most = l
				c = 100 * clock[wanted[i]] / total; clocked += c; clock_squares += c * c
			}
			printf "%.1f %.1f %.1f %.1f\n", sum / m, sqrt(squares / m - (sum / m) ^ 2), most,
				sqrt(clock_squares / m - (clocked / m) ^ 2)
		}'
}

# recorded_percents FILE : the means of a recording of one machine, as nicbalance-trace(5) tells how to read it: a line
# "cpu N QUEUES BACKLOG REST" for each CPU, REST without the backlog, and a line "queue N COST" for each of one NIC.
recorded_percents() {
	awk '
		$1 == "cpu" { cpus[n_cpus++] = $2 }
		$1 == "queue" { split($3, range, "-"); n_queues += (2 in range ? range[2] - range[1] : 0) + 1 }
		$1 == "window" { length_ = $3; total += length_; delete row }
		/^(cpu|queue)-/ { for (i = 2; i <= NF; i++) row[$1, i - 2] = $i }
		$1 == "end" {
			for (i = 0; i < n_cpus; i++) {
				backlog[i] += row["cpu-backlog", i] * length_
				rest[i] += (row["cpu-fixed", i] - row["cpu-backlog", i]) * length_
			}
			for (i = 0; i < n_queues; i++) {
				cost[i] += row["queue-time", i] * length_
				queues[row["queue-cpu", i] + 0] += row["queue-time", i] * length_
			}
		}
		END {
			total *= 100
			for (i = 0; i < n_cpus; i++)
				printf "cpu %d %.2f %.2f %.2f\n", cpus[i], queues[cpus[i]] / total, backlog[i] / total,
					rest[i] / total
			for (i = 0; i < n_queues; i++)
				printf "queue %d %.2f\n", i, cost[i] / total
		}' "$1"
}

# --- load -----------------------------------------------------------------------------------------------------------

# Drops what the generator sends, after all the rules that do not match: no socket, no ICMP answer, no route. What came
# so far is served, and counted.
# What says it is cheap it drops at once. Not by a port: the NIC would take it for another flow, of another queue.
ballast_start() {
	{
		echo 'table inet ballast {'
		echo '	counter served { }'
		echo '	chain pre {'
		echo '		type filter hook prerouting priority raw; policy accept;'
		echo '		iifname "lab0" meta l4proto udp jump rules'
		echo '	}'
		echo '	chain rules {'
		echo '		ip dscp af11 drop'
		seq -f '		udp dport %.0f drop' 20001 $((20000 + BALLAST_RULES))
		echo '		counter name served drop'
		echo '	}'
		echo '}'
	} | nft -f -
}

pktgen() {	# pktgen FILE COMMAND...
	# shellcheck disable=SC2016 # expanded by the inner shell
	ip netns exec client sh -ec 'file=$1; shift; for command; do echo "$command" > "/proc/net/pktgen/$file"; done' \
		sh "$@"
}

application_start() {	# application_start CPU [BUSY PAUSE], milliseconds
	systemd-run -q --unit=lab-application --slice=lab.slice -p CPUAffinity="$1" bash /lab/guest/application "${@:2}"
}

application_stop() {
	systemctl stop lab-application 2> /dev/null || true
}

# load_prepare : everything but packets.
load_prepare() {
	load_stop
	ballast_start
	# Only ports set flows apart here; igb hashes UDP by address alone unless told.
	ethtool -N lab0 rx-flow-hash udp4 sdfn 2> /dev/null || true
	# The generator's own interrupts stay with it.
	ip netns exec client ethtool -K lab1 tx off > /dev/null 2>&1 || true
	# And are too few to be worth a move: a hot CPU of theirs would be relieved of them.
	ip netns exec client ethtool -C lab1 rx-usecs 8000 || fail "lab1 does not hold its interrupts back"
}

# load_device NAME CPU SETTING... : a source of packets to lab0, made by the kernel thread of that CPU.
load_device() {
	local name=$1 cpu=$2
	shift 2

	pktgen "kpktgend_$cpu" "add_device $name"
	pktgen "$name" 'clone_skb 0' 'pkt_size 60' "dst_min $LAB0_ADDRESS" "dst_max $LAB0_ADDRESS" \
		"dst_mac $(< /sys/class/net/lab0/address)" "$@"
}

# load_go : all sources begin.
load_go() {
	# "start" returns when the last packet is sent, that is, never.
	setsid ip netns exec client sh -c 'echo start > /proc/net/pktgen/pgctrl' < /dev/null > /dev/null 2>&1 &
	disown
	wait_until 10 load_runs || fail "no packet of the load reaches lab0"
}

# shellcheck disable=SC2120 # most callers take it as it is
# load_start [--queues N | --weights "W..."] [--pps N] [--cpu C] : UDP to lab0 from random addresses and ports, N
# packets a second, made by the kernel thread of CPU C beside an application there, received by the first N queues
# alike (all), or by queue after queue in such shares.
load_start() {
	local table=() pps=$LOAD_PPS cpu=$GENERATOR_CPU
	while (($#)); do
		case $1 in
		--queues) table=(equal "$2") ;;
		--weights) read -r -a table <<< "weight $2" ;;
		--pps) pps=$2 ;;
		--cpu) cpu=$2 ;;
		*) fail "load_start: $1?" ;;
		esac
		shift 2
	done

	load_prepare
	application_start "$cpu"
	((${#table[@]} == 0)) || ethtool -X lab0 "${table[@]}"
	load_device "lab1@$cpu" "$cpu" 'count 0' "ratep $pps" 'src_min 10.77.1.1' 'src_max 10.77.250.250' \
		'udp_src_min 1024' 'udp_src_max 65000' 'udp_dst_min 9' 'udp_dst_max 9' 'flag IPSRC_RND' 'flag UDPSRC_RND'
	load_go
}

# find_flows N : sets flow_queues to N queues of lab0 and flow_ports to a source port for each, whose packets it
# receives there. Found by trying, before any other source is there, as the key of the hash is random. The hash is linear
# in the bits of the port: with one key of twenty, ports that differ in the lower six alone reach only half of the queues.
find_flows() {
	local i port queue
	flow_queues=()
	flow_ports=()

	for ((i = 0; i < 64 && ${#flow_queues[@]} < $1; i++)); do
		port=$((1024 + i * 997))
		queue=$(flow_queue "$port")
		[[ $queue && ! ${flow_ports[queue]:-} ]] || continue
		flow_ports[queue]=$port
		flow_queues+=("$queue")
	done
	((${#flow_queues[@]} == $1)) || fail "no $1 queues found by flows: ${flow_queues[*]}"
}

# flow_queue PORT : the queue at which packets of this flow arrive.
flow_queue() {
	rx_packets lab0 > /tmp/flow-before
	load_device lab1@try "$GENERATOR_CPU" 'count 16' 'src_min 10.77.1.1' 'src_max 10.77.1.1' \
		"udp_src_min $1" "udp_src_max $1" 'udp_dst_min 9' 'udp_dst_max 9'
	pktgen pgctrl start
	pktgen pgctrl reset
	rx_packets lab0 | awk 'NR == FNR { was[$1] = $2; next } $2 - was[$1] >= 16 { print $1; exit }' /tmp/flow-before -
}

# load_flow QUEUE PPS COST : one more flow that lab0 receives on that queue, of those found. Each of its packets
# passes all rules (COST is "costly") or none ("cheap").
load_flow() {
	local queue=$1 pps=$2 port=${flow_ports[$1]} tos=0

	[[ $3 != cheap ]] || tos=28 # DSCP af11
	load_device "lab1@q$queue" "$GENERATOR_CPU" 'count 0' "ratep $pps" 'src_min 10.77.1.1' 'src_max 10.77.1.1' \
		"udp_src_min $port" "udp_src_max $port" 'udp_dst_min 9' 'udp_dst_max 9' "tos $tos"
}

# load_pace QUEUE PPS : another pace for a flow that runs.
load_pace() {
	pktgen "lab1@q$1" "ratep $2"
}

# On a slow host a tenth of what one CPU manages is a hundred packets a second; without a load there is next to none.
load_runs() {
	local before
	before=$(< /sys/class/net/lab0/statistics/rx_packets)
	nap 0.3
	(($(< /sys/class/net/lab0/statistics/rx_packets) > before + 10))
}

# generator_is_bound : its threads run on their CPUs and nowhere else.
generator_is_bound() {
	local pid
	for pid in $(pgrep -x "kpktgend_$GENERATOR_CPU"); do
		[[ $(taskset -p -c "$pid") == *": $GENERATOR_CPU" ]] || return 1
	done
}

load_stop() {
	application_stop
	if [[ -e $OUTSIDE_PACE ]]; then
		echo 0 0 0 > "$OUTSIDE_PACE"
	else
		pktgen pgctrl stop
		pktgen pgctrl reset
		# A cpuset partition that comes or goes lets them run anywhere (Linux 6.1, kernel/cgroup/cpuset.c
		# update_tasks_cpumask()), and only new ones are bound.
		generator_is_bound || { modprobe -r pktgen && modprobe pktgen; }
	fi
	nft delete table inet ballast 2> /dev/null || true
	ethtool -X lab0 default 2> /dev/null || true
}

# --- the service ----------------------------------------------------------------------------------------------------

CONF_DROPIN=/etc/nicbalance/nicbalance.conf.d/50-lab.conf
UNIT_DROPIN=/run/systemd/system/nicbalanced.service.d/50-lab.conf

SCENARIO_BEGAN=$EPOCHSECONDS

# is_told TEXT : the journal of the service has it, of this scenario.
is_told() { journalctl -q -u nicbalanced --since "@$SCENARIO_BEGAN" -o cat | grep -qF "$1"; }

service_start() { systemctl start nicbalanced || fail "nicbalanced does not start"; }

# measure_always : from the next start on, whatever the load and at any price.
measure_always() {
	mkdir -p "${CONF_DROPIN%/*}"
	printf '[Daemon]\nDelays=yes\n' > "$CONF_DROPIN"
}

# irqbalance_start : with a round in two seconds instead of ten.
irqbalance_start() {
	mkdir -p /run/systemd/system/irqbalance.service.d
	printf '[Service]\nEnvironment="IRQBALANCE_ARGS=--interval=2"\n' \
		> /run/systemd/system/irqbalance.service.d/50-lab.conf
	systemctl daemon-reload
	systemctl start irqbalance || fail "irqbalance does not start"
}
irqbalance_stop() {
	systemctl -q is-active irqbalance || echo "  irqbalance has ended by itself"
	systemctl stop irqbalance
}

# start_limit : seconds that a start may take now: one, and twice what systemd takes to start a program that does nothing
# where the daemon runs, the longest of three. All those namespaces and filters are what takes an emulated CPU most of any
# start, and how long differs by host and moment.
start_limit() {
	local unit=/run/systemd/system/lab-idle.service begun usec longest=0

	sed -E -e 's,^Type=.*,Type=oneshot\nExecStart=/bin/true,' \
		-e '/^(Exec|NotifyAccess|Restart|Watchdog|RuntimeDirectory|Alias)/d' \
		"$(systemctl show -P FragmentPath nicbalanced)" > "$unit"
	systemctl daemon-reload
	for _ in 1 2 3; do
		begun=$EPOCHREALTIME
		systemctl start lab-idle || fail "a program that does nothing does not start"
		usec=$((${EPOCHREALTIME/[.,]/} - ${begun/[.,]/}))
		((usec <= longest)) || longest=$usec
	done
	rm "$unit"
	awk -v usec="$longest" 'BEGIN { print 1 + 2 * usec / 1e6 }'
}

# ready_at : when the daemon said READY last, as EPOCHREALTIME.
ready_at() { date -d "$(systemctl show -P ActiveEnterTimestamp --timestamp=us+utc nicbalanced)" +%s.%6N; }

no_rps() { ! grep -qs '[1-9a-f]' /sys/class/net/lab0/queues/rx-*/rps_cpus; }

# Whether the RPS mask that was written last is of a queue that is too much for its CPU. A mask that lets a saturated NAPI follow its
# interrupt is gone a moment later.
rps_spreads() { nicbalancectl status --json 2> /dev/null | jq -e '[.moves[] | select(.kind == "rps")] | last.reason == "rps-widen"' > /dev/null; }

service_active() { systemctl -q is-active nicbalanced; }

# entries_since EPOCH : what the daemon logged after that moment, as JSON lines.
entries_since() {
	journalctl -q --sync || true
	journalctl -q -u nicbalanced -o json --since "@${1/,/.}"
}

# yields_since EPOCH : what the daemon said of other programs that wrote affinities of queues.
yields_since() {
	entries_since "$1" | jq -r 'select(.MESSAGE_ID == "5f0429c239974164a6388ba1f269b860") | .MESSAGE'
}

# moves_since EPOCH : one line for each change of an affinity or an RPS mask that was logged.
moves_since() {
	entries_since "$1" | jq -r 'select(.NB_CPU_TO or .NB_RPS) |
		"irq \(.NB_IRQ // "-") \(.NB_NETDEV // "-") queue \(.NB_QUEUE // "-") cpu \(.NB_CPU_FROM // "-") -> \(.NB_CPU_TO // "-") rps \(.NB_RPS // "-"): \(.NB_REASON // "no reason")"'
}

# How costs are measured: "measured" or "estimated". Nothing while the daemon does not answer.
grade() { nicbalancectl status --json 2> /dev/null | jq -r .daemon.grade; }

in_grade() { [[ $(grade) == "$1" ]]; }

grade_reason() { nicbalancectl status --json | jq -r '.daemon."grade-reason"'; }

GRADE_CHANGED=3687ea5eb1df4913a2dbc005d20b93da

# grade_notices_since EPOCH
grade_notices_since() {
	entries_since "$1" | jq -r --arg id $GRADE_CHANGED 'select(.MESSAGE_ID == $id) | .MESSAGE'
}

show_status() {
	timeout 10 nicbalancectl status --all || echo "nicbalancectl status: exit $?"
}

# --- state ------------------------------------------------------------------------------------------------------------

# knobs : every value the daemon may change on lab0, "path value" each. What cannot be read, as xps_cpus of a NIC
# with one queue, is left out. No process for each file: this is called while seconds count.
knobs() {
	local irq file value
	for irq in $(all_queue_irqs lab0); do
		read -r value < "/proc/irq/$irq/smp_affinity"
		echo "/proc/irq/$irq/smp_affinity $value"
	done
	for file in /sys/class/net/lab0/queues/*/{rps_cpus,rps_flow_cnt,xps_cpus}; do
		{ read -r value < "$file"; } 2> /dev/null || continue
		echo "$file $value"
	done
}

# all_fire : every receive queue of lab0 has raised an interrupt.
all_fire() {
	fire_all
	interrupt_counts lab0 | awk '{ n = 0; for (i = 2; i <= NF; i++) n += $i; if (!n) dead = 1 } END { exit dead }'
}

# In a namespace of its own, whose interrupts are the generator's.
prepare_client() {
	wait_until 30 test -e /sys/class/net/lab1 || return 1
	modprobe pktgen
	# pktgen makes its threads when a namespace begins, so the module comes first.
	ip netns add client
	ip link set lab1 netns client
	ip netns exec client sysctl -q -w net.ipv6.conf.lab1.disable_ipv6=1
	ip netns exec client ip addr add "$LAB1_ADDRESS/16" dev lab1
	ip netns exec client ip link set lab1 up
}

# Once, before the first scenario: addresses, the client, nothing else on the wire.
prepare_network() {
	local queues irq

	wait_until 30 test -e /sys/class/net/lab0 || return 1
	[[ -e $OUTSIDE_PACE ]] || prepare_client || return 1
	sysctl -q -w net.ipv6.conf.lab0.disable_ipv6=1
	ip addr add "$LAB0_ADDRESS/16" dev lab0
	for queues in 2 4 8; do	# virtio-net starts with one
		((queues > $(nproc))) || ethtool -L lab0 combined "$queues" > /dev/null 2>&1 || true
	done
	ip link set lab0 up
	wait_until 30 grep -qx 1 /sys/class/net/lab0/carrier || return 1
	# In some boots one emulated CPU takes interrupts of no device. The kernel begins with one of igb on each CPU.
	[[ $(ethtool -i lab0) != *"driver: igb"* ]] || wait_until 8 all_fire || return 1
	lab_channels=$(channels)
	[[ ! -e $OUTSIDE_PACE ]] || return 0
	irqs_1=$(ip netns exec client cat /proc/interrupts | awk '$NF ~ /^lab1-/ { sub(":", "", $1); print $1 }')
	for irq in $irqs_1; do
		echo "$GENERATOR_CPU" > "/proc/irq/$irq/smp_affinity_list"
	done
}

channels() {
	ethtool -l lab0 2> /dev/null | awk '/^Current/ { now = 1 } now && $1 == "Combined:" { print $2 }'
}

# Before each scenario.
reset_state() {
	local file irq cpu every_cpu

	every_cpu=$(printf '%x' $(((1 << $(nproc --all)) - 1)))
	systemctl stop nicbalanced irqbalance 2> /dev/null || true
	systemctl reset-failed 2> /dev/null || true
	rm -f "$CONF_DROPIN" /etc/sysconfig/irqbalance
	echo "$every_cpu" > /proc/irq/default_smp_affinity
	# A reload takes an emulated systemd four seconds.
	if [[ -e $UNIT_DROPIN ]]; then
		rm "$UNIT_DROPIN"
		systemctl daemon-reload
	fi
	load_stop
	for cpu in /sys/devices/system/cpu/cpu[0-9]*/online; do
		[[ $(< "$cpu") == 1 ]] || echo 1 > "$cpu"
	done
	[[ ! ${lab_channels:-} || $(channels) == "$lab_channels" ]] || ethtool -L lab0 combined "$lab_channels"
	for irq in $(all_queue_irqs lab0); do
		echo "$every_cpu" > "/proc/irq/$irq/smp_affinity"
	done
	for file in /sys/class/net/lab0/queues/*/{rps_cpus,xps_cpus}; do
		[[ ! -w $file ]] || echo 0 > "$file" 2> /dev/null || true
	done
}
