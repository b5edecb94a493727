#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# fuzzers.sh SOURCE_DIR : every parser that a header of src/ declares is called by a fuzzer, and every
# fuzzer is built and has seeds.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
cd "$1"

# Parsers without a fuzzer, with the reason.
declare -A without=(
	[nb_ctl_options_parse]='the command line, by the one who runs it'
)

parsers=0
while read -r parser; do
	parsers=$((parsers + 1))
	if [[ -v without[$parser] ]]; then
		! grep -qw "$parser" tests/fuzz/*.c || fault "$parser has a fuzzer: drop its line"
	else
		grep -qw "$parser" tests/fuzz/*.c || fault "$parser: no fuzzer calls it"
	fi
done < <(grep -hoE '\bnb_[a-z0-9_]*parse[a-z0-9_]*\(' src/*/*.h | tr -d '(' | sort -u)
for source in tests/fuzz/fuzz_*.c; do
	name=${source#tests/fuzz/fuzz_} name=${name%.c}
	grep -q "^nb_fuzzer($name " tests/fuzz/CMakeLists.txt || fault "$source is not built"
	[[ -n $(ls "tests/fuzz/corpus/$name" 2> /dev/null) ]] || fault "$source has no seeds"
done
finish "$parsers" parsers
