/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/rss_table.h"
#include "unit/plan/buckets_fixture.h"

#define SEC NB_NSEC_PER_SEC

static struct nb_rss_change change;

static int ifindex_of(const struct fixture *f)
{
	return f->host->machine.nics[0].ifindex;
}

/* A queue of 85 with four buckets alike, and counts that have been running for two seconds. */
static int set_up_hot(void **state)
{
	struct fixture *f;
	int r = set_up(state);

	f = *state;
	load_first(f, 8500, (const uint32_t[]){1000, 1000, 1000, 1000});
	f->host->snapshot.buckets.since_nsec = f->host->snapshot.taken_nsec - 2 * SEC;
	return r;
}

static enum nb_bucket_step begin(struct fixture *f)
{
	look(f);
	return nb_buckets_begin(&f->board, &f->host->memory, domain_of(f, 0), 1000, &change);
}

static struct nb_rss_memory *memory_of(struct fixture *f)
{
	return nb_memory_get_rss(&f->host->memory, ifindex_of(f));
}

static void wait_for(struct fixture *f, uint64_t nsec)
{
	f->host->snapshot.taken_nsec += nsec;
	f->host->snapshot.buckets.since_nsec = f->host->snapshot.taken_nsec - 2 * SEC;
}

static void moves_what_was_counted(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(begin(f), NB_BUCKETS_MOVE);
	assert_int_equal(change.key.ifindex, ifindex_of(f));
	assert_int_equal(change.reason, NB_REASON_RSS_SPREAD);
	assert_true(change.n_moved > 0);
	assert_int_equal(change.hottest_before, 8500);
	assert_int_equal(change.packets_per_sec, 8500 + 3 * 1000);
}

static void a_device_without_hardware_has_no_table(void **state)
{
	struct fixture *f = *state;

	f->host->machine.nics[0].scope = NB_SCOPE_STEERED;
	assert_int_equal(begin(f), NB_BUCKETS_NOTHING);
}

static void put_on_vmbus(struct nb_host *host)
{
	for (unsigned i = 0; i < host->machine.n_queues; i++)
		host->machine.queues[i].irqs[0] |= NB_IRQ_CHANNEL;
}

static void a_driver_that_switches_rss_off_for_it_keeps_its_table(void **state)
{
	struct fixture *f = *state;

	put_on_vmbus(f->host);
	assert_int_equal(begin(f), NB_BUCKETS_NOTHING);
}

static void packets_are_counted_first(void **state)
{
	struct fixture *f = *state;

	f->host->snapshot.buckets.ifindex = 0;
	assert_int_equal(begin(f), NB_BUCKETS_COUNT);
	assert_int_equal(change.key.ifindex, ifindex_of(f));
	f->host->snapshot.buckets.ifindex = ifindex_of(f) + 1;
	assert_int_equal(begin(f), NB_BUCKETS_COUNT);
}

static void for_a_second_at_least_and_until_there_are_enough(void **state)
{
	struct fixture *f = *state;
	struct nb_bucket_counts *counts = &f->host->snapshot.buckets;

	counts->since_nsec = f->host->snapshot.taken_nsec + 1; /* one passes before the look */
	assert_int_equal(begin(f), NB_BUCKETS_COUNT);
	assert_int_equal(begin(f), NB_BUCKETS_MOVE);

	memset(packets, 0, sizeof(packets));
	packets[0] = packets[4] = 499;
	counts->since_nsec = f->host->snapshot.taken_nsec + 1;
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(begin(f), NB_BUCKETS_COUNT);
	assert_int_equal(begin(f), NB_BUCKETS_MOVE);
}

/* What was in vain is not counted again before four dwells have passed. */
static void assert_backs_off(struct fixture *f)
{
	uint64_t dwell_nsec = f->host->policy.rps_dwell_nsec;

	assert_int_equal(begin(f), NB_BUCKETS_NOTHING);
	assert_int_equal(memory_of(f)->failures, 1);
	f->host->snapshot.buckets.ifindex = 0;
	wait_for(f, 4 * dwell_nsec - 2 * SEC);
	assert_int_equal(begin(f), NB_BUCKETS_NOTHING);
	assert_int_equal(begin(f), NB_BUCKETS_COUNT);
}

