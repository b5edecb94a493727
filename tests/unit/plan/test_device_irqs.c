/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/device_irqs.h"

#include "base/device_irq_memory.h"
#include "plan/planner.h"

#include "base/written.h"
#include "support/host.h"
#include "support/plan.h"
#include "support/support.h"
#include "verify/verify.h"

#define HBA "0000:3b:00.0"
#define MINUTE (60 * NB_NSEC_PER_SEC)

/* Eight CPUs in two nodes: 0 to 3, and 4 to 7. */
struct fixture {
	struct nb_host *host;
	struct nb_planner *planner;
	GArray *findings;
	enum nb_outcome outcome; /* of every move of an other */
};

static int set_up(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);

	f->host = nb_host_new(8, 1, 2);
	f->planner = nb_planner_new();
	f->findings = g_array_new(FALSE, FALSE, sizeof(struct nb_finding));
	f->outcome = NB_OUTCOME_APPLIED;
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	nb_planner_free(f->planner);
	nb_host_free(f->host);
	g_array_unref(f->findings);
	g_free(f);
	return 0;
}

/* What each CPU spends on interrupts, those of queues included. */
static void spend(struct fixture *f, unsigned cpu, uint32_t irq)
{
	f->host->loads.cpus[cpu].irq = irq;
}

static struct nb_plan *plan(struct fixture *f)
{
	struct nb_host *host = f->host;

	nb_memory_sync(&host->memory, &host->snapshot);
	nb_written_review(&host->memory, &host->snapshot, &host->policy);
	return nb_planner_run(f->planner, &host->snapshot, &host->loads, &host->policy,
			      &host->memory);
}

static void carry_out(struct fixture *f, struct nb_plan *plan)
{
	struct nb_host *host = f->host;

	g_array_set_size(f->findings, 0);
	nb_verify_judge(&host->snapshot, &host->loads, &host->policy, &host->memory, f->findings);
	if (f->outcome == NB_OUTCOME_APPLIED)
		nb_host_obey(host, plan);
	set_outcome(plan, f->outcome);
	nb_verify_note(plan, host->snapshot.taken_nsec, &host->memory);
}

/* A minute passes, then they are looked at. */
static void look(struct fixture *f)
{
	nb_host_look(f->host);
	nb_host_tick(f->host, MINUTE);
}

static struct nb_plan *look_and_plan(struct fixture *f)
{
	look(f);
	return plan(f);
}

static unsigned look_and_act(struct fixture *f)
{
	struct nb_plan *made = look_and_plan(f);

	carry_out(f, made);
	return n_irqs(made);
}

static unsigned count_on(const struct fixture *f, int cpu)
{
	unsigned n = 0;

	for (unsigned i = 0; i < f->host->machine.n_device_irqs; i++)
		n += f->host->machine.device_irqs[i].cpu == cpu;
	return n;
}

static void add(struct fixture *f, unsigned n, int node, const char *device, unsigned cpu,
		uint32_t per_sec)
{
	for (unsigned i = 0; i < n; i++)
		nb_host_add_device_irq(f->host, node, device, cpu, per_sec);
}

static void a_pile_is_spread_over_its_node(void **state)
{
	struct fixture *f = *state;
	struct nb_plan *made;

	add(f, 8, 1, "", 4, 1000);
	made = look_and_plan(f);
	assert_int_equal(n_irqs(made), 6);
	for (unsigned i = 0; i < n_irqs(made); i++) {
		assert_int_equal(made->changes[i].move->reason, NB_REASON_DEVICE_CROWDED);
		assert_int_equal(made->changes[i].move->cpu_from, 4);
		assert_in_range(made->changes[i].move->cpu_to, 5, 7);
	}
	carry_out(f, made);
	for (int cpu = 4; cpu < 8; cpu++)
		assert_int_equal(count_on(f, cpu), 2);
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(look_and_act(f), 0);
}

/* CPU 5 is not crowded, so two CPUs get all that CPU 4 has above its share of four. */
static void a_crowded_cpu_keeps_its_fair_share(void **state)
{
	struct fixture *f = *state;

	add(f, 9, 1, "", 4, 1000);
	add(f, 7, 1, "", 5, 1000);
	assert_int_equal(look_and_act(f), 5);
	assert_int_equal(count_on(f, 4), 4);
	assert_int_equal(count_on(f, 5), 7);
	assert_int_equal(look_and_act(f), 0);
}

