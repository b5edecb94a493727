/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/unstick.h"

#include "unit/plan/fixture.h"

#define SEC NB_NSEC_PER_SEC
#define MSEC NB_NSEC_PER_MSEC

static uint64_t again_nsec;
static GArray *tables; /* struct nb_rss_change */

/* Eight CPUs, a NIC of four queues, all polled on CPU 0, which they fill. */
static int set_up(void **state)
{
	struct nb_host *host = nb_host_new(8, 1, 1);

	nb_host_add_nic(host, NB_NODE_NONE, 4, 0, 2500);
	nb_memory_sync(&host->memory, &host->snapshot);
	for (unsigned i = 0; i < 4; i++)
		nb_host_stick(host, i, 0);
	return begin_with(state, host);
}

static int make_tables(void **state)
{
	(void)state;
	tables = g_array_new(FALSE, FALSE, sizeof(struct nb_rss_change));
	return 0;
}

static int drop_tables(void **state)
{
	(void)state;
	g_array_unref(tables);
	return 0;
}

static void wait_msec(struct fixture *f, uint64_t msec)
{
	nb_host_tick(f->host, msec * MSEC);
	lay_out(f);
	g_array_set_size(f->changes, 0);
}

/* Returns how many masks change. */
static unsigned unstick(struct fixture *f)
{
	struct nb_unstick unstick = {.rps = f->changes, .rss = tables};

	g_array_set_size(tables, 0);
	nb_unstick(&f->board, &f->host->memory, &unstick);
	again_nsec = unstick.again_nsec;
	return f->changes->len;
}

static const struct nb_rps_change *change(const struct fixture *f, unsigned i)
{
	assert_true(i < f->changes->len);
	return &g_array_index(f->changes, struct nb_rps_change, i);
}

static void assert_steered(const struct fixture *f, unsigned i, unsigned queue, unsigned cpu)
{
	assert_int_equal(change(f, i)->key.index, queue);
	assert_int_equal(change(f, i)->reason, NB_REASON_RPS_UNSTICK);
	assert_int_equal(nb_cpumask_count(&change(f, i)->to), 1);
	assert_true(nb_cpumask_has(&change(f, i)->to, cpu));
}

static void assert_all_taken_back(const struct fixture *f, unsigned n)
{
	assert_int_equal(f->changes->len, n);
	for (unsigned i = 0; i < n; i++) {
		assert_int_equal(change(f, i)->reason, NB_REASON_RPS_UNSTUCK);
		assert_true(nb_cpumask_empty(&change(f, i)->to));
		assert_false(nb_cpumask_empty(&change(f, i)->from));
	}
}

/* As applying them would. */
static void apply(struct fixture *f)
{
	for (unsigned i = 0; i < f->changes->len; i++) {
		struct nb_rps_memory *rps = nb_memory_get_rps(&f->host->memory, change(f, i)->key);

		rps->cpus = change(f, i)->to;
		rps->unsticks = change(f, i)->reason == NB_REASON_RPS_UNSTICK;
		rps->set_nsec = f->board.now_nsec;
		nb_host_set_rps(f->host, change(f, i)->key.index, &change(f, i)->to);
	}
}

/* Their interrupts go to CPUs 5 and 6, and the help has begun. */
static void help_two(struct fixture *f)
{
	nb_host_place(f->host, 1, 5);
	nb_host_place(f->host, 2, 6);
	wait_msec(f, 1000);
	assert_int_equal(unstick(f), 4);
	apply(f);
}

/* It would be told from the others by nothing but its scope. */
static void a_device_without_hardware_is_no_help(void **state)
{
	struct fixture *f = *state;

	f->host->machine.nics[0].scope = NB_SCOPE_STEERED;
	nb_host_place(f->host, 1, 5);
	nb_host_place(f->host, 2, 6);
	wait_msec(f, 1000);
	assert_int_equal(unstick(f), 0);
}

