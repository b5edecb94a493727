/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "verify/judges.h"

#include "base/device_irq_memory.h"
#include "judge_fixture.h"

/* One interrupt, which we put on CPU 2 of four. */
static int set_up_other(void **state)
{
	struct fixture *f;

	set_up(state);
	f = *state;
	nb_host_add_device_irq(f->host, NB_NODE_NONE, "", 2, 1000);
	nb_device_irq_memory_adopt(&f->host->memory, &f->host->machine.device_irqs[0], 2);
	nb_host_look(f->host);
	nb_written_review(&f->host->memory, &f->host->snapshot, &f->host->policy);
	return 0;
}

static void judge_device_irqs(struct fixture *f)
{
	const struct nb_judging judging = {
		.snapshot = &f->host->snapshot,
		.policy = &f->host->policy,
		.memory = &f->host->memory,
		.findings = f->findings,
	};

	nb_written_review(&f->host->memory, &f->host->snapshot, &f->host->policy);
	nb_judge_device_irqs(&judging);
}

static const struct nb_device_irq_memory *memory_of(const struct fixture *f)
{
	return nb_device_irq_memory_find(&f->host->memory, 500);
}

static void one_in_its_place_is_not_told(void **state)
{
	struct fixture *f = *state;

	nb_host_look(f->host);
	judge_device_irqs(f);
	assert_int_equal(f->findings->len, 0);
	assert_int_equal(memory_of(f)->expected_cpu, 2);
}

static void one_that_was_pinned_is_told_once_and_rests(void **state)
{
	struct fixture *f = *state;
	const struct nb_finding *finding;

	f->host->machine.device_irqs[0].cpu = 1;
	nb_host_look(f->host);
	judge_device_irqs(f);
	judge_device_irqs(f);
	nb_host_look(f->host);
	judge_device_irqs(f);
	finding = only_finding(f);
	assert_int_equal(finding->event, NB_EVENT_YIELDED);
	assert_int_equal(finding->key.ifindex, 0);
	assert_int_equal(finding->key.index, 500);
	assert_int_equal(finding->cpu_ours, 2);
	assert_int_equal(finding->cpu_theirs, 1);
	assert_int_equal(memory_of(f)->expected_cpu, -1);
	assert_int_equal(nb_cpumask_only(&finding->limited_to), 1);
	assert_int_equal(memory_of(f)->yielded_until_nsec,
			 f->host->snapshot.taken_nsec + 30 * NB_NSEC_PER_SEC);
}

static void a_mask_of_several_cpus_is_told_as_that(void **state)
{
	struct fixture *f = *state;

	f->host->machine.device_irqs[0].n_allowed = 4;
	nb_host_look(f->host);
	judge_device_irqs(f);
	assert_int_equal(only_finding(f)->cpu_theirs, -1);
	assert_int_equal(memory_of(f)->yielded_until_nsec,
			 f->host->snapshot.taken_nsec + f->host->policy.yield_nsec);
}

static void nobody_is_blamed_for_a_cpu_that_went_offline(void **state)
{
	struct fixture *f = *state;

	nb_host_set_offline(f->host, 2);
	f->host->machine.device_irqs[0].n_allowed = 3;
	f->host->machine.device_irqs[0].cpu = 0;
	nb_host_look(f->host);
	judge_device_irqs(f);
	assert_int_equal(f->findings->len, 0);
	assert_int_equal(memory_of(f)->expected_cpu, -1);
	assert_int_equal(memory_of(f)->yielded_until_nsec, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_other, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(one_in_its_place_is_not_told),
		TEST(one_that_was_pinned_is_told_once_and_rests),
		TEST(a_mask_of_several_cpus_is_told_as_that),
		TEST(nobody_is_blamed_for_a_cpu_that_went_offline),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