static void one_round_moves_a_bounded_number(void **state)
{
	struct fixture *f = *state;

	add(f, 200, 0, "", 1, 1000);
	assert_int_equal(look_and_act(f), 32);
	while (look_and_act(f) > 0)
		;
	for (int cpu = 0; cpu < 4; cpu++)
		assert_in_range(count_on(f, cpu), 1, 100);
}

static void what_seldom_comes_is_never_moved(void **state)
{
	struct fixture *f = *state;

	add(f, 8, 0, "", 0, 99);
	add(f, 1, 0, "", 7, 99);
	assert_int_equal(n_irqs(look_and_plan(f)), 0);
}

static void but_nothing_stays_on_an_isolated_or_banned_cpu(void **state)
{
	struct fixture *f = *state;
	struct nb_plan *made;

	add(f, 1, 0, "", 2, 0);
	add(f, 1, 0, "", 3, 0);
	nb_host_isolate(f->host, 2);
	nb_cpumask_add(&f->host->policy.banned, 3);
	made = look_and_plan(f);
	assert_int_equal(n_irqs(made), 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(made->changes[i].move->reason, NB_REASON_INELIGIBLE);
		assert_in_range(made->changes[i].move->cpu_to, 0, 1);
	}
}

static void one_on_a_remote_node_comes_home(void **state)
{
	struct fixture *f = *state;
	struct nb_plan *made;

	add(f, 1, 0, "", 5, 1000);
	made = look_and_plan(f);
	assert_int_equal(n_irqs(made), 1);
	assert_int_equal(made->changes[0].move->reason, NB_REASON_DEVICE_REMOTE);
	assert_in_range(made->changes[0].move->cpu_to, 0, 3);
}

static void a_device_without_a_node_is_nowhere_remote(void **state)
{
	struct fixture *f = *state;

	add(f, 1, NB_NODE_NONE, "", 5, 1000);
	assert_int_equal(n_irqs(look_and_plan(f)), 0);
}

/* A vector for each CPU of both nodes, and beside them a pile of others. */
static void a_device_with_each_on_a_cpu_of_its_own_is_kept(void **state)
{
	struct fixture *f = *state;
	struct nb_plan *made;

	for (unsigned cpu = 0; cpu < 8; cpu++)
		add(f, 1, 0, HBA, cpu, 5000);
	add(f, 12, 0, "", 0, 200);
	made = look_and_plan(f);
	assert_true(n_irqs(made) > 0);
	for (unsigned i = 0; i < n_irqs(made); i++)
		assert_true(made->changes[i].move->key.index >= 508);
}

static void a_mask_of_several_cpus_leaves_a_hot_cpu_with_queues(void **state)
{
	struct fixture *f = *state;
	struct nb_plan *made;

	nb_host_add_nic(f->host, 0, 1, 2, 7500);
	add(f, 2, 0, "", 2, 200);
	f->host->machine.device_irqs[0].n_allowed = 8;
	look(f);
	(void)plan(f);
	made = look_and_plan(f);
	assert_int_equal(n_irqs(made), 1);
	assert_int_equal(made->changes[0].move->key.index, 500);
	assert_int_equal(made->changes[0].move->reason, NB_REASON_DEVICE_HOT);
	assert_int_not_equal(made->changes[0].move->cpu_to, 2);
}

static void one_that_makes_its_cpu_hot_leaves_it_for_a_cool_one(void **state)
{
	struct fixture *f = *state;
	struct nb_plan *made;

	add(f, 1, 0, "", 2, 20000);
	add(f, 1, 0, "", 2, 20000);
	f->host->fixed[0] = f->host->fixed[1] = 6000;
	f->host->fixed[2] = 7500;
	look(f);
	spend(f, 2, 3000);
	made = plan(f);
	assert_int_equal(n_irqs(made), 1);
	assert_int_equal(made->changes[0].move->reason, NB_REASON_DEVICE_HOT);
	assert_int_equal(made->changes[0].move->cpu_to, 3);
}

