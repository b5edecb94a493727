/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/virtuals.h"

#include "sample/virtual_queues.h"
#include "unit/sample/timing_fixture.h"

#define SEC NB_NSEC_PER_SEC

/* A host with devices of each kind beside its NIC, and a second that passes. */
static struct nb_nic nics[] = {
	{.ifindex = 2, .scope = NB_SCOPE_IN, .n_rx = 4},
	{.ifindex = 9, .scope = NB_SCOPE_VIRTUAL, .n_rx = 1},
	{.ifindex = 10, .scope = NB_SCOPE_VIRTUAL, .n_rx = 4},
	{.ifindex = 11, .scope = NB_SCOPE_IGNORED, .n_rx = 1},
};
static const struct nb_machine machine = {.nics = nics, .n_nics = G_N_ELEMENTS(nics)};

static void vote(struct fixture *f, unsigned ifindex, uint64_t nsec)
{
	struct nb_probe_cpu *counters = nb_fake_probe_cpu(f->probe, 6);

	counters->untold_nsec += nsec;
	counters->untold_ifindex = ifindex;
	counters->untold_lead_nsec = nsec;
}

static bool look(struct fixture *f, struct nb_virtuals *virtuals, uint64_t taken_nsec)
{
	struct nb_snapshot before = {.machine = &machine, .taken_nsec = taken_nsec - SEC};
	struct nb_snapshot now = f->snapshot;

	read_now(f);
	now.machine = &machine;
	now.taken_nsec = taken_nsec;
	return nb_virtuals_look(virtuals, f->timing, &before, &now);
}

static void one_that_takes_a_quarter_of_a_cpu_is_listed_once(void **state)
{
	struct fixture *f = *state;
	struct nb_virtuals virtuals = {.wanted = true};

	read_now(f);
	assert_false(look(f, &virtuals, SEC));
	vote(f, 9, SEC / 4 - 1);
	assert_false(look(f, &virtuals, 2 * SEC));
	vote(f, 9, SEC / 4);
	assert_true(look(f, &virtuals, 3 * SEC));
	assert_int_equal(virtuals.slots.ifindexes[0], 9);
	vote(f, 9, SEC / 4);
	assert_false(look(f, &virtuals, 4 * SEC));
	assert_int_equal(virtuals.slots.ifindexes[1], 0);
}

/* A lead ends at a second, and a sampling interval may be a minute. */
static void it_is_found_in_a_long_window(void **state)
{
	struct fixture *f = *state;
	struct nb_virtuals virtuals = {.wanted = true};
	struct nb_snapshot before = {.machine = &machine, .taken_nsec = SEC};
	struct nb_snapshot now = f->snapshot;

	read_now(f);
	vote(f, 9, 10 * SEC);
	nb_fake_probe_cpu(f->probe, 6)->untold_lead_nsec = NB_PROBE_LEAD_MAX_NSEC - 1;
	read_now(f);
	now.machine = &machine;
	now.taken_nsec = 11 * SEC;
	assert_true(nb_virtuals_look(&virtuals, f->timing, &before, &now));
	assert_int_equal(virtuals.slots.ifindexes[0], 9);
}

static void none_is_listed_that_rps_is_not_for(void **state)
{
	static const unsigned others[] = {2, 10, 11, 4711};
	struct fixture *f = *state;
	struct nb_virtuals virtuals = {.wanted = true};

	read_now(f);
	for (unsigned i = 0; i < G_N_ELEMENTS(others); i++) {
		vote(f, others[i], SEC);
		assert_false(look(f, &virtuals, (i + 1) * SEC));
	}
	virtuals.wanted = false;
	vote(f, 9, SEC);
	assert_false(look(f, &virtuals, 9 * SEC));
	assert_int_equal(virtuals.slots.ifindexes[0], 0);
}

