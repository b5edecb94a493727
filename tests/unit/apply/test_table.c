/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "apply/table.h"
#include "support/support.h"

#include <errno.h>

static GArray *parse(const char *text)
{
	GArray *entries = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	g_autoptr(GBytes) value = NULL;

	assert_int_equal(nb_table_parse(text, &value), 0);
	nb_table_entries(value, entries);
	return entries;
}

static char *format(const GArray *entries, unsigned n_rings)
{
	g_autoptr(GBytes) value = nb_table_value(entries, n_rings);

	return nb_table_format(value);
}

static struct nb_cpumask set_of(uint64_t word)
{
	return (struct nb_cpumask){.words = {word}};
}

/* Keeps the queues of word in the table of text: it is then expected. */
static void assert_kept(const char *text, uint64_t word, const char *expected)
{
	g_autoptr(GArray) entries = parse(text);
	struct nb_cpumask queues = set_of(word);
	g_autofree char *now = NULL;

	assert_int_equal(nb_table_keep(entries, &queues), expected != NULL);
	now = format(entries, 1000);
	assert_string_equal(now, expected ? expected : text);
}

static void a_table_has_one_text(void **state)
{
	static const char *const texts[] = {"0,2,0,2", "7", "8191,0", "default"};

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_autoptr(GArray) entries = parse(texts[i]);
		g_autofree char *text = format(entries, 3);

		assert_string_equal(text, texts[i]);
	}
}

static void the_kernels_default_is_told_by_its_number_of_queues(void **state)
{
	g_autoptr(GArray) entries = parse("0,1,2,0,1");
	g_autofree char *three = format(entries, 3), *four = format(entries, 4);

	(void)state;
	assert_string_equal(three, "default");
	assert_string_equal(four, "0,1,2,0,1");
	nb_table_fill_default(entries, 2);
	g_free(four);
	four = format(entries, 4);
	assert_string_equal(four, "0,1,0,1,0");
}

static void what_is_no_table_is_not_read(void **state)
{
	static const char *const texts[] = {"",
					    ",",
					    "0,",
					    ",0",
					    "0,,1",
					    "-1",
					    "01",
					    "0 1",
					    "8192",
					    "0x1",
					    "defaul",
					    "default,0",
					    "99999999999999999999"};
	GBytes *value = NULL;

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++)
		assert_int_equal(nb_table_parse(texts[i], &value), -EINVAL);
	assert_null(value);
}

static void entries_of_others_go_round_among_those_that_are_kept(void **state)
{
	(void)state;
	assert_kept("0,1,2,3,0,1,2,3", 0x5, "0,0,2,2,0,0,2,2");
	assert_kept("0,0,1,1,2,2,3,3", 0x9, "0,0,0,3,0,3,3,3");
	assert_kept("0,1,2,3", 0x2, "1,1,1,1");
	assert_kept("3,2,1,0", 0xf, "3,2,1,0");
}

static void a_queue_that_the_table_leaves_out_stays_out(void **state)
{
	(void)state;
	assert_kept("0,1,0,1", 0x6, "1,1,1,1");
	assert_kept("0,1,0,1", 0xc, NULL);
	assert_kept("0,1,0,1", 0, NULL);
}

static void the_queues_of_a_table_are_those_with_an_entry(void **state)
{
	g_autoptr(GArray) entries = parse("0,2,0,63");
	struct nb_cpumask queues = set_of(0xff);

	(void)state;
	nb_table_queues(entries, &queues);
	assert_int_equal(nb_cpumask_count(&queues), 3);
	assert_true(nb_cpumask_has(&queues, 63));
}

static bool is_limited(const char *now, const char *found, unsigned n_rings)
{
	g_autoptr(GArray) entries = parse(now);
	g_autoptr(GBytes) value = NULL;

	assert_int_equal(nb_table_parse(found, &value), 0);
	return nb_table_is_limited(entries, value, n_rings);
}

static void a_limited_table_is_told_from_one_in_which_entries_moved(void **state)
{
	(void)state;
	assert_true(is_limited("0,0,2,2,0,0,2,2", "default", 4));
	assert_true(is_limited("1,1,1,1", "0,1,2,3", 4));
	assert_true(is_limited("0,0,0,3,0,3,3,3", "0,0,1,1,2,2,3,3", 4));
	assert_false(is_limited("0,1,2,3,3,1,2,3", "default", 4));
	/* One queue is without an entry, but they did not go round. */
	assert_false(is_limited("0,0,2,2,0,0,2,0", "default", 4));
	assert_false(is_limited("0,2,2,3", "0,1,2,3", 4));
	assert_false(is_limited("7,7,7,7", "0,1,2,3", 8));
	/* Another size. */
	assert_false(is_limited("1,1,1", "0,1,2,3", 4));
}

static unsigned count_moved(const char *now, const char *found, unsigned n_rings)
{
	g_autoptr(GArray) entries = parse(now);
	g_autoptr(GBytes) value = NULL;

	assert_int_equal(nb_table_parse(found, &value), 0);
	return nb_table_count_moved(entries, value, n_rings);
}

static void entries_that_moved_are_counted(void **state)
{
	(void)state;
	assert_int_equal(count_moved("0,1,2,3,3,1,2,3", "default", 4), 1);
	assert_int_equal(count_moved("0,1,2,0,1,2", "default", 3), 0);
	assert_int_equal(count_moved("3,2,1,0", "0,2,1,3", 4), 2);
	assert_int_equal(count_moved("0,1,2", "0,1", 4), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_table_has_one_text),
		cmocka_unit_test(the_kernels_default_is_told_by_its_number_of_queues),
		cmocka_unit_test(what_is_no_table_is_not_read),
		cmocka_unit_test(entries_of_others_go_round_among_those_that_are_kept),
		cmocka_unit_test(a_queue_that_the_table_leaves_out_stays_out),
		cmocka_unit_test(the_queues_of_a_table_are_those_with_an_entry),
		cmocka_unit_test(a_limited_table_is_told_from_one_in_which_entries_moved),
		cmocka_unit_test(entries_that_moved_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
