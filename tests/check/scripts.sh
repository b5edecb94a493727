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
# Each takes a second, for what it sources is read again.
# shellcheck disable=SC2016 # the variable is the inner shell's
mapfile -t faulty < <(printf '%s\0' "${scripts[@]}" |
	xargs -0 -P "$(nproc)" -I{} sh -c 'shellcheck --external-sources "$1" >&2 || echo "$1"' sh {})
for script in "${faulty[@]}"; do fault "$script"; done
for script in "${scripts[@]}"; do
	[[ $(head -n 1 "$script") != '#!'* ]] || begins_strictly "$script" ||
		fault "$script: does not begin with set -euo pipefail"
done
finish "${#scripts[@]}" scripts
