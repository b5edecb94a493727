/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/xps.h"

#include "base/follow.h"

#include "plan/planner.h"
#include "support/host.h"
#include "support/plan.h"
#include "support/support.h"
#include "verify/verify.h"

#define N_CPUS 8
#define N_QUEUES 4

/* --- which CPU sends by which queue */

static void assert_masks(const struct nb_host *host, const unsigned cpus[N_QUEUES],
			 const uint64_t words[N_QUEUES])
{
	struct nb_cpumask masks[N_QUEUES];

	nb_xps_lay_out(&host->machine.topology, cpus, N_QUEUES, masks);
	for (unsigned i = 0; i < N_QUEUES; i++)
		assert_int_equal(masks[i].words[0], words[i]);
}

static void each_cpu_has_its_own_queue_or_the_nearest(void **state)
{
	struct nb_host *host = nb_host_new(N_CPUS, 1, 2);

	(void)state;
	/* 0-3 is the first node. */
	assert_masks(host, (const unsigned[]){0, 1, 4, 5},
		     (const uint64_t[]){0x01 | 0x04, 0x02 | 0x08, 0x10 | 0x40, 0x20 | 0x80});
	/* One that serves a queue gets no other. */
	assert_masks(host, (const unsigned[]){1, 0, 4, 5},
		     (const uint64_t[]){0x02 | 0x04, 0x01 | 0x08, 0x10 | 0x40, 0x20 | 0x80});
	/* All are used, also on one CPU. */
	assert_masks(host, (const unsigned[]){3, 3, 3, 6},
		     (const uint64_t[]){0x08 | 0x01, 0x08 | 0x02, 0x08 | 0x04, 0xf0});
	nb_host_free(host);
}

static void the_same_cache_comes_before_the_same_node(void **state)
{
	struct nb_host *host = nb_host_new(N_CPUS, 1, 1);

	(void)state;
	nb_host_set_caches(host, 2);
	assert_masks(host, (const unsigned[]){0, 3, 4, 6},
		     (const uint64_t[]){0x03, 0x0c, 0x30, 0xc0});
	nb_host_free(host);
}

static void the_same_node_comes_before_another(void **state)
{
	struct nb_host *host = nb_host_new(N_CPUS, 1, 2);

	(void)state;
	nb_host_set_caches(host, 2);
	assert_masks(host, (const unsigned[]){4, 5, 6, 0},
		     (const uint64_t[]){0x10, 0x20, 0xc0, 0x0f});
	nb_host_free(host);
}

static void an_isolated_cpu_sends_and_an_offline_one_does_not(void **state)
{
	struct nb_host *host = nb_host_new(N_CPUS, 1, 1);

	(void)state;
	nb_host_isolate(host, 7);
	nb_host_set_offline(host, 6);
	assert_masks(host, (const unsigned[]){0, 1, 2, 3},
		     (const uint64_t[]){0x11, 0x22, 0x84, 0x08});
	nb_host_free(host);
}

/* --- when */

struct fixture {
	struct nb_host *host;
	struct nb_planner *planner;
	enum nb_outcome outcome;
};

/* Eight queues' worth of CPUs, four queues that we placed on CPUs 0-3, nothing to balance. */
static int set_up(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);

	f->host = nb_host_new(N_CPUS, 1, 1);
	f->planner = nb_planner_new();
	f->outcome = NB_OUTCOME_APPLIED;
	f->host->policy.xps = true;
	nb_host_add_nic(f->host, NB_NODE_NONE, N_QUEUES, 0, 100);
	f->host->machine.nics[0].n_tx = N_QUEUES;
	nb_memory_sync(&f->host->memory, &f->host->snapshot);
	for (unsigned i = 0; i < N_QUEUES; i++) {
		f->host->machine.queues[i].has_tx = true;
		nb_host_place(f->host, i, i);
		f->host->memory.queues[i].fresh = false;
		f->host->memory.queues[i].expected_cpu = (int)i;
	}
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	nb_planner_free(f->planner);
	nb_host_free(f->host);
	g_free(f);
	return 0;
}

/* The change of XPS that a cycle plans; NULL: none. */
static const struct nb_follow_change *cycle_after(struct fixture *f, uint64_t nsec)
{
	struct nb_host *host = f->host;
	struct nb_plan *plan;

	nb_host_tick(host, nsec);
	nb_memory_sync(&host->memory, &host->snapshot);
	plan = nb_planner_run(f->planner, &host->snapshot, &host->loads, &host->policy,
			      &host->memory);
	set_outcome(plan, f->outcome);
	nb_verify_note(plan, host->snapshot.taken_nsec, &host->memory);
	if (plan->n_changes == 0)
		return NULL;
	assert_int_equal(plan->n_changes, 1);
	assert_int_equal(plan->changes[0].kind, NB_KIND_XPS);
	return plan->changes[0].follow;
}

static const struct nb_follow_change *cycle(struct fixture *f)
{
	return cycle_after(f, NB_NSEC_PER_SEC);
}

