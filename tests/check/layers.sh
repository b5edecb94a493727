#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# layers.sh SOURCE_DIR : arrows between the folders of src/, and between the subfolders of one folder,
# go one way. Every #include is held against the table below; a folder without a row is a fault, and so
# is a row that docs/ARCHITECTURE.md does not have.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
cd "$1"

# Which folders a folder may include, besides itself and include/nicbalance. A subfolder ([sample/parse])
# may include at most what its folder may, and other subfolders that its row names; files of the
# folder itself stand above all of its subfolders.
declare -A may=(
	[base]=''
	[sysroot]='base'
	[netlink]='base'
	[bpf]='base'
	[loader]='bpf'
	[sample]='sysroot netlink bpf base'
	[sample/parse]=''
	[sample/topology]='sysroot base'
	[sample/drivers]='sysroot netlink base'
	[sample/discover]='sample/parse sample/topology sample/drivers sysroot netlink base'
	[model]='base'
	[plan]='base'
	[verify]='base'
	[apply]='sysroot netlink base'
	[owners]='apply sysroot netlink base'
	[claims]='sysroot base'
	[config]='sysroot base'
	[document]='config base'
	[publish]='document config trace base'
	[varlink]='publish document claims base'
	[sim]='base'
	[trace]='base'
	[loop]='model plan verify base'
	[rehearse]='sim trace loop model plan verify base'
	[daemon]='sample loop model plan apply owners claims verify varlink publish document config trace bpf netlink sysroot base'
	[ctl]='rehearse document sim trace config sysroot base ctl/bus ctl/report ctl/show'
	[ctl/bus]='document base'
	[ctl/report]='rehearse document sim trace config sysroot base ctl/show'
	[ctl/show]='document base'
)
# Libraries that only some folders may know.
declare -A only_in=(
	[systemd/]='publish varlink daemon ctl'
	[systemd/sd-varlink]='varlink'
	[systemd/sd-json]='varlink'
	[jansson.h]='document ctl'
	[libsmartcols/]='ctl'
	[zlib.h]='ctl'
	[netlink/]='netlink'
	[bpf/]='bpf loader'
	[linux/]='netlink sysroot bpf loader'
	[sys/socket.h]='netlink bpf loader publish daemon ctl'
)

has_word() { [[ " $1 " == *" $2 "* ]]; }

# check_include FILE FOLDER NAME : one #include "NAME". FOLDER may be a subfolder.
check_include() {
	local file=$1 folder=$2 top=${2%%/*} target=${3%/*}

	case $target in
	nicbalance | "$folder") return ;;
	version.h) return ;; # made by cmake/version.h.in
	esac
	[[ $folder != nicbalance ]] || {
		fault "$file: the nouns include \"$3\", but may include each other alone"
		return
	}
	if [[ ${target%%/*} == "$top" ]]; then
		[[ $folder != "$top" ]] || return 0
	else
		target=${target%%/*}
		has_word "${may[$top]}" "$target" || fault "$file: $top may not use $3"
	fi
	has_word "${may[$folder]}" "$target" || fault "$file: $folder may not use $3"
}

check_system_include() {
	local file=$1 folder=${2%%/*} prefix

	for prefix in "${!only_in[@]}"; do
		[[ $3 == "$prefix"* ]] || continue
		has_word "${only_in[$prefix]}" "$folder" || fault "$file: $folder may not use <$3>"
	done
}

for folder in "${!may[@]}"; do
	echo "${folder%/*} $folder"
	for target in ${may[$folder]}; do
		echo "$folder $target"
	done
done | tsort > /dev/null 2>&1 || fault "the rows go round in a circle"

# The table that people read says the same: | `folder` | what it does | what it may use |
sorted() { tr ' ' '\n' <<< "$1" | sort | tr '\n' ' '; }
declare -A told=()
while IFS='|' read -r _ folder _ uses _; do
	folder=${folder//[\` ]/}
	uses=${uses//,/}
	told[$folder]=$(xargs <<< "${uses/ - /}")
	[[ -v may[$folder] && $(sorted "${may[$folder]}") == $(sorted "${told[$folder]}") ]] ||
		fault "docs/ARCHITECTURE.md: $folder uses ${told[$folder]:-nothing}, here ${may[$folder]-no row}"
done < <(sed -n '/^| folder |/,/^$/p' docs/ARCHITECTURE.md | grep "^| \`")
for folder in "${!may[@]}"; do
	[[ -v told[$folder] ]] || fault "docs/ARCHITECTURE.md: no row for $folder"
done

files=0
for path in src/*/ src/*/*/ include/nicbalance/; do
	[[ -e $path ]] || continue
	folder=${path#*/}
	folder=${folder%/}
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
