#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lab-load: outside
# lab-nics: vmxnet3
# lab-seconds: 900
# Queues whose NAPIs never finish, and ways to have them follow their interrupts. It measures; it does not judge.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/unstick.sh
. /lab/guest/unstick.sh

# QEMU's vmxnet3 receives on its first queue alone, so that is the one to move.
goal=(1 1)
unstick_prepare
unstick 2 26 nothing rps-all-0.02 rps-all-0.1 rps-all-0.3 rps-short-0.1 placed-0.5 defer-0.5 drop-0.1 ring-0.1
unstick 1 12 nothing rps-all-0.02 rps-all-0.1 rps-short-0.1
unstick 1 100 nothing rps-all-0.02 rps-all-0.1 rps-short-0.1
unstick_table
