# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A director: IPVS in this machine, NAT, between clients at the other end of lab0's wire and two real servers in namespaces.
# nginx serves short connections, as many at a time as ab keeps open; dnsmasq answers queries at a steady pace beside them.
# First from eight addresses ("many"), or from one: UDP is then all on one queue, for igb hashes it by addresses alone; TCP is on all.
# Sourced in the guest, after set -euo pipefail; columns.sh with it.
# shellcheck source-path=SCRIPTDIR source=columns.sh
. /lab/guest/columns.sh

REALS=(1 2)
REAL_CPUS=4,5
ADDRESSES=8
# At a time, over all addresses. From four on they keep a host of two CPUs busy, and then whatever spreads loses up to a fifth.
CONNECTIONS=8
QUERIES=160	# a second

# --- the director ---------------------------------------------------------------------------------------------------

real_address() { echo "10.78.$1.2"; }

# in_real N NAME COMMAND... : a service in that namespace.
in_real() {
	local n=$1 name=$2
	shift 2
	systemd-run -q --collect --unit="lab-$name-$n" --slice=lab.slice -p NetworkNamespacePath="/run/netns/real$n" \
		-p CPUAffinity="$REAL_CPUS" "$@"
}

real_start() {
	local n=$1

	ip netns add "real$n"
	ip link add "real$n" type veth peer name eth0 netns "real$n"
	ip addr add "10.78.$n.1/24" dev "real$n"
	ip link set "real$n" up
	ip -n "real$n" link set lo up
	ip -n "real$n" addr add "$(real_address "$n")/24" dev eth0
	ip -n "real$n" link set eth0 up
	ip -n "real$n" route add default via "10.78.$n.1"
	# The side that closes first keeps what it closed, a minute's worth of it.
	ip netns exec "real$n" sysctl -q -w net.ipv4.tcp_max_tw_buckets=262144
	in_real "$n" nginx nginx -c /run/lab-nginx.conf -g "daemon off; pid /run/lab-nginx-$n.pid;"
	in_real "$n" dnsmasq dnsmasq --keep-in-foreground --conf-file=/dev/null --pid-file --user=root --no-resolv --no-hosts \
		--listen-address="$(real_address "$n")" --bind-interfaces --address=/lab.test/192.0.2.1
}

write_files() {
	mkdir -p /run/lab-www
	head -c 1024 /dev/zero | tr '\0' x > /run/lab-www/index.html
	cat > /run/lab-nginx.conf <<-END
	worker_processes 2;
	error_log stderr;
	events { worker_connections 1024; }
	http {
		access_log off;
		server { listen 80 backlog=1024; root /run/lab-www; }
	}
	END
	seq -f 'host%.0f.lab.test A' 1 100 > /run/lab-queries
}

services_start() {
	local n kind

	sysctl -q -w net.ipv4.ip_forward=1
	modprobe ip_vs_rr
	for kind in "-t $LAB0_ADDRESS:80" "-u $LAB0_ADDRESS:53"; do
		# shellcheck disable=SC2086 # an option and its argument
		ipvsadm -A $kind -s rr
		for n in "${REALS[@]}"; do
			# shellcheck disable=SC2086
			ipvsadm -a $kind -r "$(real_address "$n"):${kind##*:}" -m
		done
	done
}

# --- the clients ----------------------------------------------------------------------------------------------------

source_address() { echo "10.77.1.$1"; }

clients_prepare() {
	local n
	for ((n = 1; n <= ADDRESSES; n++)); do
		ip -n client addr add "$(source_address "$n")/16" dev lab1
	done
}

# client_start N SECONDS CONNECTIONS QUERIES : from one address.
client_start() {
	in_client ab -q -d -r -s 10 -t "$2" -n 200000 -c "$3" -B "$(source_address "$1")" -g "/tmp/clients/$1.times" \
		"http://$LAB0_ADDRESS/" > "/tmp/clients/$1.ab" 2>&1 &
	in_client dnsperf -s "$LAB0_ADDRESS" -d /run/lab-queries -a "$(source_address "$1")" -l "$2" -Q "$4" -t 3 \
		> "/tmp/clients/$1.dnsperf" 2>&1 &
}

clients_start() {
	local n n_clients=1

	[[ $1 != many ]] || n_clients=$ADDRESSES
	rm -rf /tmp/clients
	mkdir /tmp/clients
	for ((n = 1; n <= n_clients; n++)); do
		client_start "$n" "$2" $((CONNECTIONS / n_clients)) $((QUERIES / n_clients))
	done
}

# percentiles FROM TO : of requests begun then, by what ab says of each: when, and in the fifth column how long it took in
# all, with the connection, in milliseconds. Those are too coarse to be compared, so a percentile lies within its millisecond
# as far as there are requests of that many before it.
percentiles() {
	awk -F '\t' -v from="$1" -v to="$2" '$2 >= from && $2 < to { print $5 }' /tmp/clients/*.times | sort -n |
		awk -v seconds=$(($2 - $1)) '
			{ n[$1]++; last = $1 }
			function at(share,   ms, before) {
				for (ms = 0; ms < last && before + n[ms] < share * NR; ms++)
					before += n[ms]
				return n[ms] ? ms - 0.5 + (share * NR - before) / n[ms] : 0
			}
			END { printf "rate %.1f\np50 %.1f\np99 %.1f\nmost %d\n", NR / seconds, at(0.5), at(0.99), last }'
}

# said WHAT KIND : the sum of what the clients of that kind say.
said() { sed -n "s/^ *$1: *\([0-9]*\).*/\1/p" /tmp/clients/*."$2" | sum; }

clients_figures() {
	percentiles "$1" "$2"
	# One that gave up has not said.
	echo "failed $(($(said 'Failed requests' ab) + $(grep -L 'Failed requests' /tmp/clients/*.ab | wc -l)))"
	echo "queries $(said 'Queries sent' dnsperf)"
	echo "lost $(said 'Queries lost' dnsperf)"
}

is_served() {
	in_client ab -q -n 4 "http://$LAB0_ADDRESS/" > /tmp/try 2>&1 && grep -q '^Failed requests: *0$' /tmp/try &&
		in_client dnsperf -s "$LAB0_ADDRESS" -d /run/lab-queries -n 1 > /tmp/try 2>&1 &&
		grep -q 'Queries lost: *0 ' /tmp/try
}

director_start() {
	local n

	write_files
	for n in "${REALS[@]}"; do real_start "$n"; done
	services_start
	clients_prepare
	wait_until 30 is_served || fail "nothing is served: $(tail -n 3 /tmp/try)"
}
