#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# machines.sh SOURCE_DIR : every machine of tests/sysroots can be unpacked; what was captured, there or on this host,
# comes out of its tree as it went in; and a file with a fault is refused by its line, with nothing written.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
cd "$1"
source=$PWD
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

unpack() { "$source/tests/support/unpack-machine" "$@"; }
capture() { "$source/tests/support/capture-machine" "$@"; }
entries_of() { grep -v '^#' "$1"; }

# goes_round FILE [OPTION...] : into a tree, and captured there again
goes_round() {
	local file=$1 tree=$tmp/${1##*/}.tree
	shift
	unpack "$file" "$tree" || { fault "$file: cannot be unpacked"; return; }
	capture --root "$tree" "$@" > "$tmp/again"
	diff <(entries_of "$file") <(entries_of "$tmp/again") || fault "$file: comes out otherwise"
}

# is_host FILE... : of a tree, the current directory, that was captured here
is_host() {
	local path
	(($# > 2)) || fault "next to nothing of this host was captured"
	for path; do cmp "$path" "/$path" || fault "this host: $path is not what it was"; done
}

# refused LINE TEXT... : a file of these lines, by that one
refused() {
	local said
	printf '%s\n' "${@:2}" > "$tmp/bad"
	! said=$(unpack "$tmp/bad" "$tmp/none" 2>&1) || fault "accepted: ${*:2}"
	[[ $said == "$tmp/bad:$1: "* ]] || fault "does not name line $1 of '${*:2}': $said"
	[[ ! -e $tmp/none ]] || fault "written in part: ${*:2}"
}

machines=(tests/sysroots/*.machine)
for file in "${machines[@]}"; do
	read -r first < "$file"
	case $first in
	'# Captured by capture-machine --counters'*) goes_round "$file" --counters ;;
	'# Captured by capture-machine'*) goes_round "$file" ;;
	'# Made by hand from '*) unpack "$file" "$tmp/${file##*/}.tree" || fault "$file: cannot be unpacked" ;;
	*) fault "$file: does not begin with where it comes from" ;;
	esac
done

capture > "$tmp/host"
goes_round "$tmp/host"
cd "$tmp/host.tree"
is_host proc/cmdline sys/devices/system/cpu/{online,cpu*/topology/*} proc/irq/*/node sys/kernel/irq/*/actions \
	sys/class/net/*/ifindex
cd "$source"

unpack <(printf '%s\n' '# a comment' '' 'a/{0-1,3}/b{5,6} = x = y -> z' '0444 a/0/c =' 'e/f' $'\tone' $'\t' $'\t\ttwo' \
	'empty' 'a/{0-1}/d/' 'l -> ../../a b') "$tmp/all"
[[ $(cd "$tmp/all" && find . | sort | paste -sd' ') == ". ./a ./a/0 ./a/0/b5 ./a/0/b6 ./a/0/c ./a/0/d ./a/1 ./a/1/b5 \
./a/1/b6 ./a/1/d ./a/3 ./a/3/b5 ./a/3/b6 ./e ./e/f ./empty ./l" ]] || fault "the format: not the paths it says"
[[ $(cat "$tmp/all/a/3/b6") == 'x = y -> z' && $(cat "$tmp/all/e/f") == $'one\n\n\ttwo' && ! -s $tmp/all/empty ]] ||
	fault "the format: not the content it says"
[[ $(stat -c %a "$tmp/all/a/0/c" "$tmp/all/a/0/b5") == $'444\n644' && $(readlink "$tmp/all/l") == '../../a b' ]] ||
	fault "the format: not the mode or the target it says"

refused 1 '/etc/passwd = x'
refused 1 'a/../../b = x'
refused 1 'a//b = x'
# shellcheck disable=SC2016 # must not be expanded
refused 2 'a = x' 'x[$(touch /tmp/x)] = x'
refused 2 'a = x' 'a = y'
refused 2 'a = x' 'a/b = y'
refused 3 '' 'a/b = x' 'a -> ..'
refused 2 'a -> ..' 'a/b = x'
refused 1 'a{3-1} = x'
refused 1 'a{} = x'
refused 1 'a{0-9999999} = x'
refused 1 'a{1 = x'
refused 1 'a{x} = x'
refused 2 'a = x' $'\ty'
refused 1 $'\ty'
refused 1 'a b'
refused 1 '0444 a/'
refused 1 'a/ = x'
refused 1 '0444 a -> b'
finish "${#machines[@]}" machines
