#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# scripts.sh SOURCE_DIR : shellcheck has nothing to say about any script, and each begins by setting -u and pipefail,
# most -e as well: where something is unset or missing they must not go on, and write who knows where.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
cd "$1"
command -v shellcheck > /dev/null || skip "shellcheck is not installed"

# begins_strictly SCRIPT : before anything else but comments.
begins_strictly() { [[ $(grep -vE -m 1 '^(#|$)' "$1") =~ ^set\ -e?uo\ pipefail$ ]]; }

mapfile -t scripts < <(
	find dev .ci conf systemd man tests bench -type f ! -name '*.[ch]' ! -path '*/corpus/*' \
		-exec grep -lE -m 1 '^#!/bin/(ba)?sh|^# shellcheck shell=' {} + | sort
)
for script in "${scripts[@]}"; do
	shellcheck --external-sources "$script" || fault "$script"
	[[ $(head -n 1 "$script") != '#!'* ]] || begins_strictly "$script" ||
		fault "$script: does not begin with set -euo pipefail"
done
finish "${#scripts[@]}" scripts
