#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# licence.sh SOURCE_DIR : every source says its licence in its first three lines.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
cd "$1"

mapfile -t files < <(
	{
		find include src tests bench cmake -name '*.[ch]' -o -name '*.in' -o -name '*.cmake' -o -name '*.sh' \
			-o -name CMakeLists.txt
		find dev .ci conf systemd man tests bench -type f ! -path '*/corpus/*' \
			-exec grep -lE -m 1 '^#!/bin/' {} +
		echo CMakeLists.txt
	} | sort -u
)
for file in "${files[@]}"; do
	head -n 3 "$file" | grep -q 'SPDX-License-Identifier: GPL-2.0' || fault "$file: no SPDX line"
done
finish "${#files[@]}" files