static const struct nb_follow_memory *memory_of(struct fixture *f)
{
	return nb_follow_find(&f->host->memory.xps, f->host->machine.nics[0].ifindex);
}

static void masks_follow_once(void **state)
{
	struct fixture *f = *state;
	const struct nb_follow_change *change = cycle(f);

	assert_non_null(change);
	assert_int_equal(change->reason, NB_REASON_XPS_FOLLOW);
	assert_int_equal(change->n, N_QUEUES);
	assert_int_equal(change->to[0].words[0], 0x11);
	assert_int_equal(change->to[3].words[0], 0x88);
	assert_true(memory_of(f)->ours);
	for (unsigned i = 0; i < 20; i++)
		assert_null(cycle(f));
}

static void nothing_follows_unless_asked(void **state)
{
	struct fixture *f = *state;

	f->host->policy.xps = false;
	assert_null(cycle(f));
	assert_int_equal(f->host->memory.xps.n, 0);
}

static void what_we_never_moved_is_left_as_it_is(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < N_QUEUES; i++)
		f->host->memory.queues[i].expected_cpu = -1;
	assert_null(cycle(f));
}

static void masks_wait_until_interrupts_stay(void **state)
{
	struct fixture *f = *state;
	struct nb_queue_memory *queue = &f->host->memory.queues[1];

	queue->moved_nsec = f->host->snapshot.taken_nsec;
	assert_null(cycle_after(f, 10 * NB_NSEC_PER_SEC - 1));
	assert_non_null(cycle_after(f, 1));
	queue->affinity.foreign_nsec = f->host->snapshot.taken_nsec;
	nb_host_place(f->host, 1, 6);
	queue->expected_cpu = 6;
	assert_null(cycle_after(f, 10 * NB_NSEC_PER_SEC - 1));
	assert_non_null(cycle_after(f, 1));
}

static void a_move_that_is_measured_is_waited_for(void **state)
{
	struct fixture *f = *state;

	f->host->memory.queues[2].pending.active = true;
	assert_null(cycle(f));
	f->host->memory.queues[2].pending.active = false;
	assert_non_null(cycle(f));
}

static void all_transmit_queues_must_be_somewhere(void **state)
{
	struct fixture *f = *state;

	f->host->machine.queues[3].has_tx = false;
	assert_null(cycle(f));
	f->host->machine.queues[3].has_tx = true;
	f->host->snapshot.queues[3].affinity_cpu = -1;
	assert_null(cycle(f));
	nb_host_place(f->host, 3, 3);
	f->host->machine.nics[0].n_tx = N_QUEUES + 1;
	assert_null(cycle(f));
	f->host->machine.nics[0].n_tx = 1;
	assert_null(cycle(f));
	f->host->machine.nics[0].n_tx = N_QUEUES;
	assert_non_null(cycle(f));
}

static void masks_of_others_are_looked_at_once_an_hour(void **state)
{
	struct fixture *f = *state;

	f->outcome = NB_OUTCOME_FOREIGN;
	assert_non_null(cycle(f));
	assert_false(memory_of(f)->ours);
	assert_null(cycle_after(f, f->host->policy.yield_nsec - 1));
	f->outcome = NB_OUTCOME_APPLIED;
	assert_non_null(cycle_after(f, 1));
	assert_null(cycle(f));
}

static void what_has_no_masks_is_asked_no_sooner(void **state)
{
	struct fixture *f = *state;

	f->outcome = NB_OUTCOME_GONE;
	assert_non_null(cycle(f));
	assert_null(cycle_after(f, f->host->policy.yield_nsec - 1));
}

static void a_busy_kernel_is_asked_again_later_and_later(void **state)
{
	struct fixture *f = *state;

	f->outcome = NB_OUTCOME_BUSY;
	assert_non_null(cycle(f));
	assert_null(cycle_after(f, f->host->policy.cooldown_nsec - 1));
	assert_non_null(cycle_after(f, 1));
	assert_null(cycle_after(f, 2 * f->host->policy.cooldown_nsec - 1));
	f->outcome = NB_OUTCOME_APPLIED;
	assert_non_null(cycle_after(f, 1));
	assert_null(cycle(f));
}

static void a_rehearsal_is_made_once(void **state)
{
	struct fixture *f = *state;

	f->outcome = NB_OUTCOME_REHEARSED;
	assert_non_null(cycle(f));
	assert_false(memory_of(f)->ours);
	assert_null(cycle(f));
}

/* What was only said is done once changes are made again. */
static void what_was_rehearsed_is_done_when_acting_again(void **state)
{
	struct fixture *f = *state;

	f->outcome = NB_OUTCOME_REHEARSED;
	assert_non_null(cycle(f));
	assert_null(cycle(f));
	nb_memory_refresh(&f->host->memory);
	f->outcome = NB_OUTCOME_APPLIED;
	assert_non_null(cycle(f));
	assert_true(memory_of(f)->ours);
	nb_memory_refresh(&f->host->memory);
	assert_null(cycle(f));
}

