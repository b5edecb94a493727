/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bans and claims over the bus: by root alone, and some as long as a connection lasts. */
#include "bus/canned.h"
#include "bus/client.h"
#include "ctl/show/value.h"

#include <unistd.h>

/* Calls until the end of a connection has been seen. */
#define CALLS_MAX 10000u

struct fixture {
	struct server server;
	sd_bus *bus;
};

static int set_up(void **state, const char *const *options)
{
	struct fixture *fixture = g_new0(struct fixture, 1);

	server_start(&fixture->server, options);
	fixture->bus = connect_private(fixture->server.socket);
	*state = fixture;
	return 0;
}

static int obliging(void **state)
{
	return set_up(state, NULL);
}

static int failing(void **state)
{
	return set_up(state, (const char *const[]){"--fail", NULL});
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	sd_bus_close_unref(fixture->bus);
	server_stop(&fixture->server);
	g_free(fixture);
	return 0;
}

static void need_root(void)
{
	if (geteuid() != 0)
		nb_skip("only root may change anything");
}

static size_t n_claims(sd_bus *bus)
{
	json_t *document = describe(bus);
	size_t n = json_array_size(json_object_get(document, "claims"));

	json_decref(document);
	return n;
}

static json_t *last_claim(sd_bus *bus)
{
	json_t *document = describe(bus), *claims = json_object_get(document, "claims");
	json_t *last = json_incref(json_array_get(claims, json_array_size(claims) - 1));

	json_decref(document);
	return last;
}

/* What remains. Caller frees (g_free). */
static char *answer_of(sd_bus_message *reply)
{
	const char *remains;
	uint64_t id = 0;

	assert_true(sd_bus_message_read(reply, "ts", &id, &remains) > 0);
	assert_int_equal(id, 7);
	return g_strdup(remains);
}

static char *ban(sd_bus *bus, const char *cpus, bool while_connected)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	g_autoptr(sd_bus_message) reply = NULL;

	if (sd_bus_call_method(bus, NB_BUS_NAME, NB_BUS_PATH, NB_BUS_INTERFACE, "Ban", &error,
			       &reply, "sstb", cpus, "", UINT64_C(90000000),
			       (int)while_connected) < 0)
		fail_msg("Ban: %s", error.message);
	return answer_of(reply);
}

static void a_ban_says_what_has_not_left(void **state)
{
	struct fixture *fixture = *state;
	g_autofree char *none = NULL, *some = NULL;
	json_t *told;

	need_root();
	none = ban(fixture->bus, "2-3", false);
	assert_string_equal(none, "");
	told = last_claim(fixture->bus);
	assert_string_equal(nb_value_text(told, "kind"), "ban");
	assert_string_equal(nb_value_text(told, "cpus"), "2-3");
	assert_string_equal(nb_value_text(told, "owner"), "operator");
	assert_string_equal(nb_value_text(told, "ends"), "2026-01-01T00:01:30.000000Z");
	assert_true(json_is_false(json_object_get(told, "while-connected")));
	json_decref(told);
	some = ban(fixture->bus, "0", false);
	assert_string_equal(some, CANNED_REMAINS);
}

static void a_claim_is_for_its_target_and_owner(void **state)
{
	struct fixture *fixture = *state;
	g_autoptr(sd_bus_message) reply = NULL;
	g_autofree char *remains = NULL;
	json_t *told;

	need_root();
	assert_true(sd_bus_call_method(fixture->bus, NB_BUS_NAME, NB_BUS_PATH, NB_BUS_INTERFACE,
				       "Claim", NULL, &reply, "ssbstb", "eth0:1", "4", 1, "tuned",
				       UINT64_C(0), 0) >= 0);
	remains = answer_of(reply);
	told = last_claim(fixture->bus);
	assert_string_equal(nb_value_text(told, "target"), "eth0:1");
	assert_string_equal(nb_value_text(told, "owner"), "tuned");
	assert_true(json_is_true(json_object_get(told, "exclusive")));
	assert_true(json_is_null(json_object_get(told, "ends")));
	json_decref(told);
}

static void what_is_released_is_no_longer_told(void **state)
{
	struct fixture *fixture = *state;
	g_autoptr(sd_bus_message) reply = NULL, released = NULL;
	uint32_t n = 0;

	need_root();
	g_free(ban(fixture->bus, "2", false));
	assert_int_equal(n_claims(fixture->bus), 3);
	assert_true(sd_bus_call_method(fixture->bus, NB_BUS_NAME, NB_BUS_PATH, NB_BUS_INTERFACE,
				       "Unban", NULL, &reply, "ss", "2", "") >= 0);
	assert_int_equal(n_claims(fixture->bus), 2);
	assert_true(sd_bus_call_method(fixture->bus, NB_BUS_NAME, NB_BUS_PATH, NB_BUS_INTERFACE,
				       "Release", NULL, &released, "ss", "all", "operator") >= 0);
	assert_true(sd_bus_message_read(released, "u", &n) > 0);
	assert_int_equal(n, 2);
}

