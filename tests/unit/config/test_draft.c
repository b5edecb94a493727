/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/draft.h"
#include "support/support.h"

static void starts_at_the_defaults(void **state)
{
	g_autoptr(nb_config) config = nb_config_new_default();
	const struct nb_policy *policy = &config->policy;

	(void)state;
	assert_int_equal(config->mode, NB_MODE_BALANCE);
	assert_int_equal(config->interval_nsec, NB_NSEC_PER_SEC);
	assert_int_equal(config->complete_sample_nsec, 10 * NB_NSEC_PER_SEC);
	assert_int_equal(policy->hot, 7000);
	assert_int_equal(policy->gap, 400);
	assert_int_equal(policy->panic, 9000);
	assert_int_equal(policy->arm_samples, 3);
	assert_int_equal(policy->minimum_gain, 350);
	assert_int_equal(policy->moves_per_round, 4);
	assert_int_equal(policy->dwell_nsec, 30 * NB_NSEC_PER_SEC);
	assert_int_equal(policy->cooldown_nsec, 5 * NB_NSEC_PER_SEC);
	assert_int_equal(policy->panic_cooldown_nsec, NB_NSEC_PER_SEC);
	assert_int_equal(policy->yield_nsec, 3600 * NB_NSEC_PER_SEC);
	assert_int_equal(policy->sibling_weight, 6500);
	assert_true(nb_cpumask_empty(&policy->banned));
	assert_true(policy->rps);
	assert_int_equal(policy->rps_dwell_nsec, 60 * NB_NSEC_PER_SEC);
	assert_int_equal(policy->rps_node_busy, 8500);
	assert_int_equal(policy->rps_width, 0);
	assert_true(policy->rss);
	assert_int_equal(config->devices.n_rules, 0);
	assert_int_equal(config->devices.interrupts.n_rules, 0);
	assert_true(config->irqbalance_config);
}

static void has_one_origin_for_each_row(void **state)
{
	g_autoptr(nb_config) config = nb_config_new_default();

	(void)state;
	assert_int_equal(config->origins->len, nb_config_n_settings());
	for (unsigned i = 0; i < config->origins->len; i++)
		assert_null(g_ptr_array_index(config->origins, i));
}

static void gives_the_same_glob_the_same_rule(void **state)
{
	g_autoptr(nb_config) config = nb_config_new_default();

	(void)state;
	nb_config_device_rule(config, "eth*")->ignore = true;
	assert_false(nb_config_device_rule(config, "tun*")->ignore);
	assert_true(nb_config_device_rule(config, "eth*")->ignore);
	assert_int_equal(config->devices.n_rules, 2);
}

static void gives_each_section_a_record_of_its_own(void **state)
{
	g_autoptr(nb_config) config = nb_config_new_default();
	struct nb_interrupt_rules *interrupts = &config->devices.interrupts;

	(void)state;
	assert_ptr_equal(nb_config_record(config, NB_SETTING_OF_CONFIG, ""), config);
	nb_config_interrupt_rule(interrupts, "eth*")->ignore = true;
	assert_false(nb_config_device_rule(config, "eth*")->ignore);
	assert_ptr_equal(nb_config_record(config, NB_SETTING_OF_DEVICE, "eth*"),
			 &config->devices.rules[0]);
	assert_ptr_equal(nb_config_record(config, NB_SETTING_OF_INTERRUPT, "eth*"),
			 &interrupts->rules[0]);
	assert_int_equal(interrupts->n_rules, 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(starts_at_the_defaults),
		cmocka_unit_test(has_one_origin_for_each_row),
		cmocka_unit_test(gives_the_same_glob_the_same_rule),
		cmocka_unit_test(gives_each_section_a_record_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
