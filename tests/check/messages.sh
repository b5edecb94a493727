#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# messages.sh SOURCE_DIR : message_ids.h, the journal catalog and the manual page know the same messages.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
cd "$1"
header=src/publish/message_ids.h
catalog=systemd/nicbalance.catalog
page=man/nicbalanced.8.scd

ids_in() { grep -oE '\b[0-9a-f]{32}\b' "$1" | sort; }

mapfile -t ids < <(ids_in "$header")
[[ -z $(ids_in "$header" | uniq -d) ]] || fault "$header: used twice: $(ids_in "$header" | uniq -d | tr '\n' ' ')"
[[ -z $(grep '^-- ' "$catalog" | sort | uniq -d) ]] || fault "$catalog: an entry stands twice"
for id in "${ids[@]}"; do
	grep -q "^-- $id\$" "$catalog" || fault "$catalog: no entry for $id"
	grep -q "$id" "$page" || fault "$page: no word about $id"
done
for file in "$catalog" "$page"; do
	while read -r id; do
		fault "$file: $id is not in $header"
	done < <(comm -13 <(ids_in "$header" | uniq) <(ids_in "$file" | uniq))
done
finish "${#ids[@]}" messages
