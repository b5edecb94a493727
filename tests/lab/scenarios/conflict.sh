#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Two balancers must not run: starting one stops the other.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

need_product

systemctl start irqbalance
systemctl -q is-active irqbalance || fail "irqbalance does not start"
service_start
! systemctl -q is-active irqbalance || fail "irqbalance still runs beside nicbalanced"
service_active || fail "the service is not active"
nap 2
service_active || fail "the service did not stay"