static void masks_of_a_pause_return_when_acting_again(void **state)
{
	struct fixture *f = *state;
	const struct nb_follow_change *change;

	assert_non_null(cycle(f));
	f->host->policy.xps = false;
	f->outcome = NB_OUTCOME_REHEARSED;
	assert_non_null(cycle(f));
	assert_null(cycle(f));
	nb_memory_refresh(&f->host->memory);
	f->outcome = NB_OUTCOME_APPLIED;
	change = cycle(f);
	assert_non_null(change);
	assert_int_equal(change->reason, NB_REASON_XPS_BACK);
	assert_int_equal(f->host->memory.xps.n, 0);
}

/* Whoever writes in a pause is compared with what was written, not with what was to be. */
static void a_rehearsal_is_no_write(void **state)
{
	struct fixture *f = *state;
	const struct nb_follow_change *change;

	nb_follow_get(&f->host->memory.xps, f->host->machine.nics[0].ifindex)->ours = true;
	f->outcome = NB_OUTCOME_REHEARSED;
	assert_non_null(cycle(f));
	nb_memory_refresh(&f->host->memory);
	change = cycle(f);
	assert_non_null(change);
	assert_false(change->written);
}

/* A driver sets its own masks when it opens the device. */
static void a_reset_is_looked_at(void **state)
{
	struct fixture *f = *state;
	const struct nb_follow_change *change;
	struct nb_nic_state nic = {.ifindex = f->host->machine.nics[0].ifindex};

	f->host->snapshot.nics = &nic;
	f->host->snapshot.n_nics = 1;
	change = cycle(f);
	assert_non_null(change);
	assert_false(change->reset);
	assert_false(change->written);
	nic.carrier_changes = 2;
	change = cycle(f);
	assert_non_null(change);
	assert_true(change->reset);
	assert_true(change->written);
	assert_int_equal(memory_of(f)->carrier_changes, 2);
}

static void fewer_transmit_queues_are_a_reset(void **state)
{
	struct fixture *f = *state;
	const struct nb_follow_change *change;

	assert_non_null(cycle(f));
	f->host->machine.nics[0].n_tx = N_QUEUES - 1;
	change = cycle(f);
	assert_non_null(change);
	assert_true(change->reset);
	assert_int_equal(change->n, N_QUEUES - 1);
}

static void masks_return_when_no_longer_wanted(void **state)
{
	struct fixture *f = *state;
	const struct nb_follow_change *change;

	assert_non_null(cycle(f));
	f->host->policy.xps = false;
	f->outcome = NB_OUTCOME_BUSY;
	assert_non_null(cycle(f));
	assert_null(cycle(f));
	f->outcome = NB_OUTCOME_APPLIED;
	change = cycle_after(f, f->host->policy.cooldown_nsec);
	assert_non_null(change);
	assert_int_equal(change->reason, NB_REASON_XPS_BACK);
	assert_int_equal(f->host->memory.xps.n, 0);
	assert_null(cycle(f));
}

static void masks_of_a_nic_that_is_ignored_return(void **state)
{
	struct fixture *f = *state;
	const struct nb_follow_change *change;

	assert_non_null(cycle(f));
	f->host->machine.nics[0].scope = NB_SCOPE_IGNORED;
	change = cycle(f);
	assert_non_null(change);
	assert_int_equal(change->reason, NB_REASON_XPS_BACK);
	assert_null(cycle(f));
}

static void a_nic_that_is_gone_is_forgotten(void **state)
{
	struct fixture *f = *state;

	assert_non_null(cycle(f));
	nb_follow_get(&f->host->memory.xps, 1000);
	f->host->machine.generation++;
	assert_null(cycle(f));
	assert_int_equal(f->host->memory.xps.n, 1);
	assert_non_null(memory_of(f));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_cpu_has_its_own_queue_or_the_nearest),
		cmocka_unit_test(the_same_cache_comes_before_the_same_node),
		cmocka_unit_test(the_same_node_comes_before_another),
		cmocka_unit_test(an_isolated_cpu_sends_and_an_offline_one_does_not),
		TEST(masks_follow_once),
		TEST(nothing_follows_unless_asked),
		TEST(what_we_never_moved_is_left_as_it_is),
		TEST(masks_wait_until_interrupts_stay),
		TEST(a_move_that_is_measured_is_waited_for),
		TEST(all_transmit_queues_must_be_somewhere),
		TEST(masks_of_others_are_looked_at_once_an_hour),
		TEST(what_has_no_masks_is_asked_no_sooner),
		TEST(a_busy_kernel_is_asked_again_later_and_later),
		TEST(a_rehearsal_is_made_once),
		TEST(what_was_rehearsed_is_done_when_acting_again),
		TEST(masks_of_a_pause_return_when_acting_again),
		TEST(a_rehearsal_is_no_write),
		TEST(a_reset_is_looked_at),
		TEST(fewer_transmit_queues_are_a_reset),
		TEST(masks_return_when_no_longer_wanted),
		TEST(masks_of_a_nic_that_is_ignored_return),
		TEST(a_nic_that_is_gone_is_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
