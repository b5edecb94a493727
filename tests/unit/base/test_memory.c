/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/follow.h"
#include "base/memory.h"

#include "support/host.h"
#include "support/support.h"

static int set_up(void **state)
{
	struct nb_host *host = nb_host_new(4, 1, 1);

	nb_host_add_nic(host, NB_NODE_NONE, 3, 1, 1000);
	nb_memory_sync(&host->memory, &host->snapshot);
	for (unsigned i = 0; i < 3; i++)
		host->memory.queues[i].fresh = false;
	*state = host;
	return 0;
}

static int tear_down(void **state)
{
	nb_host_free(*state);
	return 0;
}

static void rescan(struct nb_host *host)
{
	host->machine.generation++;
	nb_memory_sync(&host->memory, &host->snapshot);
}

static void a_new_queue_is_fresh_and_old_ones_are_kept(void **state)
{
	struct nb_host *host = *state;

	host->memory.queues[1].failures = 4;
	nb_host_add_nic(host, NB_NODE_NONE, 1, 2, 0);
	rescan(host);
	assert_int_equal(host->memory.n_queues, 4);
	assert_int_equal(host->memory.queues[1].failures, 4);
	assert_false(host->memory.queues[1].fresh);
	assert_true(host->memory.queues[3].fresh);
}

static void a_queue_with_other_interrupts_is_fresh(void **state)
{
	struct nb_host *host = *state;

	host->memory.queues[1].expected_cpu = 1;
	host->machine.queues[1].irqs[0] = 777;
	rescan(host);
	assert_true(host->memory.queues[1].fresh);
	assert_int_equal(host->memory.queues[1].expected_cpu, -1);
}

static void within_a_generation_nothing_is_touched(void **state)
{
	struct nb_host *host = *state;

	host->memory.queues[0].expected_cpu = 3;
	nb_memory_sync(&host->memory, &host->snapshot);
	assert_int_equal(host->memory.queues[0].expected_cpu, 3);
	assert_false(host->memory.queues[0].fresh);
}

static void an_rps_mask_that_went_with_its_queue_is_forgotten(void **state)
{
	struct nb_host *host = *state;
	struct nb_cpumask mask = {};

	nb_cpumask_add(&mask, 2);
	for (unsigned i = 0; i < 3; i++)
		nb_memory_adopt_rps(&host->memory, host->snapshot.queues[i].key, &mask, 1);
	nb_host_set_rps(host, 0, &mask);
	host->memory.rps[2].yielded_until_nsec = UINT64_MAX;
	host->machine.queues[1].irqs[0] = 777;
	host->machine.queues[2].irqs[0] = 778;
	rescan(host);
	assert_int_equal(host->memory.n_rps, 2);
	assert_int_equal(host->memory.rps[0].key.index, 0);
	assert_int_equal(host->memory.rps[1].key.index, 2);
	assert_true(nb_cpumask_empty(&host->memory.rps[1].cpus));
}

static void an_rps_mask_that_is_gone_alone_is_left_to_the_verifier(void **state)
{
	struct nb_host *host = *state;
	struct nb_cpumask mask = {};

	nb_cpumask_add(&mask, 2);
	nb_memory_adopt_rps(&host->memory, host->snapshot.queues[0].key, &mask, 1);
	rescan(host);
	assert_int_equal(host->memory.n_rps, 1);
	assert_true(nb_cpumask_equal(&host->memory.rps[0].cpus, &mask));
}

static void rps_entries_stay_in_key_order(void **state)
{
	struct nb_host *host = *state;
	static const unsigned order[] = {2, 0, 1};

	for (unsigned i = 0; i < 3; i++)
		nb_memory_get_rps(&host->memory, host->snapshot.queues[order[i]].key);
	nb_memory_get_rps(&host->memory, host->snapshot.queues[1].key);
	assert_int_equal(host->memory.n_rps, 3);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(host->memory.rps[i].key.index, i);
	nb_memory_drop_rps(&host->memory, host->snapshot.queues[1].key);
	assert_int_equal(host->memory.n_rps, 2);
	assert_null(nb_memory_find_rps(&host->memory, host->snapshot.queues[1].key));
	assert_non_null(nb_memory_find_rps(&host->memory, host->snapshot.queues[2].key));
}

