/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The private socket: who may do what, and what is told to those who listen. */
#include "bus/canned.h"
#include "bus/client.h"

#include <errno.h>
#include <unistd.h>

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

static int timed(void **state)
{
	return set_up(state, (const char *const[]){"--full", NULL});
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	sd_bus_close_unref(fixture->bus);
	server_stop(&fixture->server);
	g_free(fixture);
	return 0;
}

static bool is_paused(sd_bus *bus)
{
	int paused = -1;

	assert_true(sd_bus_get_property_trivial(bus, NB_BUS_NAME, NB_BUS_PATH, NB_BUS_INTERFACE,
						"Paused", NULL, 'b', &paused) >= 0);
	return paused;
}

static void need_root(void)
{
	if (geteuid() != 0)
		nb_skip("only root may change anything");
}

static void root_pauses_and_resumes(void **state)
{
	struct fixture *fixture = *state;
	sd_bus_message *reply;

	need_root();
	reply = ask(fixture->bus, "Pause");
	sd_bus_message_unref(reply);
	assert_true(is_paused(fixture->bus));
	reply = ask(fixture->bus, "Resume");
	sd_bus_message_unref(reply);
	assert_false(is_paused(fixture->bus));
}

static void restoring_says_how_much_was_put_back(void **state)
{
	struct fixture *fixture = *state;
	g_autoptr(sd_bus_message) reply = NULL;
	uint32_t n = 0;

	need_root();
	reply = ask(fixture->bus, "Restore");
	assert_true(sd_bus_message_read(reply, "u", &n) > 0);
	assert_int_equal(n, 5);
	assert_true(is_paused(fixture->bus));
}

static void assert_fails(sd_bus *bus, const char *method, const char *name, const char *text)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	g_autoptr(sd_bus_message) reply = NULL;

	assert_true(call(bus, method, &error, &reply) < 0);
	assert_true(sd_bus_error_has_name(&error, name));
	if (text)
		assert_string_equal(error.message, text);
	sd_bus_error_free(&error);
}

static void a_failure_says_what_went_wrong(void **state)
{
	struct fixture *fixture = *state;

	need_root();
	assert_fails(fixture->bus, "Pause", NB_BUS_ERROR_FAILED, "It is not the time for it.");
	assert_fails(fixture->bus, "Reload", NB_BUS_ERROR_CONFIGURATION, CANNED_FAULT);
}

static json_int_t first_count(sd_bus *bus)
{
	json_t *document = describe(bus);
	json_int_t count = -1;

	json_unpack(document, "{s:[{s:[i,I]}]}", "delays", "runs-by-usec", &(int){0}, &count);
	json_decref(document);
	return count;
}

static void root_alone_has_delays_counted(void **state)
{
	struct fixture *fixture = *state;
	json_int_t count;

	need_root();
	sd_bus_message_unref(ask(fixture->bus, "WatchDelays"));
	count = first_count(fixture->bus);
	sd_bus_message_unref(ask(fixture->bus, "WatchDelays"));
	assert_int_equal((uint32_t)(first_count(fixture->bus) - count), 9000);
}

static void without_the_full_grade_delays_are_refused_in_words(void **state)
{
	struct fixture *fixture = *state;

	need_root();
	assert_fails(fixture->bus, "WatchDelays", NB_BUS_ERROR_FAILED, CANNED_COUNTED);
}

static void a_failure_without_words_is_its_errno(void **state)
{
	struct fixture *fixture = *state;
	sd_bus_error error = SD_BUS_ERROR_NULL;
	g_autoptr(sd_bus_message) reply = NULL;

	need_root();
	assert_int_equal(call(fixture->bus, "Restore", &error, &reply), -EAGAIN);
	sd_bus_error_free(&error);
}

static const char *const changes[] = {"Pause", "Resume", "Restore", "Reload", "WatchDelays"};

/* Runs as another user, where an assertion would not be heard: 0 is what is hoped for. */
static int is_denied(const void *data)
{
	g_autoptr(sd_bus) bus = connect_private(data);

	for (unsigned i = 0; i < G_N_ELEMENTS(changes); i++) {
		sd_bus_error error = SD_BUS_ERROR_NULL;
		g_autoptr(sd_bus_message) reply = NULL;

		if (call(bus, changes[i], &error, &reply) >= 0)
			return 1;
		if (!sd_bus_error_has_name(&error, SD_BUS_ERROR_ACCESS_DENIED) ||
		    !strstr(error.message, "Only root may call"))
			return 2;
		sd_bus_error_free(&error);
	}
	return 0;
}

static int may_read(const void *data)
{
	g_autoptr(sd_bus) bus = connect_private(data);
	g_autoptr(sd_bus_message) reply = NULL;

	return call(bus, "Describe", NULL, &reply) < 0;
}

