# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What every check says: each fault on a line of its own, then what was looked at. A check that
# looked at nothing has failed: most likely a folder was renamed under it.

faults=0

fault() {
	printf '%s\n' "$*"
	faults=$((faults + 1))
}

# ctest reads exit status 77 as skipped.
skip() {
	printf 'skipped: %s\n' "$*"
	exit 77
}

# finish COUNT THING : the closing line and the exit status of a check.
finish() {
	printf '%d %s, %d faults\n' "$1" "$2" "$faults"
	(($1 > 0)) || {
		echo "looked at nothing"
		exit 1
	}
	((faults == 0)) || exit 1
	exit 0
}

# entries FILE : a list without its comments and empty lines.
entries() {
	sed -e 's/[[:space:]]*#.*$//' -e '/^[[:space:]]*$/d' "$1"
}

# need_files FILE... : what is not there cannot be looked at.
need_files() {
	local file

	for file; do
		[[ -e $file ]] || fault "$file is not there"
	done
	((faults == 0)) || finish 0 objects
}

# is_instrumented OBJECT... : sanitizers and coverage add symbols of their own.
is_instrumented() {
	# Not grep -q: it would end before nm does, which pipefail takes for a failure.
	nm -- "$@" 2> /dev/null | grep -E ' (__asan|__ubsan|__gcov|__llvm_profile|__sanitizer)_' > /dev/null
}
