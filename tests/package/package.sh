#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# package.sh CMAKE BUILD_DIR VERSION : installs the build below a temporary directory as a package
# would, and looks at what is there: all of it, nothing else, and fit to be used.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../check/lib.sh
. "$(dirname "$0")/../check/lib.sh"
cmake=$1 build=$2 version=$3

# The exposure that systemd may find in the unit at most, times ten. What is left is the work itself: the host's
# network (0.5), root's right to its files (0.4), the three capabilities and bpf() (0.5), netlink and its own
# socket (0.2), /proc, /sys and the users of both as they are (0.6).
exposure_max=17

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
DESTDIR=$tree "$cmake" --install "$build" --prefix /usr > "$tree/install.log" || {
	cat "$tree/install.log"
	exit 1
}
rm "$tree/install.log"

looked=0
# has PATTERN : a file of that name, which may be a pattern, and which is not empty.
has() {
	local path

	looked=$((looked + 1))
	for path in $tree/$1; do
		[[ ! -s $path ]] || return 0
	done
	fault "$1 is not installed"
}

has usr/sbin/nicbalanced
has usr/bin/nicbalancectl
has usr/lib/systemd/system/nicbalanced.service
has usr/lib/systemd/system/nicbalance-restore.service
has usr/lib/systemd/catalog/nicbalance.catalog
has usr/lib/nicbalance/profiles/db.conf
has usr/share/dbus-1/system.d/org.nicbalance1.conf
has usr/share/dbus-1/interfaces/org.nicbalance1*.xml
has usr/share/dbus-1/system-services/org.nicbalance1.service
has usr/share/nicbalance/status.schema.json
has usr/share/nicbalance/owners.schema.json
has usr/share/doc/nicbalance/place-threads.conf
has etc/nicbalance/nicbalance.conf
has usr/share/bash-completion/completions/nicbalancectl
has usr/share/bash-completion/completions/nicbalanced
if [[ $("$tree/usr/sbin/nicbalanced" --version) == *"Varlink interface org.nicbalance.Constraints"* ]]; then
	has usr/share/nicbalance/org.nicbalance.Constraints.varlink
fi
if command -v scdoc > /dev/null; then
	has 'usr/share/man/man8/nicbalanced.8*'
	has 'usr/share/man/man1/nicbalancectl.1*'
	has 'usr/share/man/man5/nicbalance.conf.5*'
fi

# The daemon finds the module by a search path of its own, which begins at itself.
has_loader() {
	local path

	looked=$((looked + 1))
	path=$(objdump -p "$tree/usr/sbin/nicbalanced" | awk '$1 ~ /^(RPATH|RUNPATH)$/ { print $2 }')
	[[ -s ${path/\$ORIGIN/$tree/usr/sbin}/nicbalance-loader-$version.so ]] ||
		fault "there is no nicbalance-loader-$version.so in ${path:-the search path of nicbalanced}"
}
has_loader

while read -r path; do
	fault "$path: nothing belongs there"
done < <(cd "$tree" && find . -mindepth 1 -maxdepth 2 ! -path './usr' ! -path './usr/bin' ! -path './usr/sbin' \
	! -path './usr/lib' ! -path './usr/share' ! -path './etc' ! -path './etc/nicbalance')
while read -r file; do
	fault "$file can be written by others"
done < <(find "$tree" -type f -perm /022)
while read -r file; do
	fault "$file speaks of the directory it was built in"
done < <(grep -rlIF -e "$tree" -e "$build" "$tree" || true)

# runs PROGRAM : from where it was installed, and is this version.
runs() {
	local output

	looked=$((looked + 1))
	output=$("$tree/$1" --version) || fault "$1 --version: exit status $?"
	[[ $output == *"$version"* ]] || fault "$1 --version says '$output', wanted $version"
}
runs usr/sbin/nicbalanced
runs usr/bin/nicbalancectl

# completes PROGRAM : each of its options.
completes() {
	local option

	looked=$((looked + 1))
	while read -r option; do
		grep -qE -- "(^|[[:space:]'])$option([[:space:]']|\$)" \
			"$tree/usr/share/bash-completion/completions/${1##*/}" ||
			fault "the completion of ${1##*/} does not know $option"
	done < <("$tree/$1" --help | grep -oE -- '^ +(-[a-z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+')
}
completes usr/sbin/nicbalanced
completes usr/bin/nicbalancectl

# systemd-analyze wants the programs of a unit to be there: copies name them where they are.
check_units() {
	local copies=$tree/copies unit output

	mkdir "$copies"
	for unit in "$tree"/usr/lib/systemd/system/*.service; do
		looked=$((looked + 1))
		sed -E "s,^(Exec[A-Za-z]+=[-+!:@]*)/usr/,\\1$tree/usr/," "$unit" > "$copies/${unit##*/}"
		install -D -m 0644 -t "$copies/${unit##*/}.d" "$tree/usr/share/doc/nicbalance/place-threads.conf"
	done
	output=$(systemd-analyze verify --man=no "$copies"/*.service 2>&1 | grep -F nicbalance || true)
	[[ -z $output ]] || fault "systemd-analyze verify: $output"
	rm -r "$copies"
}

check_exposure() {
	local unit=$1 output exposure

	looked=$((looked + 1))
	output=$(systemd-analyze security --offline=yes --no-pager "$unit" 2>&1) || true
	exposure=$(sed -nE 's/.*Overall exposure level.*: ([0-9]+)\.([0-9]).*/\1\2/p' <<< "$output")
	[[ $exposure ]] || {
		echo "this systemd-analyze has no offline security: $(tail -n 1 <<< "$output")"
		return 0
	}
	printf '%s: exposure %d.%d\n' "${unit##*/}" $((10#$exposure / 10)) $((10#$exposure % 10))
	((10#$exposure <= exposure_max)) || {
		echo "$output"
		fault "the exposure of ${unit##*/} is above $((exposure_max / 10)).$((exposure_max % 10))"
	}
}

if command -v systemd-analyze > /dev/null; then
	check_units
	for unit in "$tree"/usr/lib/systemd/system/*.service; do
		check_exposure "$unit"
	done
else
	echo "no systemd-analyze: the unit was not verified"
fi
finish "$looked" things
