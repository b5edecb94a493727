#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# mirror.sh SOURCE_DIR : src/<folder>/<file>.c has its test in tests/unit/<folder>/test_<file>.c (of daemon
# and ctl in tests/daemon and tests/cli), or a line in covered-elsewhere.list that names the test which covers it.
# Subfolders are mirrored, too.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
cd "$1"
list=tests/check/covered-elsewhere.list

declare -A elsewhere=()
while read -r source test; do
	elsewhere[$source]=$test
	[[ -e $source ]] || fault "$list: there is no $source"
	[[ -e $test ]] || fault "$list: $source names $test, which is not there"
	grep -Eq 'assert|fail|expect' "$test" 2> /dev/null || fault "$list: $test claims nothing"
done < <(entries "$list")

# The daemon's parts are tested in the daemon as a whole, in virtual time; nicbalancectl's beside the programs.
declare -A tests_of=([daemon]=tests/daemon [ctl]=tests/cli)

sources=0
for folder in src/*/; do
	folder=$(basename "$folder")
	for source in src/"$folder"/*.c src/"$folder"/*/*.c; do
		[[ -e $source ]] || continue
		sources=$((sources + 1))
		own=${source%/*}/test_${source##*/}
		own=${tests_of[$folder]:-tests/unit/$folder}/${own#src/"$folder"/}
		if [[ -e $own ]]; then
			[[ ! -v elsewhere[$source] ]] || fault "$list: $source has its own test: drop the line"
			grep -q 'assert_\|fail' "$own" || fault "$own asserts nothing"
		elif [[ ! -v elsewhere[$source] ]]; then
			fault "$source: neither $own nor a line in $list"
		fi
	done
done
finish "$sources" sources
