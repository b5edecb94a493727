/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netlink/error.h"
#include "support/support.h"

#include <errno.h>
#include <netlink/errno.h>

static void success_and_counts_pass_unchanged(void **state)
{
	(void)state;
	assert_int_equal(nb_nl_errno(0), 0);
	assert_int_equal(nb_nl_errno(36), 36);
}

static void numbers_of_libnl_are_not_taken_for_errnos(void **state)
{
	(void)state;
	assert_int_equal(nb_nl_errno(-NLE_INTR), -EINTR);
	assert_int_equal(nb_nl_errno(-NLE_AGAIN), -EAGAIN);
	assert_int_equal(nb_nl_errno(-NLE_OPNOTSUPP), -EOPNOTSUPP);
	assert_int_equal(nb_nl_errno(-NLE_OBJ_NOTFOUND), -ENOENT);
	assert_int_equal(nb_nl_errno(-NLE_NODEV), -ENODEV);
	assert_int_equal(nb_nl_errno(-NLE_PERM), -EPERM);
	assert_int_equal(nb_nl_errno(-NLE_DUMP_INTR), -EINTR);
}

static void every_error_stays_an_error(void **state)
{
	(void)state;
	for (int error = 1; error <= NLE_MAX; error++)
		assert_true(nb_nl_errno(-error) < 0);
}

static void an_error_of_a_later_libnl_is_an_io_error(void **state)
{
	(void)state;
	assert_int_equal(nb_nl_errno(-NLE_MAX - 1), -EIO);
	assert_int_equal(nb_nl_errno(-4095), -EIO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(success_and_counts_pass_unchanged),
		cmocka_unit_test(numbers_of_libnl_are_not_taken_for_errnos),
		cmocka_unit_test(every_error_stays_an_error),
		cmocka_unit_test(an_error_of_a_later_libnl_is_an_io_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
