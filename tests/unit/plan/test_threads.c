/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/threads.h"

#include "base/follow.h"
#include "base/memory.h"
#include "plan/planner.h"
#include "support/host.h"
#include "support/plan.h"
#include "support/support.h"
#include "verify/verify.h"

#define N_CPUS 8
#define N_QUEUES 4

struct fixture {
	struct nb_host *host;
	struct nb_planner *planner;
	enum nb_outcome outcome;
};

/* Four queues on CPUs 0-3, polled by threads, nothing to balance. */
static int set_up(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);

	f->host = nb_host_new(N_CPUS, 1, 1);
	f->planner = nb_planner_new();
	f->outcome = NB_OUTCOME_APPLIED;
	f->host->policy.threads = true;
	nb_host_add_nic(f->host, NB_NODE_NONE, N_QUEUES, 0, 100);
	nb_memory_sync(&f->host->memory, &f->host->snapshot);
	for (unsigned i = 0; i < N_QUEUES; i++) {
		f->host->machine.queues[i].thread = 901 + i;
		nb_host_place(f->host, i, i);
		f->host->memory.queues[i].fresh = false;
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

/* The change of threads that a cycle plans; NULL: none. */
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
	assert_int_equal(plan->changes[0].kind, NB_KIND_THREAD);
	return plan->changes[0].follow;
}

static const struct nb_follow_change *cycle(struct fixture *f)
{
	return cycle_after(f, NB_NSEC_PER_SEC);
}

static struct nb_follow_memory *memory_of(struct fixture *f)
{
	return nb_follow_find(&f->host->memory.threads, f->host->machine.nics[0].ifindex);
}

static void assert_rests(struct fixture *f)
{
	for (unsigned i = 0; i < 20; i++)
		assert_null(cycle(f));
}

static void threads_follow_once_and_again_when_an_interrupt_moves(void **state)
{
	struct fixture *f = *state;
	const struct nb_follow_change *change = cycle(f);

	assert_non_null(change);
	assert_int_equal(change->reason, NB_REASON_THREAD_FOLLOW);
	assert_int_equal(change->n, N_QUEUES);
	for (unsigned i = 0; i < N_QUEUES; i++) {
		assert_int_equal(change->threads[i], 901 + i);
		assert_int_equal(nb_cpumask_only(&change->to[i]), i);
	}
	assert_true(memory_of(f)->ours);
	assert_rests(f);

	nb_host_place(f->host, 1, 6);
	change = cycle(f);
	assert_non_null(change);
	assert_int_equal(nb_cpumask_only(&change->to[1]), 6);
	assert_rests(f);
}

static void nothing_follows_unless_asked(void **state)
{
	struct fixture *f = *state;

	f->host->policy.threads = false;
	assert_null(cycle(f));
	assert_int_equal(f->host->memory.threads.n, 0);
}

static void queues_without_a_thread_and_nics_out_of_scope_are_left_out(void **state)
{
	struct fixture *f = *state;
	const struct nb_follow_change *change;

	f->host->machine.nics[0].scope = NB_SCOPE_VIRTUAL;
	assert_null(cycle(f));
	f->host->machine.nics[0].scope = NB_SCOPE_IN;
	f->host->machine.queues[0].thread = 0;
	f->host->machine.queues[2].thread = 0;
	change = cycle(f);
	assert_non_null(change);
	assert_int_equal(change->n, 2);
	assert_int_equal(change->threads[1], 904);
	assert_int_equal(nb_cpumask_only(&change->to[1]), 3);
	assert_rests(f);
	/* Threaded NAPI is off again: there is nothing to write. */
	f->host->machine.queues[1].thread = f->host->machine.queues[3].thread = 0;
	assert_rests(f);
}

/* Where netlink does not tell. */
static void a_thread_that_was_seen_to_poll_follows(void **state)
{
	struct fixture *f = *state;
	const struct nb_follow_change *change;

	for (unsigned i = 0; i < N_QUEUES; i++)
		f->host->machine.queues[i].thread = 0;
	assert_rests(f);
	f->host->snapshot.queues[2].thread = 920;
	change = cycle(f);
	assert_non_null(change);
	assert_int_equal(change->n, 1);
	assert_int_equal(change->threads[0], 920);
	assert_int_equal(nb_cpumask_only(&change->to[0]), 2);
	assert_rests(f);
}

/* Threads are made anew when a device is opened. */
static void other_threads_follow_at_once(void **state)
{
	struct fixture *f = *state;

	assert_non_null(cycle(f));
	f->host->machine.queues[3].thread = 950;
	assert_non_null(cycle(f));
	assert_rests(f);
}

