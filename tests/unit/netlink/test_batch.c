/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netlink/batch.h"
#include "support/support.h"

/* Writes down what is told, "kind:ifindex" each. */
static void write_down(enum nb_notice change, int ifindex, void *userdata)
{
	g_string_append_printf(userdata, "%d:%d ", (int)change, ifindex);
}

static void assert_told(const struct nb_batch *batch, const char *expected)
{
	GString *told = g_string_new(NULL);

	nb_batch_tell(batch, write_down, told);
	assert_string_equal(told->str, expected);
	g_string_free(told, TRUE);
}

static void tells_nothing_of_an_empty_batch(void **state)
{
	struct nb_batch batch = {0};

	(void)state;
	assert_told(&batch, "");
	assert_false(nb_batch_has(&batch, NB_NOTICE_LOST));
}

static void tells_each_kind_once(void **state)
{
	struct nb_batch batch = {0};

	(void)state;
	nb_batch_add(&batch, NB_NOTICE_LOST, 0);
	nb_batch_add(&batch, NB_NOTICE_LINK, 2);
	nb_batch_add(&batch, NB_NOTICE_QUEUES, 2);
	nb_batch_add(&batch, NB_NOTICE_LINK, 2);
	nb_batch_add(&batch, NB_NOTICE_CPUS, 0);
	nb_batch_add(&batch, NB_NOTICE_LOST, 0);
	assert_told(&batch, "0:2 1:2 2:0 3:0 ");
	assert_true(nb_batch_has(&batch, NB_NOTICE_LOST));
}

static void a_change_of_several_devices_names_none(void **state)
{
	struct nb_batch batch = {0};

	(void)state;
	nb_batch_add(&batch, NB_NOTICE_LINK, 2);
	nb_batch_add(&batch, NB_NOTICE_LINK, 3);
	nb_batch_add(&batch, NB_NOTICE_LINK, 3);
	assert_told(&batch, "0:0 ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_nothing_of_an_empty_batch),
		cmocka_unit_test(tells_each_kind_once),
		cmocka_unit_test(a_change_of_several_devices_names_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
