/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bpf/probe_internal.h"
#include "nicbalance/units.h"
#include "sample/buckets.h"
#include "support/fake_probe.h"
#include "support/fake_rss.h"
#include "support/support.h"

#include <errno.h>
#include <string.h>

#define SEC NB_NSEC_PER_SEC
#define ETH0 7

struct fixture {
	char *dir;
	struct nb_sysroot *root;
	struct nb_netlink *netlink;
	struct nb_fake_rss rss;
	struct nb_probe *probe;
	struct nb_buckets buckets;
};

static int setup(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);

	*state = f;
	f->dir = nb_tmp_make();
	if (nb_sysroot_open(f->dir, &f->root) < 0 || nb_netlink_new_ethtool(&f->netlink) < 0)
		return -1;
	f->rss = (struct nb_fake_rss){.ifname = "eth0", .n = 8, .n_rings = 3, .hfunc = 1};
	nb_fake_rss_reset(&f->rss);
	nb_fake_rss_attach(&f->rss, f->netlink);
	f->probe = nb_fake_probe_new(2);
	nb_probe_attach(f->probe);
	nb_probe_measure(f->probe, true);
	f->buckets.root = f->root;
	f->buckets.netlink = f->netlink;
	nb_buckets_use_probe(&f->buckets, f->probe);
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	nb_fake_probe_free(f->probe);
	nb_netlink_free(f->netlink);
	nb_sysroot_free(f->root);
	nb_tmp_remove(f->dir);
	g_free(f);
	return 0;
}

static struct nb_bucket_counts read_counts(struct fixture *f)
{
	struct nb_bucket_counts counts;

	nb_buckets_read(&f->buckets, &counts);
	return counts;
}

static void start(struct fixture *f)
{
	nb_buckets_start(&f->buckets, ETH0, "eth0", 5 * SEC);
}

static void assert_none(const struct fixture *f, const struct nb_bucket_counts *counts)
{
	assert_int_equal(counts->ifindex, 0);
	assert_int_equal(counts->n, 0);
	assert_true(counts->strayed == 0);
	assert_int_equal(f->probe->control->buckets_ifindex, 0);
}

static void at_first_nothing_is_counted(void **state)
{
	struct fixture *f = *state;
	struct nb_bucket_counts counts;

	nb_fake_probe_receive(f->probe, 0, 5, 5);
	counts = read_counts(f);
	assert_none(f, &counts);
	assert_true(counts.able);
}

static void the_table_is_the_nics(void **state)
{
	struct fixture *f = *state;
	struct nb_bucket_counts counts;

	nb_fake_rss_set(&f->rss, "2,1,0,2,1,0,0,0");
	start(f);
	counts = read_counts(f);
	assert_int_equal(counts.ifindex, ETH0);
	assert_true(counts.since_nsec == 5 * SEC);
	assert_int_equal(counts.n, 8);
	assert_int_equal(counts.n_rings, 3);
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(counts.queues[i], f->rss.entries[i]);
		assert_int_equal(f->probe->control->bucket_queues[i], f->rss.entries[i]);
	}
	assert_int_equal(f->probe->control->buckets_ifindex, ETH0);
	assert_int_equal(f->probe->control->n_buckets, 8);
}

static void what_came_since_is_counted(void **state)
{
	struct fixture *f = *state;
	struct nb_bucket_counts counts;

	nb_fake_probe_receive(f->probe, 1, 100, 10);
	start(f);
	assert_int_equal(read_counts(f).packets[1], 0);
	nb_fake_probe_receive(f->probe, 1, 7, 2);
	nb_fake_probe_receive(f->probe, 7, 9, 3);
	counts = read_counts(f);
	assert_int_equal(counts.packets[0], 0);
	assert_int_equal(counts.packets[1], 7);
	assert_int_equal(counts.packets[7], 9);
	assert_true(counts.strayed == 5);
	nb_fake_probe_receive(f->probe, 1, 1, 0);
	assert_int_equal(read_counts(f).packets[1], 8);
}

static void counters_may_wrap(void **state)
{
	struct fixture *f = *state;
	struct nb_bucket_counts counts;

	f->probe->buckets[2].packets = f->probe->buckets[2].strayed = UINT32_MAX - 1;
	f->probe->buckets[3].strayed = 1;
	f->probe->buckets[2].reckoned = f->probe->buckets[2].reckoned_strayed = UINT32_MAX - 1;
	start(f);
	nb_fake_probe_receive(f->probe, 2, 5, 6);
	nb_fake_probe_receive(f->probe, 3, 0, UINT32_MAX);
	nb_fake_probe_reckon(f->probe, 2, 4, 3);
	counts = read_counts(f);
	assert_true(counts.reckoned == 4);
	assert_int_equal(counts.n_agreeing, 1);
	assert_int_equal(counts.n_disagreeing, 0);
	assert_int_equal(counts.packets[2], 5 + 4);
	assert_true(counts.strayed == 6 + 3 + (uint64_t)UINT32_MAX);
}