/* What a new machine had before is not known. */
static void nothing_is_found_across_a_rescan(void **state)
{
	struct fixture *f = *state;
	struct nb_virtuals virtuals = {.wanted = true};
	struct nb_snapshot before = {.taken_nsec = SEC};
	struct nb_snapshot now = f->snapshot;

	read_now(f);
	vote(f, 9, SEC);
	read_now(f);
	now.machine = &machine;
	now.taken_nsec = 2 * SEC;
	assert_false(nb_virtuals_look(&virtuals, f->timing, &before, &now));
}

static void no_more_are_listed_than_are_measured(void **state)
{
	struct nb_virtuals virtuals = {};

	(void)state;
	for (unsigned i = 0; i < NB_VIRTUALS_MAX; i++)
		assert_true(nb_virtuals_add(&virtuals, (int)i + 20, SEC));
	assert_false(nb_virtuals_add(&virtuals, 9, SEC));
	assert_false(nb_virtuals_add(&virtuals, 20, SEC));
}

static void expire(struct nb_virtuals *virtuals, uint64_t now_nsec, struct nb_rps_state *mask)
{
	struct nb_snapshot last = {.taken_nsec = now_nsec, .rps = mask, .n_rps = mask ? 1 : 0};

	nb_virtuals_expire(virtuals, &last);
}

static void one_that_costs_nothing_for_long_is_left_unless_it_is_steered(void **state)
{
	struct nb_virtuals virtuals = {};
	struct nb_rps_state mask = {.key.ifindex = 21};

	(void)state;
	nb_cpumask_add(&mask.cpus, 1);
	assert_true(nb_virtuals_add(&virtuals, 20, SEC));
	assert_true(nb_virtuals_add(&virtuals, 21, SEC));
	expire(&virtuals, 600 * SEC, &mask);
	assert_int_equal(virtuals.slots.ifindexes[0], 20);
	expire(&virtuals, 601 * SEC, &mask);
	assert_int_equal(virtuals.slots.ifindexes[0], 0);
	assert_int_equal(virtuals.slots.ifindexes[1], 21);
	expire(&virtuals, 602 * SEC, NULL);
	assert_int_equal(virtuals.slots.ifindexes[1], 0);
}

static void one_that_costs_a_little_stays(void **state)
{
	struct fixture *f = *state;
	struct nb_virtuals virtuals = {};
	struct nb_probe_cpu *counters = nb_fake_probe_cpu(f->probe, 6);

	f->scan->machine.queues[3] = (struct nb_queue){.key.ifindex = 20};
	f->scan->virtuals.ifindexes[0] = 20;
	f->snapshot.machine = &f->scan->machine;
	assert_int_equal(nb_timing_adopt(f->timing, f->scan), 0);
	assert_true(nb_virtuals_add(&virtuals, 20, SEC));
	counters->virtuals[0].nsec += SEC / 20;
	assert_false(look(f, &virtuals, 300 * SEC));
	expire(&virtuals, 899 * SEC, NULL);
	assert_int_equal(virtuals.slots.ifindexes[0], 20);
	counters->virtuals[0].nsec += SEC / 20 - 1;
	assert_false(look(f, &virtuals, 899 * SEC));
	expire(&virtuals, 900 * SEC, NULL);
	assert_int_equal(virtuals.slots.ifindexes[0], 0);
}

int main(void)
{
#define WITH_FIXTURE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		WITH_FIXTURE(one_that_takes_a_quarter_of_a_cpu_is_listed_once),
		WITH_FIXTURE(it_is_found_in_a_long_window),
		WITH_FIXTURE(none_is_listed_that_rps_is_not_for),
		WITH_FIXTURE(nothing_is_found_across_a_rescan),
		WITH_FIXTURE(no_more_are_listed_than_are_measured),
		WITH_FIXTURE(one_that_costs_nothing_for_long_is_left_unless_it_is_steered),
		WITH_FIXTURE(one_that_costs_a_little_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
