#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lab-seconds: 900
# With PlaceThreads=yes NAPI threads are bound to where the interrupts of their queues go, unless somebody has bound one of them; and are
# as found after a stop and after a kill.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

need_product

mapfile -t irqs < <(queue_irqs lab0)
THREADED=/sys/class/net/lab0/threaded
# The daemon's, and of what restores after a crash.
PERMISSIONS=(/run/systemd/system/{nicbalanced,nicbalance-restore}.service.d/60-threads.conf)

end() {
	echo 0 > "$THREADED"
	[[ -e ${PERMISSIONS[0]} ]] || return 0
	rm -f "${PERMISSIONS[@]}"
	systemctl daemon-reload
}
trap end EXIT

# read_threads : pids of lab0's NAPI threads, and allowed, on which CPUs each may run, in the order of queues: igb makes its
# NAPIs in that order, and ids ascend.
read_threads() {
	local comm name pid key value
	pids=() allowed=()
	while read -r _ pid; do
		while read -r key value; do
			[[ $key != Cpus_allowed_list: ]] || allowed+=("$value")
		done < "/proc/$pid/status"
		pids+=("$pid")
	done < <(
		for comm in /proc/[0-9]*/comm; do
			read -r name < "$comm" || continue
			[[ $name != napi/lab0-* ]] || echo "${name##*-} ${comm//[^0-9]/}"
		done 2> /dev/null | sort -n
	)
	((${#pids[@]} == ${#irqs[@]} && ${#allowed[@]} == ${#irqs[@]}))
}

# are_as_found EXCEPT : the threads, but for that of this queue ("-": all).
are_as_found() {
	local i
	read_threads || return 1
	for i in "${!pids[@]}"; do
		[[ $i == "$1" || ${allowed[i]} == "$found" ]] || return 1
	done
}

thread_is_on() { read_threads && [[ ${allowed[$1]} == "$2" ]]; }

# Those of the queues with load.
threads_follow() {
	local i cpu
	read_threads || return 1
	for i in 0 1; do
		read -r cpu < "/proc/irq/${irqs[i]}/smp_affinity_list"
		[[ $cpu =~ ^[0-9]+$ && ${allowed[i]} == "$cpu" ]] || return 1
	done
}

# free_cpu : where neither they nor the generator are.
free_cpu() {
	local cpu
	for cpu in 1 2 3 4 5 6; do
		[[ $cpu == "${allowed[0]}" || $cpu == "${allowed[1]}" || $cpu == "$(affinity "${irqs[1]}")" ]] || break
	done
	echo "$cpu"
}

place_threads() { printf '[Daemon]\nDelays=yes\n[Balance]\nPlaceThreads=yes\n' > "$CONF_DROPIN"; }

may_not() { [[ $(nicbalancectl status --json | jq -r '.nics[] | select(.nic == "lab0") | .advice[].advice') == *threads* ]]; }

# The kernel of the lab does not tell which thread polls which queue: it has to be seen which interrupt softirqs follow before.
begin_placing() {
	echo 0 > "$THREADED"
	systemctl reset-failed nicbalanced 2> /dev/null || true
	service_start
	wait_until 20 in_grade measured || fail "not measured: $(grade)"
	wait_until 30 spread_over 1 "$GENERATOR_CPU" "${irqs[@]:0:2}" || fail "both queues on one CPU, or the generator's: ${cpus[*]}"
	nap 5
	echo 1 > "$THREADED"
	wait_until 60 threads_follow || fail "threads may run on: ${allowed[*]}; interrupts go to: $(affinity "${irqs[0]}") $(affinity "${irqs[1]}")"
}

# is_left_since EPOCH : the threads, to another program.
is_left_since() {
	entries_since "$1" | jq -e 'select(.NB_REASON == "thread-follow" and .NB_OUTCOME == "foreign")' > /dev/null
}

pile_all_on 0 lab0
load_start --queues 2
measure_always
service_start
wait_until 20 in_grade measured || fail "not measured: $(grade)"
wait_until 20 spread_over 1 "$GENERATOR_CPU" "${irqs[@]:0:2}" || fail "both queues on one CPU, or the generator's: ${cpus[*]}"
echo 1 > "$THREADED"
nap 6
read_threads || fail "${#pids[@]} threads of ${#irqs[@]} queues"
found=${allowed[0]}
[[ $found == *[-,]* ]] || fail "the kernel itself has bound a thread to CPU $found"
nap 15
are_as_found - || fail "bound without being asked to: threads may run on ${allowed[*]}"
echo 0 > "$THREADED"
nap 1
# The units may not do this without being told.
place_threads
systemctl reload nicbalanced || fail "PlaceThreads=yes is refused"
echo 1 > "$THREADED"
wait_until 60 may_not || fail "that threads cannot be bound is not advised"
are_as_found - || fail "bound without permission: threads may run on ${allowed[*]}"
systemctl stop nicbalanced

for file in "${PERMISSIONS[@]}"; do
	install -D -m 0644 /usr/share/doc/nicbalance/place-threads.conf "$file"
done
systemctl daemon-reload
begin_placing
echo "threads follow: queues on CPUs ${cpus[*]}, threads on ${allowed[*]}"
for i in "${!irqs[@]}"; do
	[[ ${allowed[i]} == "$found" || ${allowed[i]} == "$(affinity "${irqs[i]}")" ]] ||
		fail "the thread of queue $i is on CPU ${allowed[i]}, its interrupt on $(affinity "${irqs[i]}")"
done

there=$(free_cpu)
pin "${irqs[0]}" "$there"
wait_until 60 thread_is_on 0 "$there" || fail "the interrupt of queue 0 went to CPU $there, its thread is on ${allowed[0]}"
echo "threads follow again: ${allowed[*]}"

# One that somebody binds: then all of them are left.
chosen=$(free_cpu)
bound=$EPOCHREALTIME
taskset -pc "$chosen" "${pids[1]}" > /dev/null
allowed[1]=$chosen
pin "${irqs[0]}" "$(free_cpu)"
wait_until 60 is_left_since "$bound" || fail "threads are not left to who has bound one: they may run on ${allowed[*]}"
nap 12
thread_is_on 1 "$chosen" || fail "the thread that was bound to CPU $chosen is on ${allowed[1]}"
assert_equal "$there" "${allowed[0]}" "CPU of the thread beside the one that was bound"
systemctl stop nicbalanced
wait_until 10 are_as_found 1 || fail "not as found after the stop: threads may run on ${allowed[*]}"
assert_equal "$chosen" "${allowed[1]}" "CPU of the thread that was bound, after the stop"
echo "stopped: ${allowed[*]}"

taskset -pc "$found" "${pids[1]}" > /dev/null
begin_placing
systemctl kill --kill-whom=main -s KILL nicbalanced
systemctl stop nicbalanced
wait_until 60 are_as_found - || fail "not as found after a kill: threads may run on ${allowed[*]}"
[[ ! -e /run/nicbalance/baseline ]] || fail "a baseline is left after a kill"
echo "killed, and all as found"
