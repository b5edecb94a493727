#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A tunnel that carries Ethernet: it is recognised if it is bound to no device, and RPS looks inside.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/tunnel.sh
. /lab/guest/tunnel.sh

need_product

tunnel_is_advised gretap
tunnel_is_spread
