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

mapfile -t files < <(find include src tests -name '*.[ch]' | sort)
for file in "${files[@]}"; do
	"$formatter" --dry-run --Werror "$file" > /dev/null 2>&1 || fault "$file: run $formatter -i on it"
done
finish "${#files[@]}" files
