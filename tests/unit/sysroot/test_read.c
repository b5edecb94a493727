/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/support.h"

#include <errno.h>
#include <unistd.h>

static void reads_whatever_the_length(void **state)
{
	static const gsize lengths[] = {0, 1, 4095, 4096, 4097, 8192, 300000};
	char *dir = nb_tmp_make();
	g_autoptr(nb_sysroot) root = NULL;

	(void)state;
	assert_int_equal(nb_sysroot_open(dir, &root), 0);
	for (unsigned i = 0; i < G_N_ELEMENTS(lengths); i++) {
		g_autofree char *text = g_strnfill(lengths[i], 'x'), *got = NULL;
		size_t len = 12345;

		nb_tmp_write(dir, "file", text);
		assert_int_equal(nb_sysroot_read(root, "file", &got, &len), 0);
		assert_int_equal(len, lengths[i]);
		assert_string_equal(got, text);
	}
	nb_tmp_remove(dir);
}

static void a_kept_descriptor_sees_the_file_anew(void **state)
{
	char *dir = nb_tmp_make();
	g_autoptr(nb_sysroot) root = NULL;
	g_autoptr(GString) buffer = g_string_new("something older and longer");
	int fd = -1;

	(void)state;
	nb_tmp_write(dir, "file", "one\n");
	assert_int_equal(nb_sysroot_open(dir, &root), 0);
	assert_int_equal(nb_sysroot_open_file(root, "file", &fd), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(nb_sysroot_pread(fd, buffer), 0);
		assert_string_equal(buffer->str, "one\n");
		assert_int_equal(buffer->len, 4);
	}
	close(fd);
	nb_tmp_remove(dir);
}

static void a_second_reading_keeps_the_buffer(void **state)
{
	g_autoptr(nb_sysroot) host = NULL;
	g_autoptr(GString) buffer = g_string_new(NULL);
	gsize allocated;
	char *str;

	(void)state;
	assert_int_equal(nb_sysroot_open(NULL, &host), 0);
	assert_int_equal(nb_sysroot_read_into(host, "proc/stat", buffer), 0);
	assert_true(g_str_has_prefix(buffer->str, "cpu "));
	assert_non_null(strstr(buffer->str, "\nsoftirq "));
	allocated = buffer->allocated_len;
	str = buffer->str;
	assert_int_equal(nb_sysroot_read_into(host, "proc/stat", buffer), 0);
	assert_int_equal(buffer->allocated_len, allocated);
	assert_ptr_equal(buffer->str, str);
}

static void failures_leave_the_results_alone(void **state)
{
	char *dir = nb_tmp_make();
	g_autoptr(nb_sysroot) root = NULL;
	char *text = NULL;
	size_t len = 7;
	int fd = -1;

	(void)state;
	nb_tmp_write(dir, "folder/file", "");
	assert_int_equal(nb_sysroot_open(dir, &root), 0);
	assert_int_equal(nb_sysroot_read(root, "missing", &text, &len), -ENOENT);
	assert_int_equal(nb_sysroot_read(root, "folder", &text, &len), -EISDIR);
	assert_int_equal(nb_sysroot_open_file(root, "missing", &fd), -ENOENT);
	assert_null(text);
	assert_int_equal(len, 7);
	assert_int_equal(fd, -1);
	nb_tmp_remove(dir);
}

static void one_number_is_read_or_nothing(void **state)
{
	char *dir = nb_tmp_make();
	g_autoptr(nb_sysroot) root = NULL;
	uint64_t number = 7;

	(void)state;
	nb_tmp_write(dir, "most", "18446744073709551615\n");
	nb_tmp_write(dir, "word", "many\n");
	nb_tmp_write(dir, "two", "1 2\n");
	nb_tmp_write(dir, "empty", "");
	assert_int_equal(nb_sysroot_open(dir, &root), 0);
	assert_int_equal(nb_sysroot_read_number(root, "missing", UINT64_MAX, &number), -ENOENT);
	assert_int_equal(nb_sysroot_read_number(root, "word", UINT64_MAX, &number), -EBADMSG);
	assert_int_equal(nb_sysroot_read_number(root, "two", UINT64_MAX, &number), -EBADMSG);
	assert_int_equal(nb_sysroot_read_number(root, "empty", UINT64_MAX, &number), -EBADMSG);
	assert_int_equal(nb_sysroot_read_number(root, "most", UINT64_MAX - 1, &number), -EBADMSG);
	assert_int_equal(number, 7);
	assert_int_equal(nb_sysroot_read_number(root, "most", UINT64_MAX, &number), 0);
	assert_true(number == UINT64_MAX);
	nb_tmp_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_whatever_the_length),
		cmocka_unit_test(a_kept_descriptor_sees_the_file_anew),
		cmocka_unit_test(a_second_reading_keeps_the_buffer),
		cmocka_unit_test(failures_leave_the_results_alone),
		cmocka_unit_test(one_number_is_read_or_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
