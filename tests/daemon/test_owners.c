/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who wrote which setting, as the daemon knows it of what it did and saw. */
#include "daemon/fixture.h"

static int set_up(void **state)
{
	int r = set_up_machine(state, "");

	if (r < 0)
		return r;
	pile_up(*state);
	return start_daemon(*state);
}

/* As read now. */
static char *owners(struct fixture *f)
{
	f->daemon->owners.until_nsec = 0;
	return nb_daemon_describe_owners(f->daemon);
}

/* What is told of the affinity of an interrupt, from its value on. */
static void assert_affinity(struct fixture *f, unsigned irq, const char *expected)
{
	g_autofree char *text = owners(f);
	g_autofree char *part =
		g_strdup_printf("\"irq\":%u,\"setting\":\"affinity\",\"value\":%s", irq, expected);

	if (!strstr(text, part))
		fail_msg("no %s in %s", part, text);
}

static void what_was_found_is_ours_once_it_is_moved(void **state)
{
	struct fixture *f = *state;

	look(f);
	assert_affinity(f, FIRST_IRQ + 1, "\"0\",\"who\":\"found\",\"owner\":null,\"since\":null}");
	for (unsigned i = 0; i < 5; i++)
		look(f);
	assert_int_not_equal(pointed_at(f, FIRST_IRQ + 1), 0);
	assert_affinity(f, FIRST_IRQ, "\"0\",\"who\":\"found\"");
	for (unsigned i = 1; i < N_IRQS; i++) {
		g_autofree char *expected =
			g_strdup_printf("\"%d\",\"who\":\"ours\",\"owner\":null,\"since\":\"2",
					pointed_at(f, FIRST_IRQ + i));

		assert_affinity(f, FIRST_IRQ + i, expected);
	}
}

static void what_another_program_writes_then_is_foreign(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 5; i++)
		look(f);
	point(f, FIRST_IRQ + 3, 0);
	f->now_nsec += 10 * NB_NSEC_PER_SEC;
	for (unsigned i = 0; i < 3; i++)
		look(f);
	assert_affinity(f, FIRST_IRQ + 3, "\"0\",\"who\":\"foreign\",\"owner\":null,\"since\":\"2");
}

/* Who asks without pause must not keep the daemon reading. */
static void what_was_read_lasts_for_a_while(void **state)
{
	struct fixture *f = *state;
	g_autofree char *before = NULL;
	g_autofree char *again = NULL;
	g_autofree char *later = NULL;

	look(f);
	before = owners(f);
	assert_true(f->daemon->owners.until_nsec > nb_daemon_now_nsec());
	f->daemon->owners.until_nsec = UINT64_MAX;
	nb_tmp_write(f->options.root, "proc/sys/net/core/rps_sock_flow_entries", "4096\n");
	again = nb_daemon_describe_owners(f->daemon);
	assert_string_equal(again, before);
	later = owners(f);
	assert_non_null(strstr(later, "4096 entries"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_was_found_is_ours_once_it_is_moved),
		TEST(what_another_program_writes_then_is_foreign),
		TEST(what_was_read_lasts_for_a_while),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