static void an_interrupt_on_several_cpus_or_on_one_that_is_banned_is_not_followed(void **state)
{
	struct fixture *f = *state;
	const struct nb_follow_change *change;

	for (unsigned i = 0; i < N_QUEUES; i++)
		f->host->snapshot.queues[i].affinity_cpu = -1;
	assert_rests(f);
	for (unsigned i = 0; i < N_QUEUES; i++)
		nb_host_place(f->host, i, i);
	assert_non_null(cycle(f));
	/* The kernel does not let it leave. */
	nb_cpumask_add(&f->host->policy.banned, 2);
	f->host->snapshot.queues[2].settable = false;
	change = cycle(f);
	assert_non_null(change);
	assert_true(nb_cpumask_empty(&change->to[2]));
	assert_int_equal(nb_cpumask_only(&change->to[3]), 3);
	assert_rests(f);
}

static void a_refusal_is_not_tried_again_before_long(void **state)
{
	struct fixture *f = *state;

	f->outcome = NB_OUTCOME_REFUSED;
	assert_non_null(cycle(f));
	assert_true(memory_of(f)->refused);
	assert_false(memory_of(f)->ours);
	assert_rests(f);
	f->outcome = NB_OUTCOME_APPLIED;
	assert_non_null(cycle_after(f, f->host->policy.yield_nsec));
	assert_false(memory_of(f)->refused);
	assert_rests(f);
}

static void a_refusal_is_forgotten_when_nothing_is_to_follow(void **state)
{
	struct fixture *f = *state;

	f->outcome = NB_OUTCOME_REFUSED;
	assert_non_null(cycle(f));
	f->host->policy.threads = false;
	f->outcome = NB_OUTCOME_UNCHANGED;
	assert_non_null(cycle(f));
	assert_int_equal(f->host->memory.threads.n, 0);
	assert_rests(f);
}

static void what_another_program_bound_is_left_to_it(void **state)
{
	struct fixture *f = *state;

	f->outcome = NB_OUTCOME_FOREIGN;
	assert_non_null(cycle(f));
	assert_false(memory_of(f)->refused);
	nb_host_place(f->host, 1, 6);
	assert_rests(f);
}

static void threads_that_were_gone_are_tried_again_before_long(void **state)
{
	struct fixture *f = *state;

	f->outcome = NB_OUTCOME_GONE;
	assert_non_null(cycle(f));
	for (unsigned i = 0; i < 3; i++)
		assert_null(cycle(f));
	f->outcome = NB_OUTCOME_APPLIED;
	for (unsigned i = 0; i < N_QUEUES; i++)
		f->host->machine.queues[i].thread += 10;
	assert_non_null(cycle_after(f, 5 * NB_NSEC_PER_SEC));
	assert_rests(f);
}

static void a_rehearsal_is_planned_once(void **state)
{
	struct fixture *f = *state;

	f->outcome = NB_OUTCOME_REHEARSED;
	assert_non_null(cycle(f));
	assert_rests(f);
	f->outcome = NB_OUTCOME_APPLIED;
	nb_memory_refresh(&f->host->memory);
	for (unsigned i = 0; i < N_QUEUES; i++)
		f->host->memory.queues[i].fresh = false;
	assert_non_null(cycle(f));
}

static void they_return_when_the_configuration_says_so(void **state)
{
	struct fixture *f = *state;
	const struct nb_follow_change *change;

	assert_non_null(cycle(f));
	f->host->policy.threads = false;
	change = cycle(f);
	assert_non_null(change);
	assert_int_equal(change->reason, NB_REASON_THREAD_BACK);
	assert_null(change->to);
	assert_int_equal(f->host->memory.threads.n, 0);
	assert_rests(f);
}

/* For the scheduler to take them off a CPU. */
static void threads_that_we_switched_on_are_left_to_the_scheduler(void **state)
{
	struct fixture *f = *state;
	int ifindex = f->host->machine.nics[0].ifindex;

	nb_memory_adopt_threaded(&f->host->memory, nb_queue_key_every(ifindex));
	f->host->machine.nics[0].threaded_allowed = true;
	assert_rests(f);
	f->host->memory.threaded[0].on = false;
	assert_non_null(cycle(f));
}

static void the_other_threads_of_its_nic_follow(void **state)
{
	struct fixture *f = *state;
	const struct nb_follow_change *change;

	nb_memory_adopt_threaded(&f->host->memory, f->host->machine.queues[1].key);
	f->host->machine.nics[0].threaded_allowed = true;
	change = cycle(f);
	assert_non_null(change);
	assert_int_equal(change->n, N_QUEUES - 1);
	assert_int_equal(change->threads[0], 901);
	assert_int_equal(change->threads[1], 903);
	assert_rests(f);
	/* Where its interrupt goes is no matter of theirs. */
	nb_host_place(f->host, 1, 6);
	assert_rests(f);

	f->host->machine.queues[1].thread = 0;
	f->host->memory.threaded[0].on = false;
	assert_rests(f);
	f->host->machine.queues[1].thread = 905;
	change = cycle(f);
	assert_non_null(change);
	assert_int_equal(change->n, N_QUEUES);
	assert_rests(f);
}