/* With the next samples, as a CPU is hot now. */
static void packets_that_can_be_counted_soon_are_waited_for(void **state)
{
	struct fixture *f = *state;
	struct nb_bucket_counts *counts = &f->host->snapshot.buckets;

	counts->able = false;
	counts->soon = true;
	counts->ifindex = 0;
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(begin(f), NB_BUCKETS_COUNT);
	/* But not for ever. */
	assert_backs_off(f);
}

static void a_wait_of_long_ago_is_another(void **state)
{
	struct fixture *f = *state;

	f->host->snapshot.buckets.ifindex = 0;
	assert_int_equal(begin(f), NB_BUCKETS_COUNT);
	wait_for(f, 10 * SEC);
	assert_int_equal(begin(f), NB_BUCKETS_COUNT);
}

static void where_nothing_can_be_counted_nothing_is_asked(void **state)
{
	struct fixture *f = *state;

	f->host->snapshot.buckets.able = false;
	assert_int_equal(begin(f), NB_BUCKETS_NOTHING);
	f->host->snapshot.buckets.able = true;
	f->host->policy.rss = false;
	assert_int_equal(begin(f), NB_BUCKETS_NOTHING);
	assert_int_equal(f->host->memory.n_rss, 0);
}

static void a_table_that_cannot_be_read_is_left_alone(void **state)
{
	struct fixture *f = *state;

	f->host->snapshot.buckets.n = 0;
	assert_backs_off(f);
}

static void a_hash_that_tells_nothing_is_not_believed(void **state)
{
	struct fixture *f = *state;
	struct nb_bucket_counts *counts = &f->host->snapshot.buckets;

	counts->strayed = 16000 / 9;
	assert_int_equal(begin(f), NB_BUCKETS_MOVE);
	counts->strayed = 16000 / 9 + 1;
	assert_backs_off(f);
}

/* Four queues: five buckets are all in the right one by chance once in 1024 times, four in 256. */
static void a_reckoned_hash_is_believed_where_chance_does_not_explain_it(void **state)
{
	struct fixture *f = *state;
	struct nb_bucket_counts *counts = &f->host->snapshot.buckets;

	counts->reckoned = 16000;
	counts->n_agreeing = 5;
	assert_int_equal(begin(f), NB_BUCKETS_MOVE);
	counts->n_agreeing = 4;
	assert_backs_off(f);
}

/* Packets may be of one large flow, which is where its bucket is by chance. */
static void a_reckoned_hash_is_not_believed_against_one_bucket_in_ten(void **state)
{
	struct fixture *f = *state;
	struct nb_bucket_counts *counts = &f->host->snapshot.buckets;

	counts->reckoned = 16000;
	counts->n_agreeing = 10;
	counts->n_disagreeing = 1;
	assert_int_equal(begin(f), NB_BUCKETS_MOVE);
	counts->n_agreeing = 9;
	assert_backs_off(f);
}

/* What is not hashed by the NIC, as ARP or all but IP, is reckoned as little. */
static void hashes_of_the_nic_are_believed_besides_a_few_that_were_reckoned(void **state)
{
	struct fixture *f = *state;
	struct nb_bucket_counts *counts = &f->host->snapshot.buckets;

	counts->reckoned = 1600;
	counts->n_agreeing = 1;
	assert_int_equal(begin(f), NB_BUCKETS_MOVE);
	counts->reckoned = 1601;
	assert_backs_off(f);
}

static void the_table_of_an_administrator_is_left_alone(void **state)
{
	struct fixture *f = *state;

	table[1] = table[5] = 2;
	assert_backs_off(f);
}

static void an_even_table_in_another_order_is_nobodys(void **state)
{
	struct fixture *f = *state;

	/* As igb makes it: half of the entries for each queue, one after another. */
	for (unsigned i = 0; i < N_BUCKETS; i++)
		table[i] = i * N_QUEUES / N_BUCKETS;
	assert_int_equal(begin(f), NB_BUCKETS_MOVE);
}