/* Without a bus in between nobody vouches for the sender that a message names. */
static int claims_to_be_another(const void *data)
{
	g_autoptr(sd_bus) bus = connect_private(data);
	g_autoptr(sd_bus_message) message = NULL, reply = NULL;
	sd_bus_error error = SD_BUS_ERROR_NULL;
	int denied;

	if (sd_bus_message_new_method_call(bus, &message, NULL, NB_BUS_PATH, NB_BUS_INTERFACE,
					   "Pause") < 0 ||
	    sd_bus_message_set_sender(message, ":1.0") < 0)
		return 1;
	if (sd_bus_call(bus, message, 0, &error, &reply) >= 0)
		return 2;
	denied = sd_bus_error_has_name(&error, SD_BUS_ERROR_ACCESS_DENIED);
	sd_bus_error_free(&error);
	return denied ? 0 : 3;
}

static void another_user_may_change_nothing(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(as_nobody(is_denied, fixture->server.socket), 0);
	assert_false(is_paused(fixture->bus));
}

static void another_user_may_read_everything(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(as_nobody(may_read, fixture->server.socket), 0);
}

static void a_claimed_sender_gives_no_rights(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(as_nobody(claims_to_be_another, fixture->server.socket), 0);
	assert_false(is_paused(fixture->bus));
}

/* Their answers are more than the 8 MB that sd-bus lets the kernel hold. */
#define N_CALLS 2000

/* Whoever asks and does not read is refused, and then let go; the others go on. */
static void documents_do_not_pile_up(void **state)
{
	struct fixture *fixture = *state;
	g_autoptr(sd_bus) greedy = connect_private(fixture->server.socket);
	bool refused = false;

	/* Connecting is done when the first answer is there. */
	json_decref(describe(greedy));
	for (unsigned i = 0; i < N_CALLS; i++) {
		g_autoptr(sd_bus_message) message = NULL;
		uint64_t cookie; /* without one no answer is expected */

		assert_true(sd_bus_message_new_method_call(greedy, &message, NULL, NB_BUS_PATH,
							   NB_BUS_INTERFACE, "Describe") >= 0);
		assert_true(sd_bus_send(greedy, message, &cookie) >= 0);
	}
	/* Calls of both take turns: all of the other's were dealt with by then. */
	for (unsigned i = 0; i < N_CALLS; i++)
		json_decref(describe(fixture->bus));
	while (!refused) {
		g_autoptr(sd_bus_message) reply = NULL;
		int r = sd_bus_process(greedy, &reply);

		refused = r < 0 || (reply && sd_bus_message_is_method_error(
						     reply, SD_BUS_ERROR_LIMITS_EXCEEDED) > 0);
		if (r == 0)
			assert_true(sd_bus_wait(greedy, 10 * G_USEC_PER_SEC) > 0);
	}
	json_decref(describe(fixture->bus));
}

struct heard {
	bool recorded, paused;
};

static int on_recorded(sd_bus_message *signal, void *userdata, sd_bus_error *error)
{
	struct heard *heard = userdata;
	const char *text, *what = NULL;
	json_t *move;

	(void)error;
	assert_true(sd_bus_message_read(signal, "s", &text) > 0);
	move = json_loads(text, 0, NULL);
	json_unpack(move, "{s:s}", "what", &what);
	assert_string_equal(what, "eth0 queue 0 (IRQ 40): CPU 1 → CPU 0");
	json_decref(move);
	heard->recorded = true;
	return 0;
}

static int on_changed(sd_bus_message *signal, void *userdata, sd_bus_error *error)
{
	struct heard *heard = userdata;
	const char *interface, *property, *contents;
	char type;

	(void)error;
	assert_true(sd_bus_message_read(signal, "s", &interface) > 0);
	assert_string_equal(interface, NB_BUS_INTERFACE);
	assert_true(sd_bus_message_enter_container(signal, 'a', "{sv}") > 0);
	while (sd_bus_message_enter_container(signal, 'e', "sv") > 0) {
		assert_true(sd_bus_message_read(signal, "s", &property) > 0);
		assert_true(sd_bus_message_peek_type(signal, &type, &contents) > 0);
		if (g_str_equal(property, "Paused")) {
			int paused = 0;

			assert_true(sd_bus_message_read(signal, "v", "b", &paused) > 0);
			heard->paused |= paused;
		} else {
			assert_true(sd_bus_message_skip(signal, "v") > 0);
		}
		assert_true(sd_bus_message_exit_container(signal) > 0);
	}
	return 0;
}

