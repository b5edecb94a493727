/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "apply/outcome.h"
#include "support/support.h"

#include <errno.h>

static void each_errno_of_the_kernel_has_its_row(void **state)
{
	static const struct {
		int error;
		enum nb_outcome outcome;
	} rows[] = {
		{0, NB_OUTCOME_APPLIED},      {-EPERM, NB_OUTCOME_REFUSED},
		{-EIO, NB_OUTCOME_REFUSED},   {-EACCES, NB_OUTCOME_REFUSED},
		{-EROFS, NB_OUTCOME_REFUSED}, {-ENOSPC, NB_OUTCOME_NO_VECTOR},
		{-ENOENT, NB_OUTCOME_GONE},   {-ENODEV, NB_OUTCOME_GONE},
		{-EBUSY, NB_OUTCOME_BUSY},    {-EAGAIN, NB_OUTCOME_BUSY},
		{-EINTR, NB_OUTCOME_BUSY},    {-ENOMEM, NB_OUTCOME_BUSY},
		{-EMFILE, NB_OUTCOME_BUSY},   {-ENFILE, NB_OUTCOME_BUSY},
		{-EINVAL, NB_OUTCOME_STALE},  {-EOVERFLOW, NB_OUTCOME_STALE},
		{-ERANGE, NB_OUTCOME_STALE},  {-ETIMEDOUT, NB_OUTCOME_BUSY},
	};

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++)
		assert_int_equal(nb_outcome_from_errno(rows[i].error), rows[i].outcome);
}

static void what_ethtool_cannot_do_now_it_will_not_do_later(void **state)
{
	(void)state;
	assert_int_equal(nb_outcome_from_ethtool(0), NB_OUTCOME_APPLIED);
	assert_int_equal(nb_outcome_from_ethtool(-EINVAL), NB_OUTCOME_REFUSED);
	assert_int_equal(nb_outcome_from_ethtool(-EOPNOTSUPP), NB_OUTCOME_REFUSED);
	assert_int_equal(nb_outcome_from_ethtool(-EPERM), NB_OUTCOME_REFUSED);
	assert_int_equal(nb_outcome_from_ethtool(-ENOSPC), NB_OUTCOME_REFUSED);
	assert_int_equal(nb_outcome_from_ethtool(-ENODEV), NB_OUTCOME_GONE);
	assert_int_equal(nb_outcome_from_ethtool(-EBUSY), NB_OUTCOME_BUSY);
	assert_int_equal(nb_outcome_from_ethtool(-ETIMEDOUT), NB_OUTCOME_BUSY);
}

static void an_unknown_errno_is_a_refusal(void **state)
{
	(void)state;
	assert_int_equal(nb_outcome_from_errno(-EBADMSG), NB_OUTCOME_REFUSED);
	assert_int_equal(nb_outcome_from_errno(-ENOTTY), NB_OUTCOME_REFUSED);
}

static void the_worse_outcome_does_not_depend_on_the_order(void **state)
{
	(void)state;
	for (enum nb_outcome a = 0; a < _NB_OUTCOME_MAX; a++)
		for (enum nb_outcome b = 0; b < _NB_OUTCOME_MAX; b++) {
			enum nb_outcome worse = nb_outcome_worse(a, b);

			assert_true(worse == a || worse == b);
			assert_int_equal(worse, nb_outcome_worse(b, a));
		}
}

static void every_failure_is_worse_than_success(void **state)
{
	(void)state;
	for (enum nb_outcome a = 0; a < _NB_OUTCOME_MAX; a++) {
		assert_int_equal(nb_outcome_worse(a, NB_OUTCOME_UNCHANGED), a);
		if (a != NB_OUTCOME_UNCHANGED)
			assert_int_equal(nb_outcome_worse(a, NB_OUTCOME_APPLIED), a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_errno_of_the_kernel_has_its_row),
		cmocka_unit_test(what_ethtool_cannot_do_now_it_will_not_do_later),
		cmocka_unit_test(an_unknown_errno_is_a_refusal),
		cmocka_unit_test(the_worse_outcome_does_not_depend_on_the_order),
		cmocka_unit_test(every_failure_is_worse_than_success),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
