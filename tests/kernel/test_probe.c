/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the programs book where, in both flavours, on a real kernel and the NAPIs of a veth. */
#include "kernel/test_probe.h"

#include "bpf/call.h"

static uint64_t sum_packets(const struct bench *bench)
{
	return take(bench).packets;
}

/* No more at once than a veth's ring holds. */
static void send_and_await(const struct bench *bench, unsigned n)
{
	for (unsigned sent = 0; sent < n; sent += FLOWS) {
		uint64_t before = sum_packets(bench);

		send_packets(bench, FLOWS);
		await(sum_packets(bench) >= before + FLOWS);
	}
}

static void all_of_net_rx_is_booked_somewhere(void **state)
{
	struct bench *bench = *state;
	struct times before, after;
	uint64_t net_rx, booked;

	scope(bench, bench->ifindex);
	send_and_await(bench, 10 * FLOWS);
	before = take(bench);
	send_and_await(bench, 500 * FLOWS);
	after = take(bench);
	net_rx = after.net_rx - before.net_rx;
	booked = after.polls - before.polls + after.backlog - before.backlog + after.other -
		 before.other;
	print_message("%s: NET_RX %lu us, booked %lu us\n", nb_probe_flavour(bench->probe),
		      (unsigned long)(net_rx / 1000), (unsigned long)(booked / 1000));
	assert_true(after.polls > before.polls);
	assert_true(booked * 100 >= net_rx * 95);
	assert_true(booked * 100 <= net_rx * 105);
}

static void each_queue_has_counters_of_its_own(void **state)
{
	struct bench *bench = *state;
	struct nb_probe_view now;

	scope(bench, bench->ifindex);
	send_and_await(bench, 100 * FLOWS);
	now = view(bench);
	assert_int_equal(now.n_napis, 4);
	for (unsigned i = 0; i < now.n_napis; i++) {
		assert_int_equal(now.napis[i].ifindex, bench->ifindex);
		assert_int_not_equal(now.napis[i].napi_id, 0);
		assert_true(now.napis[i].packets > 0);
		assert_true(now.napis[i].poll_nsec > 0);
		assert_true(now.napis[i].polls > 0);
		assert_int_equal(now.napis[i].busy_polls + now.napis[i].threaded_polls, 0);
		assert_int_equal(now.napis[i].serial, 0);
		assert_true(now.napis[i].cpu < now.n_cpus);
		assert_int_equal(now.napis[i].irq, 0);
		for (unsigned k = 0; k < i; k++)
			assert_int_not_equal(now.napis[i].napi_id, now.napis[k].napi_id);
	}
}

static void every_packet_is_counted_once(void **state)
{
	struct bench *bench = *state;
	uint64_t before;

	scope(bench, bench->ifindex);
	before = sum_packets(bench);
	send_and_await(bench, 50 * FLOWS);
	assert_int_equal(sum_packets(bench) - before, 50 * FLOWS);
}

static void a_device_without_napi_is_backlog(void **state)
{
	struct bench *bench = *state;
	struct times before;

	run("ethtool -K vv1 gro off");
	scope(bench, bench->ifindex);
	before = take(bench);
	send_packets(bench, FLOWS);
	await(take(bench).backlog > before.backlog);
	assert_int_equal(view(bench).n_napis, 0);
}

static void a_device_out_of_scope_is_other(void **state)
{
	struct bench *bench = *state;
	struct times before = take(bench);

	scope(bench, NO_SUCH_IFINDEX);
	send_packets(bench, FLOWS);
	await(take(bench).other > before.other);
	assert_int_equal(view(bench).n_napis, 0);
}

