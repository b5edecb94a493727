#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# format.sh SOURCE_DIR : every C file is as clang-format leaves it. Versions differ in small things;
# the one of Debian 12 decides.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
cd "$1"
version=14

formatter=
for candidate in clang-format-$version clang-format; do
	command -v "$candidate" > /dev/null || continue
	[[ $("$candidate" --version) == *"version $version."* ]] || continue
	formatter=$candidate
	break
done
[[ $formatter ]] || skip "clang-format $version is not installed"

mapfile -t files < <(find include src tests bench -name '*.[ch]' | sort)
while read -r file; do
	fault "$file: run $formatter -i on it"
done < <(printf '%s\0' "${files[@]}" | xargs -0 -P 2 -n 20 "$formatter" --dry-run --Werror 2>&1 |
	sed -nE 's/^([^:]+):[0-9]+:[0-9]+: error:.*/\1/p' | sort -u)
finish "${#files[@]}" files