static void nothing_goes_where_it_is_hot(void **state)
{
	struct fixture *f = *state;

	add(f, 4, 0, "", 2, 1000);
	add(f, 1, 0, "", 5, 1000);
	for (unsigned cpu = 0; cpu < 4; cpu++)
		f->host->fixed[cpu] = 7500;
	assert_int_equal(n_irqs(look_and_plan(f)), 0);
}

static void one_that_was_placed_waits_long_before_heat_moves_it_again(void **state)
{
	struct fixture *f = *state;

	add(f, 1, 0, "", 5, 20000);
	assert_int_equal(look_and_act(f), 1);
	f->host->fixed[f->host->machine.device_irqs[0].cpu] = 9000;
	for (unsigned minute = 1; minute < 10; minute++) {
		look(f);
		spend(f, (unsigned)f->host->machine.device_irqs[0].cpu, 3000);
		assert_int_equal(n_irqs(plan(f)), 0);
	}
	look(f);
	spend(f, (unsigned)f->host->machine.device_irqs[0].cpu, 3000);
	assert_int_equal(n_irqs(plan(f)), 1);
}

static void one_whose_cpu_gets_isolated_does_not_wait(void **state)
{
	struct fixture *f = *state;

	add(f, 1, 0, "", 5, 1000);
	assert_int_equal(look_and_act(f), 1);
	nb_host_isolate(f->host, (unsigned)f->host->machine.device_irqs[0].cpu);
	assert_int_equal(n_irqs(look_and_plan(f)), 1);
}

static void a_pile_of_ours_is_left_alone(void **state)
{
	struct fixture *f = *state;

	add(f, 6, 0, "", 1, 1000);
	look(f);
	for (unsigned i = 0; i < 6; i++)
		nb_device_irq_memory_adopt(&f->host->memory, &f->host->machine.device_irqs[i], 1);
	assert_int_equal(n_irqs(plan(f)), 0);
}

static void of_a_device_one_is_asked_first(void **state)
{
	struct fixture *f = *state;

	add(f, 8, 0, HBA, 1, 1000);
	assert_int_equal(look_and_act(f), 1);
	assert_int_equal(look_and_act(f), 5);
	assert_int_equal(look_and_act(f), 0);
}

static void after_a_refusal_the_device_is_not_asked_again(void **state)
{
	struct fixture *f = *state;

	add(f, 8, 0, HBA, 1, 1000);
	f->outcome = NB_OUTCOME_REFUSED;
	assert_int_equal(look_and_act(f), 1);
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(look_and_act(f), 0);
}

static void one_that_may_not_be_written_is_not_tried(void **state)
{
	struct fixture *f = *state;

	add(f, 8, 0, "", 1, 1000);
	for (unsigned i = 0; i < 8; i++)
		f->host->machine.device_irqs[i].settable = false;
	assert_int_equal(n_irqs(look_and_plan(f)), 0);
}

static void one_of_a_foreign_nic_stays_even_on_an_isolated_cpu(void **state)
{
	struct fixture *f = *state;

	add(f, 8, 0, "", 1, 1000);
	for (unsigned i = 0; i < 8; i++)
		f->host->machine.device_irqs[i].foreign = true;
	assert_int_equal(n_irqs(look_and_plan(f)), 0);
	nb_host_isolate(f->host, 1);
	assert_int_equal(n_irqs(look_and_plan(f)), 0);
}

/* A portal for each CPU, and one of an application on an isolated CPU. */
static void portals_stay_where_they_are(void **state)
{
	struct fixture *f = *state;

	for (unsigned cpu = 0; cpu < 8; cpu++)
		add(f, 1, NB_NODE_NONE, "", cpu, 10000);
	add(f, 3, NB_NODE_NONE, "", 7, 10000);
	for (unsigned i = 0; i < 11; i++)
		f->host->machine.device_irqs[i].portal = true;
	spend(f, 7, 9000);
	assert_int_equal(n_irqs(look_and_plan(f)), 0);
	nb_host_isolate(f->host, 7);
	assert_int_equal(n_irqs(look_and_plan(f)), 0);
}

static unsigned moves_off_busy_cpu(struct fixture *f)
{
	f->host->fixed[0] = 9000;
	look(f);
	spend(f, 0, 3000);
	return n_irqs(plan(f));
}

/* All but a fiftieth of the interrupt time of CPU 0 is that of its portal, and all CPUs have one.
 */
