# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Databases on half of this machine's CPUs, asked by clients at the other end of lab0's wire over connections that stay:
# PostgreSQL by pgbench, prepared SELECTs of one row; Redis by redis-benchmark, GETs. Sourced in the guest, after
# set -euo pipefail; columns.sh with it. Phases are "postgres" and "redis".
# shellcheck source-path=SCRIPTDIR source=columns.sh
. /lab/guest/columns.sh

SERVER_CPUS=0-3
CONNECTIONS=8
ROWS_SCALE=1	# of 100000 rows
GETS=1000	# that redis-benchmark makes at a time; each such run is one value

# --- the servers ----------------------------------------------------------------------------------------------------

serve() {	# serve NAME SETTING... -- COMMAND...
	systemd-run -q --collect --unit="lab-$1" --slice=lab.slice -p CPUAffinity="$SERVER_CPUS" "${@:2}"
}

postgres_start() {
	local version

	version=$(ls /etc/postgresql)
	postgres=/usr/lib/postgresql/$version/bin
	echo "host all all 10.77.0.0/16 trust" > "/etc/postgresql/$version/main/pg_hba.conf"
	serve postgres -p User=postgres -- "$postgres/postgres" -D "/var/lib/postgresql/$version/main" \
		-c config_file="/etc/postgresql/$version/main/postgresql.conf" -c listen_addresses="$LAB0_ADDRESS" -c ssl=off \
		-c unix_socket_directories= -c external_pid_file= -c autovacuum=off
	wait_until 120 in_client "$postgres/pg_isready" -q -h "$LAB0_ADDRESS" || fail "PostgreSQL does not answer"
	# The server makes the rows, which need not be sent then.
	ask_postgres -i -I dtGvp -q -s $ROWS_SCALE > /tmp/filled 2>&1 || fail "no rows: $(tail -n 2 /tmp/filled)"
}

redis_start() {
	serve redis -- redis-server --bind "$LAB0_ADDRESS" --protected-mode no --save '' --appendonly no --dir /tmp
	# redis-benchmark waits for ever for a server that refused it.
	wait_until 60 in_client redis-cli -h "$LAB0_ADDRESS" ping > /dev/null 2>&1 || fail "Redis does not answer"
}

# --- the clients ----------------------------------------------------------------------------------------------------

ask_postgres() { in_client "$postgres/pgbench" -h "$LAB0_ADDRESS" -U postgres "$@" postgres; }

# get_some : "requests a second, latencies: mean, least, 50, 95, 99 %, most", in milliseconds.
get_some() {
	in_client timeout 30 redis-benchmark -h "$LAB0_ADDRESS" -t get -c $CONNECTIONS -n $GETS --csv 2> /tmp/clients.redis |
		sed -n 's/"//g; s/^GET,//p' | grep .
}

get_for() {
	local deadline=$((EPOCHSECONDS + $1)) begun values

	while ((EPOCHSECONDS < deadline)); do
		begun=$EPOCHSECONDS
		values=$(get_some) || values=failed
		echo "$begun,$values"
	done > /tmp/clients/gets
}

clients_start() {
	rm -rf /tmp/clients
	mkdir /tmp/clients
	case $1 in
	postgres) ask_postgres -n -S -M prepared -c $CONNECTIONS -j 2 -T "$2" -l --log-prefix=/tmp/clients/log > /tmp/clients/out 2>&1 & ;;
	redis) get_for "$2" & ;;
	esac
}

# A transaction is a line of pgbench's log: its latency in microseconds is the third value, its end the fifth.
postgres_figures() {
	awk -v from="$1" -v to="$2" '$5 >= from && $5 < to { print $3, $5 - from }' /tmp/clients/log.* | sort -n |
		awk -v seconds=$(($2 - $1)) '
			{ v[NR] = $1; each[$2]++ }
			function at(share) { return v[int((NR - 1) * share) + 1] / 1000 }
			END {
				for (i = 0; i < seconds; i++) { squares += (each[i] - NR / seconds) ^ 2 }
				printf "rate %.1f\ndeviation %.1f\np50 %.1f\np99 %.1f\n", NR / seconds, sqrt(squares / seconds), at(0.5), at(0.99)
			}'
	# One that gave up has not said.
	sed -n 's/^number of failed transactions: \([0-9]*\).*/failed \1/p' /tmp/clients/out | grep . || echo "failed $CONNECTIONS"
}

redis_figures() {
	awk -F , -v from="$1" -v to="$2" '$1 >= from && $1 < to && NF == 8' /tmp/clients/gets > /tmp/clients/measured
	# Each run makes as many: this is how many were made in a second of all runs.
	echo "rate $(awk -F , '{ seconds += 1 / $2 } END { printf "%.1f", NR / seconds }' /tmp/clients/measured)"
	echo "deviation $(cut -d , -f 2 /tmp/clients/measured | paste -sd ' ' | deviation)"
	echo "p50 $(cut -d , -f 5 /tmp/clients/measured | median)"
	echo "p99 $(cut -d , -f 7 /tmp/clients/measured | median)"
	echo "failed $(grep -c failed /tmp/clients/gets || true)"
}

clients_figures() { "${phase}_figures" "$@"; }

databases_start() {
	postgres_start
	redis_start
}
