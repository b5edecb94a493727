#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# clocks.sh SOURCE_DIR : tests that run no program neither sleep nor ask the clock.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
cd "$1"

calls='[a-z_]*sleep|clock_gettime|gettimeofday|time|g_get_(monotonic|real)_time|g_date_time_new_now[a-z_]*'
files=0
for file in tests/{unit,property,replay,fuzz}/*.[ch] tests/unit/*/*.[ch]; do
	[[ -e $file ]] || continue
	files=$((files + 1))
	while read -r line; do
		fault "$file:$line"
	done < <(grep -nwE "($calls)\\(" "$file")
done
finish "$files" files
