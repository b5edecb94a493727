/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The same object behind a bus daemon, which may be missing, late, or held by another. */
#include "bus/canned.h"
#include "bus/client.h"
#include "publish/bus_internal.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const on_system[] = {"--system", NULL};

static int may_only_read(const void *data)
{
	g_autoptr(sd_bus) bus = NULL;
	g_autoptr(sd_bus_message) document = NULL, reply = NULL;
	sd_bus_error error = SD_BUS_ERROR_NULL;
	int denied;

	(void)data;
	if (sd_bus_open_system(&bus) < 0)
		return 1;
	if (call(bus, "Describe", NULL, &document) < 0)
		return 2;
	if (call(bus, "Pause", &error, &reply) >= 0)
		return 3;
	denied = sd_bus_error_has_name(&error, SD_BUS_ERROR_ACCESS_DENIED);
	sd_bus_error_free(&error);
	return denied ? 0 : 4;
}

static void serve_and_try(const char *policy)
{
	struct bus_daemon daemon;
	struct server server;
	sd_bus *bus;
	int denied;

	bus_daemon_start(&daemon, policy);
	server_start(&server, on_system);
	bus = connect_system();

	sd_bus_message_unref(ask(bus, "Describe"));
	if (geteuid() == 0)
		sd_bus_message_unref(ask(bus, "Pause"));
	denied = as_nobody(may_only_read, NULL);

	sd_bus_close_unref(bus);
	server_stop(&server);
	bus_daemon_stop(&daemon);
	assert_int_equal(denied, 0);
}

static void the_daemon_itself_denies_changes_to_others(void **state)
{
	(void)state;
	serve_and_try(NULL);
}

/* What system.conf of the distributions says before it includes the policies of services. */
static void the_installed_policy_lets_everyone_read_and_root_change(void **state)
{
	static const char policy[] =
		"<policy context=\"default\"><allow user=\"*\"/><deny own=\"*\"/>"
		"<deny send_type=\"method_call\"/><allow send_type=\"signal\"/>"
		"<allow send_requested_reply=\"true\" send_type=\"method_return\"/>"
		"<allow send_requested_reply=\"true\" send_type=\"error\"/>"
		"<allow receive_type=\"method_call\"/><allow receive_type=\"method_return\"/>"
		"<allow receive_type=\"error\"/><allow receive_type=\"signal\"/>"
		"<allow send_destination=\"org.freedesktop.DBus\"/></policy>"
		"<include>" NB_SOURCE_DIR "/systemd/org.nicbalance1.conf</include>";

	(void)state;
	serve_and_try(policy);
}

/* The loop in this process: what happens only after a while is made due at once. */
struct loop {
	char *dir;
	sd_event *event;
	struct nb_bus *bus;
	struct canned canned;
};

static void loop_start(struct loop *loop)
{
	g_autofree char *path = NULL;

	loop->dir = nb_tmp_make();
	path = g_build_filename(loop->dir, "bus", NULL);
	canned_init(&loop->canned);
	assert_true(sd_event_new(&loop->event) >= 0);
	assert_int_equal(
		nb_bus_new(loop->event, path, true, &canned_handlers, &loop->canned, &loop->bus),
		0);
	loop->canned.bus = loop->bus;
}

static void loop_stop(struct loop *loop)
{
	nb_bus_free(loop->bus);
	sd_event_unref(loop->event);
	canned_clear(&loop->canned);
	nb_tmp_remove(loop->dir);
}

static bool has_retry(const struct loop *loop)
{
	int enabled = SD_EVENT_OFF;

	assert_true(sd_event_source_get_enabled(loop->bus->system_retry, &enabled) >= 0);
	return enabled == SD_EVENT_ONESHOT;
}

static void run_until_retry(struct loop *loop)
{
	while (!has_retry(loop))
		assert_true(sd_event_run(loop->event, 10 * G_USEC_PER_SEC) > 0);
}

static void retry_now(struct loop *loop)
{
	assert_true(has_retry(loop));
	assert_true(sd_event_source_set_time(loop->bus->system_retry, 0) >= 0);
	assert_true(sd_event_source_set_time_accuracy(loop->bus->system_retry, 1) >= 0);
}

/* Runs the loop until the name has an owner on the bus that client sees. */
static void run_until_owned(struct loop *loop, sd_bus *client)
{
	for (;;) {
		g_autoptr(sd_bus_creds) creds = NULL;

		if (sd_bus_get_name_creds(client, NB_BUS_NAME, 0, &creds) >= 0)
			return;
		assert_true(sd_event_run(loop->event, 10 * G_USEC_PER_SEC) > 0);
	}
}

static void a_missing_bus_is_no_failure_and_is_found_when_it_comes(void **state)
{
	struct bus_daemon daemon;
	struct loop loop;
	sd_bus *client = NULL;

	(void)state;
	g_setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nonexistent/bus", true);
	loop_start(&loop);
	assert_null(loop.bus->system);

	bus_daemon_start(&daemon, NULL);
	retry_now(&loop);
	assert_true(sd_bus_open_system(&client) >= 0);
	run_until_owned(&loop, client);

	sd_bus_close_unref(client);
	loop_stop(&loop);
	bus_daemon_stop(&daemon);
}

