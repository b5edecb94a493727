#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# purity.sh ALLOWED LIBRARY... : the given static libraries need nothing but each other and the
# functions named in ALLOWED. So they cannot read a file, the clock or the environment, and cannot log.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
allowed=$1
shift
need_files "$@"
(($#)) || finish 0 libraries

is_instrumented "$@" && skip "the symbols of this build are not the program's own (sanitizers, coverage)"

# An entry may be a pattern ("g_array_*").
mapfile -t patterns < <(entries "$allowed")
is_allowed() {
	local pattern
	for pattern in "${patterns[@]}"; do
		# shellcheck disable=SC2053 # the right side is a pattern
		[[ $1 != $pattern ]] || return 0
	done
	return 1
}

declare -A defined=()
while read -r symbol; do
	defined[$symbol]=1
done < <(nm --defined-only --format=posix -- "$@" | awk 'NF > 1 && $2 ~ /[A-Z]/ { print $1 }')

symbols=0
while read -r object symbol; do
	[[ ! -v defined[$symbol] ]] || continue
	symbols=$((symbols + 1))
	is_allowed "$symbol" || fault "$object needs $symbol, which ${allowed##*/} does not allow"
done < <(nm --undefined-only --format=posix -A -- "$@" | awk '{ sub(/.*\[/, "", $1); sub(/\]:$/, "", $1); print $1, $2 }')
printf '%d functions of others are needed\n' "$symbols"
finish "$#" libraries
