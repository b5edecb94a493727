#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lab-load: outside
# lab-seconds: 7200
# As gain, with an application that keeps CPU 1 busy three fifths of the time: there what is best depends on both.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/gain.sh
. /lab/guest/gain.sh

need_product
gain_beside_application 0-0 0-1 1-0 1-1
