#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# scripts.sh SOURCE_DIR : shellcheck has nothing to say about any script.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
cd "$1"
command -v shellcheck > /dev/null || skip "shellcheck is not installed"

mapfile -t scripts < <(
	find dev .ci conf systemd man tests -type f ! -name '*.[ch]' ! -path '*/corpus/*' \
		! -path 'tests/sysroots/*' -exec grep -lE -m 1 '^#!/bin/(ba)?sh|^# shellcheck shell=' {} + | sort
)
for script in "${scripts[@]}"; do
	shellcheck --external-sources "$script" || fault "$script"
done
finish "${#scripts[@]}" scripts
