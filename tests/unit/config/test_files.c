/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/files.h"
#include "fixture.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static void assert_dropins(struct machine *machine, const char *expected)
{
	g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *failed = NULL, *all = NULL;

	assert_int_equal(
		nb_config_list_dropins(machine->root, nb_config_main_files, paths, &failed), 0);
	assert_null(failed);
	g_ptr_array_add(paths, NULL);
	all = g_strjoinv(" ", (char **)paths->pdata);
	assert_string_equal(all, expected);
}

static void finds_no_dropins_where_there_are_none(void **state)
{
	assert_dropins(*state, "");
}

static void sorts_dropins_of_all_places_by_name(void **state)
{
	struct machine *machine = *state;

	nb_tmp_write(machine->dir, "etc/nicbalance/nicbalance.conf.d/50-b.conf", "");
	nb_tmp_write(machine->dir, "run/nicbalance/nicbalance.conf.d/60-c.conf", "");
	nb_tmp_write(machine->dir, "usr/lib/nicbalance/nicbalance.conf.d/10-a.conf", "");
	nb_tmp_write(machine->dir, "usr/lib/nicbalance/nicbalance.conf.d/100.conf", "");
	assert_dropins(machine, "usr/lib/nicbalance/nicbalance.conf.d/10-a.conf "
				"usr/lib/nicbalance/nicbalance.conf.d/100.conf "
				"etc/nicbalance/nicbalance.conf.d/50-b.conf "
				"run/nicbalance/nicbalance.conf.d/60-c.conf");
}

static void hides_the_same_name_in_lesser_places(void **state)
{
	struct machine *machine = *state;

	nb_tmp_write(machine->dir, "etc/nicbalance/nicbalance.conf.d/a.conf", "");
	nb_tmp_write(machine->dir, "run/nicbalance/nicbalance.conf.d/a.conf", "");
	nb_tmp_write(machine->dir, "run/nicbalance/nicbalance.conf.d/b.conf", "");
	nb_tmp_write(machine->dir, "usr/lib/nicbalance/nicbalance.conf.d/b.conf", "");
	assert_dropins(machine, "etc/nicbalance/nicbalance.conf.d/a.conf "
				"run/nicbalance/nicbalance.conf.d/b.conf");
}

static void passes_over_what_is_not_named_as_a_dropin(void **state)
{
	struct machine *machine = *state;

	nb_tmp_write(machine->dir, "etc/nicbalance/nicbalance.conf.d/README", "");
	nb_tmp_write(machine->dir, "etc/nicbalance/nicbalance.conf.d/a.conf.dpkg-old", "");
	nb_tmp_write(machine->dir, "etc/nicbalance/nicbalance.conf.d/.#a.conf", "");
	nb_tmp_write(machine->dir, "etc/nicbalance/nicbalance.conf.d/.conf", "");
	assert_dropins(machine, "");
}

static void names_the_directory_that_is_none(void **state)
{
	struct machine *machine = *state;
	g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *failed = NULL;

	nb_tmp_write(machine->dir, "etc/nicbalance/nicbalance.conf.d", "");
	nb_tmp_write(machine->dir, "run/nicbalance/nicbalance.conf.d/a.conf", "");
	assert_int_equal(
		nb_config_list_dropins(machine->root, nb_config_main_files, paths, &failed),
		-ENOTDIR);
	assert_string_equal(failed, "etc/nicbalance/nicbalance.conf.d");
	assert_int_equal(paths->len, 1);
}

static void assert_reads(struct machine *machine, const char *path, int result,
			 const char *expected)
{
	g_autoptr(GString) text = g_string_new("from before");

	assert_int_equal(nb_config_read_file(machine->root, path, text), result);
	assert_string_equal(text->str, expected);
}

static void reads_a_file(void **state)
{
	struct machine *machine = *state;

	nb_tmp_write(machine->dir, "etc/a.conf", "[A]\n");
	make_link(machine, "etc/b.conf", "a.conf");
	assert_reads(machine, "etc/a.conf", 0, "[A]\n");
	assert_reads(machine, "etc/b.conf", 0, "[A]\n");
	assert_reads(machine, "etc/c.conf", -ENOENT, "");
}

