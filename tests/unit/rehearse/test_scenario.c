/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fixture.h"

static void is_the_same_each_time(void **state)
{
	g_autoptr(nb_scenario) scenario = scenario_of(COLLAPSED);
	struct nb_policy policy = nb_host_default_policy();
	g_autoptr(nb_rehearsal) one = nb_rehearse_scenario(scenario, &policy, true);
	g_autoptr(nb_rehearsal) other = nb_rehearse_scenario(scenario, &policy, true);

	(void)state;
	assert_int_equal(one->records->len, other->records->len);
	assert_int_equal(one->demand->len, other->demand->len);
	assert_memory_equal(one->demand->data, other->demand->data,
			    one->demand->len * sizeof(uint32_t));
}

static void has_a_second_for_each_second(void **state)
{
	g_autoptr(nb_scenario) scenario = scenario_of(CALM);
	struct nb_policy policy = nb_host_default_policy();
	g_autoptr(nb_rehearsal) rehearsal = nb_rehearse_scenario(scenario, &policy, true);

	(void)state;
	assert_int_equal(rehearsal->n_cpus, 4);
	assert_int_equal(rehearsal->seconds->len, 20);
	assert_int_equal(rehearsal->demand->len, 20 * 4);
	assert_true(second_at(rehearsal, 19)->at_nsec == 20 * SEC);
	assert_true(second_at(rehearsal, 19)->window_nsec == SEC);
}

static void leaves_a_calm_host_alone(void **state)
{
	g_autoptr(nb_scenario) scenario = scenario_of(CALM);
	struct nb_policy policy = nb_host_default_policy();
	g_autoptr(nb_rehearsal) rehearsal = nb_rehearse_scenario(scenario, &policy, true);

	(void)state;
	assert_int_equal(rehearsal->records->len, 0);
	for (unsigned i = 0; i < rehearsal->seconds->len; i++)
		assert_int_equal(second_at(rehearsal, i)->verdict, NB_VERDICT_QUIET);
}

static void without_the_daemon_nothing_is_judged_nor_moved(void **state)
{
	g_autoptr(nb_scenario) scenario = scenario_of(COLLAPSED);
	struct nb_policy policy = nb_host_default_policy();
	g_autoptr(nb_rehearsal) rehearsal = nb_rehearse_scenario(scenario, &policy, false);

	(void)state;
	assert_int_equal(rehearsal->records->len, 0);
	assert_int_equal(rehearsal->n_moves, 0);
	assert_int_equal(second_at(rehearsal, 59)->verdict, NB_VERDICT_UNKNOWN);
	assert_true(second_at(rehearsal, 59)->hottest > NB_WHOLE);
	assert_true(demand_at(rehearsal, 59, 0) > NB_WHOLE);
	assert_true(rehearsal->dropped > 0);
}

static void with_it_a_collapsed_placement_is_put_right(void **state)
{
	g_autoptr(nb_scenario) scenario = scenario_of(COLLAPSED);
	struct nb_policy policy = nb_host_default_policy();
	g_autoptr(nb_rehearsal) rehearsal = nb_rehearse_scenario(scenario, &policy, true);

	(void)state;
	assert_int_equal(rehearsal->n_moves, 7);
	assert_int_equal(rehearsal->n_ping_pongs, 0);
	assert_true(second_at(rehearsal, 59)->hottest < NB_WHOLE / 2);
	assert_int_equal(record_at(rehearsal, 0)->reason, NB_REASON_COLLAPSED);
	assert_int_equal(record_at(rehearsal, 0)->effect, NB_EFFECT_WORKED);
	assert_string_equal(record_at(rehearsal, 0)->netdev, "eth0");
	assert_true(record_at(rehearsal, 0)->realtime_usec <= 3 * G_USEC_PER_SEC);
}

static void drops_of_all_seconds_add_up(void **state)
{
	g_autoptr(nb_scenario) scenario = scenario_of(COLLAPSED);
	struct nb_policy policy = nb_host_default_policy();
	g_autoptr(nb_rehearsal) rehearsal = nb_rehearse_scenario(scenario, &policy, true);
	uint64_t sum = 0;

	(void)state;
	for (unsigned i = 0; i < rehearsal->seconds->len; i++)
		sum += second_at(rehearsal, i)->dropped;
	assert_true(sum == rehearsal->dropped);
	assert_true(second_at(rehearsal, 59)->dropped == 0);
}

/* An application of its own makes no CPU hot for the network. */
static void a_busy_cpu_without_network_work_is_not_the_hottest(void **state)
{
	g_autoptr(nb_scenario) scenario =
		scenario_of("[Host]\nLengthSec=5\nCPUs=4\n[Nic eth0]\nQueues=1\n"
			    "[Traffic eth0]\nPacketsPerSec=100k\n"
			    "[Application]\nCPU=3\nShare=100%\n");
	struct nb_policy policy = nb_host_default_policy();
	g_autoptr(nb_rehearsal) rehearsal = nb_rehearse_scenario(scenario, &policy, true);

	(void)state;
	assert_true(demand_at(rehearsal, 4, 3) >= NB_WHOLE);
	assert_true(second_at(rehearsal, 4)->hottest < NB_WHOLE / 2);
	assert_true(second_at(rehearsal, 4)->hot_nsec == 0);
}

