/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Those who subscribed get the list, and again after each change, whoever made it. */
#include "varlink/fixture.h"

/* One more reply came, with so many orders. */
static void assert_told(struct client *subscriber, unsigned *n_replies, size_t n_expected)
{
	turn(subscriber);
	assert_int_equal(subscriber->n_replies, ++*n_replies);
	assert_null(subscriber->error);
	assert_int_equal(n_listed(subscriber), n_expected);
}

static void the_list_comes_first(void **state)
{
	struct fixture *f = *state;
	struct nb_order_request ban = ban_of("0");
	g_auto(scoped_client) subscriber = {};

	obeyed(f, &ban);
	run(f);
	client_connect(f, &subscriber);
	subscribe(&subscriber);
	assert_int_equal(subscriber.n_replies, 1);
	assert_int_equal(n_listed(&subscriber), 1);
	assert_string_equal(text_of(listed(&subscriber, 0), "cpus"), "0");
	turn(&subscriber);
	assert_int_equal(subscriber.n_replies, 1);
}

static void each_change_is_one_reply(void **state)
{
	struct fixture *f = *state;
	g_auto(scoped_client) root = {}, nobody = {};
	unsigned n = 1;

	need_root();
	client_connect(f, &root);
	client_connect_as_nobody(f, &nobody);
	subscribe(&nobody);
	assert_done(&root, "Ban", "{\"cpus\": \"0\"}");
	assert_told(&nobody, &n, 1);
	assert_done(&root, "Claim", "{\"target\": \"lab0:1\", \"cpus\": \"3\"}");
	assert_told(&nobody, &n, 2);
	assert_done(&root, "Unban", "{\"cpus\": \"0\"}");
	assert_told(&nobody, &n, 1);
	assert_done(&root, "Release", "{\"what\": \"all\"}");
	assert_told(&nobody, &n, 0);
	/* Nothing changed. */
	assert_done(&root, "Release", "{\"what\": \"all\"}");
	assert_done(&root, "List", "{}");
	call(&root, "Ban", "{\"cpus\": \"0-7\"}");
	for (unsigned i = 0; i < 3; i++)
		look(f);
	turn(&nobody);
	assert_int_equal(nobody.n_replies, n);
}

/* Both orders wait in the socket when the daemon looks. */
static void no_change_is_left_out(void **state)
{
	g_autoptr(sd_json_variant) ban = json_of("{\"cpus\": \"0\"}");
	g_autoptr(sd_json_variant) unban = json_of("{\"cpus\": \"0\"}");
	struct fixture *f = *state;
	g_auto(scoped_client) first = {}, second = {}, subscriber = {};

	need_root();
	client_connect(f, &first);
	client_connect(f, &second);
	client_connect(f, &subscriber);
	subscribe(&subscriber);
	assert_true(sd_varlink_send(first.link, NB_VARLINK_INTERFACE ".Ban", ban) >= 0);
	assert_true(sd_varlink_flush(first.link) >= 0);
	assert_true(sd_varlink_send(second.link, NB_VARLINK_INTERFACE ".Unban", unban) >= 0);
	assert_true(sd_varlink_flush(second.link) >= 0);
	turn(&subscriber);
	assert_int_equal(subscriber.n_replies, 3);
	assert_int_equal(n_listed(&subscriber), 0);
}

static void what_ends_by_itself_is_a_change(void **state)
{
	struct fixture *f = *state;
	struct nb_order_request leased = ban_of("0"), held = ban_of("1");
	g_auto(scoped_client) subscriber = {};
	unsigned n = 1;

	client_connect(f, &subscriber);
	subscribe(&subscriber);
	leased.lease_usec = 3000000;
	held.connection = "socket:1";
	obeyed(f, &leased);
	assert_told(&subscriber, &n, 1);
	obeyed(f, &held);
	assert_told(&subscriber, &n, 2);
	nb_daemon_end_orders(f->daemon, "socket:1");
	assert_told(&subscriber, &n, 1);
	nb_daemon_end_orders(f->daemon, "socket:2");
	turn(&subscriber);
	assert_int_equal(subscriber.n_replies, n);
	f->now_nsec += 5 * NB_NSEC_PER_SEC;
	cycle(f);
	assert_told(&subscriber, &n, 0);
}

static void the_end_of_a_holder_is_a_change(void **state)
{
	struct fixture *f = *state;
	g_auto(scoped_client) subscriber = {};
	struct client holder;
	unsigned n = 1;

	need_root();
	client_connect(f, &subscriber);
	subscribe(&subscriber);
	client_connect(f, &holder);
	assert_done(&holder, "Ban", "{\"cpus\": \"0\", \"whileConnected\": true}");
	assert_told(&subscriber, &n, 1);
	client_clear(&holder);
	assert_told(&subscriber, &n, 0);
}

static void a_target_that_appears_is_a_change(void **state)
{
	struct fixture *f = *state;
	struct nb_order_request claim = claim_of("lab0:1", "3");
	g_auto(scoped_client) subscriber = {};
	unsigned n = 1;

	client_connect(f, &subscriber);
	subscribe(&subscriber);
	obeyed(f, &claim);
	assert_told(&subscriber, &n, 1);
	assert_true(is_true(listed(&subscriber, 0), "present"));
	g_array_index(f->daemon->orders->rows, struct nb_order, 0).present = false;
	look(f);
	assert_told(&subscriber, &n, 1);
	assert_true(is_true(listed(&subscriber, 0), "present"));
}

static void one_that_does_not_read_is_let_go(void **state)
{
	struct fixture *f = *state;
	struct nb_order_request ban = ban_of("0");
	g_auto(scoped_client) subscriber = {};
	unsigned told = 0;

	obeyed(f, &ban);
	client_connect(f, &subscriber);
	subscribe(&subscriber);
	while (n_peers(f) > 0 && told++ < 100000) {
		nb_varlink_emit_list(f->daemon->varlink);
		run(f);
	}
	assert_int_equal(n_peers(f), 0);
}

#define SERVED(test) cmocka_unit_test_setup_teardown(test, serve, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SERVED(the_list_comes_first),
		SERVED(each_change_is_one_reply),
		SERVED(no_change_is_left_out),
		SERVED(what_ends_by_itself_is_a_change),
		SERVED(the_end_of_a_holder_is_a_change),
		SERVED(a_target_that_appears_is_a_change),
		SERVED(one_that_does_not_read_is_let_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