static void what_leaves_the_scope_becomes_other_and_may_return(void **state)
{
	struct bench *bench = *state;
	struct times before;
	uint64_t packets;

	scope(bench, bench->ifindex);
	send_and_await(bench, 10 * FLOWS);
	scope(bench, NO_SUCH_IFINDEX);
	before = take(bench);
	send_packets(bench, FLOWS);
	await(take(bench).other > before.other);
	assert_int_equal(sum_packets(bench), before.packets);

	scope(bench, bench->ifindex);
	packets = sum_packets(bench);
	send_and_await(bench, FLOWS);
	assert_true(sum_packets(bench) > packets);
	assert_int_equal(view(bench).n_napis, 4);
	assert_int_equal(view(bench).napis[0].serial, 0);
}

/* The queue of positions is left as it is: what is counted as full is not asked. */
static void napis_too_many_do_not_ask_for_counters(void **state)
{
	const struct nb_probe_totals full = {.napis = NB_PROBE_NAPIS_MAX};
	struct bench *bench = *state;
	struct times before = take(bench);
	uint32_t zero = 0;

	assert_int_equal(nb_bpf_update(bench->probe->fds[NB_ARRAY_TOTALS], &zero, &full), 0);
	scope(bench, bench->ifindex);
	send_packets(bench, FLOWS);
	await(take(bench).other > before.other);
	assert_int_equal(bench->probe->totals->napis, NB_PROBE_NAPIS_MAX);
	assert_true(bench->probe->totals->lost > 0);
}

/* Interface numbers begin again in each namespace, so the other one's can be the same. */
static void a_device_of_another_namespace_is_not_in_scope(void **state)
{
	struct bench *bench = *state;
	struct times before;

	load_probe_elsewhere(bench);
	scope(bench, bench->ifindex);
	before = take(bench);
	send_packets(bench, FLOWS);
	await(take(bench).other > before.other);
	assert_int_equal(view(bench).n_napis, 0);
}

static unsigned sum_serials(const struct bench *bench)
{
	struct nb_probe_view now = view(bench);
	unsigned sum = 0;

	for (unsigned i = 0; i < now.n_napis; i++)
		sum += now.napis[i].serial + 1;
	return sum;
}

static void napis_after_a_reset_are_told_from_those_before(void **state)
{
	struct bench *bench = *state;
	unsigned before;

	scope(bench, bench->ifindex);
	send_and_await(bench, 10 * FLOWS);
	before = sum_serials(bench);
	assert_int_equal(before, 4);
	run("ethtool -K vv1 gro off");
	run("ethtool -K vv1 gro on");
	send_and_await(bench, 10 * FLOWS);
	assert_int_equal(sum_serials(bench), 8);
}

static void polls_by_threads_are_told_from_softirqs(void **state)
{
	struct bench *bench = *state;
	g_autofree char *path = NULL, *name = NULL;
	struct nb_probe_napi *napi;
	uint64_t poll_nsec;

	if (access("/sys/class/net/vv1/threaded", W_OK) < 0)
		nb_skip("NAPIs of this kernel have no threads");
	scope(bench, bench->ifindex);
	send_and_await(bench, FLOWS);
	run("sh -c 'echo 1 > /sys/class/net/vv1/threaded'");
	send_and_await(bench, 10 * FLOWS); /* the last polls in softirq are over */
	napi = &bench->probe->napis[0];
	poll_nsec = napi->poll_nsec;
	for (unsigned i = 0; i < 100 && napi->threaded_nsec == 0; i++)
		send_and_await(bench, 10 * FLOWS);
	assert_true(napi->threaded_polls > 0);
	assert_true(napi->threaded_nsec > 0);
	path = g_strdup_printf("/proc/%u/comm", napi->pid);
	assert_true(g_file_get_contents(path, &name, NULL, NULL));
	assert_true(g_str_has_prefix(name, "napi/vv1-"));
	assert_int_equal(napi->poll_nsec, poll_nsec);
	assert_int_equal(napi->busy_polls, 0);
}

