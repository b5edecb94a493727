/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "apply/thread.h"

#include "support/support.h"

#include <errno.h>

#define REST " S 2 0 0 0 -1 2129984 0 0 0 0 0 1 0 0 20 0 1 0 4711 0 0 18446744073709551615 0\n"
#define LONGEST "napi/4567890123456789012345678901234567890123456789012345678901"

static int parse(const char *text, struct nb_thread *ret)
{
	return nb_thread_parse_stat(text, strlen(text), ret);
}

static void a_napi_thread_is_known_by_its_name_and_when_it_began(void **state)
{
	struct nb_thread thread;

	(void)state;
	assert_int_equal(parse("93 (napi/eth0-8193)" REST, &thread), 0);
	assert_string_equal(thread.name, "napi/eth0-8193");
	assert_true(thread.began == 4711);
	/* A name may contain what ends it. */
	assert_int_equal(parse("93 (napi/e) S (0-8193)" REST, &thread), 0);
	assert_string_equal(thread.name, "napi/e) S (0-8193");
	/* As long as the kernel shows one. */
	assert_int_equal(parse("93 (" LONGEST ")" REST, &thread), 0);
	assert_int_equal(strlen(thread.name), NB_THREAD_NAME_MAX - 1);
}

static void no_other_task_is_one(void **state)
{
	static const char *const others[] = {
		"2 (kthreadd)" REST,
		"93 (xnapi/eth0-8193)" REST,
		/* Not a kernel thread. */
		"93 (napi/eth0-8193) S 1 0 0 0 -1 4194560 0 0 0 0 0 1 0 0 20 0 1 0 4711 0\n",
		"93 (napi/eth0\n-8193)" REST,
		"93 (napi/eth0\t-8193)" REST,
		"93 (" LONGEST "x)" REST,
	};
	struct nb_thread thread = {.began = 1};

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(others); i++)
		assert_int_equal(parse(others[i], &thread), -ENOENT);
	assert_true(thread.began == 1);
}

static void what_is_no_stat_is_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"93",
		"93 )napi/eth0-1(" REST,
		"93 (napi/eth0-1",
		"93 (napi/eth0-1)",
		"93 (napi/eth0-1) S 2 0 0 0 -1 2129984 0 0 0 0 0 1 0 0 20 0 1 0",
		"93 (napi/eth0-1) S 2 0 0 0 -1 x 0 0 0 0 0 1 0 0 20 0 1 0 4711 0",
		"93 (napi/eth0-1) S 2 0 0 0 -1 4294967296 0 0 0 0 0 1 0 0 20 0 1 0 4711 0",
		"93 (napi/eth0-1) S 2 0 0 0 -1 2129984 0 0 0 0 0 1 0 0 20 0 1 0 x 0",
	};
	struct nb_thread thread;

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(bad); i++)
		assert_int_equal(parse(bad[i], &thread), -EBADMSG);
	assert_int_equal(nb_thread_parse_stat("93 (napi/\0eth0-1)" REST, 80, &thread), -EBADMSG);
}

static int parse_status(const char *text, struct nb_cpumask *ret)
{
	return nb_thread_parse_status(text, strlen(text), ret);
}

static void the_affinity_is_that_of_cpus_not_of_nodes(void **state)
{
	struct nb_cpumask cpus = {};

	(void)state;
	assert_int_equal(parse_status("Name:\tnapi/eth0-8193\nCpus_allowed:\t3,00000001\n"
				      "Cpus_allowed_list:\t0,32-33\nMems_allowed:\t1\n",
				      &cpus),
			 0);
	assert_true(cpus.words[0] == 0x300000001);
	assert_int_equal(parse_status("Name:\tx\n", &cpus), -EBADMSG);
	assert_int_equal(parse_status("Name:\tx\nCpus_allowed:\t3", &cpus), -EBADMSG);
	assert_int_equal(parse_status("Name:\tx\nCpus_allowed:\tx\n", &cpus), -EBADMSG);
	assert_int_equal(parse_status("Name:\tCpus_allowed:\t3\n", &cpus), -EBADMSG);
	assert_int_equal(nb_thread_parse_status("Name:\tx\nCpus_allowed:\t3\n", 23, &cpus),
			 -EBADMSG);
	assert_true(cpus.words[0] == 0x300000001);
}

static void a_pid_that_nothing_has_is_no_thread(void **state)
{
	char *dir = nb_tmp_make();
	g_autoptr(nb_sysroot) root = NULL;
	struct nb_cpumask cpus;
	struct nb_thread thread;

	(void)state;
	assert_int_equal(nb_sysroot_open(dir, &root), 0);
	assert_int_equal(nb_thread_find(root, 93, &thread), -ENOENT);
	assert_int_equal(nb_thread_read_cpus(root, 93, &cpus), -ENOENT);
	nb_tmp_write(dir, "proc/93/stat", "93 (napi/eth0-8193)" REST);
	nb_tmp_write(dir, "proc/93/status", "Name:\tx\nCpus_allowed:\t5\n");
	assert_int_equal(nb_thread_find(root, 93, &thread), 0);
	assert_int_equal(nb_thread_read_cpus(root, 93, &cpus), 0);
	assert_true(cpus.words[0] == 5);
	nb_tmp_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_napi_thread_is_known_by_its_name_and_when_it_began),
		cmocka_unit_test(no_other_task_is_one),
		cmocka_unit_test(what_is_no_stat_is_refused),
		cmocka_unit_test(the_affinity_is_that_of_cpus_not_of_nodes),
		cmocka_unit_test(a_pid_that_nothing_has_is_no_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
