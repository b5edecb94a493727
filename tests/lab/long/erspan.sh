#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# An ERSPAN tunnel is recognised; RPS does not look inside, hands all of it to one CPU, and is taken back.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/tunnel.sh
. /lab/guest/tunnel.sh

need_product

tunnel_is_advised erspan seq key 79 erspan_ver 1 erspan 79
wait_until 90 is_told "steering did not help" || { show_status; fail "RPS was not tried, or stayed"; }
no_rps || fail "a mask is left after it did not help"
show_status
