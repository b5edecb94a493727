/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/discover/link_file.h"

#include "base/cpumask_text.h"
#include "unit/sample/machine.h"

#include <errno.h>

#define RECORD "run/udev/data/n2"
#define LINK "etc/systemd/network/10-lan.link"
#define DROPIN "run/systemd/network/10-lan.link.d/cpus.conf"

static int set_up(void **state)
{
	*state = nb_tmp_make();
	nb_tmp_write(*state, RECORD,
		     "I:1234\nE:ID_BUS=pci\nE:ID_NET_LINK_FILE=/" LINK
		     "\nE:ID_NET_LINK_FILE_DROPINS=/" DROPIN "\nG:systemd\n");
	return 0;
}

static int tear_down(void **state)
{
	nb_tmp_remove(*state);
	return 0;
}

static struct nb_link_settings read_settings(const char *dir, int ifindex)
{
	g_autoptr(nb_sysroot) root = nb_machine_open(dir);
	g_autofree char *fault = NULL;
	struct nb_link_settings settings;

	assert_int_equal(nb_link_file_read(root, ifindex, &settings, &fault), 0);
	assert_null(fault);
	return settings;
}

static void assert_cpus(const char *dir, int ifindex, const char *expected)
{
	const struct nb_link_settings settings = read_settings(dir, ifindex);
	g_autofree char *list = nb_cpumask_format_list(&settings.cpus);

	assert_string_equal(list, expected);
}

static void the_file_that_udev_names_says_it(void **state)
{
	nb_tmp_write(*state, LINK,
		     "[Match]\nIRQAffinity=9\n[Link]\nIRQAffinityPolicy=spread\nIRQAffinity=4-5\n");
	nb_tmp_write(*state, "etc/systemd/network/99-other.link", "[Link]\nIRQAffinity=1\n");
	assert_cpus(*state, 2, "4-5");
	assert_cpus(*state, 3, "");
}

static void assignments_add_up_and_an_empty_one_begins_anew(void **state)
{
	nb_tmp_write(*state, LINK, "[Link]\nIRQAffinity=1, 3\nIRQAffinity=5-6 8\n");
	assert_cpus(*state, 2, "1,3,5-6,8");
	nb_tmp_write(*state, DROPIN, "[Link]\nIRQAffinity=2\n");
	assert_cpus(*state, 2, "1-3,5-6,8");
	nb_tmp_write(*state, DROPIN, "[Link]\nIRQAffinity=\nIRQAffinity=2\n");
	assert_cpus(*state, 2, "2");
}

/* Of those that are named, or of all. */
static void a_single_cpu_is_the_first(void **state)
{
	nb_tmp_write(*state, LINK, "[Link]\nIRQAffinityPolicy=single\n");
	assert_cpus(*state, 2, "0");
	nb_tmp_write(*state, DROPIN, "[Link]\nIRQAffinity=5-6,3\n");
	assert_cpus(*state, 2, "3");
	nb_tmp_write(*state, DROPIN, "[Link]\nIRQAffinityPolicy=\n");
	assert_cpus(*state, 2, "");
	nb_tmp_write(*state, LINK, "[Match]\nIRQAffinityPolicy=single\n");
	assert_cpus(*state, 2, "");
}

/* expected NULL: RPS is not limited. */
static void assert_rps(const char *dir, const char *text, const char *expected)
{
	g_autofree char *file = g_strconcat("[Link]\n", text, NULL), *list = NULL;
	struct nb_link_settings settings;

	nb_tmp_write(dir, LINK, file);
	settings = read_settings(dir, 2);
	assert_int_equal(settings.limits_rps, expected != NULL);
	list = nb_cpumask_format_list(&settings.rps);
	assert_string_equal(list, expected ? expected : "");
	assert_true(nb_cpumask_empty(&settings.cpus));
}

#define RPS "ReceivePacketSteeringCPUMask="

static void rps_may_be_limited_or_switched_off(void **state)
{
	assert_rps(*state, "", NULL);
	assert_rps(*state, RPS "4-5\n" RPS "7\n", "4-5,7");
	assert_rps(*state, RPS "4-5\n" RPS "\n", NULL);
	assert_rps(*state, RPS "4-5\n" RPS "all\n", NULL);
	assert_rps(*state, RPS "4-5\n" RPS "disable\n", "");
	assert_rps(*state, RPS "disable\n" RPS "3\n", "3");
}

static void what_is_missing_says_nothing(void **state)
{
	assert_cpus(*state, 2, "");
	nb_tmp_write(*state, DROPIN, "[Link]\nName=lan0 \\\n lan1\nIRQAffinity=2\n");
	assert_cpus(*state, 2, "2");
	nb_tmp_write(*state, RECORD, "E:ID_NET_LINK_FILE=relative\n");
	assert_cpus(*state, 2, "");
}

static void a_value_that_is_none_is_named(void **state)
{
	g_autoptr(nb_sysroot) root = nb_machine_open(*state);
	struct nb_link_settings settings;
	g_autofree char *fault = NULL;

	nb_tmp_write(*state, LINK, "[Link]\nIRQAffinity=near\n");
	assert_int_equal(nb_link_file_read(root, 2, &settings, &fault), -EINVAL);
	assert_string_equal(fault, "/" LINK ":2: IRQAffinity=near is not a list of CPUs; "
				   "write CPU numbers and ranges such as 0-3,8");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_file_that_udev_names_says_it),
		TEST(assignments_add_up_and_an_empty_one_begins_anew),
		TEST(a_single_cpu_is_the_first),
		TEST(rps_may_be_limited_or_switched_off),
		TEST(what_is_missing_says_nothing),
		TEST(a_value_that_is_none_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
