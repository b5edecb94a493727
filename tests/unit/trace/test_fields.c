/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/fields.h"

#include "support/support.h"

static struct nb_trace_fields fields_of(const char *line)
{
	return (struct nb_trace_fields){.at = line, .end = line + strlen(line)};
}

static void takes_one_field_after_another(void **state)
{
	struct nb_trace_fields fields = fields_of("1.4 -  x");
	struct nb_trace_field field;
	struct nb_queue_key key;
	int cpu = 0;

	(void)state;
	assert_true(nb_trace_take_queue(&fields, &key));
	assert_int_equal(key.ifindex, 1);
	assert_int_equal(key.index, 4);
	assert_true(nb_trace_take_perhaps(&fields, 9, &cpu));
	assert_int_equal(cpu, -1);
	assert_false(nb_trace_take(&fields, &field)); /* two spaces */
}

static void nothing_stands_behind_the_last_field(void **state)
{
	struct nb_trace_fields fields = fields_of("a b ");
	struct nb_trace_field field;

	(void)state;
	assert_true(nb_trace_take(&fields, &field));
	assert_false(nb_trace_at_end(&fields));
	assert_false(nb_trace_take(&fields, &field)); /* a space at the end */
	fields = fields_of("a");
	assert_true(nb_trace_take(&fields, &field));
	assert_true(nb_trace_at_end(&fields));
	assert_false(nb_trace_take(&fields, &field));
}

static bool is_number(const char *text, uint32_t max)
{
	struct nb_trace_fields fields = fields_of(text);
	uint32_t number;

	return nb_trace_take_number(&fields, max, &number);
}

static void a_number_is_written_in_one_way(void **state)
{
	(void)state;
	assert_true(is_number("0", 0));
	assert_true(is_number("4294967295", UINT32_MAX));
	assert_false(is_number("4294967296", UINT32_MAX));
	assert_false(is_number("99999999999999999999999999", UINT32_MAX));
	assert_false(is_number("8", 7));
	assert_false(is_number("01", 7));
	assert_false(is_number("+1", 7));
	assert_false(is_number("-1", 7));
	assert_false(is_number("1x", 7));
	assert_false(is_number("", 7));
}

static bool is_range(const char *text)
{
	struct nb_trace_fields fields = fields_of(text);
	uint32_t first, last;

	return nb_trace_take_range(&fields, 100, &first, &last);
}

static void a_range_ascends(void **state)
{
	(void)state;
	assert_true(is_range("4"));
	assert_true(is_range("4-7"));
	assert_true(is_range("4-4"));
	assert_false(is_range("7-4"));
	assert_false(is_range("4-"));
	assert_false(is_range("-4"));
	assert_false(is_range("4-101"));
}

static bool is_cpus(const char *text, unsigned n)
{
	struct nb_trace_fields fields = fields_of(text);
	struct nb_cpumask cpus;

	return nb_trace_take_cpus(&fields, &cpus) && nb_cpumask_count(&cpus) == n;
}

static void cpus_are_a_list_that_holds_some(void **state)
{
	(void)state;
	assert_true(is_cpus("0-3,8", 5));
	assert_false(is_cpus("-", 0));
	assert_false(is_cpus("0-3:0/1", 0));
	assert_false(is_cpus("", 0));
	assert_false(is_cpus("(null)", 0));
	assert_false(is_cpus("0-", 1));
}

static void a_word_is_short_and_can_be_seen(void **state)
{
	char word[NB_TRACE_WORD_MAX];
	struct nb_trace_fields fields = fields_of("mlx5_core");

	(void)state;
	assert_true(nb_trace_take_word(&fields, word));
	assert_string_equal(word, "mlx5_core");
	fields = fields_of("a\tb");
	assert_false(nb_trace_take_word(&fields, word));
	fields = fields_of("0123456789012345678901234567890");
	assert_true(nb_trace_take_word(&fields, word));
	fields = fields_of("01234567890123456789012345678901");
	assert_false(nb_trace_take_word(&fields, word));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_one_field_after_another),
		cmocka_unit_test(nothing_stands_behind_the_last_field),
		cmocka_unit_test(a_number_is_written_in_one_way),
		cmocka_unit_test(a_range_ascends),
		cmocka_unit_test(cpus_are_a_list_that_holds_some),
		cmocka_unit_test(a_word_is_short_and_can_be_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
