#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lab-packages: applications
# lab-seconds: 4500
# A director without a balancer, with a queue on each CPU, under irqbalance, under nicbalance: nothing may fail, the daemon
# may take little, and requests and their latency may not suffer beside the same placement by hand.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/director.sh
. /lab/guest/director.sh

need_product
director_start
columns_prepare
for phase in many one; do
	measure_rounds "$phase" 5
	table "$phase" start rate p50 p99 most failed resets timeouts lost net_rx std cost
	judge "$phase" failed resets
done
verdict
