/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/glob.h"
#include "support/support.h"

#include <fnmatch.h>
#include <string.h>

static void assert_taken(const char *glob, const char *name)
{
	assert_null(nb_glob_explain(glob));
	assert_int_equal(fnmatch(glob, name, 0), 0);
}

static void assert_refused(const char *glob, const char *why)
{
	const char *fault = nb_glob_explain(glob);

	assert_non_null(fault);
	assert_true(g_str_has_prefix(fault, why));
	assert_non_null(strstr(fault, "; "));
}

static void takes_what_fnmatch_matches(void **state)
{
	(void)state;
	assert_taken("eth*", "eth0");
	assert_taken("eth[0-3]", "eth2");
	assert_taken("eth[!0-3]", "eth4");
	assert_taken("eth[[:digit:]]", "eth7");
	assert_taken("eth[[:digit:][:alpha:]]", "ethx");
	assert_taken("a[]]b", "a]b");
	assert_taken("a[!]]b", "a.b");
	assert_taken("a[\\]]b", "a]b");
	assert_taken("a[[]b", "a[b");
	assert_taken("a[[:]b", "a:b");
	assert_taken("a[0-9][0-9]", "a12");
	assert_taken("a]", "a]");
	assert_taken("a\\[0", "a[0");
	assert_taken("a\\\\", "a\\");
}

static void refuses_a_bracket_that_is_not_closed(void **state)
{
	static const char *const globs[] = {"eth[0-9",    "eth[",          "eth[]",    "eth[!]",
					    "a[0-9][0-9", "eth[[:digit:]", "eth[0\\]", "eth[\\",
					    "a[[.a.]",    "a\\\\[0"};

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(globs); i++)
		assert_refused(globs[i], "a [ is not closed");
}

static void refuses_a_range_that_ends_before_it_begins(void **state)
{
	(void)state;
	assert_refused("eth[9-0]", "a range");
	assert_refused("eth[0-9z-a]", "a range");
	assert_refused("eth[]-!]", "a range");
	assert_refused("eth[\\z-\\a]", "a range");
	assert_taken("eth[0-0]", "eth0");
	assert_taken("eth[9-]", "eth-");
	assert_taken("eth[-0]", "eth-");
	assert_taken("eth[!-0]", "eth1");
	assert_taken("eth[+--]", "eth,");
	assert_taken("eth[[.0.]-9]", "eth5");
}

static void refuses_a_class_that_there_is_not(void **state)
{
	(void)state;
	assert_refused("eth[[:digits:]]", "no class");
	assert_refused("eth[[:dig:]]", "no class");
	assert_refused("eth[a[::]]", "no class");
	assert_taken("eth[[:xdigit:]]", "ethf");
	assert_taken("eth[:x:]", "eth:");
}

static void refuses_a_backslash_that_nothing_follows(void **state)
{
	(void)state;
	assert_refused("eth\\", "nothing follows");
	assert_refused("eth\\\\\\", "nothing follows");
}

static void refuses_a_word_that_looks_like_a_comment(void **state)
{
	(void)state;
	assert_refused("foo* # of the vendor", "a comment");
	assert_refused("foo*\t;", "a comment");
	assert_refused("#foo", "a comment");
	assert_taken("foo#1", "foo#1");
	assert_taken("foo[ #;]", "foo#");
	assert_taken("foo \\#1", "foo #1");
}

static void refuses_quotes(void **state)
{
	(void)state;
	assert_refused("\"eth0\"", "quotes");
	assert_refused("'eth*'", "quotes");
	assert_taken("x'1", "x'1");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_what_fnmatch_matches),
		cmocka_unit_test(refuses_a_bracket_that_is_not_closed),
		cmocka_unit_test(refuses_a_range_that_ends_before_it_begins),
		cmocka_unit_test(refuses_a_class_that_there_is_not),
		cmocka_unit_test(refuses_a_backslash_that_nothing_follows),
		cmocka_unit_test(refuses_a_word_that_looks_like_a_comment),
		cmocka_unit_test(refuses_quotes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
