/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/refusal.h"

#include "support/support.h"

#include <errno.h>

static void a_refusal_has_a_cause_and_a_sentence(void **state)
{
	g_auto(nb_refusal) refusal = {.cause = NB_REFUSAL_TAKEN, .argument = "cpus"};

	(void)state;
	assert_int_equal(
		nb_refuse(-EBUSY, NB_REFUSAL_UNAVAILABLE, &refusal, "CPU %d is %s.", 3, "offline"),
		-EBUSY);
	assert_int_equal(refusal.cause, NB_REFUSAL_UNAVAILABLE);
	assert_string_equal(refusal.text, "CPU 3 is offline.");
	assert_null(refusal.argument);
}

static void nothing_is_left_of_a_cleared_one(void **state)
{
	struct nb_refusal refusal;

	(void)state;
	nb_refuse(-EINVAL, NB_REFUSAL_ARGUMENT, &refusal, "No.");
	nb_refusal_clear(&refusal);
	assert_null(refusal.text);
	nb_refusal_clear(&refusal);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_refusal_has_a_cause_and_a_sentence),
		cmocka_unit_test(nothing_is_left_of_a_cleared_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