static void our_own_table_is_moved_on(void **state)
{
	struct fixture *f = *state;

	table[1] = table[5] = 2;
	memory_of(f)->spread = nb_table_digest(table, N_BUCKETS);
	assert_int_equal(begin(f), NB_BUCKETS_MOVE);
}

static void one_that_another_program_set_in_place_of_ours_stays_though_it_is_even(void **state)
{
	struct fixture *f = *state;

	memory_of(f)->spread = nb_table_digest(table, N_BUCKETS) + 1;
	assert_backs_off(f);
}

static void assert_waits(struct fixture *f)
{
	assert_int_equal(begin(f), NB_BUCKETS_NOTHING);
	*memory_of(f) = (struct nb_rss_memory){.ifindex = ifindex_of(f)};
	assert_int_equal(begin(f), NB_BUCKETS_MOVE);
}

static void a_table_that_is_refused_limited_or_yielded_waits(void **state)
{
	struct fixture *f = *state;

	memory_of(f)->refused = true;
	assert_waits(f);
	nb_cpumask_add(&memory_of(f)->queues, 0);
	assert_waits(f);
	memory_of(f)->yielded_until_nsec = UINT64_MAX;
	assert_waits(f);
	memory_of(f)->set_nsec = f->host->snapshot.taken_nsec;
	assert_waits(f);
}

static bool is_on_trial(struct fixture *f)
{
	look(f);
	return nb_buckets_on_trial(&f->board, &f->host->memory, domain_of(f, 0));
}

static void a_table_is_on_trial_until_it_is_judged(void **state)
{
	struct fixture *f = *state;

	assert_false(is_on_trial(f));
	memory_of(f)->trial.active = true;
	assert_true(is_on_trial(f));
	memory_of(f)->trial.active = false;
	assert_false(is_on_trial(f));
}

static void nothing_is_counted_where_no_queue_of_the_nic_is_cooler(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 1; i < N_QUEUES; i++)
		f->host->time[i] = 7501;
	f->host->snapshot.buckets.ifindex = 0;
	assert_int_equal(begin(f), NB_BUCKETS_NOTHING);
	f->host->time[3] = 7500;
	assert_int_equal(begin(f), NB_BUCKETS_COUNT);
}

static void a_queue_that_is_steered_or_polled_elsewhere_does_not_take_part(void **state)
{
	struct fixture *f = *state;
	struct nb_cpumask mask = {};

	nb_cpumask_add(&mask, 7);
	nb_host_set_rps(f->host, 0, &mask);
	assert_int_equal(begin(f), NB_BUCKETS_NOTHING);
	nb_cpumask_clear(&mask);
	nb_host_set_rps(f->host, 0, &mask);
	nb_host_stick(f->host, 0, 6);
	assert_int_equal(begin(f), NB_BUCKETS_NOTHING);
	nb_host_stick(f->host, 0, -1);
	assert_int_equal(begin(f), NB_BUCKETS_MOVE);
}

/* --- review ---------------------------------------------------------------------------------- */

/* Buckets moved, a dwell ago. */
static struct nb_rss_memory *set_table(struct fixture *f)
{
	struct nb_rss_memory *rss = memory_of(f);

	rss->spread = 1;
	rss->set_nsec = f->host->snapshot.taken_nsec;
	f->host->snapshot.taken_nsec += f->host->policy.rps_dwell_nsec;
	return rss;
}

static bool review(struct fixture *f)
{
	look(f);
	return nb_buckets_review(&f->board, &f->host->memory, &change);
}

static void set_loads(struct fixture *f, uint32_t load)
{
	for (unsigned i = 0; i < N_QUEUES; i++)
		f->host->time[i] = load;
}

static void the_table_returns_after_ten_samples_in_which_one_queue_could_do_all(void **state)
{
	struct fixture *f = *state;
	uint32_t quarter = f->host->policy.hot / 2 / N_QUEUES;

	set_table(f);
	set_loads(f, quarter);
	for (unsigned i = 0; i < 20; i++) {
		f->host->time[0] = quarter + i % 2; /* too much, and never ten times in a row */
		f->host->time[1] = quarter - 2 * (i % 9 != 0);
		assert_false(i > 0 && f->host->memory.rss[0].calm_samples > 8);
		assert_false(review(f));
	}
	set_loads(f, quarter - 1);
	f->host->memory.rss[0].calm_samples = 0;
	for (unsigned i = 0; i < 9; i++)
		assert_false(review(f));
	assert_true(review(f));
	assert_int_equal(change.reason, NB_REASON_RSS_CALM);
	assert_int_equal(change.key.ifindex, ifindex_of(f));
	assert_int_equal(change.n_entries, 0);
}

