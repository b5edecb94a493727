/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/draft.h"
#include "config/settings.h"
#include "nicbalance/topology.h"
#include "support/support.h"

#include <errno.h>
#include <string.h>

static const struct nb_setting *row(const char *section, const char *key)
{
	int i = nb_settings_find(section, key);

	assert_true(i >= 0);
	return nb_settings_row((unsigned)i);
}

static void takes_its_own_bounds_and_nothing_beyond(void **state)
{
	g_autoptr(nb_config) config = nb_config_new_default();
	const struct nb_setting *hot = row("Balance", "Hot");

	(void)state;
	assert_int_equal(nb_setting_assign(hot, config, "10%"), 0);
	assert_int_equal(config->policy.hot, 1000);
	assert_int_equal(nb_setting_assign(hot, config, "100%"), 0);
	assert_int_equal(config->policy.hot, NB_WHOLE);
	assert_int_equal(nb_setting_assign(hot, config, "9.99%"), -ERANGE);
	assert_int_equal(nb_setting_assign(hot, config, "100.01%"), -ERANGE);
	assert_int_equal(nb_setting_assign(hot, config, "70"), -EINVAL);
	assert_int_equal(config->policy.hot, NB_WHOLE);
}

static void every_row_takes_its_bounds_and_default(void **state)
{
	g_autoptr(nb_config) config = nb_config_new_default();

	(void)state;
	for (unsigned i = 0; i < nb_settings_count(); i++) {
		const struct nb_setting *setting = nb_settings_row(i);
		void *record = nb_config_record(config, setting->record, "eth*");
		g_autofree char *text = NULL;

		if (setting->least)
			assert_int_equal(nb_setting_assign(setting, record, setting->least), 0);
		if (setting->most)
			assert_int_equal(nb_setting_assign(setting, record, setting->most), 0);
		assert_int_equal(nb_setting_assign(setting, record, ""), 0);
		text = nb_setting_format(setting, record);
		assert_string_equal(text, setting->initial);
	}
}

static void fills_fields_of_each_type(void **state)
{
	g_autoptr(nb_config) config = nb_config_new_default();
	struct nb_device_rule *rule = nb_config_device_rule(config, "eth*");

	(void)state;
	assert_int_equal(nb_setting_assign(row("Daemon", "Mode"), config, "observe"), 0);
	assert_int_equal(config->mode, NB_MODE_OBSERVE);
	assert_int_equal(nb_setting_assign(row("Daemon", "IntervalSec"), config, "250ms"), 0);
	assert_int_equal(config->interval_nsec, 250000000);
	assert_int_equal(nb_setting_assign(row("Daemon", "Probe"), config, "no"), 0);
	assert_false(config->probe);
	assert_int_equal(nb_setting_assign(row("Daemon", "Delays"), config, "yes"), 0);
	assert_true(config->delays);
	assert_int_equal(nb_setting_assign(row("Balance", "MovesPerRound"), config, "64"), 0);
	assert_int_equal(config->policy.moves_per_round, 64);
	assert_int_equal(nb_setting_assign(row("Balance", "BannedCPUs"), config, "0-1,9"), 0);
	assert_int_equal(nb_cpumask_count(&config->policy.banned), 3);
	assert_true(nb_cpumask_has(&config->policy.banned, 9));
	assert_int_equal(nb_setting_assign(row("RPS", "Enabled"), config, "off"), 0);
	assert_false(config->policy.rps);
	assert_int_equal(nb_setting_assign(row("Device", "Ignore"), rule, "yes"), 0);
	assert_true(rule->ignore);
	assert_int_equal(nb_setting_assign(row("Device", "Interrupts"), rule, "QMan portal *"), 0);
	assert_string_equal(rule->interrupts, "QMan portal *");
	assert_int_equal(nb_setting_assign(row("Device", "Interrupts"), rule, ""), 0);
	assert_null(rule->interrupts);
	assert_int_equal(nb_setting_assign(row("Device", "CPUs"), rule, "4-7"), 0);
	assert_int_equal(nb_cpumask_count(&rule->cpus), 4);
}

