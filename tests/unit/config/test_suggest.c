/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/suggest.h"
#include "support/support.h"

static void assert_section(const char *section, const char *expected)
{
	g_autofree char *got = nb_suggest_section(section);

	assert_string_equal(got, expected);
}

static void assert_key(const char *section, const char *key, const char *expected)
{
	g_autofree char *got = nb_suggest_key(section, key);

	assert_string_equal(got, expected);
}

static void knows_a_slip_of_the_pen(void **state)
{
	(void)state;
	assert_section("Balanse", "did you mean [Balance]?");
	assert_section("balance", "did you mean [Balance]?");
	assert_section("rps", "did you mean [RPS]?");
	assert_key("Balance", "hot", "did you mean Hot=?");
	assert_key("Balance", "BanedCPUs", "did you mean BannedCPUs=?");
	assert_key("Balance", "SiblingsWeight", "did you mean SiblingWeight=?");
}

static void knows_a_key_that_was_cut_short(void **state)
{
	(void)state;
	assert_key("Daemon", "Interval", "did you mean IntervalSec=?");
	assert_key("Balance", "Cooldown", "did you mean CooldownSec=?");
}

static void knows_a_key_of_another_section(void **state)
{
	(void)state;
	assert_key("Daemon", "Hot", "did you mean Hot= in section [Balance]?");
	assert_key("RPS", "DwelSec", "did you mean DwellSec=?");
}

static void lists_what_there_is_when_nothing_is_near(void **state)
{
	(void)state;
	assert_section(
		"Network",
		"the sections are [Daemon], [Balance], [RPS], [RSS], [XPS], [Device MATCH], [Interrupt MATCH]");
	assert_key(
		"Daemon", "Colour",
		"its keys are Mode=, Profile=, IntervalSec=, CompleteSampleSec=, Probe=, ProbeBudget=, Delays=");
	assert_key(
		"Daemon", "",
		"its keys are Mode=, Profile=, IntervalSec=, CompleteSampleSec=, Probe=, ProbeBudget=, Delays=");
}

static void is_not_held_up_by_long_words(void **state)
{
	g_autofree char *word = g_strnfill(4000, 'x');

	(void)state;
	assert_key(
		"Daemon", word,
		"its keys are Mode=, Profile=, IntervalSec=, CompleteSampleSec=, Probe=, ProbeBudget=, Delays=");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_a_slip_of_the_pen),
		cmocka_unit_test(knows_a_key_that_was_cut_short),
		cmocka_unit_test(knows_a_key_of_another_section),
		cmocka_unit_test(lists_what_there_is_when_nothing_is_near),
		cmocka_unit_test(is_not_held_up_by_long_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