static void a_saturated_cpu_whose_queues_belong_there_is_left_alone(void **state)
{
	struct fixture *f = *state;

	wait_msec(f, 1000);
	assert_int_equal(unstick(f), 0);
	assert_int_equal(again_nsec, 0);
}

/* An application that polls: its CPU is full, but not of softirqs. */
static void what_is_not_polled_in_softirqs_needs_no_help(void **state)
{
	struct fixture *f = *state;

	nb_host_place(f->host, 1, 5);
	nb_host_tick(f->host, SEC);
	f->host->loads.cpus[0].squeezed = 0;
	lay_out(f);
	assert_int_equal(unstick(f), 0);
}

static void kernel_threads_need_no_help(void **state)
{
	struct fixture *f = *state;

	nb_host_place(f->host, 1, 5);
	nb_host_tick(f->host, SEC);
	for (unsigned i = 0; i < 4; i++)
		f->host->loads.queues[i].threaded = 5000;
	lay_out(f);
	assert_int_equal(unstick(f), 0);
}

static void a_queue_that_is_done_now_and_then_needs_no_help(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 4; i++)
		nb_host_stick(f->host, i, -1);
	nb_host_place(f->host, 1, 5);
	f->host->snapshot.queues[1].effective_cpu = 0;
	wait_msec(f, 1000);
	assert_int_equal(unstick(f), 0);
}

/* Whoever moved the interrupt. */
static void every_queue_of_the_cpu_is_steered(void **state)
{
	struct fixture *f = *state;

	nb_host_place(f->host, 1, 5);
	nb_host_place(f->host, 2, 6);
	wait_msec(f, 1000);
	assert_int_equal(unstick(f), 4);
	/* Those that stay to where the others go, in turn. */
	assert_steered(f, 0, 0, 5);
	assert_steered(f, 1, 1, 5);
	assert_steered(f, 2, 2, 6);
	assert_steered(f, 3, 3, 5);
	assert_true(again_nsec > 0 && again_nsec < SEC / 2);
}

static void queues_of_other_cpus_and_idle_ones_are_left_alone(void **state)
{
	struct fixture *f = *state;

	nb_host_place(f->host, 0, 3);
	nb_host_stick(f->host, 0, -1);
	nb_host_stick(f->host, 3, -1);
	f->host->time[3] = 50;
	nb_host_place(f->host, 1, 5);
	wait_msec(f, 1000);
	assert_int_equal(unstick(f), 2);
	assert_steered(f, 0, 1, 5);
	assert_steered(f, 1, 2, 5);
}

/* Where each poll takes long, a window has none of some queue that is as busy as the others. */
static void one_that_was_busy_shortly_before_is_helped_with_the_others(void **state)
{
	struct fixture *f = *state;

	nb_host_place(f->host, 1, 5);
	wait_msec(f, 1000);
	f->host->memory.queues[3].busy_nsec = f->host->snapshot.taken_nsec;
	f->host->time[3] = 0;
	nb_host_stick(f->host, 3, -1);
	wait_msec(f, 200);
	assert_int_equal(unstick(f), 4);
	assert_true(f->host->memory.queues[0].busy_nsec == f->host->snapshot.taken_nsec);
}

static void the_masks_go_together_when_all_have_followed(void **state)
{
	struct fixture *f = *state;

	help_two(f);
	nb_host_stick(f->host, 0, -1);
	nb_host_stick(f->host, 1, -1);
	nb_host_stick(f->host, 3, -1);
	wait_msec(f, 200);
	assert_int_equal(unstick(f), 0);
	assert_true(again_nsec > 0);
	nb_host_stick(f->host, 2, -1);
	wait_msec(f, 200);
	assert_int_equal(unstick(f), 4);
	assert_all_taken_back(f, 4);
	assert_int_equal(again_nsec, 0);
}