static void a_bus_that_goes_is_tried_again(void **state)
{
	struct bus_daemon daemon, next;
	struct loop loop;
	sd_bus *client = NULL;

	(void)state;
	bus_daemon_start(&daemon, NULL);
	loop_start(&loop);
	assert_non_null(loop.bus->system);
	bus_daemon_stop(&daemon);
	run_until_retry(&loop);

	bus_daemon_start(&next, NULL);
	retry_now(&loop);
	assert_true(sd_bus_open_system(&client) >= 0);
	run_until_owned(&loop, client);

	sd_bus_close_unref(client);
	loop_stop(&loop);
	bus_daemon_stop(&next);
}

static void a_name_held_by_another_is_tried_again(void **state)
{
	struct bus_daemon daemon;
	struct loop loop;
	sd_bus *other = NULL;

	(void)state;
	bus_daemon_start(&daemon, NULL);
	assert_true(sd_bus_open_system(&other) >= 0);
	assert_true(sd_bus_request_name(other, NB_BUS_NAME, 0) >= 0);

	loop_start(&loop);
	run_until_retry(&loop);
	assert_true(loop.bus->name_refused);
	assert_true(sd_bus_release_name(other, NB_BUS_NAME) >= 0);
	retry_now(&loop);
	run_until_owned(&loop, other);

	sd_bus_close_unref(other);
	loop_stop(&loop);
	bus_daemon_stop(&daemon);
}

/* As the process that loads the eBPF programs. */
static pid_t copy_descriptors(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		pause();
		_exit(0);
	}
	return pid;
}

static bool is_acquired(const struct loop *loop, sd_bus *client)
{
	g_autoptr(sd_bus_creds) creds = NULL;
	const char *owner, *own;

	return sd_bus_is_ready(loop->bus->system) > 0 &&
	       sd_bus_get_unique_name(loop->bus->system, &own) >= 0 &&
	       sd_bus_get_name_creds(client, NB_BUS_NAME, SD_BUS_CREDS_UNIQUE_NAME, &creds) >= 0 &&
	       sd_bus_creds_get_unique_name(creds, &owner) >= 0 && strcmp(owner, own) == 0;
}

static void a_name_is_not_left_to_the_connection_before(void **state)
{
	struct bus_daemon daemon;
	struct loop loop;
	sd_bus *client = NULL;
	pid_t copy;

	(void)state;
	bus_daemon_start(&daemon, NULL);
	loop_start(&loop);
	assert_true(sd_bus_open_system(&client) >= 0);
	run_until_owned(&loop, client);
	copy = copy_descriptors();

	assert_true(sd_event_source_set_enabled(loop.bus->system_retry, SD_EVENT_ONESHOT) >= 0);
	retry_now(&loop);
	do
		assert_true(sd_event_run(loop.event, 10 * G_USEC_PER_SEC) > 0);
	while (!loop.bus->name_refused && (has_retry(&loop) || !is_acquired(&loop, client)));
	assert_false(loop.bus->name_refused);

	assert_int_equal(kill(copy, SIGKILL), 0);
	assert_int_equal(waitpid(copy, NULL, 0), copy);
	sd_bus_close_unref(client);
	loop_stop(&loop);
	bus_daemon_stop(&daemon);
}

/* The answer is there, but the time it had is over when the loop comes back to it. */
static void a_loop_that_was_held_up_tries_again(void **state)
{
	struct bus_daemon daemon;
	struct loop loop;
	sd_bus *client = NULL;

	(void)state;
	bus_daemon_start(&daemon, NULL);
	loop_start(&loop);
	while (sd_bus_is_ready(loop.bus->system) == 0)
		assert_true(sd_event_run(loop.event, 10 * G_USEC_PER_SEC) > 0);
	g_usleep(SYSTEM_BUS_CALL_USEC + G_USEC_PER_SEC / 10);
	run_until_retry(&loop);
	retry_now(&loop);
	assert_true(sd_bus_open_system(&client) >= 0);
	run_until_owned(&loop, client);

	sd_bus_close_unref(client);
	loop_stop(&loop);
	bus_daemon_stop(&daemon);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_daemon_itself_denies_changes_to_others),
		cmocka_unit_test(the_installed_policy_lets_everyone_read_and_root_change),
		cmocka_unit_test(a_missing_bus_is_no_failure_and_is_found_when_it_comes),
		cmocka_unit_test(a_bus_that_goes_is_tried_again),
		cmocka_unit_test(a_name_held_by_another_is_tried_again),
		cmocka_unit_test(a_name_is_not_left_to_the_connection_before),
		cmocka_unit_test(a_loop_that_was_held_up_tries_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
