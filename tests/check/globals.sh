#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# globals.sh ALLOWED OBJECT-LIST-FILE : no variable outlives a call. Whatever can be written lives in
# a struct that its owner holds. OBJECT-LIST-FILE names object files and static libraries, one a line.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

mapfile -t objects < <(sed '/^$/d' "$2")
need_files "${objects[@]}"
((${#objects[@]})) || finish 0 objects
is_instrumented "${objects[@]}" && skip "the symbols of this build are not the program's own (sanitizers, coverage)"

declare -A allowed=()
while read -r symbol; do
	allowed[$symbol]=1
done < <(entries "$1")

# .data.rel.ro is constant once the loader is done with it: tables of strings in a -fPIE build.
# A static variable inside a function gets a number behind its name.
while read -r object symbol section; do
	symbol=${symbol%%.[0-9]*}
	[[ ! -v allowed[$symbol] ]] || {
		allowed[$symbol]=seen
		continue
	}
	fault "$object: $symbol can be written ($section)"
done < <(for object in "${objects[@]}"; do
	objdump --syms -- "$object"
done | awk '
	/file format/ { sub(/:.*/, ""); object = $0; next }
	/ [ O]+ *\.(data|bss|tdata|tbss)/ && $0 !~ /\.data\.rel\.ro/ || / \*COM\*/ {
		section = ""
		for (i = 1; i <= NF; i++)
			if ($i ~ /^\.(data|bss|tdata|tbss)/ || $i == "*COM*") { section = $i; break }
		if ($NF != section) print object, $NF, section
	}')

for symbol in "${!allowed[@]}"; do
	[[ ${allowed[$symbol]} == seen ]] || fault "$symbol is allowed by ${1##*/} but is no more"
done
finish "${#objects[@]}" objects
