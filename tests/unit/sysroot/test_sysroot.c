/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/support.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
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

static void make_link(const struct fixture *f, const char *target, const char *path)
{
	g_autofree char *full = g_build_filename(f->dir, path, NULL);

	assert_int_equal(symlink(target, full), 0);
}

static void set_mode(const struct fixture *f, const char *path, mode_t mode)
{
	g_autofree char *full = g_build_filename(f->dir, path, NULL);

	assert_int_equal(chmod(full, mode), 0);
}

static void assert_text(struct fixture *f, const char *path, const char *expected)
{
	g_autofree char *text = NULL;
	size_t len;

	assert_int_equal(nb_sysroot_read(f->root, path, &text, &len), 0);
	assert_string_equal(text, expected);
	assert_int_equal(len, strlen(expected));
}

static void paths_cannot_leave_the_root(void **state)
{
	struct fixture *f = *state;
	g_autofree char *text = NULL;
	size_t len;

	nb_tmp_write(f->dir, "etc/hostname", "inside\n");
	make_link(f, "/etc/hostname", "absolute");
	make_link(f, "../../../../../../etc/hostname", "upwards");

	assert_text(f, "absolute", "inside\n");
	assert_text(f, "upwards", "inside\n");
	assert_text(f, "../../../../etc/hostname", "inside\n");
	assert_text(f, "/etc/hostname", "inside\n");
	make_link(f, "/etc/passwd", "outside");
	assert_int_equal(nb_sysroot_read(f->root, "outside", &text, &len), -ENOENT);
	assert_null(text);
}

static void dot_dot_behind_a_link_is_the_parent_of_its_target(void **state)
{
	struct fixture *f = *state;

	nb_tmp_write(f->dir, "sys/devices/pci0/virtio2/net/eth0/ifindex", "2\n");
	nb_tmp_write(f->dir, "sys/devices/pci0/numa_node", "1\n");
	nb_tmp_write(f->dir, "sys/class/net/keep", "");
	make_link(f, "../../devices/pci0/virtio2/net/eth0", "sys/class/net/eth0");
	make_link(f, "../../../virtio2", "sys/devices/pci0/virtio2/net/eth0/device");

	assert_text(f, "sys/class/net/eth0/device/../numa_node", "1\n");
}

static void tells_the_host_from_a_captured_machine(void **state)
{
	struct fixture *f = *state;
	g_autoptr(nb_sysroot) host = NULL, slash = NULL;

	assert_false(nb_sysroot_is_host(f->root));
	assert_int_equal(nb_sysroot_open(NULL, &host), 0);
	assert_true(nb_sysroot_is_host(host));
	assert_int_equal(nb_sysroot_open("/", &slash), 0);
	assert_true(nb_sysroot_is_host(slash));
}

static void a_root_must_be_a_directory(void **state)
{
	struct fixture *f = *state;
	g_autofree char *file = g_build_filename(f->dir, "file", NULL);
	g_autoptr(nb_sysroot) root = NULL;

	nb_tmp_write(f->dir, "file", "");
	assert_int_equal(nb_sysroot_open(file, &root), -ENOTDIR);
	assert_int_equal(nb_sysroot_open("/no/such/directory", &root), -ENOENT);
	assert_null(root);
}

static void serves_proc_of_the_host(void **state)
{
	g_autoptr(nb_sysroot) host = NULL;
	g_autofree char *text = NULL;
	size_t len;

	(void)state;
	assert_int_equal(nb_sysroot_open(NULL, &host), 0);
	assert_int_equal(nb_sysroot_read(host, "proc/net/softnet_stat", &text, &len), 0);
	assert_int_equal(strlen(text), len);
	assert_true(len > 8);
}

static void existence_needs_the_target_of_a_link(void **state)
{
	struct fixture *f = *state;

	nb_tmp_write(f->dir, "there", "");
	make_link(f, "there", "good");
	make_link(f, "nowhere", "dangling");
	assert_true(nb_sysroot_exists(f->root, "there"));
	assert_true(nb_sysroot_exists(f->root, "good"));
	assert_false(nb_sysroot_exists(f->root, "dangling"));
	assert_false(nb_sysroot_exists(f->root, "there/below"));
}

static void writable_goes_by_the_mode_even_for_root(void **state)
{
	struct fixture *f = *state;

	nb_tmp_write(f->dir, "open", "");
	nb_tmp_write(f->dir, "managed", "");
	set_mode(f, "open", 0644);
	set_mode(f, "managed", 0444);
	assert_true(nb_sysroot_is_writable(f->root, "open"));
	assert_false(nb_sysroot_is_writable(f->root, "managed"));
	assert_false(nb_sysroot_is_writable(f->root, "missing"));
}

