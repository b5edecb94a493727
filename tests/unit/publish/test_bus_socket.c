/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/support.h"

#include "publish/bus_internal.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int make_dir(void **state)
{
	*state = nb_tmp_make();
	return 0;
}

static int remove_dir(void **state)
{
	nb_tmp_remove(*state);
	return 0;
}

static void everyone_may_connect_whatever_the_umask(void **state)
{
	g_autofree char *path = g_build_filename(*state, "bus", NULL);
	mode_t umask_before = umask(0077);
	struct stat st;
	int fd = -1;

	assert_int_equal(nb_bus_listen(path, &fd), 0);
	umask(umask_before);
	assert_int_equal(stat(path, &st), 0);
	assert_true(S_ISSOCK(st.st_mode));
	assert_int_equal(st.st_mode & 0777, 0666);
	close(fd);
}

static void a_file_left_behind_is_replaced(void **state)
{
	g_autofree char *path = g_build_filename(*state, "bus", NULL);
	int left = -1, fd = -1;

	assert_int_equal(nb_bus_listen(path, &left), 0);
	close(left);
	assert_true(g_file_test(path, G_FILE_TEST_EXISTS));

	assert_int_equal(nb_bus_listen(path, &fd), 0);
	close(fd);
}

static void another_daemon_is_not_pushed_aside(void **state)
{
	g_autofree char *path = g_build_filename(*state, "bus", NULL);
	int other = -1, fd = -1;

	assert_int_equal(nb_bus_listen(path, &other), 0);
	assert_int_equal(nb_bus_listen(path, &fd), -EADDRINUSE);
	assert_int_equal(fd, -1);
	assert_true(g_file_test(path, G_FILE_TEST_EXISTS));
	close(other);
}

static void a_file_that_is_no_socket_is_left_alone(void **state)
{
	g_autofree char *path = g_build_filename(*state, "bus", NULL);
	g_autofree char *text = NULL;
	int fd = -1;

	nb_tmp_write(*state, "bus", "precious");
	assert_int_equal(nb_bus_listen(path, &fd), -EADDRINUSE);
	text = nb_tmp_read(*state, "bus");
	assert_string_equal(text, "precious");
}

static void a_path_too_long_for_a_socket_is_an_error(void **state)
{
	g_autofree char *name = g_strnfill(120, 'x');
	g_autofree char *path = g_build_filename(*state, name, NULL);
	int fd = -1;

	assert_int_equal(nb_bus_listen(path, &fd), -ENAMETOOLONG);
}

static void a_missing_directory_is_an_error(void **state)
{
	g_autofree char *path = g_build_filename(*state, "missing", "bus", NULL);
	int fd = -1;

	assert_int_equal(nb_bus_listen(path, &fd), -ENOENT);
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
