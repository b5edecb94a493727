/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bpf/probe_internal.h"
#include "nicbalance/units.h"
#include "sample/buckets.h"
#include "support/fake_probe.h"
#include "support/fake_rss.h"
#include "support/support.h"

#include <errno.h>

#define SEC NB_NSEC_PER_SEC
#define ETH0 7

struct fixture {
	struct nb_netlink *netlink;
	struct nb_fake_rss rss;
	struct nb_probe *probe;
	struct nb_buckets buckets;
};

static int setup(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);

	*state = f;
	if (nb_netlink_new_ethtool(&f->netlink) < 0)
		return -1;
	f->rss = (struct nb_fake_rss){.ifname = "eth0", .n = 8, .n_rings = 3};
	nb_fake_rss_reset(&f->rss);
	nb_fake_rss_attach(&f->rss, f->netlink);
	f->probe = nb_fake_probe_new(2);
	nb_probe_attach(f->probe);
	nb_probe_measure(f->probe, true);
	f->buckets.netlink = f->netlink;
	nb_buckets_use_probe(&f->buckets, f->probe);
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	nb_fake_probe_free(f->probe);
	nb_netlink_free(f->netlink);
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
	start(f);
	nb_fake_probe_receive(f->probe, 2, 5, 6);
	nb_fake_probe_receive(f->probe, 3, 0, UINT32_MAX);
	counts = read_counts(f);
	assert_int_equal(counts.packets[2], 5);
	assert_true(counts.strayed == 6 + (uint64_t)UINT32_MAX);
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
