/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/ini.h"
#include "support/support.h"

#include <string.h>

/* Everything a text holds, one item a line: "1 [Balance]", "2 Hot=70%", "3 ! fault". */
static char *read_all(const char *text, size_t len)
{
	g_autoptr(nb_ini) ini = nb_ini_new(text, len);
	GString *all = g_string_new(NULL);
	struct nb_ini_item item;

	while (nb_ini_next(ini, &item)) {
		g_string_append_printf(all, "%u ", item.line);
		switch (item.kind) {
		case NB_INI_SECTION:
			g_string_append_printf(all, "[%s|%s]\n", item.name, item.value);
			break;
		case NB_INI_ASSIGNMENT:
			g_string_append_printf(all, "%s=%s\n", item.name, item.value);
			break;
		case NB_INI_FAULT:
			g_string_append_printf(all, "! %s\n", item.value);
			break;
		}
	}
	return g_string_free(all, FALSE);
}

static void assert_reads(const char *text, const char *expected)
{
	g_autofree char *all = read_all(text, strlen(text));

	assert_string_equal(all, expected);
}

/* expected is the beginning of the fault in the given line, the only item behind a section. */
static void assert_fault(const char *text, size_t len, const char *expected)
{
	g_autofree char *all = read_all(text, len);

	if (!g_str_has_prefix(all, expected))
		fail_msg("\"%s\" does not begin with \"%s\"", all, expected);
	assert_non_null(strchr(all, ';')); /* the remedy */
	assert_ptr_equal(strchr(all, '\n'), all + strlen(all) - 1);
}

static void knows_the_line_of_each_item(void **state)
{
	(void)state;
	assert_reads("# comment\n\n[Balance]\n; another\nHot=70%\n  \t\nGap=15%",
		     "3 [Balance|]\n5 Hot=70%\n7 Gap=15%\n");
}

static void cuts_white_space_around_words(void **state)
{
	(void)state;
	assert_reads("  [ Device   eth* ]  \r\n\t Ignore \t=  yes \r\n",
		     "1 [Device|eth*]\n2 Ignore=yes\n");
}

static void gives_an_empty_value_for_nothing_behind_the_equals_sign(void **state)
{
	(void)state;
	assert_reads("[A]\nB=\nC=  \n", "1 [A|]\n2 B=\n3 C=\n");
}

static void keeps_what_looks_like_a_comment_inside_a_value(void **state)
{
	(void)state;
	assert_reads("[A]\nB=1 # 2\nC=a=b;c\n", "1 [A|]\n2 B=1 # 2\n3 C=a=b;c\n");
}

static void takes_brackets_inside_a_section(void **state)
{
	(void)state;
	assert_reads("[Device eth[0-3]]\n", "1 [Device|eth[0-3]]\n");
}

static void takes_empty_texts(void **state)
{
	(void)state;
	assert_reads("", "");
	assert_reads("\n\n", "");
	assert_reads("\xef\xbb\xbf", "");
}

static void skips_a_byte_order_mark(void **state)
{
	(void)state;
	assert_reads("\xef\xbb\xbf[A]\nB=1\n", "1 [A|]\n2 B=1\n");
}

static void refuses_what_is_not_text(void **state)
{
	static const char nul[] = "Hot=7\0%\n";

	(void)state;
	assert_fault(nul, sizeof(nul) - 1, "1 ! the line holds a NUL byte");
	assert_fault("# caf\xe9\n", 7, "1 ! the line is not valid UTF-8");
}

static void refuses_lines_that_are_too_long(void **state)
{
	g_autofree char *longest = g_strnfill(NB_INI_LINE_MAX, '#');
	g_autofree char *too_long = g_strnfill(NB_INI_LINE_MAX + 1, '#');

	(void)state;
	assert_reads(longest, "");
	assert_fault(too_long, strlen(too_long), "1 ! the line is longer than 4096 bytes");
}