/* Of 200 ms, in which there was one poll of the others, and none of this queue. */
static void wait_a_short_window(struct fixture *f, unsigned unpolled)
{
	nb_host_tick(f->host, 200 * MSEC);
	for (unsigned i = 0; i < 4; i++)
		f->host->loads.queues[i].rx_packets_per_sec = i == unpolled ? 0 : 5 * 127;
	f->host->loads.queues[unpolled].time = 0;
	f->host->loads.queues[unpolled].saturated = false;
	lay_out(f);
	g_array_set_size(f->changes, 0);
}

static void who_had_no_turn_in_a_short_window_may_have_packets(void **state)
{
	struct fixture *f = *state;

	nb_host_place(f->host, 1, 5);
	wait_a_short_window(f, 3);
	assert_int_equal(unstick(f), 4);
	assert_steered(f, 3, 3, 5);
}

static void who_had_no_turn_in_a_short_window_has_not_completed(void **state)
{
	struct fixture *f = *state;

	help_two(f);
	nb_host_stick(f->host, 1, -1);
	wait_a_short_window(f, 2);
	assert_int_equal(unstick(f), 0);
	assert_true(again_nsec > 0);
	/* Another one was polled twice, and so it would have been, too. */
	nb_host_tick(f->host, 200 * MSEC);
	f->host->loads.queues[0].rx_packets_per_sec = 5 * 128;
	f->host->loads.queues[2].time = 0;
	f->host->loads.queues[2].saturated = false;
	lay_out(f);
	assert_int_equal(unstick(f), 4);
	assert_all_taken_back(f, 4);
}

static void masks_are_held_for_a_second_at_most(void **state)
{
	struct fixture *f = *state;

	help_two(f);
	for (unsigned i = 0; i < 4; i++) {
		wait_msec(f, 200);
		assert_int_equal(unstick(f), 0);
	}
	wait_msec(f, 200);
	assert_int_equal(unstick(f), 4);
	assert_all_taken_back(f, 4);
}

static void fail_once(struct fixture *f)
{
	help_two(f);
	wait_msec(f, 1000);
	unstick(f);
	apply(f);
}

static const struct nb_rss_change *table(unsigned i)
{
	assert_true(i < tables->len);
	return &g_array_index(tables, struct nb_rss_change, i);
}

/* As applying it would. */
static void apply_table(struct fixture *f)
{
	struct nb_rss_memory *rss = nb_memory_get_rss(&f->host->memory, table(0)->key.ifindex);

	rss->queues = table(0)->queues;
	rss->set_nsec = f->board.now_nsec;
}

static void the_second_try_leaves_a_table_for_which_rss_is_switched_off(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < f->host->machine.n_queues; i++)
		f->host->machine.queues[i].irqs[0] |= NB_IRQ_CHANNEL;
	help_two(f);
	wait_msec(f, 1000);
	unstick(f);
	apply(f);
	wait_msec(f, 200);
	assert_int_equal(unstick(f), 4);
	assert_int_equal(tables->len, 0);
}

static void the_second_try_also_leaves_the_queues_without_packets(void **state)
{
	struct fixture *f = *state;

	help_two(f);
	assert_int_equal(tables->len, 0);
	wait_msec(f, 1000);
	unstick(f);
	apply(f);
	wait_msec(f, 200);
	assert_int_equal(unstick(f), 4);
	assert_int_equal(tables->len, 1);
	assert_int_equal(table(0)->reason, NB_REASON_RSS_EMPTY);
	assert_int_equal(nb_cpumask_count(&table(0)->queues), 2);
	assert_true(nb_cpumask_has(&table(0)->queues, 0) && nb_cpumask_has(&table(0)->queues, 3));
	apply(f);
	apply_table(f);

	/* Until they have run dry; then packets come again, and then the masks go. */
	wait_msec(f, 200);
	assert_int_equal(unstick(f) + tables->len, 0);
	nb_host_stick(f->host, 1, -1);
	nb_host_stick(f->host, 2, -1);
	wait_msec(f, 200);
	assert_int_equal(unstick(f), 0);
	assert_int_equal(table(0)->reason, NB_REASON_RSS_BACK);
	assert_true(nb_cpumask_empty(&table(0)->queues));
	nb_memory_drop_rss(&f->host->memory, table(0)->key.ifindex);
	nb_host_stick(f->host, 0, -1);
	nb_host_stick(f->host, 3, -1);
	wait_msec(f, 200);
	assert_int_equal(unstick(f), 4);
	assert_all_taken_back(f, 4);
}

