#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# mutants.sh SOURCE_DIR : what tests/mutate/mutants.list wants to replace is there once, so that a run of it, which
# takes long, does not stop half way.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
cd "$1"
list=tests/mutate/mutants.list

# times FILE TEXT : how often TEXT, with \t and \n for themselves, is in the file.
times() {
	TEXT=$2 perl -0ne 'my $text = $ENV{TEXT}; $text =~ s/\\t/\t/g; $text =~ s/\\n/\n/g;
		my $n = () = /\Q$text\E/g; print $n;' "$1"
}

mutants=0
while IFS=$'\t' read -r file old new; do
	mutants=$((mutants + 1))
	if [[ ! -s $file ]]; then
		fault "$list: there is no $file"
	elif [[ $(times "$file" "$old") != 1 ]]; then
		fault "$list: $file: \"$old\" is not there once"
	elif [[ $old == "$new" ]]; then
		fault "$list: $file: \"$old\" stays the same"
	fi
done < <(grep -v '^#' "$list")
finish "$mutants" mutants
