#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A GRE tunnel.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/tunnel.sh
. /lab/guest/tunnel.sh

need_product

tunnel_is_advised gre
tunnel_is_spread
