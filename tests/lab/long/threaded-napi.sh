#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lab-seconds: 900
# With ThreadedNapi=yes threaded NAPI is switched on for a queue, whose interrupt may not be moved, that shares a hot CPU with an
# application that is pinned there: from Linux 6.17 on for this queue alone, before for its NIC; and off when the application ends, the daemon stops or is killed, or the line goes. Without it, and where
# somebody has switched it on, nothing is written.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

need_product

CPU=2
THREADED=/sys/class/net/lab0/threaded
[[ -e $THREADED ]] || skip "a kernel before 5.12, without threaded NAPI"
mapfile -t irqs < <(queue_irqs lab0)

end() {
	application_stop
	systemctl stop lab-neighbour 2> /dev/null || true
	echo 0 > "$THREADED"
}
trap end EXIT

# Of the driver it is known that it links its queues to NAPIs there (igb, 6.15).
IFS=.- read -r major minor _ < /proc/sys/kernel/osrelease
one_queue=no
((major * 100 + minor < 617)) || one_queue=yes

# threads : the pid of each kernel thread that polls a NAPI of lab0.
threads() { pgrep '^napi/lab0-'; }

count_threads() { threads | wc -l; }
whole_is_on() { [[ $(< "$THREADED") == 1 ]]; }
whole_is_off() { [[ $(< "$THREADED") == 0 ]]; }

# Older kernels keep threads that have nothing to poll; newer ones show the thread of one queue in no file of the device.
if [[ $one_queue == yes ]]; then
	is_on() { whole_is_off && [[ $(count_threads) == 1 ]]; }
	is_off() { whole_is_off && [[ $(count_threads) == 0 ]]; }
else
	is_on() { whole_is_on; }
	is_off() { whole_is_off; }
fi

# thread_percent SECONDS : of a CPU that the only thread takes.
thread_percent() {
	local pid before after _
	pid=$(threads)
	read -r before _ < "/proc/$pid/schedstat"
	nap "$1"
	read -r after _ < "/proc/$pid/schedstat"
	echo $(((after - before) / ($1 * 10000000)))
}
# Of a CPU that queue 0 takes of softirqs.
queue_percent() { nicbalancectl status --json | jq '.queues[] | select(.nic == "lab0" and .queue == 0) | ."time-percent"'; }
neighbour_start() { systemd-run -q --unit=lab-neighbour --slice=lab.slice -p CPUAffinity=$CPU bash /lab/guest/application 30 20; }
neighbour_stop() { systemctl stop lab-neighbour; }

# configure LINE : the interrupt of queue 0 stays, and neither RSS table nor RPS help.
configure() {
	mkdir -p "${CONF_DROPIN%/*}"
	printf '%s\n' '[Daemon]' 'Delays=yes' '[RPS]' 'Enabled=no' 'DwellSec=10s' '[RSS]' 'Enabled=no' "[Interrupt ${irqs[0]}]" 'Ignore=yes' \
		'[Device lab0]' "$1" > "$CONF_DROPIN"
}

# effect : what came of threaded NAPI when it was last switched on.
effect() { nicbalancectl status --json | jq -r '[.moves[] | select(.kind == "threaded" and .reason == "threaded-on")] | max_by(.time).effect'; }
has_worked() { [[ $(effect) == worked ]]; }

# switched_since EPOCH : how often.
switched_since() { entries_since "$1" | jq -s '[.[] | select(.NB_REASON // "" | startswith("threaded-"))] | length'; }

# What looks again and again is an application, too, which would wander to the CPU in question.
taskset -p -c "$GENERATOR_CPU" $$ > /dev/null
pile_all_on $CPU lab0
load_start --queues 1 --pps 4000
configure 'ThreadedNapi=no'
service_start
wait_until 30 in_grade measured || fail "not measured: $(grade)"
# Its CPU is hot beside the application, which takes 60 % of the clock's time, softirqs that come into it included, and far from
# that without, on a slow host as on a fast one.
nap 5
cost=$(queue_percent)
pace=$(awk -v cost="$cost" 'BEGIN { print int(4000 * 40 / cost) }')
pktgen "lab1@$GENERATOR_CPU" "ratep $pace"
nap 10
echo "4000 packets a second take $cost % of a CPU; alone $pace take $(queue_percent) %"
neighbour_start
nap 20
echo "beside the application: $(busy_percents 3)"
is_off || fail "switched on without being asked to"

configure 'ThreadedNapi=yes'
asked=$EPOCHREALTIME
systemctl reload nicbalanced || fail "ThreadedNapi=yes is refused"
wait_until 60 is_on || { show_status; fail "off, $(since "$asked") s after it was allowed: $(busy_percents 2)"; }
echo "switched on after $(since "$asked") s"
wait_until 15 has_worked || { show_status; fail "its effect is $(effect)"; }
echo "threaded: $(busy_percents 3)"
if [[ $one_queue == yes ]]; then
	# All packets come in queue 0.
	assert_at_least 10 "$(thread_percent 5)" "percent of a CPU that the only thread takes"
	assert_equal 0 "$(nicbalancectl status --json | jq '[.moves[] | select(.kind == "threaded")] | last.queue')" "queue that got a thread"
fi
nap 30
is_on || { show_status; fail "switched off beside the application"; }
assert_equal 1 "$(switched_since "$asked")" "times that it was switched beside the application"

neighbour_stop
ended=$EPOCHREALTIME
wait_until 60 is_off || { show_status; fail "still on, $(since "$ended") s after the application ended"; }
echo "switched off $(since "$ended") s after the application ended"

neighbour_start
wait_until 90 is_on || { show_status; fail "not switched on a second time"; }
configure 'ThreadedNapi=no'
systemctl reload nicbalanced
wait_until 30 is_off || fail "still on without the line"

configure 'ThreadedNapi=yes'
systemctl reload nicbalanced
wait_until 90 is_on || { show_status; fail "not switched on a third time"; }
systemctl stop nicbalanced
is_off || fail "still on after the stop"
[[ ! -e /run/nicbalance/baseline ]] || fail "a baseline is left after the stop"

service_start
wait_until 120 is_on || { show_status; fail "not switched on by another run"; }
systemctl kill --kill-whom=main -s KILL nicbalanced
systemctl stop nicbalanced
wait_until 60 is_off || fail "still on after a kill"
[[ ! -e /run/nicbalance/baseline ]] || fail "a baseline is left after a kill"

echo 1 > "$THREADED"
n_threads=$(count_threads)
service_start
nap 60
whole_is_on || fail "what somebody else switched on was switched off"
systemctl stop nicbalanced
whole_is_on || fail "what somebody else switched on was switched off by the stop"
assert_equal "$n_threads" "$(count_threads)" "threads that somebody else called in"
echo "and all as found"
