/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A cycle in which nothing changes allocates nothing. */
#include "loop.h"
#include "support/allocator/allocator.h"

#include <stdio.h>

/* Plans and verifies n times; the host itself may allocate. */
static void assert_allocates_nothing(struct loop *loop, unsigned n, enum nb_verdict verdict)
{
	for (unsigned i = 0; i < n; i++) {
		const struct nb_plan *plan;
		uint64_t before;

		loop_measure(loop);
		before = nb_allocations();
		plan = loop_plan(loop);
		loop_act(loop);
		assert_int_equal(nb_allocations(), before);
		assert_int_equal(plan->verdict, verdict);
	}
}

static void a_quiet_cycle_allocates_nothing(void **state)
{
	struct loop loop = loop_of(nb_host_new(64, 2, 2));

	(void)state;
	for (unsigned nic = 0; nic < 2; nic++)
		nb_host_add_nic(loop.host, (int)nic, 64, 0, 100);
	loop_run(&loop, 10);
	assert_allocates_nothing(&loop, 100, NB_VERDICT_QUIET);
	loop_clear(&loop);
}

static void masks_that_follow_are_not_made_again(void **state)
{
	struct loop loop = loop_of(nb_host_new(64, 2, 2));

	(void)state;
	loop.host->policy.xps = true;
	for (unsigned nic = 0; nic < 2; nic++)
		nb_host_add_nic(loop.host, (int)nic, 64, 0, 100);
	loop_run(&loop, 40);
	assert_int_equal(loop.core.memory.xps.n, 2);
	assert_true(loop.core.memory.xps.rows[1].ours);
	assert_allocates_nothing(&loop, 100, NB_VERDICT_QUIET);
	loop_clear(&loop);
}

/* The whole search each second, in vain. */
static void a_search_that_finds_nothing_allocates_nothing(void **state)
{
	struct loop loop = loop_of(nb_host_new(64, 1, 2));

	(void)state;
	for (unsigned nic = 0; nic < 2; nic++) {
		unsigned first = nb_host_add_nic(loop.host, (int)nic, 64, 0, 100);

		for (unsigned i = 0; i < 64; i++)
			nb_host_place(loop.host, first + i, nic * 32 + i % 32);
	}
	loop.host->policy.rps = false;
	loop.host->time[3] = 8000;
	loop_run(&loop, 60);
	assert_allocates_nothing(&loop, 100, NB_VERDICT_ONE_FLOW);
	loop_clear(&loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_quiet_cycle_allocates_nothing),
		cmocka_unit_test(masks_that_follow_are_not_made_again),
		cmocka_unit_test(a_search_that_finds_nothing_allocates_nothing),
	};

	if (!nb_allocations_are_counted()) {
		printf("skipped: the allocator of this build is the sanitizer's, which is not counted\n");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
