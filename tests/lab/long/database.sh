#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lab-packages: applications
# lab-seconds: 4500
# Databases without a balancer, with a queue on each CPU, under irqbalance, under nicbalance: nothing may fail, the daemon may
# take little, and transactions and their latency may not suffer beside the same placement by hand.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/database.sh
. /lab/guest/database.sh

need_product
databases_start
columns_prepare
for phase in postgres redis; do
	measure_rounds "$phase" 5
	table "$phase" start rate deviation p50 p99 failed resets timeouts net_rx std cost
	judge "$phase" failed resets
done
verdict
