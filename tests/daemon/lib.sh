# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# A machine of files in $machine, and the daemon on it. Sourced after set -euo pipefail.
: "${NB_SOURCE_DIR:?}" "${NB_DAEMON:?}" "${NB_CTL:?}"

tmp=$(mktemp -d)
machine=$tmp/machine
log=$tmp/log
daemon=

clean_up() {
	[[ -z $daemon ]] || kill -9 "$daemon" 2> /dev/null || true
	rm -rf "$tmp"
}
trap clean_up EXIT

fail() {
	echo "FAIL: $*" >&2
	sed 's/^/log: /' "$log" >&2 || true
	exit 1
}

# Seconds since the boot. SECONDS goes by the time of day, which may be set.
uptime() {
	local up
	read -r up _ < /proc/uptime
	echo "${up%.*}"
}

# wait_until COMMAND... : for at most 60 s.
wait_until() {
	local end=$(($(uptime) + 60))

	until "$@"; do
		(($(uptime) < end)) || fail "never came true: $*"
		sleep 0.05
	done
}

# make_machine [ARGUMENT...] : see tests/support/generate-machine.
make_machine() {
	"$NB_SOURCE_DIR/tests/support/generate-machine" "$machine" "$@"
}

# The igb guest.
unpack_captured_guest() {
	"$NB_SOURCE_DIR/tests/support/unpack-machine" "$NB_SOURCE_DIR/tests/sysroots/igb8.machine" "$machine"
}

# The same with all queues on CPU 0.
pile_captured_guest() {
	local irq

	unpack_captured_guest
	for irq in {35..42}; do
		echo 01 > "$machine/proc/irq/$irq/smp_affinity"
		echo 0 > "$machine/proc/irq/$irq/effective_affinity_list"
	done
}

# start [OPTION...] : the daemon on $machine; returns when it takes signals.
start() {
	rm -f "$tmp/bus"
	"$NB_DAEMON" --root "$machine" --no-system-bus --socket "$tmp/bus" "$@" 2>> "$log" &
	daemon=$!
	wait_until is_up
}

# The file is there a moment before anyone listens (__SO_ACCEPTCON, include/linux/net.h). A daemon that has nothing to do may
# be gone again.
is_up() { grep -q " 00010000 .* $tmp/bus\$" /proc/net/unix || ! running; }

# ended_well : waits for the end of the daemon; its exit status must be 0.
ended_well() {
	wait "$daemon" || fail "exit status $?"
	daemon=
}

stop() {
	kill -s TERM "$daemon"
	ended_well
}

crash() {
	kill -s KILL "$daemon"
	wait "$daemon" 2> /dev/null || true
	daemon=
}

# configure LINE... : the machine's nicbalance.conf.
configure() {
	mkdir -p "$machine/etc/nicbalance"
	printf '%s\n' "$@" > "$machine/etc/nicbalance/nicbalance.conf"
}

reload() { kill -s HUP "$daemon"; }

# As sets: a captured file holds a written mask as it was written, where the kernel prints it its own way.
masks() { grep -h '' "$machine"/proc/irq/{35..42}/smp_affinity | sed 's/^0*//'; }
n_places() { masks | sort -u | wc -l; }
is_spread() { (($(n_places) == 8)); }
logged() { grep -qE -- "$1" "$log"; }
running() { kill -0 "$daemon" 2> /dev/null; }

# How often it was told that the host cannot be read, and that it can be again.
lost() { (($(grep -c 'keeping the last good sample' "$log") == $1)); }
back() { (($(grep -c 'works again' "$log") == $1)); }
