#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lab-seconds: 900
# XPS masks follow the interrupts of igb's queues, whose driver sets none.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/xps.sh
. /lab/guest/xps.sh