static void takes_a_link_to_dev_null_as_empty(void **state)
{
	struct machine *machine = *state;
	g_autoptr(nb_sysroot) host = NULL;
	g_autoptr(GString) text = g_string_new("from before");

	make_link(machine, "etc/a.conf", "/dev/null");
	assert_reads(machine, "etc/a.conf", 0, "");

	/* On the host the link leads to the device itself. */
	assert_int_equal(nb_sysroot_open(NULL, &host), 0);
	assert_int_equal(nb_config_read_file(host, "dev/null", text), 0);
	assert_int_equal(text->len, 0);
}

static void does_not_read_devices_that_never_end(void **state)
{
	g_autoptr(nb_sysroot) host = NULL;
	g_autoptr(GString) text = g_string_new(NULL);

	(void)state;
	assert_int_equal(nb_sysroot_open(NULL, &host), 0);
	assert_int_equal(nb_config_read_file(host, "dev/zero", text), 0);
	assert_int_equal(text->len, 0);
}

static void tells_a_link_to_nowhere_from_a_missing_file(void **state)
{
	struct machine *machine = *state;

	make_link(machine, "etc/a.conf", "gone.conf");
	assert_reads(machine, "etc/a.conf", -ENOLINK, "");
}

static void refuses_a_directory(void **state)
{
	struct machine *machine = *state;

	make_dir(machine, "etc/a.conf");
	assert_reads(machine, "etc/a.conf", -EISDIR, "");
}

/* A FIFO that nobody writes to would keep open(2) for ever, and with it the daemon. */
static void refuses_a_fifo_and_does_not_wait_for_it(void **state)
{
	struct machine *machine = *state;
	g_autofree char *path = g_build_filename(machine->dir, "etc/a.conf", NULL);

	make_dir(machine, "etc");
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_reads(machine, "etc/a.conf", -ENXIO, "");
}

static void refuses_a_file_above_one_mebibyte(void **state)
{
	struct machine *machine = *state;
	g_autofree char *text = g_strnfill(NB_CONFIG_FILE_MAX + 1, '\n');

	nb_tmp_write(machine->dir, "etc/a.conf", text);
	assert_reads(machine, "etc/a.conf", -EFBIG, "");
	text[NB_CONFIG_FILE_MAX] = '\0';
	nb_tmp_write(machine->dir, "etc/a.conf", text);
	assert_reads(machine, "etc/a.conf", 0, text);
}

static void explains_every_failure_with_a_remedy(void **state)
{
	static const int errors[] = {-EISDIR, -ENXIO,  -ENOTDIR, -EFBIG, -ENOLINK,
				     -ENOENT, -EACCES, -EPERM,   -EIO};

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(errors); i++) {
		g_autofree char *text = nb_config_explain_read(errors[i]);
		const char *remedy = strchr(text, ';');

		assert_non_null(remedy);
		assert_true(strlen(remedy) > 10);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		MACHINE_TEST(finds_no_dropins_where_there_are_none),
		MACHINE_TEST(sorts_dropins_of_all_places_by_name),
		MACHINE_TEST(hides_the_same_name_in_lesser_places),
		MACHINE_TEST(passes_over_what_is_not_named_as_a_dropin),
		MACHINE_TEST(names_the_directory_that_is_none),
		MACHINE_TEST(reads_a_file),
		MACHINE_TEST(takes_a_link_to_dev_null_as_empty),
		cmocka_unit_test(does_not_read_devices_that_never_end),
		MACHINE_TEST(tells_a_link_to_nowhere_from_a_missing_file),
		MACHINE_TEST(refuses_a_directory),
		MACHINE_TEST(refuses_a_fifo_and_does_not_wait_for_it),
		MACHINE_TEST(refuses_a_file_above_one_mebibyte),
		cmocka_unit_test(explains_every_failure_with_a_remedy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
