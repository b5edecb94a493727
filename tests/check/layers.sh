#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# layers.sh SOURCE_DIR : arrows between the folders of src/ go one way. Every #include is held
# against the table below; a folder without a row is a fault.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
cd "$1"

# Which folders a folder may include, besides itself and include/nicbalance.
declare -A may=(
	[base]=''
	[sysroot]='base'
	[netlink]='base'
	[bpf]='base'
	[loader]='bpf'
	[sample]='sysroot netlink bpf base'
	[model]='base'
	[plan]='base'
	[verify]='base'
	[apply]='sysroot netlink base'
	[config]='sysroot base'
	[publish]='config trace sysroot base'
	[sim]='base'
	[trace]='base'
	[loop]='model plan verify base'
	[rehearse]='sim trace loop model plan verify base'
	[daemon]='sample loop model plan apply verify publish config trace bpf netlink sysroot base'
	[ctl]='rehearse sim trace config sysroot base'
)
# Libraries that only some folders may know.
declare -A only_in=(
	[systemd/]='publish daemon ctl'
	[libsmartcols/]='ctl'
	[zlib.h]='ctl'
	[netlink/]='netlink'
	[bpf/]='bpf loader'
	[linux/]='netlink sysroot bpf loader'
	[sys/socket.h]='netlink bpf loader publish daemon ctl'
)

has_word() { [[ " $1 " == *" $2 "* ]]; }

# check_include FILE FOLDER NAME : one #include "NAME"
check_include() {
	local file=$1 folder=$2 target=${3%%/*}

	case $target in
	nicbalance | "$folder") return ;;
	version.h) return ;; # made by cmake/version.h.in
	esac
	[[ $folder != nicbalance ]] || {
		fault "$file: the nouns include \"$3\", but may include each other alone"
		return
	}
	has_word "${may[$folder]}" "$target" || fault "$file: $folder may not use $3"
}

check_system_include() {
	local file=$1 folder=$2 prefix

	for prefix in "${!only_in[@]}"; do
		[[ $3 == "$prefix"* ]] || continue
		has_word "${only_in[$prefix]}" "$folder" || fault "$file: $folder may not use <$3>"
	done
}

files=0
for path in src/*/ include/nicbalance/; do
	folder=$(basename "$path")
	[[ $folder == nicbalance || -v may[$folder] ]] || {
		fault "$path: no row says what it may use"
		continue
	}
	for file in "$path"*.[ch]; do
		[[ -e $file ]] || continue
		files=$((files + 1))
		while read -r kind name; do
			case $kind in
			own) check_include "$file" "$folder" "$name" ;;
			system) check_system_include "$file" "$folder" "$name" ;;
			esac
		done < <(sed -nE -e 's/^[[:space:]]*#[[:space:]]*include[[:space:]]+"([^"]+)".*/own \1/p' \
			-e 's/^[[:space:]]*#[[:space:]]*include[[:space:]]+<([^>]+)>.*/system \1/p' "$file")
	done
done
finish "$files" files
