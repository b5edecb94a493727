# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Layouts in which queues are far too much for the CPU that polls them. Sourced in the guest, after set -euo pipefail.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. /lab/guest/lib.sh

# full_on CPU SECONDS : sets served and full: packets a second that lab0 received on the CPU, and how many polls in ten found
# their whole budget there.
full_on() {
	read -r served full < <(polls_by_cpu lab0 "$2" |
		awk -v cpu="$1" -v seconds="$2" '$1 == cpu { packets = $2 / seconds; full = 10 * $4 / $3 } END { print int(packets), int(full) }')
}

fills() { full_on "$1" 1; ((full >= 9)); }

# overload CPU [OPTION...] : all queues are on that CPU, and load_start with these options gives them half as much again as it
# manages, to which it sets capacity, in packets a second. Not more: the generator and the CPUs that share the queues then
# have two real cores between them, and with more to do emulated CPUs would be full again.
overload() {
	BALLAST_RULES=3000
	pile_all_on "$1" lab0
	load_start --pps "$TOO_MUCH" "${@:2}"
	wait_until 40 overloads "$1" || skip "CPU $1, emulated on this host, is not full: $full of 10 polls full, $served packets a second"
}
TOO_MUCH=7000

# overloads CPU : a host that is faster than a moment ago is asked again.
overloads() {
	pktgen "lab1@$GENERATOR_CPU" "ratep $TOO_MUCH"
	nap 1
	fills "$1" || return 1
	capacity=$served
	pktgen "lab1@$GENERATOR_CPU" "ratep $((capacity * 3 / 2))"
	nap 1
	fills "$1"
}

# lay_six : six of eight queues are too much for CPU 5; two get no packets.
lay_six() { overload 5 --queues 6; }

# relief_limit CAPACITY : seconds that relief may take: five where one CPU manages as many packets a second as on two idle
# cores, and in proportion where the host has less to give.
relief_limit() { awk -v capacity="$1" 'BEGIN { printf "%d", capacity < 2500 ? 5 * 2500 / capacity : 5 }'; }

# assert_relieved CAPACITY N [EXCEPT] : starts the service, and asserts that so many NAPIs are polled apart within
# relief_limit of READY, and stay so for five seconds; then pktgen makes calm_pace packets a second, if that is set.
assert_relieved() {
	local limit ready apart

	limit=$(relief_limit "$1")
	trace_begin napi/napi_poll
	service_start
	ready=$(ready_moment)
	nap $((limit + 5))
	[[ ! ${calm_pace:-} ]] || pktgen "lab1@$GENERATOR_CPU" "ratep $calm_pace"
	trace_end
	apart=$(apart_from "$ready" "${@:2}")
	busy_napis 1
	echo "one CPU manages $1 packets a second; apart $apart s after READY, and from then on; now $(napis)"
	[[ $apart != never ]] || { show_status; fail "$((limit + 5)) s after READY polled on $(napis)"; }
	assert_at_most "$limit" "$apart" "seconds from READY to $2 queues polled on $2 CPUs"
}

# find_two : sets one and two to the queues that are to be heavy.
find_two() {
	mapfile -t irqs < <(queue_irqs lab0)
	assert_equal 8 "${#irqs[@]}" "receive queue interrupts of lab0"
	BALLAST_RULES=3000
	load_prepare
	find_flows 6
	one=${flow_queues[0]} two=${flow_queues[1]}
}

# point_two CPU CPU : the heavy ones there, the light ones each on a CPU of its own beside CPU 3. Interrupts move when they
# next fire.
point_two() {
	local queue cpu=0

	for queue in "${!irqs[@]}"; do
		((queue != one && queue != two)) || continue
		((cpu != 3)) || cpu=4
		echo $((cpu)) > "/proc/irq/${irqs[queue]}/smp_affinity_list"
		cpu=$((cpu + 1))
	done
	echo "$1" > "/proc/irq/${irqs[one]}/smp_affinity_list"
	echo "$2" > "/proc/irq/${irqs[two]}/smp_affinity_list"
}

# start_two : their flows, of which one CPU manages both for now.
start_two() {
	local queue

	application_start "$GENERATOR_CPU"
	load_flow "$one" 300 costly
	load_flow "$two" 300 costly
	for queue in "${flow_queues[@]:2}"; do
		load_flow "$queue" 20 cheap
	done
	load_go
}

both_on_3() { full_on 3 2; ((served > 450)); }

# lay_two : two of eight queues are too much for CPU 3, and would not be for two CPUs; four have next to nothing to do.
# Sets one and two, and capacity, in packets a second of one CPU.
lay_two() {
	find_two
	point_two 3 3
	wait_until 30 all_on 3 "${irqs[one]}" "${irqs[two]}" || fail "the heavy queues are on CPUs ${cpus[*]}, not on 3"
	start_two
	# An interrupt without remapping still arrives once at its old CPU: both have to follow theirs before they fill one.
	wait_until 20 both_on_3 || { busy_napis 2; fail "of 600 packets a second of the heavy queues CPU 3 polls $served: $(napis)"; }
	pace_two 3000
	nap 2
	full_on 3 2
	capacity=$served
	pace_two $((capacity * 65 / 100))
	nap 3
	full_on 3 2
	((full >= 7)) || skip "two queues do not fill one emulated CPU of this host"
}

# pace_two PPS : of each heavy queue.
pace_two() {
	load_pace "$one" "$1"
	load_pace "$two" "$1"
}