static void lists_by_number(void **state)
{
	struct fixture *f = *state;
	static const char *const sorted[] = {"a2",   "a10",   "a1b",  "rx-0",
					     "rx-2", "rx-10", "tx-1", "tx-x"};
	g_auto(GStrv) names = NULL;

	nb_tmp_write(f->dir, "queues/tx-x", "");
	nb_tmp_write(f->dir, "queues/rx-10", "");
	nb_tmp_write(f->dir, "queues/a1b", "");
	nb_tmp_write(f->dir, "queues/a10", "");
	nb_tmp_write(f->dir, "queues/a2", "");
	nb_tmp_write(f->dir, "queues/rx-2", "");
	nb_tmp_write(f->dir, "queues/tx-1", "");
	nb_tmp_write(f->dir, "queues/rx-0", "");
	assert_int_equal(nb_sysroot_list(f->root, "queues", &names), 0);
	assert_int_equal(g_strv_length(names), G_N_ELEMENTS(sorted));
	for (unsigned i = 0; i < G_N_ELEMENTS(sorted); i++)
		assert_string_equal(names[i], sorted[i]);
}

static void an_empty_directory_has_no_names(void **state)
{
	struct fixture *f = *state;
	g_auto(GStrv) names = NULL;

	assert_int_equal(nb_sysroot_list(f->root, "", &names), 0);
	assert_non_null(names);
	assert_null(names[0]);
}

static void listing_says_what_is_wrong(void **state)
{
	struct fixture *f = *state;
	g_auto(GStrv) names = NULL;

	nb_tmp_write(f->dir, "file", "");
	assert_int_equal(nb_sysroot_list(f->root, "missing", &names), -ENOENT);
	assert_int_equal(nb_sysroot_list(f->root, "file", &names), -ENOTDIR);
	assert_null(names);
}

static void names_the_end_of_a_link_even_when_dangling(void **state)
{
	struct fixture *f = *state;
	g_autofree char *name = NULL, *none = NULL;

	nb_tmp_write(f->dir, "device/file", "");
	make_link(f, "../../bus/pci/drivers/igb", "device/driver");
	assert_int_equal(nb_sysroot_link_name(f->root, "device/driver", &name), 0);
	assert_string_equal(name, "igb");
	assert_int_equal(nb_sysroot_link_name(f->root, "device/file", &none), -EINVAL);
	assert_int_equal(nb_sysroot_link_name(f->root, "device/none", &none), -ENOENT);
	assert_null(none);
}

/* Writes the file at a time of the test's. */
static struct nb_file_stamp write_at(struct fixture *f, const char *text, time_t second)
{
	const struct timespec times[2] = {{.tv_sec = second}, {.tv_sec = second}};
	g_autofree char *path = g_build_filename(f->dir, "file", NULL);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(futimens(fd, times), 0);
	close(fd);
	return nb_sysroot_stamp(f->root, "file");
}

static bool is_same(struct nb_file_stamp a, struct nb_file_stamp b)
{
	return memcmp(&a, &b, sizeof(a)) == 0;
}

static void a_stamp_tells_a_file_that_was_written_replaced_or_removed(void **state)
{
	struct fixture *f = *state;
	struct nb_file_stamp none = nb_sysroot_stamp(f->root, "file");
	struct nb_file_stamp first = write_at(f, "one", 1000), replaced;

	assert_int_equal(none.inode, 0);
	assert_false(is_same(first, none));
	assert_true(is_same(write_at(f, "two", 1000), first));
	assert_false(is_same(write_at(f, "three", 1000), first));
	assert_false(is_same(write_at(f, "two", 1001), first));
	assert_int_equal(nb_sysroot_replace(f->root, "file", "one", strlen("one")), 0);
	replaced = write_at(f, "one", 1000);
	assert_int_equal(replaced.size, first.size);
	assert_int_equal(replaced.written_nsec, first.written_nsec);
	assert_false(is_same(replaced, first));
	assert_int_equal(nb_sysroot_unlink(f->root, "file"), 0);
	assert_true(is_same(nb_sysroot_stamp(f->root, "file"), none));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(paths_cannot_leave_the_root, setup, teardown),
		cmocka_unit_test_setup_teardown(dot_dot_behind_a_link_is_the_parent_of_its_target,
						setup, teardown),
		cmocka_unit_test_setup_teardown(tells_the_host_from_a_captured_machine, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_root_must_be_a_directory, setup, teardown),
		cmocka_unit_test(serves_proc_of_the_host),
		cmocka_unit_test_setup_teardown(existence_needs_the_target_of_a_link, setup,
						teardown),
		cmocka_unit_test_setup_teardown(writable_goes_by_the_mode_even_for_root, setup,
						teardown),
		cmocka_unit_test_setup_teardown(lists_by_number, setup, teardown),
		cmocka_unit_test_setup_teardown(an_empty_directory_has_no_names, setup, teardown),
		cmocka_unit_test_setup_teardown(listing_says_what_is_wrong, setup, teardown),
		cmocka_unit_test_setup_teardown(names_the_end_of_a_link_even_when_dangling, setup,
						teardown),
		cmocka_unit_test_setup_teardown(
			a_stamp_tells_a_file_that_was_written_replaced_or_removed, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
