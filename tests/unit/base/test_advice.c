/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/advice.h"

#include "base/follow.h"

#include "base/memory.h"
#include "base/spells.h"
#include "nicbalance/units.h"
#include "support/support.h"

#define CPUS 8
#define SEC NB_NSEC_PER_SEC

static void assert_channels(unsigned n, unsigned most, unsigned n_allowed, bool expected)
{
	const struct nb_nic nic = {.n_channels = n, .most_channels = most};

	assert_int_equal(nb_advice_applies(NB_ADVICE_CHANNELS, &nic, n_allowed, NULL), expected);
}

static void more_channels_are_for_cpus_that_may_serve_them(void **state)
{
	(void)state;
	assert_channels(1, 8, CPUS, true);
	assert_channels(7, 64, CPUS, true);
	assert_channels(8, 64, CPUS, false);
	assert_channels(4, 4, CPUS, false);
	assert_channels(4, 16, 4, false);
	assert_channels(0, 0, CPUS, false);
}

static void what_the_configuration_asks_for_is_no_advice(void **state)
{
	struct nb_nic nic = {.n_channels = 1, .most_channels = 8};

	(void)state;
	assert_true(nb_advice_applies(NB_ADVICE_CHANNELS, &nic, CPUS, NULL));
	nic.channels_asked = NB_CHANNELS_MAX;
	assert_false(nb_advice_applies(NB_ADVICE_CHANNELS, &nic, CPUS, NULL));
}

/* The time of queues 0 and 1 of eth0 and of another NIC's, for six seconds. */
static void assert_hash(const struct nb_nic *nic, uint32_t first, uint32_t second, uint32_t other,
			bool expected)
{
	struct nb_queue_load queues[] = {
		{.key = {2, 0}, .time = first},
		{.key = {2, 1}, .time = second},
		{.key = {3, 0}, .time = other},
	};
	const struct nb_loads loads = {.queues = queues, .n_queues = G_N_ELEMENTS(queues)};
	struct nb_snapshot snapshot = {.taken_nsec = SEC};
	struct nb_memory memory = {};

	for (; snapshot.taken_nsec <= 6 * SEC; snapshot.taken_nsec += SEC) {
		assert_false(nb_advice_applies(NB_ADVICE_UDP_HASH, nic, CPUS, &memory));
		nb_advice_look(&memory, &snapshot, &loads);
	}
	assert_int_equal(nb_advice_applies(NB_ADVICE_UDP_HASH, nic, CPUS, &memory), expected);
	nb_memory_clear(&memory);
}

static void one_big_queue_is_where_addresses_meet(void **state)
{
	struct nb_nic nic = {.ifindex = 2, .n_rx = 2, .udp_hash = NB_UDP_HASH_ADDRESSES};

	(void)state;
	assert_hash(&nic, 5000, 4999, 9000, true);
	assert_hash(&nic, 4999, 0, 0, false);
	assert_hash(&nic, 9000, 9000, 0, false);
	assert_hash(&nic, 0, 0, 9000, false);
	assert_false(nb_advice_applies(NB_ADVICE_UDP_HASH, &nic, CPUS, NULL));
	nic.n_rx = 1;
	assert_hash(&nic, 9000, 0, 0, false);
	nic.n_rx = 2;
	nic.udp_hash_asked = NB_UDP_HASH_PORTS;
	assert_hash(&nic, 5000, 4999, 9000, false);
	nic.udp_hash_asked = NB_UDP_HASH_UNKNOWN;
	nic.udp_hash = NB_UDP_HASH_PORTS;
	assert_hash(&nic, 9000, 0, 0, false);
	nic.udp_hash = NB_UDP_HASH_UNKNOWN;
	assert_hash(&nic, 9000, 0, 0, false);
}