/* Short polls would not enable its interrupt, a moment without packets does. */
static void one_whose_interrupt_is_deferred_is_helped_by_the_table_alone(void **state)
{
	struct fixture *f = *state;

	nb_host_place(f->host, 1, 5);
	nb_host_tick(f->host, SEC);
	f->host->loads.queues[1].deferred = true;
	lay_out(f);
	assert_int_equal(unstick(f), 0);
	assert_int_equal(tables->len, 1);
	assert_false(nb_cpumask_has(&table(0)->queues, 1));
	/* The other one follows when its polls are short. */
	nb_host_place(f->host, 2, 6);
	f->host->memory.queues[1].unstick_tries = 0;
	nb_host_tick(f->host, SEC);
	f->host->loads.queues[1].deferred = true;
	lay_out(f);
	assert_int_equal(unstick(f), 4);
	assert_int_equal(tables->len, 0);
}

static void a_table_is_put_back_after_a_second_at_most(void **state)
{
	struct fixture *f = *state;

	f->host->policy.rps = false;
	nb_host_place(f->host, 1, 5);
	wait_msec(f, 1000);
	assert_int_equal(unstick(f), 0);
	assert_int_equal(tables->len, 1);
	apply_table(f);
	wait_msec(f, 900);
	unstick(f);
	assert_int_equal(tables->len, 0);
	f->host->policy.rss = false;
	wait_msec(f, 100);
	unstick(f);
	assert_int_equal(table(0)->reason, NB_REASON_RSS_BACK);
}

static void a_queue_without_a_turn_in_a_short_window_is_not_dry(void **state)
{
	struct fixture *f = *state;

	f->host->policy.rps = false;
	nb_host_place(f->host, 1, 5);
	wait_msec(f, 1000);
	unstick(f);
	apply_table(f);
	wait_a_short_window(f, 1);
	unstick(f);
	assert_int_equal(tables->len, 0);
	wait_msec(f, 200);
	f->host->loads.queues[1].saturated = false;
	lay_out(f);
	unstick(f);
	assert_int_equal(table(0)->reason, NB_REASON_RSS_BACK);
}

static void where_all_queues_leave_the_last_gets_the_packets(void **state)
{
	struct fixture *f = *state;

	f->host->policy.rps = false;
	for (unsigned i = 0; i < 4; i++)
		nb_host_place(f->host, i, i + 1);
	wait_msec(f, 1000);
	unstick(f);
	assert_int_equal(nb_cpumask_count(&table(0)->queues), 1);
	assert_true(nb_cpumask_has(&table(0)->queues, 3));
}

static void a_nic_that_refuses_is_not_asked_again(void **state)
{
	struct fixture *f = *state;

	f->host->policy.rps = false;
	nb_memory_get_rss(&f->host->memory, f->host->machine.nics[0].ifindex)->refused = true;
	nb_host_place(f->host, 1, 5);
	wait_msec(f, 1000);
	unstick(f);
	assert_int_equal(tables->len, 0);
}

static void the_next_try_comes_after_a_second_and_goes_everywhere(void **state)
{
	struct fixture *f = *state;

	f->host->fixed[4] = 9000;
	nb_host_isolate(f->host, 7);
	help_two(f);
	wait_msec(f, 900);
	assert_int_equal(unstick(f), 0);
	wait_msec(f, 100);
	unstick(f);
	assert_all_taken_back(f, 4);
	apply(f);
	wait_msec(f, 1);
	assert_int_equal(unstick(f), 4);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(nb_cpumask_count(&change(f, i)->to), 5);
		assert_false(nb_cpumask_has(&change(f, i)->to, 0)); /* where they are polled */
		assert_false(nb_cpumask_has(&change(f, i)->to, 4)); /* hot */
		assert_false(nb_cpumask_has(&change(f, i)->to, 7)); /* isolated */
	}
}

