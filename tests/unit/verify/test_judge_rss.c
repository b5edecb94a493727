/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/rss_table.h"
#include "unit/verify/judge_fixture.h"

/* Queues 0 and 1 on CPUs 0 and 1; buckets moved from the first, whose CPU was so busy. */
static struct nb_rss_memory *spread(struct fixture *f, uint32_t before, uint64_t packets_before)
{
	struct nb_rss_memory *rss;

	nb_host_place(f->host, 1, 1);
	rss = nb_memory_get_rss(&f->host->memory, f->host->machine.nics[0].ifindex);
	rss->spread = 1;
	rss->failures = 1;
	rss->trial = (struct nb_rss_trial){
		.active = true, .before = before, .packets_per_sec_before = packets_before};
	return rss;
}

static void judge_loads(struct fixture *f, uint32_t first, uint32_t second)
{
	const struct nb_rss_memory *rss = &f->host->memory.rss[0];

	f->host->snapshot.complete = false;
	f->host->time[0] = first;
	f->host->time[1] = second;
	for (unsigned i = 0; i < 2; i++) {
		assert_true(rss->trial.active);
		judge(f);
	}
	assert_false(rss->trial.active);
}

static void a_table_helps_that_leaves_no_cpu_as_hot_as_it_was(void **state)
{
	struct fixture *f = *state;
	struct nb_rss_memory *rss = spread(f, 8500, 10000);

	judge_loads(f, 5000, 8500 - f->host->policy.minimum_gain);
	assert_false(rss->no_gain);
	assert_int_equal(rss->failures, 0);
	assert_int_equal(only_finding(f)->event, NB_EVENT_REDIRECTED);
	assert_int_equal(only_finding(f)->kind, NB_KIND_RSS);
	assert_int_equal(only_finding(f)->key.ifindex, rss->ifindex);
	assert_int_equal(only_finding(f)->effect, NB_EFFECT_WORKED);
	assert_int_equal(only_finding(f)->measured, 8500 - f->host->policy.minimum_gain);
}

static void one_that_only_moves_the_heat_did_not_help(void **state)
{
	struct fixture *f = *state;
	struct nb_rss_memory *rss = spread(f, 8500, 10000);

	judge_loads(f, 5000, 8501 - f->host->policy.minimum_gain);
	assert_true(rss->no_gain);
	assert_int_equal(rss->failures, 2);
	assert_int_equal(only_finding(f)->effect, NB_EFFECT_NO_GAIN);
}

/* Packets of a queue are as many as its load, in this host. */
static void of_a_full_cpu_it_is_enough_that_more_packets_are_received(void **state)
{
	struct fixture *f = *state;
	struct nb_rss_memory *rss = spread(f, 10000, 15000);

	judge_loads(f, 10000, 5750);
	assert_false(rss->no_gain);
	*rss = *spread(f, 10000, 15000);
	judge_loads(f, 10000, 5749);
	assert_true(rss->no_gain);
	*rss = *spread(f, f->host->policy.panic, 15000);
	judge_loads(f, 10000, 9000);
	assert_true(rss->no_gain);
}

static void what_another_nic_does_does_not_count(void **state)
{
	struct fixture *f = *state;
	struct nb_rss_memory *rss;
	unsigned other = nb_host_add_nic(f->host, NB_NODE_NONE, 1, 3, 9900);

	nb_memory_sync(&f->host->memory, &f->host->snapshot);
	assert_int_equal(f->host->loads.n_queues, other + 1);
	rss = spread(f, 8500, 10000);
	judge_loads(f, 5000, 5000);
	assert_false(rss->no_gain);
}

static void judge_table(struct fixture *f, const uint32_t *entries, int ifindex)
{
	f->host->snapshot.buckets = (struct nb_bucket_counts){
		.able = true, .ifindex = ifindex, .n = 4, .n_rings = 2, .queues = entries};
	f->host->snapshot.complete = false; /* of a table any sample tells */
	judge(f);
}

static void a_foreign_table_is_yielded(void **state)
{
	static const uint32_t ours[] = {0, 1, 1, 1}, theirs[] = {0, 0, 0, 1};
	struct fixture *f = *state;
	struct nb_rss_memory *rss = spread(f, 8500, 10000);
	int ifindex = rss->ifindex;

	rss->spread = nb_table_digest(ours, 4);
	rss->trial.active = false;
	judge_table(f, ours, ifindex);
	judge_table(f, theirs, ifindex + 1);
	judge_table(f, theirs, 0);
	assert_int_equal(f->findings->len, 0);
	rss->trial.active = true;
	judge_table(f, theirs, ifindex);
	assert_int_equal(only_finding(f)->event, NB_EVENT_YIELDED);
	assert_int_equal(only_finding(f)->kind, NB_KIND_RSS);
	assert_int_equal(only_finding(f)->key.ifindex, ifindex);
	assert_int_equal(rss->spread, 0);
	assert_false(rss->trial.active);
	assert_true(rss->yielded_until_nsec ==
		    f->host->snapshot.taken_nsec + f->host->policy.yield_nsec);
	judge_table(f, theirs, ifindex);
	assert_int_equal(f->findings->len, 1);
}

#define JUDGED(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		JUDGED(a_table_helps_that_leaves_no_cpu_as_hot_as_it_was),
		JUDGED(one_that_only_moves_the_heat_did_not_help),
		JUDGED(of_a_full_cpu_it_is_enough_that_more_packets_are_received),
		JUDGED(what_another_nic_does_does_not_count),
		JUDGED(a_foreign_table_is_yielded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
