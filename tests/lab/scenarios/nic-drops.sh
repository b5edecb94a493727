#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lab-nics: vmxnet3
# A queue is too much for its CPU, and its ring overflows: the status says so of the NIC, and of the queue, as the driver
# counts it. vmxnet3, since QEMU's igb and virtio-net count no packets that they drop.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/saturated.sh
. /lab/guest/saturated.sh

need_product

field() { jq -r ".$1[] | select(.nic == \"lab0\") | .\"$2\"" /tmp/status; }
ask() { nicbalancectl status --json > /tmp/status; }
caused_by() { ask && [[ $(field nics drops-cause) == "$1" ]]; }
out_of_buffers() { ethtool -S lab0 | awk '/pkts rx OOB/ { n += $NF } END { print n + 0 }'; }

mkdir -p "${CONF_DROPIN%/*}"
printf '[Daemon]\nMode=observe\n' > "$CONF_DROPIN"
mapfile -t irqs < <(queue_irqs lab0)
echo 0 > "/proc/irq/${irqs[0]}/smp_affinity_list"
# shellcheck disable=SC2034 # of load_start
BALLAST_RULES=3000
load_start --pps 400
wait_until 20 all_on 0 "${irqs[0]}" || fail "the receiving queue is on CPU ${cpus[*]}, not on 0"
pktgen "lab1@$GENERATOR_CPU" 'ratep 7000'
wait_until 20 fills 0 || skip "CPU 0, emulated on this host, is not full: $full of 10 polls full, $served packets a second"
capacity=$served
pktgen "lab1@$GENERATOR_CPU" "ratep $((2 * capacity))"
started=$EPOCHREALTIME
service_start
wait_until 60 caused_by full-cpu || { show_status; fail "the drops of lab0 have the cause $(field nics drops-cause)"; }
before=$(out_of_buffers) began=$EPOCHREALTIME
# A ring overflows by fits and starts, and the status tells of the last seconds: all it told is compared with the whole.
shown=0 looks=0
look() {
	ask
	shown=$((shown + $(field nics dropped-per-second)))
	looks=$((looks + 1))
	nap 0.8
}
again_for 31 look
shown=$((shown / looks))
counted=$(awk -v n=$(($(out_of_buffers) - before)) -v t="$(since "$began")" 'BEGIN { printf "%d", n / t }')
echo "lab0 drops $counted packets a second by its driver, $shown by the status; its queues $(field queues dropped-per-second | xargs)"
((counted > 20)) || skip "the emulated NIC drops only $counted packets a second"
assert_at_least $((counted / 3)) "$shown" "packets a second that the status says lab0 drops"
assert_at_most $((counted * 3)) "$shown" "packets a second that the status says lab0 drops"
assert_equal "$(field nics dropped-per-second)" "$(field queues dropped-per-second | awk '{ n += $1 } END { print n }')" "packets a second of its queues"
show_status
[[ $(field nics drops-cause) != device ]] || fail "a full CPU is not to blame, says the status"
no_cpu_is_blamed() { entries_since "$started" | jq -r .MESSAGE | grep -q 'no queue of it fills a CPU'; }
! no_cpu_is_blamed || fail "a full CPU is not to blame, says the journal"

pktgen "lab1@$GENERATOR_CPU" "ratep $((capacity / 4))"
# Between two slices nothing is counted: that may be a minute where other CPUs become hot now and then.
wait_until 75 caused_by none || { show_status; fail "without load lab0 drops $(field nics dropped-per-second) packets a second"; }
service_active || fail "the service is not active"