static void rss_entries_stay_in_their_order(void **state)
{
	struct nb_host *host = *state;
	static const int order[] = {9, 2, 5, 2};

	for (unsigned i = 0; i < G_N_ELEMENTS(order); i++)
		nb_memory_get_rss(&host->memory, order[i]);
	assert_int_equal(host->memory.n_rss, 3);
	assert_int_equal(host->memory.rss[0].ifindex, 2);
	assert_int_equal(host->memory.rss[2].ifindex, 9);
	nb_memory_drop_rss(&host->memory, 5);
	nb_memory_drop_rss(&host->memory, 7);
	assert_int_equal(host->memory.n_rss, 2);
	assert_null(nb_memory_find_rss(&host->memory, 5));
	assert_int_equal(nb_memory_find_rss(&host->memory, 9)->ifindex, 9);
}

static void threaded_entries_stay_in_their_order_and_go_with_their_nics(void **state)
{
	struct nb_host *host = *state;
	int there = host->snapshot.queues[0].key.ifindex;
	const struct nb_queue_key whole = nb_queue_key_every(there);
	const struct nb_queue_key order[] = {
		{there + 7, 0}, whole, {there, 1}, {there + 3, 0}, whole};

	for (unsigned i = 0; i < G_N_ELEMENTS(order); i++)
		nb_memory_get_threaded(&host->memory, order[i]);
	assert_int_equal(host->memory.n_threaded, 4);
	assert_int_equal(host->memory.threaded[0].key.index, 1);
	assert_int_equal(host->memory.threaded[1].key.index, NB_EVERY_QUEUE);
	assert_int_equal(host->memory.threaded[3].key.ifindex, there + 7);
	nb_memory_drop_threaded(&host->memory, order[3]);
	nb_memory_drop_threaded(&host->memory, (struct nb_queue_key){there, 0});
	assert_int_equal(host->memory.n_threaded, 3);
	assert_null(nb_memory_find_threaded(&host->memory, order[3]));
	assert_null(nb_memory_find_threaded(&host->memory, (struct nb_queue_key){there, 0}));
	assert_int_equal(nb_memory_find_threaded(&host->memory, order[0])->key.ifindex, there + 7);

	host->machine.generation++;
	nb_memory_sync(&host->memory, &host->snapshot);
	assert_int_equal(host->memory.n_threaded, 2);
	nb_memory_adopt_threaded(&host->memory, whole);
	assert_true(nb_memory_find_threaded(&host->memory, whole)->on);
	assert_false(nb_memory_find_threaded(&host->memory, whole)->trial.active);
	assert_false(nb_memory_find_threaded(&host->memory, order[2])->on);
}

static void a_queue_is_threaded_by_itself_or_with_all_of_its_nic(void **state)
{
	struct nb_host *host = *state;
	const struct nb_queue_key queue = {2, 1}, other = {2, 0};

	nb_memory_get_threaded(&host->memory, queue);
	assert_false(nb_memory_is_threaded(&host->memory, queue));
	nb_memory_adopt_threaded(&host->memory, queue);
	assert_true(nb_memory_is_threaded(&host->memory, queue));
	assert_false(nb_memory_is_threaded(&host->memory, other));
	nb_memory_adopt_threaded(&host->memory, nb_queue_key_every(2));
	assert_true(nb_memory_is_threaded(&host->memory, other));
	assert_false(nb_memory_is_threaded(&host->memory, (struct nb_queue_key){3, 0}));
}

static void threaded_napi_on_trial_or_calm_is_not_settled(void **state)
{
	struct nb_host *host = *state;
	uint64_t now_nsec = host->snapshot.taken_nsec;
	struct nb_threaded_memory *threaded =
		nb_memory_get_threaded(&host->memory, nb_queue_key_every(2));

	threaded->on = true;
	assert_true(nb_memory_is_settled(&host->memory, now_nsec));
	threaded->calm_samples = 1;
	assert_false(nb_memory_is_settled(&host->memory, now_nsec));
	threaded->calm_samples = 0;
	threaded->trial.active = true;
	assert_false(nb_memory_is_settled(&host->memory, now_nsec));
}