static void the_time_of_a_portal_is_no_other_interrupts(void **state)
{
	struct fixture *f = *state;

	add(f, 1, NB_NODE_NONE, "", 0, 1000);
	for (unsigned cpu = 0; cpu < 8; cpu++)
		add(f, 1, NB_NODE_NONE, "", cpu, 49000);
	for (unsigned i = 1; i <= 8; i++)
		f->host->machine.device_irqs[i].portal = true;
	assert_int_equal(moves_off_busy_cpu(f), 0);
	f->host->machine.n_device_irqs = 1;
	assert_int_equal(moves_off_busy_cpu(f), 1);
}

static void a_look_is_judged_once_and_not_beside_a_move_under_measurement(void **state)
{
	struct fixture *f = *state;
	struct nb_plan *made;

	add(f, 8, 0, "", 1, 1000);
	nb_host_add_nic(f->host, 0, 4, 2, 100);
	made = look_and_plan(f);
	assert_true(n_moves(made) > 0);
	assert_int_equal(n_irqs(made), 0);
	carry_out(f, made);
	for (unsigned i = 0; i < 2; i++) {
		nb_host_tick(f->host, NB_NSEC_PER_SEC);
		made = plan(f);
		assert_int_equal(n_irqs(made), 0);
		carry_out(f, made);
	}
	nb_host_tick(f->host, NB_NSEC_PER_SEC);
	assert_int_equal(n_irqs(plan(f)), 6);
	assert_int_equal(n_irqs(plan(f)), 0);
}

/* CPU 6 is on the other node. */
static void one_that_someone_else_pins_stays_there(void **state)
{
	struct fixture *f = *state;

	add(f, 1, 0, "", 5, 1000);
	assert_int_equal(look_and_act(f), 1);
	f->host->machine.device_irqs[0].cpu = 6;
	assert_int_equal(look_and_act(f), 0);
	assert_int_equal(f->findings->len, 1);
	for (unsigned minute = 0; minute < 120; minute++) {
		assert_int_equal(look_and_act(f), 0);
		assert_int_equal(f->findings->len, 0);
	}
	nb_cpumask_add(&f->host->policy.banned, 6);
	assert_int_equal(n_irqs(look_and_plan(f)), 1);
}

static void one_that_someone_else_sets_free_is_theirs_for_a_while(void **state)
{
	struct fixture *f = *state;

	add(f, 1, 0, "", 5, 1000);
	assert_int_equal(look_and_act(f), 1);
	f->host->machine.device_irqs[0].cpu = 6;
	f->host->machine.device_irqs[0].n_allowed = 8;
	assert_int_equal(look_and_act(f), 0);
	assert_int_equal(f->findings->len, 1);
	for (unsigned minute = 1; minute < 60; minute++) {
		assert_int_equal(look_and_act(f), 0);
		assert_int_equal(f->findings->len, 0);
	}
	assert_int_equal(n_irqs(look_and_plan(f)), 1);
}

