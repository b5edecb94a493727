/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "publish/listener.h"

#include "unit/publish/protocol.h"

#include <glib/gstdio.h>
#include <sys/stat.h>

static void everyone_may_connect_whatever_the_umask(void **state)
{
	struct listening *l = *state;
	mode_t umask_before = umask(0077);
	struct stat st;

	assert_int_equal(listen_at(l), 0);
	umask(umask_before);
	assert_int_equal(stat(l->path, &st), 0);
	assert_true(S_ISSOCK(st.st_mode));
	assert_int_equal(st.st_mode & 0777, 0666);
}

static void a_file_left_behind_is_replaced(void **state)
{
	g_autofree char *kept = NULL;
	struct listening *l = *state;

	assert_int_equal(listen_at(l), 0);
	kept = g_strconcat(l->path, ".kept", NULL);
	assert_int_equal(g_rename(l->path, kept), 0);
	g_clear_pointer(&l->listener, nb_listener_free);
	assert_int_equal(g_rename(kept, l->path), 0);

	assert_int_equal(listen_at(l), 0);
}

static void another_daemon_is_not_pushed_aside(void **state)
{
	struct nb_listener *second = NULL;
	struct listening *l = *state;

	assert_int_equal(listen_at(l), 0);
	assert_int_equal(nb_listener_new(l->event, l->path, &mute, l, &second), -EADDRINUSE);
	assert_null(second);
	assert_true(g_file_test(l->path, G_FILE_TEST_EXISTS));
}

static void a_file_that_is_no_socket_is_left_alone(void **state)
{
	g_autofree char *text = NULL;
	struct listening *l = *state;

	nb_tmp_write(l->dir, "socket", "precious");
	assert_int_equal(listen_at(l), -EADDRINUSE);
	text = nb_tmp_read(l->dir, "socket");
	assert_string_equal(text, "precious");
}

static void a_path_too_long_for_a_socket_is_an_error(void **state)
{
	g_autofree char *name = g_strnfill(120, 'x');
	struct listening *l = *state;

	g_free(l->path);
	l->path = g_build_filename(l->dir, name, NULL);
	assert_int_equal(listen_at(l), -ENAMETOOLONG);
}

static void a_missing_directory_is_an_error(void **state)
{
	struct listening *l = *state;

	g_free(l->path);
	l->path = g_build_filename(l->dir, "missing", "socket", NULL);
	assert_int_equal(listen_at(l), -ENOENT);
}

static void the_file_ends_with_the_listener(void **state)
{
	struct listening *l = *state;

	assert_int_equal(listen_at(l), 0);
	g_clear_pointer(&l->listener, nb_listener_free);
	assert_false(g_file_test(l->path, G_FILE_TEST_EXISTS));
}

#define LISTEN_TEST(name) cmocka_unit_test_setup_teardown(name, make_dir, remove_dir)

int main(void)
{
	const struct CMUnitTest tests[] = {
		LISTEN_TEST(everyone_may_connect_whatever_the_umask),
		LISTEN_TEST(a_file_left_behind_is_replaced),
		LISTEN_TEST(another_daemon_is_not_pushed_aside),
		LISTEN_TEST(a_file_that_is_no_socket_is_left_alone),
		LISTEN_TEST(a_path_too_long_for_a_socket_is_an_error),
		LISTEN_TEST(a_missing_directory_is_an_error),
		LISTEN_TEST(the_file_ends_with_the_listener),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
