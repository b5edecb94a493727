/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/check.h"
#include "config/draft.h"
#include "config/settings.h"
#include "support/support.h"

struct fixture {
	struct nb_config *config;
	bool *broken;
	GPtrArray *faults;
};

static int set_up(void **state)
{
	struct fixture *fixture = g_new0(struct fixture, 1);

	fixture->config = nb_config_new_default();
	fixture->broken = g_new0(bool, nb_settings_count());
	fixture->faults = g_ptr_array_new_with_free_func(g_free);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	nb_config_free(fixture->config);
	g_ptr_array_unref(fixture->faults);
	g_free(fixture->broken);
	g_free(fixture);
	return 0;
}

static unsigned set(struct fixture *fixture, const char *section, const char *key, const char *text,
		    const char *origin)
{
	int row = nb_settings_find(section, key);

	assert_true(row >= 0);
	assert_int_equal(nb_setting_assign(nb_settings_row((unsigned)row), fixture->config, text),
			 0);
	g_ptr_array_index(fixture->config->origins, (unsigned)row) = g_strdup(origin);
	return (unsigned)row;
}

static void assert_one_fault(struct fixture *fixture, const char *expected)
{
	nb_config_check(fixture->config, fixture->broken, fixture->faults);
	assert_int_equal(fixture->faults->len, 1);
	assert_string_equal(g_ptr_array_index(fixture->faults, 0), expected);
}

static void finds_nothing_wrong_with_the_defaults(void **state)
{
	struct fixture *fixture = *state;

	nb_config_check(fixture->config, fixture->broken, fixture->faults);
	assert_int_equal(fixture->faults->len, 0);
}

static void wants_panic_above_hot(void **state)
{
	set(*state, "Balance", "Panic", "60%", "/etc/a.conf:3");
	assert_one_fault(*state, "/etc/a.conf:3: Panic=60% is not above Hot=70% (the default); "
				 "raise Panic= or lower Hot=");
}

static void does_not_take_panic_equal_to_hot(void **state)
{
	set(*state, "Balance", "Hot", "90%", "/etc/a.conf:2");
	assert_one_fault(*state, "/etc/a.conf:2: Hot=90% is not below Panic=90% (the default); "
				 "lower Hot= or raise Panic=");
}

static void names_both_lines(void **state)
{
	set(*state, "Balance", "Hot", "80%", "/etc/a.conf:2");
	set(*state, "Balance", "Panic", "75%", "/etc/b.conf:9");
	assert_one_fault(*state, "/etc/b.conf:9: Panic=75% is not above Hot=80% (/etc/a.conf:2); "
				 "raise Panic= or lower Hot=");
}

static void wants_a_panic_to_wait_no_longer_than_other_rounds(void **state)
{
	set(*state, "Balance", "PanicCooldownSec", "10s", "/etc/a.conf:3");
	assert_one_fault(*state, "/etc/a.conf:3: PanicCooldownSec=10s is above CooldownSec=5s "
				 "(the default); lower PanicCooldownSec= or raise CooldownSec=");
}

static void wants_no_audit_between_two_cycles(void **state)
{
	set(*state, "Daemon", "CompleteSampleSec", "500ms", "/etc/a.conf:3");
	assert_one_fault(
		*state,
		"/etc/a.conf:3: CompleteSampleSec=500ms is below IntervalSec=1s (the default); "
		"raise CompleteSampleSec= or lower IntervalSec=");
}

static void takes_an_audit_in_every_cycle(void **state)
{
	struct fixture *fixture = *state;

	set(fixture, "Daemon", "CompleteSampleSec", "1s", "/etc/a.conf:3");
	nb_config_check(fixture->config, fixture->broken, fixture->faults);
	assert_int_equal(fixture->faults->len, 0);
}

static void passes_over_a_value_that_could_not_be_read(void **state)
{
	struct fixture *fixture = *state;
	unsigned row = set(fixture, "Balance", "Panic", "60%", "/etc/a.conf:3");

	fixture->broken[row] = true;
	nb_config_check(fixture->config, fixture->broken, fixture->faults);
	assert_int_equal(fixture->faults->len, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	static const struct CMUnitTest tests[] = {
		TEST(finds_nothing_wrong_with_the_defaults),
		TEST(wants_panic_above_hot),
		TEST(does_not_take_panic_equal_to_hot),
		TEST(names_both_lines),
		TEST(wants_a_panic_to_wait_no_longer_than_other_rounds),
		TEST(wants_no_audit_between_two_cycles),
		TEST(takes_an_audit_in_every_cycle),
		TEST(passes_over_a_value_that_could_not_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