static void an_rss_entry_lives_as_long_as_its_nic(void **state)
{
	struct nb_host *host = *state;
	int there = host->snapshot.queues[0].key.ifindex;
	struct nb_cpumask queues = {.words = {2}};

	nb_memory_adopt_rss(&host->memory, there, &queues, 0);
	nb_memory_get_rss(&host->memory, there)->refused = true;
	nb_memory_get_rss(&host->memory, there + 100)->refused = true;
	rescan(host);
	assert_int_equal(host->memory.n_rss, 1);
	assert_int_equal(host->memory.rss[0].ifindex, there);
	assert_true(host->memory.rss[0].refused);
	assert_true(nb_cpumask_equal(&host->memory.rss[0].queues, &queues));
	assert_int_equal(host->memory.rss[0].set_nsec, 0);
}

static void an_adopted_queue_is_not_placed_again(void **state)
{
	struct nb_host *host = *state;

	host->memory.queues[1].fresh = true;
	nb_memory_adopt_queue(&host->memory, host->snapshot.queues[1].key, 1);
	assert_false(host->memory.queues[1].fresh);
	assert_int_equal(host->memory.queues[1].expected_cpu, 1);
}

static void acting_again_looks_again_at_what_is_not_ours(void **state)
{
	struct nb_host *host = *state;

	host->memory.queues[0].expected_cpu = 1;
	host->memory.queues[0].moved_nsec = 5;
	host->memory.queues[1].moved_nsec = 5;
	nb_memory_refresh(&host->memory);
	assert_false(host->memory.queues[0].fresh);
	assert_true(host->memory.queues[0].moved_nsec == 5);
	assert_true(host->memory.queues[1].fresh);
	assert_true(host->memory.queues[1].moved_nsec == 0);
}

static void acting_again_forgets_what_was_rehearsed(void **state)
{
	struct nb_host *host = *state;
	struct nb_follow_memory *xps = nb_follow_get(&host->memory.xps, 1);
	struct nb_setting_memory *setting;

	nb_memory_adopt_setting(&host->memory, NB_KIND_RFS, 1, 1024);
	setting = nb_memory_find_setting(&host->memory, NB_KIND_RFS, 1);
	setting->asked = 2048;
	xps->places = 5;
	xps->rehearsed = NB_FOLLOW_RETURN;
	nb_memory_refresh(&host->memory);
	assert_int_equal(setting->asked, 2048); /* it was refused, or is another program's */
	setting->rehearsed = true;
	nb_memory_refresh(&host->memory);
	assert_int_equal(setting->asked, 0);
	assert_int_equal(setting->ours, 1024);
	assert_false(setting->rehearsed);
	assert_true(xps->rehearsed == 0);
	assert_true(xps->places == 5);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_new_queue_is_fresh_and_old_ones_are_kept),
		TEST(a_queue_with_other_interrupts_is_fresh),
		TEST(within_a_generation_nothing_is_touched),
		TEST(an_rps_mask_that_went_with_its_queue_is_forgotten),
		TEST(an_rps_mask_that_is_gone_alone_is_left_to_the_verifier),
		TEST(rps_entries_stay_in_key_order),
		TEST(threaded_entries_stay_in_their_order_and_go_with_their_nics),
		TEST(a_queue_is_threaded_by_itself_or_with_all_of_its_nic),
		TEST(threaded_napi_on_trial_or_calm_is_not_settled),
		TEST(rss_entries_stay_in_their_order),
		TEST(an_rss_entry_lives_as_long_as_its_nic),
		TEST(an_adopted_queue_is_not_placed_again),
		TEST(acting_again_looks_again_at_what_is_not_ours),
		TEST(acting_again_forgets_what_was_rehearsed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