#define KERNEL_KEY                                                                 \
	"22:22:22:22:22:22:22:22:22:22:22:22:22:22:22:22:22:22:22:22:22:22:22:22:" \
	"22:22:22:22:22:22:22:22:22:22:22:22:22:22:22:22:22:22:22:22:22:22:22:22:22:22:22:22\n"

static const struct nb_probe_reckoning *told(const struct fixture *f)
{
	return &f->probe->control->reckoning;
}

/* What the first bit of the input contributes is the beginning of the key. */
static void assert_key(const struct fixture *f, uint32_t beginning)
{
	assert_true(told(f)->on);
	assert_int_equal(told(f)->toeplitz.parts[0][8], beginning);
}

static void hashes_are_reckoned_with_the_key_of_the_nic(void **state)
{
	struct fixture *f = *state;

	nb_tmp_write(f->dir, "proc/sys/net/core/netdev_rss_key", KERNEL_KEY);
	memset(f->rss.key, 0x11, sizeof(f->rss.key));
	f->rss.key_size = NB_RSS_KEY;
	start(f);
	assert_key(f, 0x11111111);
}

static void a_nic_that_does_not_tell_its_key_has_the_kernels(void **state)
{
	struct fixture *f = *state;

	nb_tmp_write(f->dir, "proc/sys/net/core/netdev_rss_key", KERNEL_KEY);
	start(f);
	assert_key(f, 0x22222222);
}

static void assert_counts_what_the_nic_tells(struct fixture *f)
{
	nb_buckets_stop(&f->buckets);
	start(f);
	assert_int_equal(read_counts(f).n, 8);
	assert_int_equal(f->probe->control->buckets_ifindex, ETH0);
	assert_false(told(f)->on);
}

static void nothing_is_reckoned_with_no_key_or_another_function(void **state)
{
	struct fixture *f = *state;

	assert_counts_what_the_nic_tells(f);
	nb_tmp_write(f->dir, "proc/sys/net/core/netdev_rss_key", "00:11\n");
	assert_counts_what_the_nic_tells(f);
	nb_tmp_write(f->dir, "proc/sys/net/core/netdev_rss_key", KERNEL_KEY);
	f->rss.hfunc = 2;
	assert_counts_what_the_nic_tells(f);
	f->rss.hfunc = 1;
	nb_buckets_stop(&f->buckets);
	start(f);
	assert_true(told(f)->on);
}

static void ports_count_as_the_nic_says(void **state)
{
	static const struct {
		bool tcp;
		unsigned version;
		uint32_t flag;
	} kinds[] = {
		{true, 0, NB_PROBE_TCP4},
		{true, 1, NB_PROBE_TCP6},
		{false, 0, NB_PROBE_UDP4},
		{false, 1, NB_PROBE_UDP6},
	};
	struct fixture *f = *state;

	f->rss.key_size = NB_RSS_KEY;
	for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++) {
		for (unsigned version = 0; version < 2; version++)
			f->rss.tcp_fields[version] = f->rss.udp_fields[version] = 1;
		(kinds[i].tcp ? f->rss.tcp_fields : f->rss.udp_fields)[kinds[i].version] =
			nb_port_fields;
		nb_buckets_stop(&f->buckets);
		start(f);
		assert_int_equal(told(f)->ports, kinds[i].flag);
	}
}

static void reckoned_hashes_are_told_from_the_nics(void **state)
{
	struct fixture *f = *state;
	struct nb_bucket_counts counts;

	nb_fake_probe_reckon(f->probe, 0, 1, 9);
	start(f);
	nb_fake_probe_receive(f->probe, 6, 50, 50);
	nb_fake_probe_reckon(f->probe, 0, 5, 4);
	nb_fake_probe_reckon(f->probe, 1, 5, 5);
	nb_fake_probe_reckon(f->probe, 2, 0, 1);
	nb_fake_probe_reckon(f->probe, 3, 1, 0);
	counts = read_counts(f);
	assert_true(counts.reckoned == 11);
	assert_int_equal(counts.n_agreeing, 2);
	assert_int_equal(counts.n_disagreeing, 2);
	assert_int_equal(counts.packets[0], 5);
	assert_true(counts.strayed == 60);
}

static void the_same_nic_goes_on_with_its_table(void **state)
{
	struct fixture *f = *state;
	struct nb_bucket_counts counts;

	start(f);
	nb_fake_probe_receive(f->probe, 1, 7, 0);
	nb_fake_rss_set(&f->rss, "2,2,2,2,2,2,2,2");
	nb_buckets_start(&f->buckets, ETH0, "eth0", 6 * SEC);
	counts = read_counts(f);
	assert_true(counts.since_nsec == 5 * SEC);
	assert_int_equal(counts.packets[1], 7);
	assert_int_equal(counts.queues[0], 0);
}