/* To CPUs 0 and 1, which are not on its node. */
static void one_that_someone_else_limits_is_placed_inside(void **state)
{
	struct fixture *f = *state;
	struct nb_plan *made;

	add(f, 1, 1, "", 5, 1000);
	assert_int_equal(look_and_act(f), 0);
	f->host->machine.device_irqs[0].cpu = 5;
	f->host->machine.device_irqs[0].n_allowed = 2;
	assert_int_equal(look_and_act(f), 0);
	assert_int_equal(f->findings->len, 1);
	made = look_and_plan(f);
	assert_int_equal(n_irqs(made), 1);
	assert_true(made->changes[0].move->cpu_to < 2);
	carry_out(f, made);
	for (unsigned minute = 0; minute < 120; minute++)
		assert_int_equal(look_and_act(f), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* By the last reading, and beside a queue whose move is being measured. */
static void what_may_not_stay_leaves_at_once(void **state)
{
	struct fixture *f = *state;
	struct nb_host *host = f->host;
	unsigned nic = nb_host_add_nic(host, 0, 2, 1, 1000);
	struct nb_plan *made;

	nb_host_place(host, nic + 1, 2);
	nb_host_add_device_irq(host, 0, HBA, 3, 1000);
	nb_host_add_device_irq(host, 0, HBA, 3, 1);
	nb_host_add_device_irq(host, 0, HBA, 0, 1);
	look(f);
	carry_out(f, plan(f));
	host->memory.queues[0].pending.active = true;
	nb_host_tick(host, NB_NSEC_PER_SEC);
	nb_cpumask_add(&host->policy.banned, 3);
	made = plan(f);
	assert_int_equal(n_irqs(made), 2);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(made->changes[i].move->cpu_from, 3);
	carry_out(f, made);
	nb_host_tick(host, NB_NSEC_PER_SEC);
	assert_int_equal(n_irqs(plan(f)), 0);
	/* Where they are now the last reading does not tell. */
	for (unsigned cpu = 0; cpu < 3; cpu++)
		nb_cpumask_add(&host->policy.banned, cpu);
	host->loads.window_nsec = 0;
	made = plan(f);
	assert_int_equal(n_irqs(made), 3);
	for (unsigned i = 0; i < 3; i++)
		assert_in_range(made->changes[i].move->cpu_from, 0, 2);
}

/* One has 15 of CPU 2: 30 of CPU 3, which has no room for that; CPU 1 has for one of them. */
static void one_is_more_on_a_small_cpu(void **state)
{
	struct fixture *f = *state;
	struct nb_plan *made;

	add(f, 1, 0, "", 2, 20000);
	add(f, 1, 0, "", 2, 20000);
	f->host->fixed[0] = 6000;
	f->host->fixed[1] = 5000;
	f->host->fixed[2] = 9000;
	f->host->fixed[3] = 4500;
	nb_host_set_capacity(f->host, 3, 5000);
	look(f);
	spend(f, 2, 3000);
	made = plan(f);
	assert_int_equal(n_irqs(made), 1);
	assert_int_equal(made->changes[0].move->cpu_to, 1);
}

/* One takes 30 of CPU 3, and has room there; for the other there is none then. */
static void one_that_went_to_a_small_cpu_counts_there_for_what_it_is(void **state)
{
	struct fixture *f = *state;
	struct nb_plan *made;

	add(f, 1, 0, "", 2, 20000);
	add(f, 1, 0, "", 2, 20000);
	f->host->fixed[0] = f->host->fixed[1] = 6000;
	f->host->fixed[2] = 9000;
	f->host->fixed[3] = 1500;
	nb_host_set_capacity(f->host, 3, 5000);
	look(f);
	spend(f, 2, 3000);
	made = plan(f);
	assert_int_equal(n_irqs(made), 1);
	assert_int_equal(made->changes[0].move->cpu_to, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_pile_is_spread_over_its_node),
		TEST(a_crowded_cpu_keeps_its_fair_share),
		TEST(one_round_moves_a_bounded_number),
		TEST(what_seldom_comes_is_never_moved),
		TEST(but_nothing_stays_on_an_isolated_or_banned_cpu),
		TEST(one_on_a_remote_node_comes_home),
		TEST(a_device_without_a_node_is_nowhere_remote),
		TEST(a_device_with_each_on_a_cpu_of_its_own_is_kept),
		TEST(a_mask_of_several_cpus_leaves_a_hot_cpu_with_queues),
		TEST(one_that_makes_its_cpu_hot_leaves_it_for_a_cool_one),
		TEST(nothing_goes_where_it_is_hot),
		TEST(one_that_was_placed_waits_long_before_heat_moves_it_again),
		TEST(one_whose_cpu_gets_isolated_does_not_wait),
		TEST(what_may_not_stay_leaves_at_once),
		TEST(a_pile_of_ours_is_left_alone),
		TEST(of_a_device_one_is_asked_first),
		TEST(after_a_refusal_the_device_is_not_asked_again),
		TEST(one_that_may_not_be_written_is_not_tried),
		TEST(one_of_a_foreign_nic_stays_even_on_an_isolated_cpu),
		TEST(portals_stay_where_they_are),
		TEST(the_time_of_a_portal_is_no_other_interrupts),
		TEST(a_look_is_judged_once_and_not_beside_a_move_under_measurement),
		TEST(one_that_someone_else_pins_stays_there),
		TEST(one_that_someone_else_sets_free_is_theirs_for_a_while),
		TEST(one_that_someone_else_limits_is_placed_inside),
		TEST(one_is_more_on_a_small_cpu),
		TEST(one_that_went_to_a_small_cpu_counts_there_for_what_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
