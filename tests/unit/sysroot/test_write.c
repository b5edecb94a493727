/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/support.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

struct fixture {
	char *dir;
	struct nb_sysroot *root;
};

static int setup(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);

	f->dir = nb_tmp_make();
	assert_int_equal(nb_sysroot_open(f->dir, &f->root), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	nb_sysroot_free(f->root);
	nb_tmp_remove(f->dir);
	g_free(f);
	return 0;
}

static void assert_text(const struct fixture *f, const char *path, const char *expected)
{
	g_autofree char *text = nb_tmp_read(f->dir, path);

	assert_string_equal(text, expected);
}

static mode_t mode_of(const struct fixture *f, const char *path)
{
	g_autofree char *full = g_build_filename(f->dir, path, NULL);
	struct stat st;

	assert_int_equal(stat(full, &st), 0);
	return st.st_mode & 07777;
}

static void a_shorter_value_leaves_no_rest_of_the_longer(void **state)
{
	struct fixture *f = *state;

	nb_tmp_write(f->dir, "proc/irq/9/smp_affinity", "ffffffff\n");
	assert_int_equal(nb_sysroot_write(f->root, "proc/irq/9/smp_affinity", "1", 1), 0);
	assert_text(f, "proc/irq/9/smp_affinity", "1");
}

static void write_never_makes_a_file(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(nb_sysroot_write(f->root, "knob", "1", 1), -ENOENT);
	assert_false(nb_sysroot_exists(f->root, "knob"));
}

static void the_answer_of_write_is_the_answer(void **state)
{
	g_autoptr(nb_sysroot) host = NULL;

	(void)state;
	assert_int_equal(nb_sysroot_open(NULL, &host), 0);
	assert_int_equal(nb_sysroot_write(host, "dev/full", "1", 1), -ENOSPC);
}

static int fake_writer(struct nb_sysroot *root, const char *path, const char *text, size_t len,
		       void *userdata)
{
	unsigned *calls = userdata;

	if ((*calls)++ == 0)
		return -EPERM;
	return nb_sysroot_write_real(root, path, text, len);
}

static void a_writer_stands_before_the_real_one(void **state)
{
	struct fixture *f = *state;
	unsigned calls = 0;

	nb_tmp_write(f->dir, "knob", "old");
	nb_sysroot_set_writer(f->root, fake_writer, &calls);
	assert_int_equal(nb_sysroot_write(f->root, "knob", "new", 3), -EPERM);
	assert_text(f, "knob", "old");
	assert_int_equal(nb_sysroot_write(f->root, "knob", "new", 3), 0);
	assert_text(f, "knob", "new");
	assert_int_equal(calls, 2);

	nb_sysroot_set_writer(f->root, NULL, NULL);
	assert_int_equal(nb_sysroot_write(f->root, "knob", "x", 1), 0);
	assert_int_equal(calls, 2);
}

static void replace_makes_the_way_whatever_the_umask(void **state)
{
	struct fixture *f = *state;
	mode_t umask_before = umask(077);

	assert_int_equal(nb_sysroot_replace(f->root, "run/nicbalance/deep/baseline", "a\n", 2), 0);
	umask(umask_before);
	assert_text(f, "run/nicbalance/deep/baseline", "a\n");
	assert_int_equal(mode_of(f, "run"), 0755);
	assert_int_equal(mode_of(f, "run/nicbalance/deep"), 0755);
	assert_int_equal(mode_of(f, "run/nicbalance/deep/baseline"), 0644);
}

static void replace_leaves_the_file_alone_in_its_folder(void **state)
{
	struct fixture *f = *state;
	g_auto(GStrv) names = NULL;

	nb_tmp_write(f->dir, "run/.state.new", "left by a crash");
	for (int i = 0; i < 2; i++)
		assert_int_equal(nb_sysroot_replace(f->root, "run/state", "text", 4), 0);
	assert_int_equal(nb_sysroot_list(f->root, "run", &names), 0);
	assert_int_equal(g_strv_length(names), 1);
	assert_text(f, "run/state", "text");
}

static void a_reader_keeps_the_old_text(void **state)
{
	struct fixture *f = *state;
	g_autoptr(GString) buffer = g_string_new(NULL);
	int fd = -1;

	nb_tmp_write(f->dir, "state", "old");
	assert_int_equal(nb_sysroot_open_file(f->root, "state", &fd), 0);
	assert_int_equal(nb_sysroot_replace(f->root, "state", "new", 3), 0);
	assert_int_equal(nb_sysroot_pread(fd, buffer), 0);
	assert_string_equal(buffer->str, "old");
	close(fd);
}

static void replace_fails_without_a_trace(void **state)
{
	struct fixture *f = *state;
	g_auto(GStrv) names = NULL;

	nb_tmp_write(f->dir, "run/taken/file", "");
	assert_int_equal(nb_sysroot_replace(f->root, "run/taken", "x", 1), -EISDIR);
	assert_int_equal(nb_sysroot_replace(f->root, "run/taken/file/below", "x", 1), -ENOTDIR);
	assert_int_equal(nb_sysroot_list(f->root, "run", &names), 0);
	assert_int_equal(g_strv_length(names), 1);
}

static void replace_cannot_leave_the_root(void **state)
{
	struct fixture *f = *state;
	g_autofree char *link = g_build_filename(f->dir, "etc", NULL);

	nb_tmp_write(f->dir, "inner/keep", "");
	assert_int_equal(symlink("/inner", link), 0);
	assert_int_equal(nb_sysroot_replace(f->root, "etc/file", "x", 1), 0);
	assert_text(f, "inner/file", "x");
}

static void unlink_takes_the_link_and_not_its_target(void **state)
{
	struct fixture *f = *state;
	g_autofree char *link = g_build_filename(f->dir, "link", NULL);

	nb_tmp_write(f->dir, "file", "");
	assert_int_equal(symlink("file", link), 0);
	assert_int_equal(nb_sysroot_unlink(f->root, "link"), 0);
	assert_true(nb_sysroot_exists(f->root, "file"));
	assert_int_equal(nb_sysroot_unlink(f->root, "file"), 0);
	assert_int_equal(nb_sysroot_unlink(f->root, "file"), -ENOENT);
	assert_int_equal(nb_sysroot_unlink(f->root, "no/folder"), -ENOENT);
}

int main(void)
{
#define claim(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		claim(a_shorter_value_leaves_no_rest_of_the_longer),
		claim(write_never_makes_a_file),
		claim(the_answer_of_write_is_the_answer),
		claim(a_writer_stands_before_the_real_one),
		claim(replace_makes_the_way_whatever_the_umask),
		claim(replace_leaves_the_file_alone_in_its_folder),
		claim(a_reader_keeps_the_old_text),
		claim(replace_fails_without_a_trace),
		claim(replace_cannot_leave_the_root),
		claim(unlink_takes_the_link_and_not_its_target),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
