#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# bounded.sh FUZZER CORPUS RUNS : the same RUNS inputs each time. What the fuzzer finds on its way
# goes to a folder of its own, as libFuzzer writes to the first it is given; an input that breaks the
# parser is kept beside the fuzzer.
set -euo pipefail
fuzzer=$1 corpus=$2 runs=$3

[[ -n $(ls -A "$corpus") ]] || {
	echo "no seeds in $corpus"
	exit 1
}
found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT
"$fuzzer" -seed=1 -runs="$runs" -max_len=4096 -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 \
	-verbosity=0 -artifact_prefix="$fuzzer-" "$found" "$corpus"