static void whoever_listens_hears_of_records_and_changes(void **state)
{
	struct fixture *fixture = *state;
	struct heard heard = {false, false};
	g_autoptr(sd_bus) listener = NULL;
	sd_bus_message *reply;

	need_root();
	listener = connect_private(fixture->server.socket);
	assert_true(sd_bus_match_signal(listener, NULL, NULL, NB_BUS_PATH, NB_BUS_INTERFACE,
					"Recorded", on_recorded, &heard) >= 0);
	assert_true(sd_bus_match_signal(listener, NULL, NULL, NB_BUS_PATH,
					"org.freedesktop.DBus.Properties", "PropertiesChanged",
					on_changed, &heard) >= 0);
	/* Connecting is done when the first answer is there. */
	assert_false(is_paused(listener));

	reply = ask(fixture->bus, "Restore");
	sd_bus_message_unref(reply);
	while (!heard.recorded || !heard.paused) {
		int r = sd_bus_process(listener, NULL);

		assert_true(r >= 0);
		if (r == 0)
			assert_true(sd_bus_wait(listener, 10 * G_USEC_PER_SEC) > 0);
	}
}

/* One line for each member and argument, so that two descriptions can be compared. */
struct members {
	GPtrArray *lines;
	bool inside;
	char *owner;
};

static const char *attribute(const char **names, const char **values, const char *name)
{
	for (unsigned i = 0; names[i]; i++)
		if (g_str_equal(names[i], name))
			return values[i];
	return "-";
}

static void on_element(GMarkupParseContext *context, const char *element, const char **names,
		       const char **values, void *userdata, GError **error)
{
	struct members *members = userdata;
	const char *name = attribute(names, values, "name");

	(void)context;
	(void)error;
	if (g_str_equal(element, "interface"))
		members->inside = g_str_equal(name, NB_BUS_INTERFACE);
	if (!members->inside || g_str_equal(element, "interface"))
		return;
	if (!g_str_equal(element, "arg") && !g_str_equal(element, "annotation")) {
		g_free(members->owner);
		members->owner = g_strdup_printf("%s %s", element, name);
	}
	/* The default is left out by one of the two. */
	if (g_str_equal(attribute(names, values, "value"), "true"))
		return;
	g_ptr_array_add(members->lines,
			g_strdup_printf("%s: %s %s type=%s direction=%s access=%s value=%s",
					members->owner, element, name,
					attribute(names, values, "type"),
					attribute(names, values, "direction"),
					attribute(names, values, "access"),
					attribute(names, values, "value")));
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *members_of(const char *xml)
{
	static const GMarkupParser parser = {.start_element = on_element};
	struct members members = {.lines = g_ptr_array_new_with_free_func(g_free)};
	GMarkupParseContext *context = g_markup_parse_context_new(&parser, 0, &members, NULL);
	char *text;

	assert_true(g_markup_parse_context_parse(context, xml, -1, NULL));
	g_ptr_array_sort(members.lines, compare_lines);
	g_ptr_array_add(members.lines, NULL);
	text = g_strjoinv("\n", (char **)members.lines->pdata);

	g_markup_parse_context_free(context);
	g_ptr_array_unref(members.lines);
	g_free(members.owner);
	return text;
}

static void the_installed_description_is_what_the_object_says(void **state)
{
	struct fixture *fixture = *state;
	g_autoptr(sd_bus_message) reply = NULL;
	g_autofree char *file = NULL, *installed = NULL, *served = NULL;
	const char *xml;

	assert_true(sd_bus_call_method(fixture->bus, NB_BUS_NAME, NB_BUS_PATH,
				       "org.freedesktop.DBus.Introspectable", "Introspect", NULL,
				       &reply, NULL) >= 0);
	assert_true(sd_bus_message_read(reply, "s", &xml) > 0);
	assert_true(g_file_get_contents(NB_SOURCE_DIR "/systemd/org.nicbalance1.xml", &file, NULL,
					NULL));
	served = members_of(xml);
	installed = members_of(file);
	assert_non_null(strstr(served, "method Describe"));
	assert_string_equal(served, installed);
}

#define PRIVATE_TEST(name) cmocka_unit_test_setup_teardown(name, obliging, tear_down)
#define FAILING_TEST(name) cmocka_unit_test_setup_teardown(name, failing, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		PRIVATE_TEST(root_pauses_and_resumes),
		PRIVATE_TEST(restoring_says_how_much_was_put_back),
		FAILING_TEST(a_failure_says_what_went_wrong),
		FAILING_TEST(a_failure_without_words_is_its_errno),
		cmocka_unit_test_setup_teardown(root_alone_has_delays_counted, timed, tear_down),
		PRIVATE_TEST(without_the_full_grade_delays_are_refused_in_words),
		PRIVATE_TEST(another_user_may_change_nothing),
		PRIVATE_TEST(another_user_may_read_everything),
		PRIVATE_TEST(a_claimed_sender_gives_no_rights),
		PRIVATE_TEST(documents_do_not_pile_up),
		PRIVATE_TEST(whoever_listens_hears_of_records_and_changes),
		PRIVATE_TEST(the_installed_description_is_what_the_object_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
