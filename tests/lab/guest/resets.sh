# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash source-path=SCRIPTDIR source=lib.sh
. /lab/guest/lib.sh

# resets_compare NAME=COMMAND... : which resets of lab0 an affinity by hand survives, without the daemon, while that
# observes, and while it balances.
resets_compare() {
	local alone observing balancing

	alone=$(survivals "$@")
	echo "without the daemon: ${alone//$'\n'/, }"
	mkdir -p "${CONF_DROPIN%/*}"
	printf '[Daemon]\nMode=observe\n' > "$CONF_DROPIN"
	service_start
	observing=$(survivals "$@")
	assert_equal "$alone" "$observing" "what an affinity survives while the daemon observes"
	rm "$CONF_DROPIN"
	systemctl restart nicbalanced
	balancing=$(survivals "$@")
	assert_equal "$alone" "$balancing" "what an affinity survives while the daemon balances"
	service_active || fail "the service is not active"
}

# A pin that is seen, and a reset after which the daemon has had time to do what it would.
survivals() {
	local reset cpu=2 irqs
	mapfile -t irqs < <(queue_irqs lab0)
	for reset; do
		cpu=$((5 - cpu))
		pin "${irqs[0]}" "$cpu"
		nap 15
		eval "${reset#*=}" >&2
		nap 25
		if [[ $(affinity "${irqs[0]}") == "$cpu" ]]; then
			echo "${reset%%=*}: kept"
		else
			echo "${reset%%=*}: lost"
		fi
	done
}