static void a_table_in_which_buckets_moved_is_left_alone(void **state)
{
	struct fixture *f = *state;
	int ifindex = f->host->machine.nics[0].ifindex;

	f->host->policy.rps = false;
	nb_host_place(f->host, 1, 5);
	nb_memory_get_rss(&f->host->memory, ifindex)->spread = 1;
	wait_msec(f, 1000);
	assert_int_equal(unstick(f), 0);
	assert_int_equal(tables->len, 0);
	nb_unstick_tables_back(&f->host->memory, tables);
	assert_int_equal(tables->len, 0);
	nb_memory_get_rss(&f->host->memory, ifindex)->spread = 0;
	wait_msec(f, 1000);
	unstick(f);
	assert_int_equal(tables->len, 1);
}

static void it_is_never_given_up(void **state)
{
	struct fixture *f = *state;
	unsigned tries = 0, late_tries = 0;

	nb_host_place(f->host, 1, 5);
	for (unsigned i = 0; i < 3600; i++) {
		wait_msec(f, 1000);
		if (unstick(f) > 0 && change(f, 0)->reason == NB_REASON_RPS_UNSTICK) {
			tries++;
			late_tries += i >= 3300;
		}
		apply(f);
	}
	assert_true(late_tries >= 1);
	/* But later and later: each re-orders packets. */
	assert_true(tries < 3600 / 120);
}

static void that_it_followed_makes_the_next_help_immediate(void **state)
{
	struct fixture *f = *state;

	fail_once(f);
	for (unsigned i = 1; i < 4; i++)
		nb_host_stick(f->host, i, -1);
	wait_msec(f, 1000);
	assert_int_equal(unstick(f), 0);
	nb_host_stick(f->host, 1, 5);
	nb_host_place(f->host, 1, 3);
	wait_msec(f, 200);
	assert_int_equal(unstick(f), 1);
	assert_steered(f, 0, 1, 3);
}

static void no_queue_is_steered_to_a_cpu_it_may_not_use(void **state)
{
	struct fixture *f = *state;

	nb_host_isolate(f->host, 5);
	nb_host_place(f->host, 1, 5);
	wait_msec(f, 1000);
	assert_int_equal(unstick(f), 0);
	nb_host_place(f->host, 2, 6);
	wait_msec(f, 3000);
	assert_true(unstick(f) > 0);
	for (unsigned i = 0; i < f->changes->len; i++)
		assert_false(nb_cpumask_has(&change(f, i)->to, 5));
}

static void someone_elses_mask_stays(void **state)
{
	struct fixture *f = *state;
	struct nb_cpumask theirs = {};

	nb_cpumask_add(&theirs, 7);
	nb_host_set_rps(f->host, 2, &theirs);
	nb_host_place(f->host, 1, 5);
	wait_msec(f, 1000);
	assert_int_equal(unstick(f), 3);
	assert_steered(f, 2, 3, 5);
}

static void without_rps_nothing_is_steered(void **state)
{
	struct fixture *f = *state;

	f->host->policy.rps = f->host->policy.rss = false;
	nb_host_place(f->host, 1, 5);
	wait_msec(f, 1000);
	assert_int_equal(unstick(f), 0);
}

static void masks_go_also_when_rps_was_switched_off(void **state)
{
	struct fixture *f = *state;

	help_two(f);
	f->host->policy.rps = false;
	wait_msec(f, 1000);
	unstick(f);
	assert_all_taken_back(f, 4);
}

