#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lab-packages: applications
# lab-clock: instructions
# lab-seconds: 4500
# What nicbalance takes from databases, once it has placed the queues.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/database.sh
. /lab/guest/database.sh

need_product
databases_start
columns_prepare
for phase in postgres redis; do
	measure_cost "$phase"
	table "$phase" start rate deviation p50 p99 failed resets timeouts net_rx std cost
	judge "$phase" failed resets
done
verdict
