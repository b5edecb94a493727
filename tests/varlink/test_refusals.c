/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is refused says so in the terms of the interface, and changes nothing. */
#include "varlink/fixture.h"

static void assert_invalid(struct client *client, const char *name, const char *parameters,
			   const char *parameter)
{
	assert_error(client, name, parameters, SD_VARLINK_ERROR_INVALID_PARAMETER);
	assert_string_equal(text_of(client->reply, "parameter"), parameter);
}

static void an_argument_that_is_none_is_named(void **state)
{
	struct fixture *f = *state;
	g_auto(scoped_client) root = {};

	need_root();
	client_connect(f, &root);
	assert_invalid(&root, "Ban", "{\"cpus\": \"one\"}", "cpus");
	assert_invalid(&root, "Ban", "{\"cpus\": \"99999\"}", "cpus");
	assert_invalid(&root, "Ban", "{\"cpus\": 1}", "cpus");
	assert_invalid(&root, "Ban", "{}", "cpus");
	assert_invalid(&root, "Ban", "{\"cpus\": \"1\", \"owner\": \"two words\"}", "owner");
	assert_invalid(&root, "Ban", "{\"cpus\": \"1\", \"leaseUSec\": -1}", "leaseUSec");
	assert_invalid(&root, "Ban", "{\"cpus\": \"1\", \"lease\": 1}", "lease");
	assert_invalid(&root, "Claim", "{\"cpus\": \"1\"}", "target");
	assert_invalid(&root, "Claim", "{\"target\": \"lab0/0\", \"cpus\": \"1\"}", "target");
	assert_invalid(&root, "Unban", "{\"cpus\": \"\"}", "cpus");
	assert_invalid(&root, "Release", "{\"what\": \"lab/0\"}", "what");
	assert_invalid(&root, "List", "{\"what\": \"all\"}", "what");
	assert_int_equal(n_orders(f), 0);
}

static void cpus_that_are_not_there_are_told(void **state)
{
	struct fixture *f = *state;
	g_auto(scoped_client) root = {};

	need_root();
	client_connect(f, &root);
	assert_error(&root, "Ban", "{\"cpus\": \"6-9\"}", ERROR_OF_OURS("CPUsUnavailable"));
	assert_string_equal(text_of(root.reply, "cpus"), "8-9");
	assert_string_equal(text_of(root.reply, "message"), "CPU 8-9 does not exist.");
}

static void a_second_exclusive_claim_is_told_whose_the_first_is(void **state)
{
	struct fixture *f = *state;
	g_auto(scoped_client) root = {};
	uint64_t first;

	need_root();
	client_connect(f, &root);
	assert_done(&root, "Claim",
		    "{\"target\": \"lab0:1\", \"cpus\": \"2-3\", \"exclusive\": true,"
		    " \"owner\": \"feed\"}");
	first = number_of(root.reply, "id");
	assert_error(&root, "Claim",
		     "{\"target\": \"lab0:2\", \"cpus\": \"3-4\", \"exclusive\": true,"
		     " \"owner\": \"kubelet\"}",
		     ERROR_OF_OURS("CPUsTaken"));
	assert_string_equal(text_of(root.reply, "cpus"), "3");
	assert_int_equal(number_of(field(&root, "order"), "id"), first);
	assert_string_equal(text_of(field(&root, "order"), "owner"), "feed");
	assert_string_equal(text_of(field(&root, "order"), "target"), "lab0:1");
	assert_non_null(strstr(text_of(root.reply, "message"), "by feed"));
	assert_int_equal(n_orders(f), 1);
}

static void something_must_be_left_for_the_rest(void **state)
{
	struct fixture *f = *state;
	g_auto(scoped_client) root = {};

	need_root();
	client_connect(f, &root);
	assert_error(&root, "Ban", "{\"cpus\": \"0-7\"}", ERROR_OF_OURS("NoCPULeft"));
	assert_non_null(strstr(text_of(root.reply, "message"), "would leave no CPU"));
}

static void what_was_not_ordered_cannot_end(void **state)
{
	struct fixture *f = *state;
	g_auto(scoped_client) root = {};

	need_root();
	client_connect(f, &root);
	assert_done(&root, "Ban", "{\"cpus\": \"0\", \"owner\": \"tuned\"}");
	assert_error(&root, "Unban", "{\"cpus\": \"0\"}", ERROR_OF_OURS("NoSuchOrder"));
	assert_non_null(strstr(text_of(root.reply, "message"), "operator has banned none"));
	assert_error(&root, "Release", "{\"what\": \"lab0\"}", ERROR_OF_OURS("NoSuchOrder"));
	assert_int_equal(n_orders(f), 1);
}

static void what_cannot_be_kept_is_refused(void **state)
{
	struct fixture *f = *state;
	g_auto(scoped_client) root = {};

	need_root();
	nb_tmp_write(f->options.root, "run/nicbalance/claims/in-the-way", "");
	client_connect(f, &root);
	assert_error(&root, "Ban", "{\"cpus\": \"0\", \"whileConnected\": false}",
		     ERROR_OF_OURS("NotNow"));
	assert_non_null(strstr(text_of(root.reply, "message"), "/run/nicbalance/claims"));
	assert_int_equal(n_orders(f), 0);
}

static void others_may_order_nothing(void **state)
{
	static const char *const calls[][2] = {
		{"Ban", "{\"cpus\": \"0\"}"},
		{"Unban", "{\"cpus\": \"1\"}"},
		{"Claim", "{\"target\": \"lab0\", \"cpus\": \"0\"}"},
		{"Release", "{\"what\": \"all\"}"},
	};
	struct fixture *f = *state;
	g_auto(scoped_client) root = {}, nobody = {};

	need_root();
	client_connect(f, &root);
	assert_done(&root, "Ban", "{\"cpus\": \"1\"}");
	client_connect_as_nobody(f, &nobody);
	for (unsigned i = 0; i < G_N_ELEMENTS(calls); i++)
		assert_error(&nobody, calls[i][0], calls[i][1], SD_VARLINK_ERROR_PERMISSION_DENIED);
	assert_int_equal(n_orders(f), 1);
}

static void what_there_is_not_is_no_method(void **state)
{
	struct fixture *f = *state;
	g_auto(scoped_client) client = {};

	client_connect(f, &client);
	assert_error(&client, "Balance", "{}", SD_VARLINK_ERROR_METHOD_NOT_FOUND);
	assert_error(&client, "Subscribe", "{}", SD_VARLINK_ERROR_EXPECTED_MORE);
}

#define SERVED(test) cmocka_unit_test_setup_teardown(test, serve, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SERVED(an_argument_that_is_none_is_named),
		SERVED(cpus_that_are_not_there_are_told),
		SERVED(a_second_exclusive_claim_is_told_whose_the_first_is),
		SERVED(something_must_be_left_for_the_rest),
		SERVED(what_was_not_ordered_cannot_end),
		SERVED(what_cannot_be_kept_is_refused),
		SERVED(others_may_order_nothing),
		SERVED(what_there_is_not_is_no_method),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