/* As a restart finds what was set: the masks alone, by key. */
static void adopt(struct fixture *f)
{
	struct nb_memory *memory = &f->host->memory;

	nb_memory_clear(memory);
	nb_memory_sync(memory, &f->host->snapshot);
	for (unsigned i = 0; i < f->host->snapshot.n_queues; i++)
		nb_memory_adopt_queue(memory, f->host->snapshot.queues[i].key,
				      (unsigned)f->host->snapshot.queues[i].affinity_cpu);
	for (unsigned i = 0; i < f->changes->len; i++)
		nb_memory_adopt_rps(memory, change(f, i)->key, &change(f, i)->to,
				    f->host->snapshot.taken_nsec);
}

static void a_restart_takes_the_masks_back_with_the_true_reason(void **state)
{
	struct fixture *f = *state;

	help_two(f);
	for (unsigned i = 0; i < 4; i++)
		nb_host_stick(f->host, i, -1);
	adopt(f);
	wait_msec(f, 1000);
	unstick(f);
	assert_all_taken_back(f, 4);
}

static void a_restart_keeps_masks_that_share_work(void **state)
{
	struct fixture *f = *state;
	struct nb_rps_change shares = {.key = f->host->snapshot.queues[0].key};

	for (unsigned i = 0; i < 4; i++)
		nb_host_stick(f->host, i, -1);
	nb_cpumask_add(&shares.to, 5);
	g_array_append_val(f->changes, shares);
	nb_host_set_rps(f->host, 0, &shares.to);
	nb_host_place(f->host, 1, 5);
	adopt(f);
	wait_msec(f, 1000);
	assert_int_equal(unstick(f), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_HOST(a_device_without_hardware_is_no_help),
		WITH_HOST(a_saturated_cpu_whose_queues_belong_there_is_left_alone),
		WITH_HOST(what_is_not_polled_in_softirqs_needs_no_help),
		WITH_HOST(kernel_threads_need_no_help),
		WITH_HOST(a_queue_that_is_done_now_and_then_needs_no_help),
		WITH_HOST(every_queue_of_the_cpu_is_steered),
		WITH_HOST(queues_of_other_cpus_and_idle_ones_are_left_alone),
		WITH_HOST(one_that_was_busy_shortly_before_is_helped_with_the_others),
		WITH_HOST(the_masks_go_together_when_all_have_followed),
		WITH_HOST(who_had_no_turn_in_a_short_window_may_have_packets),
		WITH_HOST(who_had_no_turn_in_a_short_window_has_not_completed),
		WITH_HOST(masks_are_held_for_a_second_at_most),
		WITH_HOST(the_next_try_comes_after_a_second_and_goes_everywhere),
		WITH_HOST(the_second_try_leaves_a_table_for_which_rss_is_switched_off),
		WITH_HOST(the_second_try_also_leaves_the_queues_without_packets),
		WITH_HOST(one_whose_interrupt_is_deferred_is_helped_by_the_table_alone),
		WITH_HOST(a_table_is_put_back_after_a_second_at_most),
		WITH_HOST(a_queue_without_a_turn_in_a_short_window_is_not_dry),
		WITH_HOST(where_all_queues_leave_the_last_gets_the_packets),
		WITH_HOST(a_nic_that_refuses_is_not_asked_again),
		WITH_HOST(a_table_in_which_buckets_moved_is_left_alone),
		WITH_HOST(it_is_never_given_up),
		WITH_HOST(that_it_followed_makes_the_next_help_immediate),
		WITH_HOST(no_queue_is_steered_to_a_cpu_it_may_not_use),
		WITH_HOST(someone_elses_mask_stays),
		WITH_HOST(without_rps_nothing_is_steered),
		WITH_HOST(masks_go_also_when_rps_was_switched_off),
		WITH_HOST(a_restart_takes_the_masks_back_with_the_true_reason),
		WITH_HOST(a_restart_keeps_masks_that_share_work),
	};

	return cmocka_run_group_tests(tests, make_tables, drop_tables);
}