static void a_minute_without_load_ends_it(void **state)
{
	const struct nb_nic nic = {.ifindex = 2, .n_rx = 2, .udp_hash = NB_UDP_HASH_ADDRESSES};
	struct nb_queue_load queue = {.key = {2, 0}, .time = 9000};
	const struct nb_loads loads = {.queues = &queue, .n_queues = 1};
	struct nb_snapshot snapshot = {.taken_nsec = SEC};
	struct nb_memory memory = {};

	(void)state;
	nb_advice_look(&memory, &snapshot, &loads);
	snapshot.taken_nsec = 6 * SEC;
	nb_advice_look(&memory, &snapshot, &loads);
	queue.time = 0;
	snapshot.taken_nsec = 66 * SEC;
	nb_advice_look(&memory, &snapshot, &loads);
	assert_true(nb_advice_applies(NB_ADVICE_UDP_HASH, &nic, CPUS, &memory));
	snapshot.taken_nsec++;
	nb_advice_look(&memory, &snapshot, &loads);
	assert_false(nb_advice_applies(NB_ADVICE_UDP_HASH, &nic, CPUS, &memory));
	nb_memory_clear(&memory);
}

static bool is_noted(const struct nb_snapshot *snapshot, const struct nb_loads *loads)
{
	struct nb_memory memory = {};
	bool noted;

	nb_advice_look(&memory, snapshot, loads);
	noted = nb_spells_find(&memory.lopsided, 2) != NULL;
	nb_memory_clear(&memory);
	return noted;
}

/* RPS has taken its time away, not its packets. */
static void a_steered_queue_is_as_big_as_its_packets(void **state)
{
	struct nb_queue_load queues[] = {
		{.key = {2, 0}, .time = 1000, .rx_packets_per_sec = 5001},
		{.key = {2, 1}, .time = 2000, .rx_packets_per_sec = 5000},
	};
	const struct nb_loads loads = {.queues = queues, .n_queues = G_N_ELEMENTS(queues)};
	struct nb_rps_state rps = {.key = {2, 0}};
	struct nb_snapshot snapshot = {.rps = &rps, .n_rps = 1};

	(void)state;
	assert_true(is_noted(&snapshot, &loads));
	queues[0].rx_packets_per_sec = 5000;
	assert_false(is_noted(&snapshot, &loads));
	queues[0].rx_packets_per_sec = 5001;
	snapshot.n_rps = 0;
	assert_false(is_noted(&snapshot, &loads));
}

/* Six seconds with one big queue, of which most is of a tunnel in those of the mask. */
static void assert_tunnel(const struct nb_nic *nic, unsigned seconds, bool expected)
{
	struct nb_queue_load queue = {.key = {2, 0}, .time = 9000};
	const struct nb_loads loads = {.queues = &queue, .n_queues = 1};
	struct nb_snapshot snapshot = {.taken_nsec = SEC};
	struct nb_memory memory = {};

	for (unsigned i = 0; i < 6; i++, snapshot.taken_nsec += SEC) {
		nb_advice_look(&memory, &snapshot, &loads);
		if (seconds >> i & 1)
			nb_advice_note_tunnel(&memory, 2, snapshot.taken_nsec);
	}
	assert_int_equal(nb_advice_applies(NB_ADVICE_TUNNEL, nic, CPUS, &memory), expected);
	/* The ports of what is in it do not count. */
	assert_int_equal(nb_advice_applies(NB_ADVICE_UDP_HASH, nic, CPUS, &memory),
			 nic->n_rx > 1 && !expected);
	queue.time = 0;
	snapshot.taken_nsec += 61 * SEC;
	nb_advice_look(&memory, &snapshot, &loads);
	assert_false(nb_advice_applies(NB_ADVICE_TUNNEL, nic, CPUS, &memory));
	assert_int_equal(memory.tunnelled.n, 0);
	nb_memory_clear(&memory);
}

static void a_tunnel_explains_one_big_queue(void **state)
{
	struct nb_nic nic = {
		.ifindex = 2, .n_rx = 2, .udp_hash = NB_UDP_HASH_ADDRESSES, .tunnel = "gre1"};

	(void)state;
	assert_tunnel(&nic, 0x3f, true);
	assert_tunnel(&nic, 0x21, true);
	assert_tunnel(&nic, 0x1f, false);
	assert_tunnel(&nic, 0, false);
	assert_false(nb_advice_applies(NB_ADVICE_TUNNEL, &nic, CPUS, NULL));
	nic.n_rx = 1;
	assert_tunnel(&nic, 0x3f, false);
	nic.n_rx = 2;
	*nic.tunnel = '\0';
	assert_tunnel(&nic, 0x3f, false);
}

