#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lab-packages: applications
# lab-clock: instructions
# lab-seconds: 4500
# What nicbalance takes from a director's requests, once it has placed the queues.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/director.sh
. /lab/guest/director.sh

need_product
director_start
columns_prepare
for phase in many one; do
	measure_cost "$phase"
	table "$phase" start rate p50 p99 most failed resets timeouts lost net_rx std cost
	judge "$phase" failed resets
done
verdict
