#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# mutants.sh SOURCE_DIR : the list of mutants fits the sources.
set -euo pipefail
exec "$(dirname "$0")/../mutate/run" --check "$1"
