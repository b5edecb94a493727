# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# XPS masks follow the interrupts of queues once these stay: each CPU sends by the queue whose interrupt it serves, and by
# no CPU is nothing sent. A mask that an administrator writes is left, and what was there before the daemon is left from the beginning,
# unless a driver has set it. All is as found after a stop, and after kill -9 with another start and a stop. Sourced in the guest, after
# set -euo pipefail.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. /lab/guest/lib.sh

need_product

mapfile -t irqs < <(queue_irqs lab0)
mapfile -t vectors < <(all_queue_irqs lab0)
QUEUES=/sys/class/net/lab0/queues
xps() { cat "$QUEUES/tx-$1/xps_cpus"; }

# placed : each interrupt goes to one CPU. As drivers leave them, masks may seem to follow.
placed() {
	local irq
	for irq in "${vectors[@]}"; do
		[[ $(affinity "$irq") =~ ^[0-9]+$ ]] || return 1
	done
}

# follows : each CPU that serves queues has just these; every CPU has one.
follows() {
	local queue all=0
	placed || return 1
	read_cpus "${irqs[@]}"
	for ((queue = 0; queue < ${#irqs[@]}; queue++)); do
		((16#$(xps "$queue") & 1 << cpus[queue])) || return 1
		all=$((all | 16#$(xps "$queue")))
	done
	((all == (1 << $(nproc)) - 1)) || return 1
}

as_found() { knobs > /tmp/now && cmp -s /tmp/found /tmp/now; }
show() { for queue in "${!irqs[@]}"; do echo "queue $queue: CPU $(affinity "${irqs[queue]}"), XPS $(xps "$queue")"; done; }
# pin_queue QUEUE CPU : virtio-net has an interrupt for each direction.
pin_queue() {
	local irq
	while read -r irq _; do pin "$irq" "$2"; done < <(queue_rows lab0 | awk -v queue="$1" '$4 == queue')
}
moved() { spread_over 2 "$GENERATOR_CPU" "${irqs[@]}"; }

mkdir -p "${CONF_DROPIN%/*}"
printf '[XPS]\nEnabled=yes\n' > "$CONF_DROPIN"
# A driver's masks are known by the affinities that it gave the interrupts with them.
if [[ $(ethtool -i lab0) == *"driver: virtio"* ]]; then
	ethtool -L lab0 combined 2
	ethtool -L lab0 combined 4
else
	pile_all_on 0 lab0
fi
knobs > /tmp/found
found_3=$(xps 3)
echo "found: $(show)"
load_start

service_start
wait_until 60 moved || fail "not moved: CPUs ${cpus[*]}"
wait_until 90 follows || fail "the masks do not follow: $(show)"
echo "followed: $(show)"
is_told "lab0: XPS follows interrupts" || fail "not told"
systemctl stop nicbalanced
as_found || fail "not as found after systemctl stop:"$'\n'"$(diff /tmp/found /tmp/now)"
echo "stopped and all as found"

mkdir -p "${UNIT_DROPIN%/*}"
printf '[Service]\nRestart=no\n' > "$UNIT_DROPIN"
systemctl daemon-reload
service_start
wait_until 90 follows || fail "the masks do not follow after another start: $(show)"
systemctl kill --kill-whom=main -s KILL nicbalanced
wait_until 60 as_found || fail "not as found after kill -9:"$'\n'"$(diff /tmp/found /tmp/now)"
rm -f "$UNIT_DROPIN"
systemctl daemon-reload
systemctl reset-failed nicbalanced
service_start
wait_until 90 follows || fail "the masks do not follow after kill -9 and a start: $(show)"

# A queue is moved, so that masks follow; and again, when one of them is no longer ours.
read_cpus "${irqs[@]}"
pin_queue 1 $(((cpus[1] + 3) % 7))
nap 2
wait_until 90 follows || fail "the masks do not follow a queue that was moved: $(show)"
echo 0f > "$QUEUES/tx-3/xps_cpus"
pin_queue 1 $(((cpus[1] + 4) % 7))
yielded() { is_told "set by an administrator or another program"; }
wait_until 120 yielded || fail "another program's mask was not seen: $(show)"
assert_equal 0f "$(xps 3 | tail -c 3)" "mask of an administrator"
systemctl stop nicbalanced
assert_equal 0f "$(xps 3 | tail -c 3)" "mask of an administrator after a stop"
echo "$found_3" > "$QUEUES/tx-3/xps_cpus"
# The interrupt that was moved for this is as it was left.
knobs > /tmp/now
cmp -s <(grep xps /tmp/found) <(grep xps /tmp/now) || fail "masks of ours are left after a stop: $(show)"
echo "an administrator's mask was left, the others are as found"

for queue in "${!irqs[@]}"; do echo ff > "$QUEUES/tx-$queue/xps_cpus"; done
# virtio-net has next to no interrupt of what was sent, so those do not arrive.
for irq in "${vectors[@]}"; do pin "$irq" 0; done
wait_until 30 all_on 0 "${irqs[@]}" || fail "queues on CPU ${cpus[*]}, not on 0"
service_start
wait_until 60 moved || fail "not moved: CPUs ${cpus[*]}"
nap 30
for queue in "${!irqs[@]}"; do
	assert_equal ff "$(xps "$queue" | tail -c 3)" "mask of queue $queue, set before the daemon"
done
echo "masks that were set before the daemon are as they were"
