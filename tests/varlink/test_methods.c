/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each method, by a client, of a daemon that obeys. */
#include "varlink/fixture.h"

static void assert_off(struct fixture *f, int first, int last)
{
	for (unsigned irq = FIRST_IRQ; irq < FIRST_IRQ + N_IRQS; irq++)
		assert_false(pointed_at(f, irq) >= first && pointed_at(f, irq) <= last);
}

static void everyone_is_told_what_counts_besides_orders(void **state)
{
	struct fixture *f = *state;
	g_auto(scoped_client) nobody = {};

	nb_cpumask_add(&f->daemon->config->policy.banned, 6);
	client_connect_as_nobody(f, &nobody);
	assert_done(&nobody, "Describe", "{}");
	assert_string_equal(text_of(nobody.reply, "onlineCPUs"), "0-7");
	assert_string_equal(text_of(nobody.reply, "isolatedCPUs"), "");
	assert_string_equal(text_of(nobody.reply, "bannedCPUs"), "6");
	assert_string_equal(text_of(nobody.reply, "eligibleCPUs"), "0-5,7");
	assert_true(is_true(nobody.reply, "acts"));
	assert_int_equal(nb_daemon_set_paused(f->daemon, true), 0);
	assert_done(&nobody, "Describe", "{}");
	assert_false(is_true(nobody.reply, "acts"));
}

static void a_ban_is_answered_when_its_cpus_are_empty(void **state)
{
	struct fixture *f = *state;
	g_auto(scoped_client) root = {};

	need_root();
	client_connect(f, &root);
	assert_done(&root, "Ban", "{\"cpus\": \"0-1\"}");
	assert_off(f, 0, 1);
	assert_int_equal(number_of(root.reply, "id"), nb_orders_get(f->daemon->orders, 0)->id);
	assert_int_equal(sd_json_variant_elements(field(&root, "remains")), 0);
	assert_true(sd_json_variant_is_array(field(&root, "remains")));
	assert_done(&root, "Describe", "{}");
	assert_string_equal(text_of(root.reply, "eligibleCPUs"), "2-7");
}

static void what_has_not_left_is_told(void **state)
{
	struct fixture *f = *state;
	g_auto(scoped_client) root = {};

	need_root();
	assert_int_equal(nb_daemon_set_paused(f->daemon, true), 0);
	client_connect(f, &root);
	assert_done(&root, "Ban", "{\"cpus\": \"0-3\"}");
	assert_int_equal(sd_json_variant_elements(field(&root, "remains")), 4);
	assert_non_null(
		strstr(sd_json_variant_string(sd_json_variant_by_index(field(&root, "remains"), 0)),
		       "on CPU "));
	assert_int_equal(n_orders(f), 1);
}

static void a_claim_brings_its_target_there(void **state)
{
	struct fixture *f = *state;
	g_auto(scoped_client) root = {};

	need_root();
	client_connect(f, &root);
	assert_done(&root, "Claim",
		    "{\"target\": \"lab0:2\", \"cpus\": \"6\", \"exclusive\": true,"
		    " \"owner\": \"feed\"}");
	assert_int_equal(pointed_at(f, 37), 6);
	assert_int_equal(n_on(f, 6), 1);
}

static void everyone_may_read_the_list(void **state)
{
	struct fixture *f = *state;
	g_auto(scoped_client) root = {}, nobody = {};

	need_root();
	client_connect(f, &root);
	client_connect_as_nobody(f, &nobody);
	assert_done(&nobody, "List", "{}");
	assert_int_equal(n_listed(&nobody), 0);
	assert_done(&root, "Ban", "{\"cpus\": \"0\", \"leaseUSec\": 90000000}");
	assert_done(&root, "Claim",
		    "{\"target\": \"lab9\", \"cpus\": \"6\", \"exclusive\": true,"
		    " \"owner\": \"feed\", \"whileConnected\": true}");
	assert_done(&nobody, "List", "{}");
	assert_int_equal(n_listed(&nobody), 2);

	assert_string_equal(text_of(listed(&nobody, 0), "kind"), "ban");
	assert_string_equal(text_of(listed(&nobody, 0), "owner"), "operator");
	assert_int_equal(number_of(listed(&nobody, 0), "endsUSec") -
				 number_of(listed(&nobody, 0), "sinceUSec"),
			 90000000);
	assert_false(is_true(listed(&nobody, 0), "whileConnected"));
	assert_string_equal(text_of(listed(&nobody, 1), "kind"), "claim");
	assert_string_equal(text_of(listed(&nobody, 1), "target"), "lab9");
	assert_string_equal(text_of(listed(&nobody, 1), "owner"), "feed");
	assert_false(is_true(listed(&nobody, 1), "present"));
	assert_true(is_true(listed(&nobody, 1), "exclusive"));
	assert_true(is_true(listed(&nobody, 1), "whileConnected"));
}

