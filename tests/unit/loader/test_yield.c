/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "loader/loader.h"
#include "support/support.h"

#include <errno.h>
#include <sys/resource.h>

static int priority(void)
{
	errno = 0;
	return getpriority(PRIO_PROCESS, 0);
}

static int note_priority(void *data)
{
	*(int *)data = priority();
	return -ENOSPC;
}

static void work_is_done_at_a_lower_priority_and_answered(void **unused)
{
	int there = INT_MIN;

	(void)unused;
	assert_int_equal(nb_loader_yielding(note_priority, &there), -ENOSPC);
	assert_true(there > priority());
}

static void who_asks_for_it_keeps_his_priority(void **unused)
{
	int there, before = priority();

	(void)unused;
	nb_loader_yielding(note_priority, &there);
	assert_int_equal(priority(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(work_is_done_at_a_lower_priority_and_answered),
		cmocka_unit_test(who_asks_for_it_keeps_his_priority),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
