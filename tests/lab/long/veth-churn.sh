#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lab-seconds: 900
# A host with a thousand veths, of which some come and go all the time, as where containers run: that is no news, and
# brings no rescans. An emulated CPU is many times slower than one, so what counts is what is taken beside a minute at
# rest, and beside one rescan. What makes the veths keeps a CPU busy, in softirqs too (RCU), so that cycles take the place
# of idle checks, and the programs are attached for a while.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

need_product
PAIRS=${VETH_PAIRS:-500}
SECONDS_WATCHED=61 # of which one begins a rescan, as in each minute

pid=
# ticks : of a hundredth of a second, what the daemon has taken so far of all CPUs.
ticks() { awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$pid/stat"; }

# spend COMMAND... : the ticks that pass meanwhile.
spend() {
	local before
	before=$(ticks)
	"$@"
	spent=$(($(ticks) - before))
}

# A pair every tenth of a second is twenty devices that come, and as many that go.
churn() {
	local n=0
	while :; do
		ip -batch - <<-END
		link add churn0 type veth peer name churn1
		link del churn0
		END
		n=$((n + 1))
		echo $n > /tmp/churned
		nap 0.1
	done
}

for ((i = 0; i < PAIRS; i++)); do
	echo "link add veth$i type veth peer name peer$i"
done | ip -batch -
udevadm settle --timeout 180
service_start
pid=$(systemctl show -P MainPID nicbalanced)
nap 30 # the programs are loaded

spend nap $SECONDS_WATCHED
rest=$spent
echo "$((2 * PAIRS)) veths at rest: $rest ticks of CPU time in $SECONDS_WATCHED s"

reload_and_wait() { nicbalancectl reload > /dev/null && nap 3; }
spend reload_and_wait
rescan=$spent
echo "a reload with its rescan: $rescan ticks"

echo 0 > /tmp/churned
churn &
churner=$!
nap 1
begin=$(< /tmp/churned)
spend nap $SECONDS_WATCHED
pairs=$(($(< /tmp/churned) - begin))
kill $churner
wait $churner || true
echo "with $pairs pairs that came and went: $spent ticks"
nicbalancectl status | head -n 6
assert_at_least $((2 * SECONDS_WATCHED)) "$pairs" "pairs that came and went"
assert_at_most $((rest + 3 * rescan)) "$spent" "ticks of CPU time under churn, beside $rest at rest"
