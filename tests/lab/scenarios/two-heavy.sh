#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Two queues of eight are too much for the CPU that polls both, the others have next to nothing to do: the two are polled
# apart within seconds, neither where the application is nor beside each other, and no CPU is idle beside a full one.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/saturated.sh
. /lab/guest/saturated.sh

need_product

lay_two
busy_napis 2
echo "before: CPU 3 manages $capacity packets a second, now $served, $full of 10 polls full; $(napis); $(busy_percents 2)"

assert_relieved "$capacity" 2 "$GENERATOR_CPU"

places() { echo "CPUs $(irq_cpu "${irqs[one]}") and $(irq_cpu "${irqs[two]}")"; }
placed=$(places)
# Half the pace: a busy host may take from an emulated CPU what made it enough.
pace_two $((capacity * 35 / 100))
nap 25
polled_apart 2 "$GENERATOR_CPU" || fail "not apart any more: $(napis)"
echo "25 s later: $(napis); $(busy_percents 3)"
assert_equal "$placed" "$(places)" "where the interrupts of the heavy queues are"

# Where emulated CPUs share cores, two busy ones are full at less than one was; RPS for that ends with the load.
pace_two $((capacity * 7 / 100))
paced=$EPOCHREALTIME
wait_until 150 no_rps || fail "RPS is still set $(since "$paced") s after the queues have little to do"
echo "no RPS $(since "$paced") s after they have little to do"
service_active || fail "the service is not active"