static void cycles_that_were_asked_for_early_do_not_count(void **state)
{
	struct fixture *f = *state;

	set_table(f);
	set_loads(f, 0);
	f->host->memory.hurried = true;
	for (unsigned i = 0; i < 20; i++)
		assert_false(review(f));
}

static void not_soon_after_it_was_set(void **state)
{
	struct fixture *f = *state;
	struct nb_rss_memory *rss = set_table(f);
	uint64_t third_nsec = f->host->policy.rps_dwell_nsec / 3;

	set_loads(f, 0);
	for (unsigned i = 0; i < 20; i++) {
		rss->set_nsec = f->host->snapshot.taken_nsec + SEC - third_nsec + 1;
		assert_false(review(f));
	}
	rss->set_nsec = f->host->snapshot.taken_nsec + SEC - third_nsec;
	assert_true(review(f));
}

static void it_returns_under_load_when_tables_are_not_to_be_set_any_more(void **state)
{
	struct fixture *f = *state;

	set_table(f);
	f->host->policy.rss = false;
	for (unsigned i = 0; i < 9; i++)
		assert_false(review(f));
	assert_true(review(f));
}

static void what_did_not_help_returns_at_once(void **state)
{
	struct fixture *f = *state;

	set_table(f)->no_gain = true;
	assert_true(review(f));
	assert_int_equal(change.reason, NB_REASON_RSS_NO_GAIN);
}

static void only_tables_with_moved_buckets_are_reviewed(void **state)
{
	struct fixture *f = *state;

	set_table(f)->spread = 0;
	nb_cpumask_add(&memory_of(f)->queues, 0);
	set_loads(f, 0);
	for (unsigned i = 0; i < 20; i++)
		assert_false(review(f));
}

#define HOT(test) cmocka_unit_test_setup_teardown(test, set_up_hot, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		HOT(moves_what_was_counted),
		HOT(a_device_without_hardware_has_no_table),
		HOT(a_driver_that_switches_rss_off_for_it_keeps_its_table),
		HOT(packets_are_counted_first),
		HOT(for_a_second_at_least_and_until_there_are_enough),
		HOT(packets_that_can_be_counted_soon_are_waited_for),
		HOT(a_wait_of_long_ago_is_another),
		HOT(where_nothing_can_be_counted_nothing_is_asked),
		HOT(a_table_that_cannot_be_read_is_left_alone),
		HOT(a_hash_that_tells_nothing_is_not_believed),
		HOT(a_reckoned_hash_is_believed_where_chance_does_not_explain_it),
		HOT(a_reckoned_hash_is_not_believed_against_one_bucket_in_ten),
		HOT(hashes_of_the_nic_are_believed_besides_a_few_that_were_reckoned),
		HOT(the_table_of_an_administrator_is_left_alone),
		HOT(an_even_table_in_another_order_is_nobodys),
		HOT(our_own_table_is_moved_on),
		HOT(one_that_another_program_set_in_place_of_ours_stays_though_it_is_even),
		HOT(a_table_that_is_refused_limited_or_yielded_waits),
		HOT(a_table_is_on_trial_until_it_is_judged),
		HOT(nothing_is_counted_where_no_queue_of_the_nic_is_cooler),
		HOT(a_queue_that_is_steered_or_polled_elsewhere_does_not_take_part),
		HOT(the_table_returns_after_ten_samples_in_which_one_queue_could_do_all),
		HOT(cycles_that_were_asked_for_early_do_not_count),
		HOT(not_soon_after_it_was_set),
		HOT(it_returns_under_load_when_tables_are_not_to_be_set_any_more),
		HOT(what_did_not_help_returns_at_once),
		HOT(only_tables_with_moved_buckets_are_reviewed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