static int call_each(sd_bus *bus, unsigned i, sd_bus_error *error)
{
	g_autoptr(sd_bus_message) reply = NULL;

	switch (i) {
	case 0:
		return sd_bus_call_method(bus, NB_BUS_NAME, NB_BUS_PATH, NB_BUS_INTERFACE, "Ban",
					  error, &reply, "sstb", "2", "", UINT64_C(0), 0);
	case 1:
		return sd_bus_call_method(bus, NB_BUS_NAME, NB_BUS_PATH, NB_BUS_INTERFACE, "Claim",
					  error, &reply, "ssbstb", "eth0", "2", 0, "", UINT64_C(0),
					  0);
	case 2:
		return sd_bus_call_method(bus, NB_BUS_NAME, NB_BUS_PATH, NB_BUS_INTERFACE, "Unban",
					  error, &reply, "ss", "2", "");
	default:
		return sd_bus_call_method(bus, NB_BUS_NAME, NB_BUS_PATH, NB_BUS_INTERFACE,
					  "Release", error, &reply, "ss", "eth0", "");
	}
}

static void what_is_refused_says_why(void **state)
{
	struct fixture *fixture = *state;

	need_root();
	for (unsigned i = 0; i < 4; i++) {
		sd_bus_error error = SD_BUS_ERROR_NULL;

		assert_true(call_each(fixture->bus, i, &error) < 0);
		assert_true(sd_bus_error_has_name(&error, NB_BUS_ERROR_REFUSED));
		assert_string_equal(error.message, "CPU 2 is taken by another.");
		sd_bus_error_free(&error);
	}
}

static int is_denied(const void *socket)
{
	g_autoptr(sd_bus) bus = connect_private(socket);

	for (unsigned i = 0; i < 4; i++) {
		sd_bus_error error = SD_BUS_ERROR_NULL;
		int denied;

		if (call_each(bus, i, &error) >= 0)
			return 1;
		denied = sd_bus_error_has_name(&error, SD_BUS_ERROR_ACCESS_DENIED);
		sd_bus_error_free(&error);
		if (!denied)
			return 2;
	}
	return 0;
}

static void others_may_order_nothing(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(as_nobody(is_denied, fixture->server.socket), 0);
	assert_int_equal(n_claims(fixture->bus), 2);
}

static void assert_ends(sd_bus *bus)
{
	for (unsigned i = 0; i < CALLS_MAX; i++)
		if (n_claims(bus) == 2)
			return;
	fail_msg("the order is still there");
}

static void an_order_ends_with_its_connection(void **state)
{
	struct fixture *fixture = *state;
	sd_bus *holder;

	need_root();
	holder = connect_private(fixture->server.socket);
	g_free(ban(holder, "2", true));
	/* The end of another connection is not that of the order. */
	sd_bus_flush_close_unref(connect_private(fixture->server.socket));
	assert_int_equal(n_claims(fixture->bus), 3);
	sd_bus_flush_close_unref(holder);
	assert_ends(fixture->bus);
}

static void an_order_without_one_stays(void **state)
{
	struct fixture *fixture = *state;
	sd_bus *client;

	need_root();
	client = connect_private(fixture->server.socket);
	g_free(ban(client, "2", false));
	sd_bus_flush_close_unref(client);
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(n_claims(fixture->bus), 3);
}

static void on_the_system_bus_too(void **state)
{
	struct bus_daemon daemon;
	struct server server;
	sd_bus *holder, *bus;
	json_t *told;

	(void)state;
	need_root();
	bus_daemon_start(&daemon, NULL);
	server_start(&server, (const char *const[]){"--system", NULL});
	holder = connect_system();
	bus = connect_system();
	/* A second order of the same connection is watched already. */
	g_free(ban(holder, "2", true));
	g_free(ban(holder, "3", true));
	told = last_claim(bus);
	assert_true(json_is_true(json_object_get(told, "while-connected")));
	json_decref(told);
	sd_bus_flush_close_unref(holder);
	assert_ends(bus);

	sd_bus_close_unref(bus);
	server_stop(&server);
	bus_daemon_stop(&daemon);
}

static void a_system_bus_that_goes_ends_them(void **state)
{
	struct bus_daemon daemon;
	struct server server;
	sd_bus *holder, *bus;

	(void)state;
	need_root();
	bus_daemon_start(&daemon, NULL);
	server_start(&server, (const char *const[]){"--system", NULL});
	holder = connect_system();
	bus = connect_private(server.socket);
	g_free(ban(holder, "2", true));
	assert_int_equal(n_claims(bus), 3);
	bus_daemon_stop(&daemon);
	assert_ends(bus);

	sd_bus_close_unref(bus);
	sd_bus_close_unref(holder);
	server_stop(&server);
}

#define PRIVATE_TEST(name) cmocka_unit_test_setup_teardown(name, obliging, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		PRIVATE_TEST(a_ban_says_what_has_not_left),
		PRIVATE_TEST(a_claim_is_for_its_target_and_owner),
		PRIVATE_TEST(what_is_released_is_no_longer_told),
		cmocka_unit_test_setup_teardown(what_is_refused_says_why, failing, tear_down),
		PRIVATE_TEST(others_may_order_nothing),
		PRIVATE_TEST(an_order_ends_with_its_connection),
		PRIVATE_TEST(an_order_without_one_stays),
		cmocka_unit_test(on_the_system_bus_too),
		cmocka_unit_test(a_system_bus_that_goes_ends_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