static void what_is_null_is_not_given(void **state)
{
	struct fixture *f = *state;
	g_auto(scoped_client) root = {};
	const struct nb_order *order;

	need_root();
	client_connect(f, &root);
	assert_done(&root, "Claim",
		    "{\"target\": \"lab0\", \"cpus\": \"2-7\", \"exclusive\": null, \"owner\": "
		    "null, \"leaseUSec\": null, \"whileConnected\": null}");
	order = nb_orders_get(f->daemon->orders, 0);
	assert_string_equal(order->owner, "operator");
	assert_false(order->exclusive);
	assert_int_equal(order->ends_nsec, 0);
	assert_string_equal(order->connection, "");
	/* Nor is an empty owner one. */
	assert_done(&root, "Ban", "{\"cpus\": \"0\", \"owner\": \"\"}");
	assert_string_equal(nb_orders_get(f->daemon->orders, 1)->owner, "operator");
}

static void unbanned_and_released_cpus_are_free(void **state)
{
	struct fixture *f = *state;
	g_auto(scoped_client) root = {};

	need_root();
	client_connect(f, &root);
	assert_done(&root, "Ban", "{\"cpus\": \"0-2\"}");
	assert_done(&root, "Claim", "{\"target\": \"lab0\", \"cpus\": \"4-7\"}");
	assert_done(&root, "Unban", "{\"cpus\": \"0-1\"}");
	assert_false(nb_cpumask_has(&f->daemon->claims.banned, 1));
	assert_true(nb_cpumask_has(&f->daemon->claims.banned, 2));
	assert_done(&root, "Release", "{\"what\": \"lab0\"}");
	assert_int_equal(number_of(root.reply, "nReleased"), 1);
	assert_done(&root, "Release", "{\"what\": \"all\"}");
	assert_int_equal(number_of(root.reply, "nReleased"), 1);
	assert_int_equal(n_orders(f), 0);
}

static void a_lease_ends_by_itself(void **state)
{
	struct fixture *f = *state;
	g_auto(scoped_client) root = {};
	uint64_t ends_nsec;

	need_root();
	client_connect(f, &root);
	assert_done(&root, "Ban", "{\"cpus\": \"0\", \"leaseUSec\": 3000000}");
	ends_nsec = nb_orders_get(f->daemon->orders, 0)->ends_nsec;
	nb_daemon_expire_orders(f->daemon, ends_nsec - 1);
	assert_int_equal(n_orders(f), 1);
	nb_daemon_expire_orders(f->daemon, ends_nsec);
	assert_int_equal(n_orders(f), 0);
}

static void an_order_ends_with_its_connection(void **state)
{
	struct fixture *f = *state;
	g_auto(scoped_client) lasting = {};
	struct client holder, other;

	need_root();
	client_connect(f, &lasting);
	client_connect(f, &holder);
	client_connect(f, &other);
	assert_done(&holder, "Ban", "{\"cpus\": \"0\", \"whileConnected\": true}");
	assert_done(&other, "Ban", "{\"cpus\": \"1\"}");
	client_clear(&other);
	assert_int_equal(n_orders(f), 2);
	client_clear(&holder);
	assert_int_equal(n_orders(f), 1);
	assert_done(&lasting, "List", "{}");
	assert_string_equal(text_of(listed(&lasting, 0), "cpus"), "1");
	look(f);
	assert_false(nb_cpumask_has(&f->daemon->claims.banned, 0));
}

static void a_call_without_an_answer_is_carried_out(void **state)
{
	struct fixture *f = *state;
	g_autoptr(sd_json_variant) parameters = json_of("{\"cpus\": \"0\"}");
	g_auto(scoped_client) root = {};

	need_root();
	client_connect(f, &root);
	assert_true(sd_varlink_send(root.link, NB_VARLINK_INTERFACE ".Ban", parameters) >= 0);
	turn(&root);
	assert_int_equal(n_orders(f), 1);
	assert_int_equal(root.n_replies, 0);
	assert_done(&root, "Unban", "{\"cpus\": \"0\"}");
}

#define SERVED(test) cmocka_unit_test_setup_teardown(test, serve, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SERVED(everyone_is_told_what_counts_besides_orders),
		SERVED(a_ban_is_answered_when_its_cpus_are_empty),
		SERVED(what_has_not_left_is_told),
		SERVED(a_claim_brings_its_target_there),
		SERVED(everyone_may_read_the_list),
		SERVED(what_is_null_is_not_given),
		SERVED(unbanned_and_released_cpus_are_free),
		SERVED(a_lease_ends_by_itself),
		SERVED(an_order_ends_with_its_connection),
		SERVED(a_call_without_an_answer_is_carried_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
