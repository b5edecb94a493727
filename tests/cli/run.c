/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/run.h"

#include "version.h"

#include <glib/gstdio.h>
#include <sys/wait.h>

static void run_argv(GPtrArray *argv, struct run *ret)
{
	g_auto(GStrv) env = g_get_environ();
	int status;

	env = g_environ_setenv(env, "TZ", "UTC", TRUE);
	env = g_environ_setenv(env, "LC_ALL", "C.UTF-8", TRUE);
	env = g_environ_setenv(env, "TERM", "xterm", TRUE);
	env = g_environ_unsetenv(env, "NO_COLOR");
	g_ptr_array_add(argv, NULL);
	assert_true(g_spawn_sync(NULL, (char **)argv->pdata, env, G_SPAWN_SEARCH_PATH, NULL, NULL,
				 &ret->out, &ret->err, &status, NULL));
	assert_true(WIFEXITED(status));
	ret->status = WEXITSTATUS(status);
}

static GPtrArray *ctl_argv(const char *program, const char *socket, const char *arguments)
{
	GPtrArray *argv = g_ptr_array_new_with_free_func(g_free);
	g_auto(GStrv) words = g_strsplit(arguments, " ", -1);

	g_ptr_array_add(argv, g_strdup(program));
	if (socket)
		g_ptr_array_add(argv, g_strdup_printf("--socket=%s", socket));
	for (unsigned i = 0; words[i]; i++)
		if (*words[i])
			g_ptr_array_add(argv, g_strdup(words[i]));
	return argv;
}

void run_ctl(const char *socket, const char *arguments, struct run *ret)
{
	run_copy(NB_CTL, socket, arguments, ret);
}

char *copy_ctl(const char *dir)
{
	char *path = g_build_filename(dir, "nicbalancectl", NULL);
	g_autofree char *program = NULL;
	gsize len;

	assert_true(g_file_get_contents(NB_CTL, &program, &len, NULL));
	assert_true(g_file_set_contents(path, program, (gssize)len, NULL));
	assert_int_equal(g_chmod(path, 0755), 0);
	return path;
}

void run_copy(const char *program, const char *socket, const char *arguments, struct run *ret)
{
	g_autoptr(GPtrArray) argv = ctl_argv(program, socket, arguments);

	run_argv(argv, ret);
}

void run_ctl_on_screen(const char *socket, const char *environment, unsigned columns,
		       struct run *ret)
{
	g_autoptr(GPtrArray) argv = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *script = g_find_program_in_path("script");

	if (!script)
		nb_skip("no script(1)");
	g_ptr_array_add(argv, g_steal_pointer(&script));
	g_ptr_array_add(argv, g_strdup("-qec"));
	g_ptr_array_add(argv, g_strdup_printf("stty cols %u; %s %s --socket=%s status", columns,
					      environment, NB_CTL, socket));
	g_ptr_array_add(argv, g_strdup("/dev/null"));
	run_argv(argv, ret);
}

void run_ctl_to_full_disk(const char *socket, struct run *ret)
{
	g_autoptr(GPtrArray) argv = g_ptr_array_new_with_free_func(g_free);

	g_ptr_array_add(argv, g_strdup("sh"));
	g_ptr_array_add(argv, g_strdup("-c"));
	g_ptr_array_add(argv, g_strdup_printf("exec %s --socket=%s >/dev/full", NB_CTL, socket));
	run_argv(argv, ret);
}

void run_clear(struct run *run)
{
	g_free(run->out);
	g_free(run->err);
}

void run_against(const char *const *options, const char *arguments, struct run *ret)
{
	struct server server;

	server_start(&server, options);
	run_ctl(server.socket, arguments, ret);
	server_stop(&server);
}

static char *replace(char *text, const char *pattern, const char *with)
{
	g_autoptr(GRegex) regex = g_regex_new(pattern, 0, 0, NULL);
	char *replaced = g_regex_replace_literal(regex, text, -1, 0, with, 0, NULL);

	g_free(text);
	assert_non_null(replaced);
	return replaced;
}

static char *timeless(const char *out)
{
	g_autofree char *version = g_regex_escape_string(NB_VERSION, -1);
	g_autofree char *source = g_regex_escape_string(NB_SOURCE_DIR "/", -1);
	char *text = replace(g_strdup(out), version, "VERSION");

	text = replace(text, source, "");
	text = replace(text, "\\(\\d+ d \\d+ h\\)", "(AGE)");
	return replace(text, "\\d+\\.\\d\\d % of one CPU", "N % of one CPU");
}

void assert_golden(const struct run *run, const char *name)
{
	g_autofree char *path = g_strdup_printf("tests/cli/golden/%s.txt", name);
	g_autofree char *text = timeless(run->out);
	g_autofree char *expected = NULL;

	if (g_getenv("NB_GOLDEN_WRITE"))
		nb_tmp_write(NB_SOURCE_DIR, path, text);
	expected = nb_tmp_read(NB_SOURCE_DIR, path);
	assert_string_equal(text, expected);
}