/* A socket of UDP between the link-local addresses of vv0 and vv1, at one of the ends. */
static int open_link_local(const char *own, const char *own_device, const char *other)
{
	struct sockaddr_in6 from = {.sin6_family = AF_INET6, .sin6_port = htons(9)};
	struct sockaddr_in6 to = from;
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	from.sin6_scope_id = to.sin6_scope_id = if_nametoindex(own_device);
	assert_int_equal(inet_pton(AF_INET6, own, &from.sin6_addr), 1);
	assert_int_equal(inet_pton(AF_INET6, other, &to.sin6_addr), 1);
	assert_int_equal(bind(fd, (struct sockaddr *)&from, sizeof(from)), 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	return fd;
}

/* VXLAN of network 5 (RFC 7348): a header, and a frame for everyone of a protocol for experiments.
 */
static void send_in_tunnel(int fd)
{
	static const char packet[8 + 14 + 46] = {8,  0,  0,  0, 0, 0, 5, 0, -1, -1,     -1,
						 -1, -1, -1, 2, 0, 0, 0, 0, 9,  '\x88', '\xb5'};

	assert_int_equal(send(fd, packet, sizeof(packet), 0), sizeof(packet));
}

/* Whether the packet was the tunnel's alone. The host's own NICs may have something to do, too, but
 * not each time. */
static bool is_onward_alone(const struct bench *bench, int fd)
{
	struct times before = take(bench);

	await((send_in_tunnel(fd), take(bench).onward > before.onward));
	return take(bench).other == before.other;
}

/* What a tunnel takes out of packets its own NAPI goes on with. */
static void work_of_a_tunnel_is_told_from_that_of_other_devices(void **state)
{
	struct bench *bench = *state;
	struct sockaddr_in6 to = {.sin6_family = AF_INET6, .sin6_port = htons(4789)};
	struct times before;
	int fd, ifindex;

	run("ip address add fe80::1/64 dev vv0 nodad");
	run("ip address add fe80::2/64 dev vv1 nodad");
	run("ip neighbour add fe80::2 lladdr 02:00:00:00:00:01 dev vv0");
	if (system("ip link add vx1 type vxlan id 5 dstport 4789 local fe80::2 dev vv1") != 0)
		nb_skip("this kernel has no VXLAN");
	run("ip link set vx1 up");
	fd = open_link_local("fe80::1", "vv0", "fe80::2");
	to.sin6_scope_id = if_nametoindex("vv0");
	assert_int_equal(inet_pton(AF_INET6, "fe80::2", &to.sin6_addr), 1);
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	ifindex = (int)if_nametoindex("vx1");
	scope(bench, bench->ifindex);
	before = take(bench);
	await((send_in_tunnel(fd), take(bench).other > before.other));
	assert_true(take(bench).onward == 0);

	assert_int_equal(nb_probe_set_tunnels(bench->probe, &ifindex, 1), 0);
	await((send_in_tunnel(fd), take(bench).onward > 0));
	await(is_onward_alone(bench, fd));

	assert_int_equal(nb_probe_set_tunnels(bench->probe, NULL, 0), 0);
	before = take(bench);
	await((send_in_tunnel(fd), take(bench).other > before.other));
	close(fd);
	run("ip link delete vx1");
}

static uint64_t sum_virtual(const struct bench *bench, unsigned place)
{
	struct nb_probe_view now = view(bench);
	uint64_t sum = 0;

	for (unsigned i = 0; i < now.n_cpus; i++)
		sum += now.cpus[i].virtuals[place].nsec;
	return sum;
}

/* Whose NAPIs had most of some CPU, of devices that were not told. */
static bool is_found(const struct bench *bench, int ifindex)
{
	struct nb_probe_view now = view(bench);

	for (unsigned i = 0; i < now.n_cpus; i++)
		if (now.cpus[i].untold_lead_nsec > 0 &&
		    now.cpus[i].untold_ifindex == (unsigned)ifindex)
			return true;
	return false;
}

static void a_device_that_costs_is_found_and_measured_by_itself(void **state)
{
	struct bench *bench = *state;
	int ifindexes[NB_PROBE_VIRTUALS_MAX] = {0, bench->ifindex};
	struct times before = take(bench);

	scope(bench, NO_SUCH_IFINDEX);
	send_packets(bench, FLOWS);
	await(take(bench).other > before.other);
	assert_false(is_found(bench, bench->ifindex));

	nb_probe_watch_virtuals(bench->probe, true);
	await((send_packets(bench, FLOWS), is_found(bench, bench->ifindex)));
	assert_int_equal(nb_probe_set_virtuals(bench->probe, ifindexes), 0);
	before = take(bench);
	await((send_packets(bench, FLOWS), sum_virtual(bench, 1) > 0));
	assert_true(take(bench).other > before.other);
	assert_int_equal(sum_virtual(bench, 0), 0);
	assert_int_equal(view(bench).n_napis, 0);

	ifindexes[1] = 0;
	assert_int_equal(nb_probe_set_virtuals(bench->probe, ifindexes), 0);
	before = take(bench);
	before.polls = sum_virtual(bench, 1);
	await((send_packets(bench, FLOWS), take(bench).other > before.other));
	assert_true(sum_virtual(bench, 1) == before.polls);
}

static void a_device_of_another_namespace_is_not_found(void **state)
{
	struct bench *bench = *state;
	struct times before;

	load_probe_elsewhere(bench);
	scope(bench, NO_SUCH_IFINDEX);
	nb_probe_watch_virtuals(bench->probe, true);
	before = take(bench);
	send_packets(bench, FLOWS);
	await(take(bench).other > before.other);
	assert_false(is_found(bench, bench->ifindex));
}

/* A bridge floods what it does not know to its other port, whose peer has no NAPI. */
static void forward_to_veth(void)
{
	run("ip link add w0 type veth peer name w1");
	run("ip link add br1 type bridge");
	run("ip link set vv1 master br1");
	run("ip link set w0 master br1");
	run("ip link set br1 up");
	run("ip link set w0 up");
	run("ip link set w1 up");
	run("ip neighbour replace 192.0.2.2 lladdr 02:00:00:00:00:77 dev vv0");
}

static void backlog_of_what_a_napi_forwards_is_told_from_that_of_senders(void **state)
{
	struct bench *bench = *state;
	struct times before, after;
	int fd;

	run("ip link set lo up");
	fd = connect_udp_to("127.0.0.1");
	scope(bench, bench->ifindex);
	send_and_await(bench, FLOWS);
	before = take(bench);
	await((send(fd, "x", 1, 0), take(bench).backlog > before.backlog));
	assert_true(take(bench).onward == before.onward);

	forward_to_veth();
	before = take(bench);
	send_and_await(bench, 100 * FLOWS);
	await(take(bench).onward > before.onward);
	after = take(bench);
	print_message("%s: polls %lu us, what was forwarded %lu us, other backlog %lu us\n",
		      nb_probe_flavour(bench->probe),
		      (unsigned long)((after.polls - before.polls) / 1000),
		      (unsigned long)((after.onward - before.onward) / 1000),
		      (unsigned long)((after.backlog - before.backlog) / 1000));
	assert_true(after.onward - before.onward > 10 * (after.backlog - before.backlog));
	close(fd);
	run("ip link delete br1");
	run("ip link delete w0");
}

static uint64_t sum_busy_polls(const struct bench *bench)
{
	struct nb_probe_view now = view(bench);
	uint64_t sum = 0;

	for (unsigned i = 0; i < now.n_napis; i++)
		sum += now.napis[i].busy_polls;
	return sum;
}

/* Waits for a packet that does not come; *ret is by how much the time of polls in softirq grew.
 * False when one came after all, be it for the kernel (new addresses are announced), or nobody
 * polled. */
static bool wait_idly(const struct bench *bench, int fd, uint64_t *ret)
{
	uint64_t polled = sum_busy_polls(bench);
	struct times before = take(bench), after;
	char byte;

	if (recv(fd, &byte, 1, 0) >= 0)
		return false;
	after = take(bench);
	*ret = after.polls - before.polls;
	return after.packets == before.packets && sum_busy_polls(bench) > polled;
}

#define NO_CPU 4711

/* Where its NAPIs were polled and that they used their budgets is taken away, so that it shows when
 * it is told again. */
static void forget_where(const struct bench *bench)
{
	struct nb_probe_view now = view(bench);

	for (uint32_t i = 0; i < now.n_napis; i++) {
		struct nb_probe_napi counters = now.napis[i];

		counters.cpu = NO_CPU;
		assert_int_equal(nb_bpf_update(bench->probe->fds[NB_ARRAY_NAPIS], &i, &counters),
				 0);
	}
}

static unsigned count_placed(const struct bench *bench)
{
	struct nb_probe_view now = view(bench);
	unsigned n = 0;

	for (unsigned i = 0; i < now.n_napis; i++)
		n += now.napis[i].cpu != NO_CPU;
	return n;
}

/* A socket learns from a packet which NAPI it came by, and polls that while it waits for more. */
static void polls_by_applications_are_told_from_softirqs(void **state)
{
	struct bench *bench = *state;
	struct timeval patience = {.tv_usec = 5000};
	int busy_usec = 2000, sender, receiver;
	uint64_t polls_nsec = 0;
	char byte;

	scope(bench, bench->ifindex);
	run("ip address add fe80::1/64 dev vv0 nodad");
	run("ip address add fe80::2/64 dev vv1 nodad");
	run("ip neighbour add fe80::2 lladdr 02:00:00:00:00:01 dev vv0");
	sender = open_link_local("fe80::1", "vv0", "fe80::2");
	receiver = open_link_local("fe80::2", "vv1", "fe80::1");
	if (setsockopt(receiver, SOL_SOCKET, SO_BUSY_POLL, &busy_usec, sizeof(busy_usec)) < 0)
		nb_skip("this kernel does not busy poll");
	setsockopt(receiver, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	/* The kernel takes the addresses into use in its own time. */
	await(send(sender, "x", 1, 0) == 1 && recv(receiver, &byte, 1, 0) == 1);
	assert_int_equal(sum_busy_polls(bench), 0);
	await(recv(receiver, &byte, 1, MSG_DONTWAIT) < 0);

	await((forget_where(bench), wait_idly(bench, receiver, &polls_nsec)));
	assert_int_equal(polls_nsec, 0);
	assert_int_equal(count_placed(bench), 0);
	close(sender);
	close(receiver);
}

static uint64_t sum_delays(const struct bench *bench)
{
	const struct nb_probe_delays *delays = nb_probe_delays(bench->probe);
	uint64_t sum = 0;

	for (unsigned cpu = 0; cpu < bench->probe->n_cpus; cpu++)
		for (unsigned i = 0; i < NB_PROBE_DELAYS; i++)
			sum += delays[cpu].counts[i];
	return sum;
}

static void delays_are_counted_only_while_watched(void **state)
{
	struct bench *bench = *state;
	uint64_t counted;

	scope(bench, bench->ifindex);
	assert_null(nb_probe_delays(bench->probe));
	assert_false(nb_probe_watches_delays(bench->probe));
	assert_int_equal(nb_probe_watch_delays(bench->probe, true), 0);
	assert_int_equal(nb_probe_watch_delays(bench->probe, true), 0);
	send_and_await(bench, 10 * FLOWS);
	await(sum_delays(bench) > 0);
	assert_true(nb_probe_watches_delays(bench->probe));
	assert_int_equal(nb_probe_watch_delays(bench->probe, false), 0);
	assert_false(nb_probe_watches_delays(bench->probe));

	send_and_await(bench, FLOWS); /* what was raised before is entered by now */
	counted = sum_delays(bench);
	send_and_await(bench, 10 * FLOWS);
	assert_int_equal(sum_delays(bench), counted);
}

static void the_programs_tell_what_they_cost(void **state)
{
	struct bench *bench = *state;
	uint64_t first, second;

	scope(bench, bench->ifindex);
	send_and_await(bench, 20 * FLOWS);
	await(nb_probe_cost_nsec(bench->probe) > 0);
	first = nb_probe_cost_nsec(bench->probe);
	send_and_await(bench, 20 * FLOWS);
	second = nb_probe_cost_nsec(bench->probe);
	assert_true(second > first);
}

/* The shortest run seems to have taken next to nothing. */
static void a_run_that_takes_far_longer_than_the_shortest_counts_less(void **state)
{
	struct bench *bench = *state;
	struct nb_probe_view now;

	scope(bench, bench->ifindex);
	now = view(bench);
	for (unsigned i = 0; i < now.n_cpus; i++) {
		struct nb_probe_cpu cpu = now.cpus[i];

		cpu.state.own_runs = cpu.state.own_nsec = 0;
		cpu.state.own_least_nsec = 1;
		assert_int_equal(nb_bpf_update(bench->probe->fds[NB_ARRAY_CPUS], &i, &cpu), 0);
	}
	send_and_await(bench, 100 * FLOWS);
	await(nb_probe_cost_nsec(bench->probe) > 0);
	now = view(bench);
	for (unsigned i = 0; i < now.n_cpus; i++)
		assert_true(now.cpus[i].state.own_nsec <=
			    now.cpus[i].state.own_runs * NB_PROBE_OWN_MOST);
}

static uint64_t sum_softirqs(const struct bench *bench)
{
	struct nb_probe_view now = view(bench);
	uint64_t sum = 0;

	for (unsigned i = 0; i < now.n_cpus; i++)
		sum += now.cpus[i].softirqs;
	return sum;
}

/* What was in flight on another CPU has ended. */
static uint64_t sum_when_still(const struct bench *bench)
{
	g_usleep(G_USEC_PER_SEC / 100);
	return sum_softirqs(bench);
}

static void nothing_is_counted_outside_of_a_slice(void **state)
{
	struct bench *bench = *state;
	uint64_t before;

	scope(bench, bench->ifindex);
	send_and_await(bench, FLOWS);
	nb_probe_measure(bench->probe, false);
	before = sum_when_still(bench);
	send_packets(bench, FLOWS);
	g_usleep(G_USEC_PER_SEC / 10);
	assert_int_equal(sum_softirqs(bench), before);
	nb_probe_measure(bench->probe, true);
	send_and_await(bench, FLOWS);
	assert_true(sum_softirqs(bench) > before);
}

/* Whatever was entered in one slice and left in another: no time between them is counted. */
static void the_time_between_slices_is_no_softirqs(void **state)
{
	struct bench *bench = *state;
	struct times before, after;
	uint64_t begin;

	scope(bench, bench->ifindex);
	before = take(bench);
	begin = (uint64_t)g_get_monotonic_time();
	for (unsigned i = 0; i < 100; i++) {
		uint64_t polls = take(bench).polls;

		for (unsigned k = 0; k < 1000 && take(bench).polls == polls; k++)
			send_packets(bench, FLOWS);
		nb_probe_measure(bench->probe, false);
		send_packets(bench, FLOWS);
		g_usleep(5000);
		nb_probe_measure(bench->probe, true);
	}
	after = take(bench);
	assert_true(after.polls > before.polls);
	/* One CPU sends, and polls while it does; at least 5 ms of each slice nobody measures. */
	assert_true(after.net_rx - before.net_rx <
		    (g_get_monotonic_time() - begin - 100 * 5000) * 1000 * view(bench).n_cpus);
	assert_true(after.net_rx - before.net_rx < 100 * 5000 * UINT64_C(1000));
}

static void programs_do_nothing_on_cpus_that_are_skipped(void **state)
{
	struct bench *bench = *state;
	struct nb_cpumask all = {0};
	uint64_t before;

	for (unsigned i = 0; i < bench->probe->n_cpus; i++)
		nb_cpumask_add(&all, i);
	scope(bench, bench->ifindex);
	nb_probe_skip_cpus(bench->probe, &all);
	before = sum_when_still(bench);
	send_packets(bench, FLOWS);
	g_usleep(G_USEC_PER_SEC / 10);
	assert_int_equal(sum_softirqs(bench), before);
	nb_probe_skip_cpus(bench->probe, &(struct nb_cpumask){0});
	send_and_await(bench, FLOWS);
	assert_true(sum_softirqs(bench) > before);
}

static void what_is_detached_can_be_attached_again(void **state)
{
	struct bench *bench = *state;

	scope(bench, bench->ifindex);
	nb_probe_detach(bench->probe);
	assert_false(nb_probe_is_attached(bench->probe));
	for (unsigned i = 0; i < NB_PROBE_PROGRAMS; i++)
		assert_int_equal(bench->probe->links[i], -1);
	assert_int_equal(nb_probe_attach(bench->probe), 0);
	nb_probe_measure(bench->probe, true);
	send_and_await(bench, 10 * FLOWS);
	assert_int_equal(nb_probe_check(bench->probe), 0);
}

static void the_clock_is_timed(void **state)
{
	struct bench *bench = *state;

	print_message("a program reads the clock in %u ns\n", nb_probe_clock_nsec(bench->probe));
	assert_in_range(nb_probe_clock_nsec(bench->probe), 1, 100000);
}

static void entering_a_program_is_timed(void **state)
{
	struct bench *bench = *state;

	print_message("a program is entered in %u ns\n", bench->probe->entering_nsec);
	assert_in_range(bench->probe->entering_nsec, 1, 100000);
}

static int run_flavour(bool typed)
{
	struct bench bench = {.typed = typed};
	const struct CMUnitTest tests[] = {
		WITH_BENCH(all_of_net_rx_is_booked_somewhere, &bench),
		WITH_BENCH(each_queue_has_counters_of_its_own, &bench),
		WITH_BENCH(every_packet_is_counted_once, &bench),
		WITH_BENCH(a_device_without_napi_is_backlog, &bench),
		WITH_BENCH(a_device_out_of_scope_is_other, &bench),
		WITH_BENCH(what_leaves_the_scope_becomes_other_and_may_return, &bench),
		WITH_BENCH(napis_too_many_do_not_ask_for_counters, &bench),
		WITH_BENCH(napis_after_a_reset_are_told_from_those_before, &bench),
		WITH_BENCH(polls_by_threads_are_told_from_softirqs, &bench),
		WITH_BENCH(polls_by_applications_are_told_from_softirqs, &bench),
		WITH_BENCH(work_of_a_tunnel_is_told_from_that_of_other_devices, &bench),
		WITH_BENCH(a_device_that_costs_is_found_and_measured_by_itself, &bench),
		WITH_BENCH(a_device_of_another_namespace_is_not_found, &bench),
		WITH_BENCH(backlog_of_what_a_napi_forwards_is_told_from_that_of_senders, &bench),
		WITH_BENCH(delays_are_counted_only_while_watched, &bench),
		WITH_BENCH(the_programs_tell_what_they_cost, &bench),
		WITH_BENCH(a_run_that_takes_far_longer_than_the_shortest_counts_less, &bench),
		WITH_BENCH(nothing_is_counted_outside_of_a_slice, &bench),
		WITH_BENCH(the_time_between_slices_is_no_softirqs, &bench),
		WITH_BENCH(programs_do_nothing_on_cpus_that_are_skipped, &bench),
		WITH_BENCH(what_is_detached_can_be_attached_again, &bench),
		WITH_BENCH(the_clock_is_timed, &bench),
		WITH_BENCH(entering_a_program_is_timed, &bench),
		WITH_BENCH(a_device_of_another_namespace_is_not_in_scope, &bench),
	};

	return cmocka_run_group_tests_name(typed ? "tp_btf" : "raw_tp", tests, NULL, NULL);
}

int main(void)
{
	return run_flavours(run_flavour);
}
