/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "loader/loader.h"
#include "support/support.h"

#include <errno.h>
#include <string.h>

static void missing_capabilities_are_named(void **state)
{
	g_autofree char *reason = NULL;

	(void)state;
	assert_int_equal(nb_loader_explain(-EPERM, true, "", &reason), -EPERM);
	assert_non_null(strstr(reason, "CAP_BPF and CAP_PERFMON"));
	assert_non_null(strstr(reason, "LimitMEMLOCK=infinity"));
}

static void missing_types_of_the_kernel_are_named(void **state)
{
	g_autofree char *reason = NULL;

	(void)state;
	assert_int_equal(nb_loader_explain(-ESRCH, false, "", &reason), -ENOENT);
	assert_non_null(strstr(reason, "CONFIG_DEBUG_INFO_BTF"));
}

static void missing_memory_is_named(void **state)
{
	g_autofree char *reason = NULL;

	(void)state;
	assert_int_equal(nb_loader_explain(-ENOMEM, false, "", &reason), -ENOMEM);
	assert_non_null(strstr(reason, "MemoryMax="));
}

static void the_verifiers_complaint_is_passed_on(void **state)
{
	g_autofree char *reason = NULL;

	(void)state;
	assert_int_equal(nb_loader_explain(-EACCES, true,
					   "0: R1=ctx() R10=fp0\n"
					   "317: (1f) r4 -= r3\n"
					   "R3 unbounded memory access\n"
					   "verification time 6658 usec\n"
					   "stack depth 64\n"
					   "processed 188 insns (limit 1000000)\n",
					   &reason),
			 -EOPNOTSUPP);
	assert_true(g_str_has_suffix(reason, ": R3 unbounded memory access"));
	assert_null(strchr(reason, '\n'));
}

static void without_a_log_the_error_has_to_do(void **state)
{
	g_autofree char *reason = NULL;

	(void)state;
	assert_int_equal(nb_loader_explain(-ENOSYS, true, "", &reason), -EOPNOTSUPP);
	assert_true(g_str_has_suffix(reason, g_strerror(ENOSYS)));
	g_clear_pointer(&reason, g_free);
	assert_int_equal(nb_loader_explain(-ENOSYS, true, "processed 0 insns\n\n", &reason),
			 -EOPNOTSUPP);
	assert_true(g_str_has_suffix(reason, g_strerror(ENOSYS)));
}

static void nobody_has_to_listen(void **state)
{
	(void)state;
	assert_int_equal(nb_loader_explain(-EPERM, true, "", NULL), -EPERM);
	assert_int_equal(nb_loader_explain(-EINVAL, true, "no", NULL), -EOPNOTSUPP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(missing_capabilities_are_named),
		cmocka_unit_test(missing_types_of_the_kernel_are_named),
		cmocka_unit_test(missing_memory_is_named),
		cmocka_unit_test(the_verifiers_complaint_is_passed_on),
		cmocka_unit_test(without_a_log_the_error_has_to_do),
		cmocka_unit_test(nobody_has_to_listen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