static void a_cpu_that_goes_leaves_a_gap(void **state)
{
	g_autoptr(nb_scenario) scenario =
		scenario_of("[Host]\nLengthSec=10\nCPUs=4\n[Nic eth0]\nQueues=4\n"
			    "[Traffic eth0]\nPacketsPerSec=100k\n"
			    "[Event]\nAtSec=5\nDo=offline\nCPU=2\n");
	struct nb_policy policy = nb_host_default_policy();
	g_autoptr(nb_rehearsal) rehearsal = nb_rehearse_scenario(scenario, &policy, true);

	(void)state;
	assert_int_equal(rehearsal->n_cpus, 4);
	assert_true(demand_at(rehearsal, 3, 2) != NB_REHEARSED_OFFLINE);
	assert_true(demand_at(rehearsal, 9, 2) == NB_REHEARSED_OFFLINE);
	assert_true(demand_at(rehearsal, 9, 3) != NB_REHEARSED_OFFLINE);
}

static unsigned count_settings(const struct nb_rehearsal *rehearsal, enum nb_kind kind)
{
	unsigned n = 0;

	for (unsigned i = 0; i < rehearsal->records->len; i++) {
		const struct nb_record *record = record_at(rehearsal, i);

		if (record->kind != kind)
			continue;
		assert_int_equal(record->event, NB_EVENT_CONFIGURED);
		assert_int_equal(record->outcome, NB_OUTCOME_APPLIED);
		n++;
	}
	return n;
}

static void channels_that_lie_idle_are_said_once(void **state)
{
	g_autoptr(nb_scenario) scenario =
		scenario_of("[Host]\nLengthSec=60\nCPUs=8\n[Nic eth0]\nQueues=8\nQueuesInUse=1\n"
			    "[Traffic eth0]\nPacketsPerSec=1.5M\n");
	struct nb_policy policy = nb_host_default_policy();
	g_autoptr(nb_rehearsal) alone = nb_rehearse_scenario(scenario, &policy, false);
	g_autoptr(nb_rehearsal) rehearsal = nb_rehearse_scenario(scenario, &policy, true);
	const struct nb_rehearsed_advice *said;

	(void)state;
	assert_int_equal(count_settings(rehearsal, NB_KIND_CHANNELS), 0);
	assert_int_equal(alone->advice->len, 0);
	assert_int_equal(rehearsal->advice->len, 1);
	said = &g_array_index(rehearsal->advice, struct nb_rehearsed_advice, 0);
	assert_string_equal(said->nic, "eth0");
	assert_int_equal(said->advice, NB_ADVICE_CHANNELS);
	assert_string_equal(said->text, "1 of 8 channels in use: ethtool -L eth0 combined 8");
}

static void channels_that_are_asked_for_are_set_once_and_share_the_load(void **state)
{
	g_autoptr(nb_scenario) scenario =
		scenario_of("[Host]\nLengthSec=60\nCPUs=8\nIsolated=6-7\n"
			    "[Nic eth0]\nQueues=8\nQueuesInUse=1\nFollows=yes\nChannels=max\n"
			    "[Traffic eth0]\nPacketsPerSec=1.5M\n");
	struct nb_policy policy = nb_host_default_policy();
	g_autoptr(nb_rehearsal) rehearsal = nb_rehearse_scenario(scenario, &policy, true);

	(void)state;
	assert_int_equal(count_settings(rehearsal, NB_KIND_CHANNELS), 1);
	assert_string_equal(record_at(rehearsal, 0)->setting_to, "6");
	assert_int_equal(rehearsal->advice->len, 0);
	assert_true(second_at(rehearsal, 0)->hottest > NB_WHOLE);
	assert_true(second_at(rehearsal, 59)->hottest < NB_WHOLE * 4 / 10);
	assert_int_equal(second_at(rehearsal, 59)->dropped, 0);
}

static struct nb_rehearsal *rehearse_one_host(const char *nic)
{
	g_autofree char *text =
		g_strdup_printf("[Host]\nLengthSec=60\nCPUs=4\n"
				"[Nic eth0]\nQueues=4\nFollows=yes\nRssTable=fixed\n%s"
				"[Traffic eth0]\nPacketsPerSec=1M\nFlows=1\nAddressesOnly=yes\n",
				nic);
	g_autoptr(nb_scenario) scenario = scenario_of(text);
	struct nb_policy policy = nb_host_default_policy();

	return nb_rehearse_scenario(scenario, &policy, true);
}

static void a_hash_without_ports_is_said_and_changed_where_that_is_asked_for(void **state)
{
	g_autoptr(nb_rehearsal) kept = rehearse_one_host("");
	g_autoptr(nb_rehearsal) changed = rehearse_one_host("UdpHash=sdfn\n");

	(void)state;
	assert_int_equal(count_settings(kept, NB_KIND_UDP_HASH), 0);
	assert_int_equal(kept->advice->len, 1);
	assert_int_equal(g_array_index(kept->advice, struct nb_rehearsed_advice, 0).advice,
			 NB_ADVICE_UDP_HASH);
	assert_int_equal(count_settings(changed, NB_KIND_UDP_HASH), 1);
	assert_int_equal(changed->advice->len, 0);
	assert_true(second_at(changed, 59)->hottest < second_at(kept, 59)->hottest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_the_same_each_time),
		cmocka_unit_test(has_a_second_for_each_second),
		cmocka_unit_test(leaves_a_calm_host_alone),
		cmocka_unit_test(without_the_daemon_nothing_is_judged_nor_moved),
		cmocka_unit_test(with_it_a_collapsed_placement_is_put_right),
		cmocka_unit_test(drops_of_all_seconds_add_up),
		cmocka_unit_test(a_busy_cpu_without_network_work_is_not_the_hottest),
		cmocka_unit_test(a_cpu_that_goes_leaves_a_gap),
		cmocka_unit_test(channels_that_lie_idle_are_said_once),
		cmocka_unit_test(channels_that_are_asked_for_are_set_once_and_share_the_load),
		cmocka_unit_test(a_hash_without_ports_is_said_and_changed_where_that_is_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