static void assert_node(const char *text, int expected)
{
	g_autoptr(nb_config) config = nb_config_new_default();
	struct nb_device_rule *rule = nb_config_device_rule(config, "eth*");
	g_autofree char *shown = NULL;

	assert_int_equal(rule->node, NB_NODE_UNSET);
	assert_int_equal(nb_setting_assign(row("Device", "Node"), rule, text), 0);
	assert_int_equal(rule->node, expected);
	shown = nb_setting_format(row("Device", "Node"), rule);
	assert_string_equal(shown, text);
}

static void a_node_is_a_number_or_any(void **state)
{
	g_autoptr(nb_config) config = nb_config_new_default();
	struct nb_device_rule *rule = nb_config_device_rule(config, "eth*");
	const struct nb_setting *node = row("Device", "Node");

	(void)state;
	assert_node("0", 0);
	assert_node("3", 3);
	assert_node("any", NB_NODE_NONE);
	assert_node("", NB_NODE_UNSET);
	assert_int_equal(nb_setting_assign(node, rule, "-1"), -EINVAL);
	assert_int_equal(nb_setting_assign(node, rule, "near"), -EINVAL);
	assert_int_equal(nb_setting_assign(node, rule, "1024"), -EINVAL);
	assert_int_equal(rule->node, NB_NODE_UNSET);
}

static void what_is_found_is_corrected_or_kept(void **state)
{
	g_autoptr(nb_config) config = nb_config_new_default();
	const struct nb_setting *found = row("Balance", "Found");
	g_autofree char *shown = NULL, *wrong = NULL;

	(void)state;
	assert_false(config->policy.keep_found);
	assert_int_equal(nb_setting_assign(found, config, "keep"), 0);
	assert_true(config->policy.keep_found);
	shown = nb_setting_format(found, config);
	assert_string_equal(shown, "keep");
	assert_int_equal(nb_setting_assign(found, config, "yes"), -EINVAL);
	assert_true(config->policy.keep_found);
	wrong = nb_setting_explain(found, "yes", -EINVAL);
	assert_non_null(strstr(wrong, "write correct or keep such as Found=correct"));
	assert_int_equal(nb_setting_assign(found, config, "correct"), 0);
	assert_false(config->policy.keep_found);
}

static void refuses_cpus_that_cannot_be(void **state)
{
	g_autoptr(nb_config) config = nb_config_new_default();
	const struct nb_setting *banned = row("Balance", "BannedCPUs");

	(void)state;
	assert_int_equal(nb_setting_assign(banned, config, "8192"), -ERANGE);
	assert_int_equal(nb_setting_assign(banned, config, "eth0"), -EINVAL);
	assert_true(nb_cpumask_empty(&config->policy.banned));
}

static void assert_explains(const struct nb_setting *setting, const char *text, int error,
			    const char *expected)
{
	g_autofree char *got = nb_setting_explain(setting, text, error);

	assert_string_equal(got, expected);
}

static void says_what_to_write_instead(void **state)
{
	(void)state;
	assert_explains(row("Balance", "Hot"), "140%", -ERANGE,
			"Hot=140% is not between 10% and 100%; "
			"write a share of one CPU such as Hot=70%");
	assert_explains(row("Balance", "Hot"), "warm", -EINVAL,
			"Hot=warm is not a share; write a share of one CPU such as Hot=70%");
	assert_explains(row("Daemon", "IntervalSec"), "1ms", -ERANGE,
			"IntervalSec=1ms is not between 250ms and 1min; "
			"write a time span such as IntervalSec=1s");
	assert_explains(row("Balance", "BannedCPUs"), "all", -EINVAL,
			"BannedCPUs=all is not a list of CPUs; "
			"write CPU numbers and ranges such as BannedCPUs=0-3,8");
	assert_explains(row("Daemon", "Mode"), "auto", -EINVAL,
			"Mode=auto is not a mode; "
			"write balance or observe such as Mode=balance");
	assert_explains(row("RPS", "Enabled"), "no # for now", -EINVAL,
			"Enabled=no # for now is not a boolean; "
			"write yes or no such as Enabled=yes, and a comment on a line of its own");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_its_own_bounds_and_nothing_beyond),
		cmocka_unit_test(every_row_takes_its_bounds_and_default),
		cmocka_unit_test(fills_fields_of_each_type),
		cmocka_unit_test(a_node_is_a_number_or_any),
		cmocka_unit_test(what_is_found_is_corrected_or_kept),
		cmocka_unit_test(refuses_cpus_that_cannot_be),
		cmocka_unit_test(says_what_to_write_instead),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