static void threads_that_may_not_be_bound_are_told(void **state)
{
	const struct nb_nic nic = {.ifindex = 2};
	struct nb_memory memory = {};

	(void)state;
	assert_false(nb_advice_applies(NB_ADVICE_THREADS, &nic, CPUS, NULL));
	assert_false(nb_advice_applies(NB_ADVICE_THREADS, &nic, CPUS, &memory));
	nb_follow_get(&memory.threads, 2)->yielded_nsec = 1;
	assert_false(nb_advice_applies(NB_ADVICE_THREADS, &nic, CPUS, &memory));
	nb_follow_get(&memory.threads, 2)->refused = true;
	assert_true(nb_advice_applies(NB_ADVICE_THREADS, &nic, CPUS, &memory));
	nb_memory_clear(&memory);
}

static void count(void *data, const struct nb_nic *nic, unsigned n_allowed_cpus,
		  enum nb_advice advice)
{
	unsigned *n = data;

	assert_int_equal(nic->ifindex, 2);
	assert_int_equal(n_allowed_cpus, 3);
	assert_int_equal(advice, NB_ADVICE_CHANNELS);
	(*n)++;
}

static void each_nic_in_scope_is_judged_by_the_cpus_it_may_use(void **state)
{
	struct nb_nic nics[] = {
		{.ifindex = 2, .n_channels = 2, .most_channels = 8},
		{.ifindex = 3, .n_channels = 3, .most_channels = 8},
		{.ifindex = 4, .scope = NB_SCOPE_DOWN, .n_channels = 1, .most_channels = 8},
	};
	const struct nb_machine machine = {
		.topology.online.words = {0xf}, .nics = nics, .n_nics = G_N_ELEMENTS(nics)};
	const struct nb_snapshot snapshot = {.machine = &machine};
	const struct nb_policy policy = {.banned.words = {1}};
	const struct nb_memory memory = {};
	unsigned n = 0;

	(void)state;
	nb_advice_foreach(&snapshot, &policy, &memory, count, &n);
	assert_int_equal(n, 1);
}

static void assert_text(enum nb_advice advice, const struct nb_nic *nic, const char *expected)
{
	g_autofree char *text = nb_advice_text(advice, nic, CPUS);

	assert_string_equal(text, expected);
}

static void the_command_is_said(void **state)
{
	struct nb_nic nic = {.name = "eth0", .n_channels = 1, .most_channels = 16};

	(void)state;
	assert_text(NB_ADVICE_CHANNELS, &nic, "1 of 16 channels in use: ethtool -L eth0 rx 8");
	nic.combines_channels = true;
	nic.most_channels = 4;
	assert_text(NB_ADVICE_CHANNELS, &nic, "1 of 4 channels in use: ethtool -L eth0 combined 4");
	assert_text(
		NB_ADVICE_THREADS, &nic,
		"NAPI threads are not placed: the daemon may not set their affinity; for what it "
		"needs see PlaceThreads= in nicbalance.conf(5)");
	assert_text(NB_ADVICE_UDP_HASH, &nic,
		    "UDP is not hashed by ports: ethtool -N eth0 rx-flow-hash udp4 sdfn");
	g_strlcpy(nic.tunnel, "gre1", sizeof(nic.tunnel));
	assert_text(
		NB_ADVICE_TUNNEL, &nic,
		"most packets are of tunnel gre1, and have one queue, as their outer addresses are "
		"the same; RPS looks inside GRE and IP in IP, but not ERSPAN");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(more_channels_are_for_cpus_that_may_serve_them),
		cmocka_unit_test(what_the_configuration_asks_for_is_no_advice),
		cmocka_unit_test(one_big_queue_is_where_addresses_meet),
		cmocka_unit_test(a_minute_without_load_ends_it),
		cmocka_unit_test(a_steered_queue_is_as_big_as_its_packets),
		cmocka_unit_test(a_tunnel_explains_one_big_queue),
		cmocka_unit_test(threads_that_may_not_be_bound_are_told),
		cmocka_unit_test(each_nic_in_scope_is_judged_by_the_cpus_it_may_use),
		cmocka_unit_test(the_command_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