/* --- what bound threads take */

/* Two queues on CPU 0 whose threads make it hot, as applications would. */
static struct nb_plan *plan_of_two(struct fixture *f)
{
	struct nb_host *host = f->host;

	host->fixed[0] = 8400;
	for (unsigned i = 0; i < 2; i++) {
		nb_host_place(host, i, 0);
		host->time[i] = 200;
	}
	for (unsigned i = 0; i < 20; i++) {
		struct nb_plan *plan;

		nb_host_tick(host, NB_NSEC_PER_SEC);
		host->loads.queues[0].threaded = host->loads.queues[1].threaded = 4200;
		plan = nb_planner_run(f->planner, &host->snapshot, &host->loads, &host->policy,
				      &host->memory);
		set_outcome(plan, f->outcome);
		nb_verify_note(plan, host->snapshot.taken_nsec, &host->memory);
		if (n_moves(plan) > 0)
			return plan;
	}
	return NULL;
}

static void two_hot_threads_part(void **state)
{
	struct fixture *f = *state;
	const struct nb_plan *plan = plan_of_two(f);

	assert_non_null(plan);
	assert_int_equal(n_moves(plan), 1);
	assert_int_equal(plan->changes[0].move->cpu_from, 0);
	assert_int_equal(plan->changes[0].move->load, 4400);
	assert_int_equal(plan->changes[0].move->source_before, 8800);
	assert_int_equal(plan->changes[0].move->source_after, 4400);
}

/* It is not bound, as it is there for the scheduler: what it takes goes nowhere with its interrupt.
 */
static void a_thread_that_we_switched_on_is_not_counted_as_bound(void **state)
{
	struct fixture *f = *state;

	f->host->machine.nics[0].threaded_allowed = true;
	for (unsigned i = 0; i < 2; i++)
		nb_memory_adopt_threaded(&f->host->memory, f->host->machine.queues[i].key);
	assert_non_null(cycle(f));
	assert_true(memory_of(f)->ours);
	assert_null(plan_of_two(f));
	for (unsigned i = 0; i < 2; i++)
		f->host->memory.threaded[i].on = false;
	assert_non_null(plan_of_two(f));
}

static void the_work_of_a_thread_takes_longer_on_a_small_cpu(void **state)
{
	struct fixture *f = *state;
	const struct nb_plan *plan;

	for (unsigned i = 1; i < N_CPUS; i++)
		nb_host_set_capacity(f->host, i, NB_WHOLE * 4 / 5);
	plan = plan_of_two(f);
	assert_non_null(plan);
	assert_int_equal(n_moves(plan), 1);
	assert_int_equal(plan->changes[0].move->source_after, 4400);
	assert_int_equal(plan->changes[0].move->target_after, 5500);
}

static void threads_that_are_not_ours_are_the_schedulers(void **state)
{
	struct fixture *f = *state;

	f->outcome = NB_OUTCOME_FOREIGN;
	assert_null(plan_of_two(f));
	f->outcome = NB_OUTCOME_REFUSED;
	assert_null(plan_of_two(f));
	f->host->policy.threads = false;
	f->outcome = NB_OUTCOME_APPLIED;
	assert_null(plan_of_two(f));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(threads_follow_once_and_again_when_an_interrupt_moves),
		TEST(threads_that_we_switched_on_are_left_to_the_scheduler),
		TEST(the_other_threads_of_its_nic_follow),
		TEST(nothing_follows_unless_asked),
		TEST(queues_without_a_thread_and_nics_out_of_scope_are_left_out),
		TEST(a_thread_that_was_seen_to_poll_follows),
		TEST(other_threads_follow_at_once),
		TEST(an_interrupt_on_several_cpus_or_on_one_that_is_banned_is_not_followed),
		TEST(a_refusal_is_not_tried_again_before_long),
		TEST(a_refusal_is_forgotten_when_nothing_is_to_follow),
		TEST(what_another_program_bound_is_left_to_it),
		TEST(threads_that_were_gone_are_tried_again_before_long),
		TEST(a_rehearsal_is_planned_once),
		TEST(they_return_when_the_configuration_says_so),
		TEST(two_hot_threads_part),
		TEST(a_thread_that_we_switched_on_is_not_counted_as_bound),
		TEST(the_work_of_a_thread_takes_longer_on_a_small_cpu),
		TEST(threads_that_are_not_ours_are_the_schedulers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