static void refuses_lines_that_say_nothing(void **state)
{
	(void)state;
	assert_fault("Hot\n", 4, "1 ! the line is neither a section nor an assignment");
	assert_fault("=70%\n", 5, "1 ! there is no key before =");
	assert_fault("[]\n", 3, "1 ! the section has no name");
	assert_fault("[  ]\n", 5, "1 ! the section has no name");
	assert_fault("[\n", 2, "1 ! the section header does not end in ]");
	assert_fault("[Balance] # x\n", 14, "1 ! the section header does not end in ]");
}

static void refuses_continued_lines(void **state)
{
	(void)state;
	assert_reads("[A]\nB=1 \\\nC=2\n", "1 [A|]\n"
					   "2 ! a line cannot be continued with a backslash; "
					   "write the whole value on one line\n"
					   "3 C=2\n");
}

static void refuses_assignments_before_the_first_section(void **state)
{
	(void)state;
	assert_fault("Hot=70%\n", 8, "1 ! the assignment stands before the first section");
}

static void leaves_out_what_stands_below_a_broken_header(void **state)
{
	(void)state;
	assert_reads("[A\nB=1\n[C]\nD=2\n", "1 ! the section header does not end in ]; "
					    "write it on a line of its own, as [Name]\n"
					    "3 [C|]\n4 D=2\n");
	assert_reads("[A]\n[\xff]\nB=1\n",
		     "1 [A|]\n"
		     "2 ! the line is not valid UTF-8; save the file as plain UTF-8 text\n");
}

static void reads_no_byte_beyond_the_length(void **state)
{
	/* On the heap without a NUL: the address sanitizer sees a step too far. */
	static const char text[] = "[A]\nB=1";
	g_autofree char *copy = g_malloc(sizeof(text) - 1);
	g_autofree char *all = NULL;

	(void)state;
	memcpy(copy, text, sizeof(text) - 1);
	all = read_all(copy, sizeof(text) - 1);
	assert_string_equal(all, "1 [A|]\n2 B=1\n");
}

/* Every prefix and every single changed byte of a good file: no crash, and line numbers that only
 * grow. */
static void survives_any_damage(void **state)
{
	static const char text[] = "# c\n[Balance]\nHot=70%\n[Device eth*]\nIgnore=yes\n";
	static const char bytes[] = {'\0', '\n', '[', ']', '=', '\\', '\xff', ' '};

	(void)state;
	for (size_t i = 0; i < sizeof(text) - 1; i++) {
		for (size_t j = 0; j < sizeof(bytes); j++) {
			g_autofree char *copy = g_strdup(text);
			g_autoptr(nb_ini) ini = NULL;
			struct nb_ini_item item;
			unsigned line = 0;

			copy[i] = bytes[j];
			ini = nb_ini_new(copy, j == 0 ? i : sizeof(text) - 1);
			while (nb_ini_next(ini, &item)) {
				assert_true(item.line > line);
				assert_non_null(item.name);
				assert_non_null(item.value);
				line = item.line;
			}
			assert_true(line <= 6);
		}
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_the_line_of_each_item),
		cmocka_unit_test(cuts_white_space_around_words),
		cmocka_unit_test(gives_an_empty_value_for_nothing_behind_the_equals_sign),
		cmocka_unit_test(keeps_what_looks_like_a_comment_inside_a_value),
		cmocka_unit_test(takes_brackets_inside_a_section),
		cmocka_unit_test(takes_empty_texts),
		cmocka_unit_test(skips_a_byte_order_mark),
		cmocka_unit_test(refuses_what_is_not_text),
		cmocka_unit_test(refuses_lines_that_are_too_long),
		cmocka_unit_test(refuses_lines_that_say_nothing),
		cmocka_unit_test(refuses_continued_lines),
		cmocka_unit_test(refuses_assignments_before_the_first_section),
		cmocka_unit_test(leaves_out_what_stands_below_a_broken_header),
		cmocka_unit_test(reads_no_byte_beyond_the_length),
		cmocka_unit_test(survives_any_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
