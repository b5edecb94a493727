#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lab-load: outside
# lab-seconds: 7200
# Both queues of a NIC on one CPU, and more packets than it manages: what nicbalance makes of it, beside nothing at all,
# a placement by hand and irqbalance.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/gain.sh
. /lab/guest/gain.sh

need_product
gain_compare 0-1
