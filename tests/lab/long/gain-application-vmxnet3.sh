#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lab-nics: vmxnet3
# lab-load: outside
# lab-seconds: 7200
# As gain-application, with vmxnet3, of which one queue receives: on either CPU, or handed on to one or both.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/gain.sh
. /lab/guest/gain.sh

need_product
gain_beside_application 0-0 1-1 rps-2 rps-3
