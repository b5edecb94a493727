/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bus/client.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534

/* The first line of what fd says, which comes when the process is ready. */
static char *first_line(int fd)
{
	FILE *stream = fdopen(fd, "r");
	char line[512];

	assert_non_null(stream);
	assert_non_null(fgets(line, sizeof(line), stream));
	fclose(stream);
	return g_strdup(g_strchomp(line));
}

/* Everyone may pass: the caller may be another user. */
static char *open_dir(void)
{
	char *dir = nb_tmp_make();

	assert_int_equal(g_chmod(dir, 0755), 0);
	return dir;
}

/* A server that outlived a failed test would keep its output open, and so the test's. */
static void die_with_parent(gpointer unused)
{
	(void)unused;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static GPid spawn(GPtrArray *argv, int *ret_stdout)
{
	GPid pid;

	g_ptr_array_add(argv, NULL);
	assert_true(g_spawn_async_with_pipes(
		NULL, (char **)argv->pdata, NULL, G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_SEARCH_PATH,
		die_with_parent, NULL, &pid, NULL, ret_stdout, NULL, NULL));
	return pid;
}

static int end(GPid pid)
{
	int status;

	assert_int_equal(kill(pid, SIGTERM), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

void server_start(struct server *server, const char *const *options)
{
	g_autoptr(GPtrArray) argv = g_ptr_array_new();
	g_autofree char *line = NULL;
	int out = -1;

	server->dir = open_dir();
	server->socket = g_build_filename(server->dir, "bus", NULL);
	g_ptr_array_add(argv, (char *)NB_BINARY_DIR "/tests/bus/nicbalance-serve");
	g_ptr_array_add(argv, server->socket);
	for (unsigned i = 0; options && options[i]; i++)
		g_ptr_array_add(argv, (char *)options[i]);

	server->pid = spawn(argv, &out);
	line = first_line(out);
	assert_string_equal(line, "ready");
}

void server_stop(struct server *server)
{
	int status = end(server->pid);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_false(g_file_test(server->socket, G_FILE_TEST_EXISTS));
	g_free(server->socket);
	nb_tmp_remove(server->dir);
}

static const char all_may[] = "<policy context=\"default\"><allow user=\"*\"/><allow own=\"*\"/>"
			      "<allow send_destination=\"*\"/><allow eavesdrop=\"true\"/></policy>";

void bus_daemon_start(struct bus_daemon *daemon, const char *policy)
{
	g_autoptr(GPtrArray) argv = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *program = g_find_program_in_path("dbus-daemon");
	g_autofree char *config = NULL, *address = NULL;
	int out = -1;

	if (!program)
		nb_skip("no dbus-daemon");
	daemon->dir = open_dir();
	config =
		g_strdup_printf("<busconfig><type>system</type><listen>unix:path=%s/system</listen>"
				"<auth>EXTERNAL</auth>%s</busconfig>",
				daemon->dir, policy ? policy : all_may);
	nb_tmp_write(daemon->dir, "bus.conf", config);

	g_ptr_array_add(argv, g_strdup(program));
	g_ptr_array_add(argv, g_strdup("--nofork"));
	g_ptr_array_add(argv, g_strdup("--print-address"));
	g_ptr_array_add(argv, g_strdup_printf("--config-file=%s/bus.conf", daemon->dir));
	daemon->pid = spawn(argv, &out);
	address = first_line(out);
	g_setenv("DBUS_SYSTEM_BUS_ADDRESS", address, true);
}

void bus_daemon_stop(struct bus_daemon *daemon)
{
	end(daemon->pid);
	nb_tmp_remove(daemon->dir);
	g_unsetenv("DBUS_SYSTEM_BUS_ADDRESS");
}

sd_bus *connect_private(const char *socket)
{
	g_autofree char *address = g_strdup_printf("unix:path=%s", socket);
	sd_bus *bus = NULL;

	assert_true(sd_bus_new(&bus) >= 0);
	assert_true(sd_bus_set_address(bus, address) >= 0);
	assert_true(sd_bus_start(bus) >= 0);
	return bus;
}

/* A change of owners is what to wait for, whosever it is; the question is then asked again. */
sd_bus *connect_system(void)
{
	g_autoptr(sd_bus_creds) creds = NULL;
	sd_bus *bus = NULL;

	assert_true(sd_bus_open_system(&bus) >= 0);
	assert_true(sd_bus_match_signal(bus, NULL, "org.freedesktop.DBus", NULL,
					"org.freedesktop.DBus", "NameOwnerChanged", NULL,
					NULL) >= 0);
	while (sd_bus_get_name_creds(bus, NB_BUS_NAME, 0, &creds) < 0) {
		int r = sd_bus_process(bus, NULL);

		assert_true(r >= 0);
		if (r == 0)
			assert_true(sd_bus_wait(bus, 10 * G_USEC_PER_SEC) > 0);
	}
	return bus;
}

int call(sd_bus *bus, const char *method, sd_bus_error *error, sd_bus_message **ret)
{
	return sd_bus_call_method(bus, NB_BUS_NAME, NB_BUS_PATH, NB_BUS_INTERFACE, method, error,
				  ret, NULL);
}

sd_bus_message *ask(sd_bus *bus, const char *method)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	sd_bus_message *reply = NULL;

	if (call(bus, method, &error, &reply) < 0)
		fail_msg("%s: %s: %s", method, error.name, error.message);
	return reply;
}

json_t *describe(sd_bus *bus)
{
	g_autoptr(sd_bus_message) reply = ask(bus, "Describe");
	const char *text;
	json_t *document;

	assert_true(sd_bus_message_read(reply, "s", &text) > 0);
	document = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(document);
	return document;
}

char *get_text(sd_bus *bus, const char *property)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	char *text = NULL;

	if (sd_bus_get_property_string(bus, NB_BUS_NAME, NB_BUS_PATH, NB_BUS_INTERFACE, property,
				       &error, &text) < 0)
		fail_msg("%s: %s: %s", property, error.name, error.message);
	return text;
}

int as_nobody(int (*body)(const void *data), const void *data)
{
	int status;
	pid_t pid;

	if (geteuid() != 0)
		nb_skip("only root can become another user");
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		/* Or cmocka would jump out of a failed assertion, to the next test, in both
		 * processes. */
		g_setenv("CMOCKA_TEST_ABORT", "1", true);
		if (setgroups(0, NULL) < 0 || setgid(NOBODY) < 0 || setuid(NOBODY) < 0)
			_exit(99);
		_exit(body(data));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!WIFEXITED(status))
		fail_msg("what user %d does ended with signal %d", NOBODY, WTERMSIG(status));
	return WEXITSTATUS(status);
}
