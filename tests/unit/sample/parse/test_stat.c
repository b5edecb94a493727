/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/parse/parse.h"
#include "support/support.h"

#include <errno.h>

#define MSEC UINT64_C(1000000)

static const char good[] = "cpu  30 0 0 0 0 0 0 0 0 0\n"
			   "cpu0 1 2 3 40 5 6 7 8 1 0\n"
			   "cpu5 10 20 30 400 50 60 70 80 9 0\n"
			   "intr 99 0 1 2\n"
			   "ctxt 5\n";

static int parse(const char *text, struct nb_cpu_counters *cpus, unsigned n)
{
	return nb_parse_stat(text, strlen(text), 100, cpus, n);
}

static void ticks_become_nanoseconds(void **state)
{
	struct nb_cpu_counters cpus[] = {{.id = 0}, {.id = 5}};

	(void)state;
	assert_int_equal(parse(good, cpus, 2), 0);
	assert_int_equal(cpus[0].user_nsec, 60 * MSEC);
	assert_int_equal(cpus[0].idle_nsec, 450 * MSEC);
	assert_int_equal(cpus[0].irq_nsec, 60 * MSEC);
	assert_int_equal(cpus[0].softirq_nsec, 70 * MSEC);
	assert_int_equal(cpus[0].steal_nsec, 80 * MSEC);
	assert_int_equal(cpus[1].user_nsec, 600 * MSEC);
	assert_int_equal(cpus[1].idle_nsec, 4500 * MSEC);
}

static void guest_time_is_not_counted_twice(void **state)
{
	struct nb_cpu_counters with = {0}, without = {0};

	(void)state;
	assert_int_equal(parse("cpu0 9 1 1 1 1 1 1 1 9 1\nintr 0\n", &with, 1), 0);
	assert_int_equal(parse("cpu0 9 1 1 1 1 1 1 1 0 0\nintr 0\n", &without, 1), 0);
	assert_int_equal(with.user_nsec, without.user_nsec);
}

static void nothing_behind_intr_is_looked_at(void **state)
{
	struct nb_cpu_counters cpu = {0};

	(void)state;
	assert_int_equal(parse("cpu0 1 1 1 1 1 1 1 1\nintr 5\ngarbage", &cpu, 1), 0);
}

static void other_cpus_ask_for_a_rescan(void **state)
{
	struct nb_cpu_counters more[] = {{.id = 0}, {.id = 5}, {.id = 6}};
	struct nb_cpu_counters other[] = {{.id = 0}, {.id = 4}};

	(void)state;
	assert_int_equal(parse(good, more, 3), -ESTALE);
	assert_int_equal(parse(good, other, 2), -ESTALE);
	assert_int_equal(parse(good, more, 1), -ESTALE);
}

static void a_text_cut_anywhere_before_intr_is_bad(void **state)
{
	size_t needed = (size_t)(strstr(good, "ctxt") - good);

	(void)state;
	for (size_t len = 0; len < needed; len++) {
		struct nb_cpu_counters cpus[] = {{.id = 0}, {.id = 5}};

		assert_int_equal(nb_parse_stat(good, len, 100, cpus, 2), -EBADMSG);
	}
}

static void garbage_is_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"\n",
		"hello\nintr 0\n",
		"cpux 1 1 1 1 1 1 1 1\nintr 0\n",
		"cpu0 1 1 1 1 1 1 1\nintr 0\n",
		"cpu0 1 1 x 1 1 1 1 1\nintr 0\n",
		"cpu0 1 1 -1 1 1 1 1 1\nintr 0\n",
		"cpu0 99999999999999999999 1 1 1 1 1 1 1\nintr 0\n",
		"cpu0 00000000000000000001 1 1 1 1 1 1 1\nintr 0\n",
		"cpu0 18446744073709551617 1 1 1 1 1 1 1\nintr 0\n",
		"cpu18446744073709551616 1 1 1 1 1 1 1 1\nintr 0\n",
		"cpu0 18446744073709551615 1 1 1 1 1 1 1\nintr 0\n",
	};

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(bad); i++) {
		struct nb_cpu_counters cpu = {0};

		assert_int_equal(parse(bad[i], &cpu, 1), -EBADMSG);
	}
}

static const char good_intr[] = "cpu  30 0 0 0 0 0 0 0 0 0\n"
				"cpu0 1 2 3 40 5 6 7 8 1 0\n"
				"intr 18446744073709 7 0 0 4294967295 12\n"
				"ctxt 5\n";

static void counts_stand_at_the_number_of_their_interrupt(void **state)
{
	g_autoptr(GArray) counts = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	static const uint32_t expected[] = {7, 0, 0, UINT32_MAX, 12};

	(void)state;
	assert_int_equal(nb_parse_intr(good_intr, strlen(good_intr), counts), 0);
	assert_int_equal(counts->len, 5);
	assert_memory_equal(counts->data, expected, sizeof(expected));
	assert_int_equal(nb_parse_intr("intr 0\n", 7, counts), 0);
	assert_int_equal(counts->len, 0);
}

static void a_text_cut_before_the_end_of_intr_is_bad(void **state)
{
	g_autoptr(GArray) counts = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	size_t needed = (size_t)(strstr(good_intr, "ctxt") - good_intr);

	(void)state;
	for (size_t len = 0; len < needed; len++)
		assert_int_equal(nb_parse_intr(good_intr, len, counts), -EBADMSG);
	assert_int_equal(nb_parse_intr(good_intr, needed, counts), 0);
}

static void garbage_behind_intr_is_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"\n",
		"intr\n",
		"intr \n",
		"intr x\n",
		"intr 5 1,2\n",
		"intr 5 4294967296\n",
		"intr 5 -1\n",
		"xintr 5 1\n",
	};
	g_autoptr(GArray) counts = g_array_new(FALSE, FALSE, sizeof(uint32_t));

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(bad); i++)
		assert_int_equal(nb_parse_intr(bad[i], strlen(bad[i]), counts), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ticks_become_nanoseconds),
		cmocka_unit_test(guest_time_is_not_counted_twice),
		cmocka_unit_test(nothing_behind_intr_is_looked_at),
		cmocka_unit_test(other_cpus_ask_for_a_rescan),
		cmocka_unit_test(a_text_cut_anywhere_before_intr_is_bad),
		cmocka_unit_test(garbage_is_refused),
		cmocka_unit_test(counts_stand_at_the_number_of_their_interrupt),
		cmocka_unit_test(a_text_cut_before_the_end_of_intr_is_bad),
		cmocka_unit_test(garbage_behind_intr_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