static void another_nic_begins_anew(void **state)
{
	struct fixture *f = *state;
	struct nb_bucket_counts counts;

	start(f);
	nb_fake_probe_receive(f->probe, 1, 7, 0);
	f->rss.ifname = "eth1";
	f->rss.n = 4;
	nb_buckets_start(&f->buckets, ETH0 + 1, "eth1", 6 * SEC);
	nb_fake_probe_receive(f->probe, 1, 2, 0);
	counts = read_counts(f);
	assert_int_equal(counts.ifindex, ETH0 + 1);
	assert_int_equal(counts.n, 4);
	assert_true(counts.since_nsec == 6 * SEC);
	assert_int_equal(counts.packets[1], 2);
	assert_int_equal(f->probe->control->buckets_ifindex, ETH0 + 1);
}

static void nothing_is_counted_once_it_is_stopped(void **state)
{
	struct fixture *f = *state;
	struct nb_bucket_counts counts;

	start(f);
	nb_fake_probe_receive(f->probe, 1, 7, 7);
	nb_buckets_stop(&f->buckets);
	nb_buckets_stop(&f->buckets);
	counts = read_counts(f);
	assert_none(f, &counts);
	start(f);
	assert_int_equal(read_counts(f).packets[1], 0);
}

/* The NIC is named: the planner is not to ask again. */
static void assert_not_countable(struct fixture *f)
{
	struct nb_bucket_counts counts;

	start(f);
	counts = read_counts(f);
	assert_true(counts.able);
	assert_int_equal(counts.ifindex, ETH0);
	assert_true(counts.since_nsec == 5 * SEC);
	assert_int_equal(counts.n, 0);
	assert_int_equal(f->probe->control->buckets_ifindex, 0);
}

static void a_table_that_cannot_be_read_has_no_buckets(void **state)
{
	struct fixture *f = *state;
	unsigned n_requests;

	f->rss.unsupported = true;
	assert_not_countable(f);
	n_requests = f->rss.n_requests;
	start(f);
	assert_int_equal(f->rss.n_requests, n_requests);
}

static void the_largest_table_is_counted_and_a_larger_one_is_not(void **state)
{
	struct fixture *f = *state;

	f->rss.n = NB_PROBE_BUCKETS_MAX;
	nb_fake_rss_reset(&f->rss);
	start(f);
	assert_int_equal(read_counts(f).n, NB_PROBE_BUCKETS_MAX);
	nb_fake_probe_receive(f->probe, NB_PROBE_BUCKETS_MAX - 1, 3, 0);
	assert_int_equal(read_counts(f).packets[NB_PROBE_BUCKETS_MAX - 1], 3);

	nb_buckets_stop(&f->buckets);
	f->rss.n = NB_PROBE_BUCKETS_MAX + 1;
	nb_fake_rss_reset(&f->rss);
	assert_not_countable(f);
}

static void a_table_that_names_a_ring_too_many_has_no_buckets(void **state)
{
	struct fixture *f = *state;

	f->rss.entries[7] = f->rss.n_rings;
	assert_not_countable(f);
}

static void what_the_probe_refuses_has_no_buckets(void **state)
{
	struct fixture *f = *state;

	f->rss.n_rings = 100000;
	f->rss.entries[7] = UINT16_MAX;
	assert_not_countable(f);
}

static void without_netlink_or_a_probe_nothing_can_be_counted(void **state)
{
	struct fixture *f = *state;
	struct nb_bucket_counts counts;

	start(f);
	nb_buckets_use_probe(&f->buckets, NULL);
	counts = read_counts(f);
	assert_none(f, &counts);
	assert_false(counts.able);
	start(f);
	counts = read_counts(f);
	assert_none(f, &counts);

	nb_buckets_use_probe(&f->buckets, f->probe);
	assert_true(read_counts(f).able);
	f->buckets.netlink = NULL;
	start(f);
	counts = read_counts(f);
	assert_none(f, &counts);
	assert_false(counts.able);
}

static void a_probe_that_pauses_cannot_count(void **state)
{
	struct fixture *f = *state;

	nb_probe_measure(f->probe, false);
	assert_false(read_counts(f).able || read_counts(f).soon);
	f->buckets.expected = true;
	assert_true(read_counts(f).soon);
	nb_probe_measure(f->probe, true);
	assert_true(read_counts(f).able && !read_counts(f).soon);
}

int main(void)
{
#define claim(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		claim(at_first_nothing_is_counted),
		claim(the_table_is_the_nics),
		claim(what_came_since_is_counted),
		claim(counters_may_wrap),
		claim(hashes_are_reckoned_with_the_key_of_the_nic),
		claim(a_nic_that_does_not_tell_its_key_has_the_kernels),
		claim(nothing_is_reckoned_with_no_key_or_another_function),
		claim(ports_count_as_the_nic_says),
		claim(reckoned_hashes_are_told_from_the_nics),
		claim(the_same_nic_goes_on_with_its_table),
		claim(another_nic_begins_anew),
		claim(nothing_is_counted_once_it_is_stopped),
		claim(a_table_that_cannot_be_read_has_no_buckets),
		claim(the_largest_table_is_counted_and_a_larger_one_is_not),
		claim(a_table_that_names_a_ring_too_many_has_no_buckets),
		claim(what_the_probe_refuses_has_no_buckets),
		claim(without_netlink_or_a_probe_nothing_can_be_counted),
		claim(a_probe_that_pauses_cannot_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
