/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/support.h"

#include "base/describe.h"
#include "nicbalance/names.h"

static struct nb_record moved(void)
{
	return (struct nb_record){
		.event = NB_EVENT_MOVED,
		.reason = NB_REASON_BALANCE,
		.outcome = NB_OUTCOME_APPLIED,
		.effect = NB_EFFECT_PENDING,
		.key = {2, 3},
		.netdev = "eth0",
		.n_irqs = 1,
		.irqs = {41},
		.cpu_from = 0,
		.cpu_to = 5,
		.before = 9210,
		.predicted = 6100,
		.measured = NB_UNMEASURED,
	};
}

static struct nb_record steered(const char *from, const char *to)
{
	struct nb_record record = moved();

	record.event = NB_EVENT_STEERED;
	record.kind = NB_KIND_RPS;
	record.reason = NB_REASON_RPS_WIDEN;
	record.effect = NB_EFFECT_NONE;
	record.rps_from = (char *)from;
	record.rps_to = (char *)to;
	return record;
}

static void assert_described(const struct nb_record *record, const char *expected)
{
	g_autofree char *text = nb_record_describe(record);

	assert_string_equal(text, expected);
}

static void a_channel_is_told_by_its_id(void **state)
{
	static const uint32_t irqs[] = {NB_IRQ_CHANNEL | 21};
	g_autofree char *text = nb_queue_describe("eth0", 3, irqs, 1);

	(void)state;
	assert_string_equal(text, "eth0 queue 3 (channel 21)");
}

static void an_rss_table_says_which_queues_get_packets(void **state)
{
	struct nb_record record = {
		.event = NB_EVENT_REDIRECTED,
		.kind = NB_KIND_RSS,
		.reason = NB_REASON_RSS_EMPTY,
		.netdev = "eth0",
		.rss_queues = (char *)"0,2",
		.measured = NB_UNMEASURED,
	};

	(void)state;
	assert_described(&record, "eth0: RSS table temporarily limited to queues 0,2, empties the "
				  "other queues so that their NAPIs complete");
	record.outcome = NB_OUTCOME_REFUSED;
	assert_described(&record, "eth0: RSS table temporarily limited to queues 0,2, empties the "
				  "other queues so that their NAPIs complete; the kernel does not "
				  "allow changing it");
	record.outcome = NB_OUTCOME_APPLIED;
	record.reason = NB_REASON_RSS_BACK;
	record.rss_queues = (char *)"";
	assert_described(&record, "eth0: RSS table restored, all NAPIs completed");
	record.event = NB_EVENT_RESTORED;
	assert_described(&record, "eth0: RSS table, back to the original value");
}

static void xps_masks_are_told_together_and_restored_one_by_one(void **state)
{
	struct nb_record record = {
		.event = NB_EVENT_STEERED,
		.kind = NB_KIND_XPS,
		.reason = NB_REASON_XPS_FOLLOW,
		.netdev = "eth0",
		.measured = NB_UNMEASURED,
	};

	(void)state;
	assert_described(&record, "eth0: XPS follows interrupts, interrupts of its transmit queues "
				  "are on other CPUs");
	record.outcome = NB_OUTCOME_FOREIGN;
	assert_described(&record, "eth0: XPS follows interrupts, interrupts of its transmit queues "
				  "are on other CPUs; not written: set by an administrator or "
				  "another program");
	record.outcome = NB_OUTCOME_APPLIED;
	record.reason = NB_REASON_XPS_BACK;
	assert_described(&record, "eth0: XPS restored, the configuration no longer lets it follow "
				  "interrupts");
	record.event = NB_EVENT_RESTORED;
	record.key.index = 3;
	record.rps_from = (char *)"3,7";
	record.rps_to = (char *)"";
	assert_described(&record, "eth0 transmit queue 3: XPS 3,7 → off, back to the original "
				  "value");
}

static void napi_threads_are_told_together_and_restored_one_by_one(void **state)
{
	struct nb_record record = {
		.event = NB_EVENT_STEERED,
		.kind = NB_KIND_THREAD,
		.reason = NB_REASON_THREAD_FOLLOW,
		.netdev = "eth0",
		.measured = NB_UNMEASURED,
	};

	(void)state;
	assert_described(&record, "eth0: NAPI threads follow interrupts, interrupts of its queues "
				  "are on other CPUs");
	record.reason = NB_REASON_THREAD_BACK;
	assert_described(&record, "eth0: affinity of NAPI threads restored, the configuration no "
				  "longer lets them follow interrupts");
	record.event = NB_EVENT_RESTORED;
	record.key.index = 901;
	record.rps_from = (char *)"3";
	record.rps_to = (char *)"0-7";
	assert_described(&record, "eth0 NAPI thread 901: CPUs 3 → 0-7, back to the original value");
}

static void threaded_napi_tells_what_came_of_it(void **state)
{
	struct nb_record record = {
		.event = NB_EVENT_STEERED,
		.kind = NB_KIND_THREADED,
		.key = {2, NB_EVERY_QUEUE},
		.reason = NB_REASON_THREADED_ON,
		.effect = NB_EFFECT_PENDING,
		.netdev = "eth0",
		.measured = NB_UNMEASURED,
		.out_of_order = NB_UNCOUNTED,
		.setting_from = (char *)"off",
		.setting_to = (char *)"on",
	};

	(void)state;
	assert_described(&record, "eth0: threaded NAPI off → on, a queue makes a CPU hot that it "
				  "cannot leave");
	record.effect = NB_EFFECT_NO_GAIN;
	record.measured = 8800;
	assert_described(&record,
			 "eth0: threaded NAPI off → on, a queue makes a CPU hot that it "
			 "cannot leave; its hottest CPU did not get cooler (88 % measured)");
	record.event = NB_EVENT_YIELDED;
	record.outcome = NB_OUTCOME_APPLIED;
	assert_described(&record, "eth0: threaded NAPI, changed by another program; yielded");
	record.key.index = 3;
	assert_described(&record,
			 "eth0 queue 3: threaded NAPI, changed by another program; yielded");
	record.event = NB_EVENT_RESTORED;
	record.effect = NB_EFFECT_NONE;
	record.setting_from = (char *)"on";
	record.setting_to = (char *)"off";
	assert_described(&record,
			 "eth0 queue 3: threaded NAPI on → off, back to the original value");
}

static void an_rss_table_says_how_many_entries_moved(void **state)
{
	struct nb_record record = {
		.event = NB_EVENT_REDIRECTED,
		.kind = NB_KIND_RSS,
		.reason = NB_REASON_RSS_SPREAD,
		.netdev = "eth0",
		.rss_queues = (char *)"0-3",
		.rss_moved = 12,
		.rss_entries = 128,
		.measured = NB_UNMEASURED,
	};

	(void)state;
	assert_described(&record, "eth0: 12 of 128 RSS table entries moved to other queues, no "
				  "placement of its queues evens out their load");
	record.before = 8200;
	record.predicted = 2100;
	record.effect = NB_EFFECT_PENDING;
	assert_described(&record,
			 "eth0: 12 of 128 RSS table entries moved to other queues, no "
			 "placement of its queues evens out their load (82 % → 21 % expected)");
	record.effect = NB_EFFECT_WORKED;
	record.measured = 2200;
	record.out_of_order = 3;
	assert_described(&record,
			 "eth0: 12 of 128 RSS table entries moved to other queues, no "
			 "placement of its queues evens out their load (82 % → 21 % expected); "
			 "its hottest CPU got cooler (22 % measured), 3 TCP segments came out "
			 "of order meanwhile");
	record.effect = NB_EFFECT_NO_GAIN;
	record.out_of_order = NB_UNCOUNTED;
	assert_described(&record,
			 "eth0: 12 of 128 RSS table entries moved to other queues, no "
			 "placement of its queues evens out their load (82 % → 21 % expected); "
			 "its hottest CPU did not get cooler (22 % measured)");
	record.before = record.predicted = 0;
	record.effect = NB_EFFECT_NONE;
	record.measured = NB_UNMEASURED;
	record.rss_moved = 1;
	record.outcome = NB_OUTCOME_STALE;
	assert_described(&record, "eth0: 1 of 128 RSS table entries moved to another queue, no "
				  "placement of its queues evens out their load; the host changed "
				  "in the meantime");
	record.outcome = NB_OUTCOME_APPLIED;
	record.reason = NB_REASON_RSS_CALM;
	record.rss_queues = (char *)"";
	record.rss_moved = record.rss_entries = 0;
	assert_described(&record,
			 "eth0: RSS table restored, the load no longer needs another RSS table");
	record.reason = NB_REASON_RSS_NO_GAIN;
	assert_described(&record,
			 "eth0: RSS table restored, moving RSS table entries did not help");
	/* By another program: what it made of it is not known. */
	record.event = NB_EVENT_YIELDED;
	record.rss_queues = NULL;
	assert_described(&record, "eth0: RSS table, changed by another program; yielded");
}

static void a_setting_says_what_it_was_and_is(void **state)
{
	struct nb_record record = {
		.event = NB_EVENT_CONFIGURED,
		.kind = NB_KIND_CHANNELS,
		.reason = NB_REASON_CONFIGURED,
		.netdev = "eth0",
		.setting_from = (char *)"1",
		.setting_to = (char *)"8",
		.measured = NB_UNMEASURED,
	};

	(void)state;
	assert_described(&record, "eth0: channels 1 → 8, the configuration asks for it");
	record.outcome = NB_OUTCOME_REFUSED;
	assert_described(&record, "eth0: channels 1 → 8, the configuration asks for it; the kernel "
				  "does not allow changing it");
	record.outcome = NB_OUTCOME_APPLIED;
	record.reason = NB_REASON_UNCONFIGURED;
	record.setting_to = (char *)"";
	assert_described(&record, "eth0: channels 1 → as found, the configuration no longer asks "
				  "for it");
	record.kind = NB_KIND_UDP_HASH;
	record.reason = NB_REASON_CONFIGURED;
	record.setting_from = (char *)"";
	record.setting_to = (char *)"addresses and ports";
	assert_described(&record, "eth0: UDP hashed by addresses and ports, the configuration asks "
				  "for it");
	record.event = NB_EVENT_RESTORED;
	record.setting_from = (char *)"addresses and ports";
	record.setting_to = (char *)"addresses";
	assert_described(&record,
			 "eth0: UDP hashed by addresses and ports → addresses, back to the "
			 "original value");
}

static void flow_tables_say_for_how_many_flows(void **state)
{
	struct nb_record record = {
		.event = NB_EVENT_CONFIGURED,
		.kind = NB_KIND_RFS,
		.reason = NB_REASON_CONFIGURED,
		.key = {2, 0},
		.netdev = "eth0",
		.setting_from = (char *)"",
		.setting_to = (char *)"32768",
		.measured = NB_UNMEASURED,
	};

	(void)state;
	assert_described(&record, "eth0: RFS for 32768 flows, the configuration asks for it");
	record.outcome = NB_OUTCOME_REFUSED;
	assert_described(&record,
			 "eth0: RFS for 32768 flows, the configuration asks for it; not allowed; "
			 "set net.core.rps_sock_flow_entries in sysctl.d(5), or see "
			 "ReadWritePaths= of the unit");
	record.outcome = NB_OUTCOME_APPLIED;
	record.reason = NB_REASON_UNCONFIGURED;
	record.setting_to = (char *)"";
	assert_described(&record, "eth0: RFS restored, the configuration no longer asks for it");
	record.event = NB_EVENT_RESTORED;
	record.key.index = 3;
	record.setting_from = (char *)"4096";
	assert_described(&record, "eth0 queue 3: RFS flows 4096 → off, back to the original value");
	record.key = (struct nb_queue_key){0, NB_EVERY_QUEUE};
	record.setting_to = (char *)"1024";
	assert_described(&record, "RFS flows of the host 4096 → 1024, back to the original value");
}

static void a_move_says_from_where_to_where_why_and_what_is_expected(void **state)
{
	struct nb_record record = moved();

	(void)state;
	assert_described(&record, "eth0 queue 3 (IRQ 41): CPU 0 → CPU 5, its CPU is hotter than "
				  "the mean (92 % → 61 % expected)");
}

static void an_interrupt_of_no_queue_is_told_by_name_and_number(void **state)
{
	struct nb_record record = {
		.event = NB_EVENT_MOVED,
		.kind = NB_KIND_DEVICE_IRQ,
		.reason = NB_REASON_DEVICE_REMOTE,
		.outcome = NB_OUTCOME_APPLIED,
		.key = nb_device_irq_key(50),
		.handlers = "ahci",
		.n_irqs = 1,
		.irqs = {50},
		.cpu_from = 9,
		.cpu_to = 2,
		.measured = NB_UNMEASURED,
	};

	(void)state;
	assert_described(
		&record,
		"ahci (IRQ 50): CPU 9 → CPU 2, its CPU is not on the NUMA node of the device");
	record.handlers[0] = '\0';
	assert_described(&record,
			 "IRQ 50: CPU 9 → CPU 2, its CPU is not on the NUMA node of the device");
}

static void both_interrupts_of_a_queue_are_named(void **state)
{
	struct nb_record record = moved();
	g_autofree char *what = NULL;

	(void)state;
	record.n_irqs = 2;
	record.irqs[1] = 42;
	what = nb_record_what(&record);
	assert_string_equal(what, "eth0 queue 3 (IRQ 41, 42): CPU 0 → CPU 5");
}

static void a_mask_of_several_cpus_is_no_single_cpu(void **state)
{
	struct nb_record record = moved();
	g_autofree char *what = NULL;

	(void)state;
	record.cpu_from = -1;
	what = nb_record_what(&record);
	assert_string_equal(what, "eth0 queue 3 (IRQ 41): several CPUs → CPU 5");
}

static void a_move_without_a_known_load_promises_nothing(void **state)
{
	struct nb_record record = moved();
	g_autofree char *why = NULL;

	(void)state;
	record.before = 0;
	why = nb_record_why(&record);
	assert_string_equal(why, "its CPU is hotter than the mean");
}

static void a_refusal_is_told_in_words(void **state)
{
	struct nb_record record = moved();

	(void)state;
	record.outcome = NB_OUTCOME_REFUSED;
	record.effect = NB_EFFECT_NONE;
	assert_described(&record, "eth0 queue 3 (IRQ 41): CPU 0 → CPU 5, its CPU is hotter than "
				  "the mean (92 % → 61 % expected); the kernel does not allow "
				  "changing it");
}

static void a_measured_effect_carries_its_number(void **state)
{
	struct nb_record record = moved();
	g_autofree char *result = NULL;

	(void)state;
	record.effect = NB_EFFECT_NO_GAIN;
	record.measured = 8950;
	result = nb_record_result(&record);
	assert_string_equal(result,
			    "moved, but the load of the old CPU did not fall (90 % measured)");
}

static void a_move_for_a_wait_in_vain_tells_of_the_wait(void **state)
{
	struct nb_record record = moved();
	g_autofree char *in_vain = NULL, *worked = NULL;

	(void)state;
	record.reason = NB_REASON_DELAY;
	record.effect = NB_EFFECT_NO_GAIN;
	record.measured = 8950;
	in_vain = nb_record_result(&record);
	assert_string_equal(in_vain, "moved, but NET_RX waits no less (90 % measured)");
	record.effect = NB_EFFECT_WORKED;
	worked = nb_record_result(&record);
	assert_string_equal(worked, "polled on the new CPU (90 % measured)");
}

static void a_queue_that_stays_is_pinned(void **state)
{
	struct nb_record record = moved();
	g_autofree char *what = NULL, *why = NULL;

	(void)state;
	record.cpu_from = record.cpu_to;
	record.predicted = record.before;
	what = nb_record_what(&record);
	assert_string_equal(what, "eth0 queue 3 (IRQ 41): pinned to CPU 5");
	why = nb_record_why(&record);
	assert_string_equal(why, nb_reason_explain(record.reason));
}

static void an_effect_that_cannot_be_measured_has_no_number(void **state)
{
	struct nb_record record = moved();
	g_autofree char *result = NULL;

	(void)state;
	record.effect = NB_EFFECT_IDLE;
	result = nb_record_result(&record);
	assert_string_equal(result, "no interrupt since, nothing to measure");
}

static void an_empty_rps_list_is_off(void **state)
{
	struct nb_record on = steered("", "2-3"), off = steered("2-3", "");

	(void)state;
	assert_described(&on, "eth0 queue 3: RPS off → 2-3, the queue is too much for one CPU");
	off.reason = NB_REASON_RPS_CALM;
	assert_described(&off, "eth0 queue 3: RPS 2-3 → off, the load no longer needs RPS");
}

static void a_yielded_knob_is_left_alone_and_needs_no_reason_of_ours(void **state)
{
	struct nb_record irq = moved(), rps = steered("2-3", "");

	(void)state;
	irq.event = rps.event = NB_EVENT_YIELDED;
	irq.reason = rps.reason = _NB_REASON_INVALID;
	assert_described(&irq, "eth0 queue 3 (IRQ 41): CPU 0 → CPU 5, changed by another program; "
			       "yielded");
	assert_described(&rps, "eth0 queue 3: RPS 2-3 → off, changed by another program; "
			       "yielded");
	irq.limited_to = (char *)"5";
	assert_described(&irq, "eth0 queue 3 (IRQ 41): CPU 0 → CPU 5, changed by another program; "
			       "limited to CPU 5 for as long as that stands");
	irq.limited_to = (char *)"5-6";
	assert_described(&irq, "eth0 queue 3 (IRQ 41): CPU 0 → CPU 5, changed by another program; "
			       "limited to CPUs 5-6 for as long as that stands");
}

static void putting_back_respects_what_others_wrote(void **state)
{
	struct nb_record record = moved();

	(void)state;
	record.event = NB_EVENT_RESTORED;
	record.effect = NB_EFFECT_NONE;
	assert_described(&record,
			 "eth0 queue 3 (IRQ 41): CPU 0 → CPU 5, back to the original value");
	record.outcome = NB_OUTCOME_UNCHANGED;
	assert_described(
		&record,
		"eth0 queue 3 (IRQ 41): CPU 0 → CPU 5, back to the original value; changed "
		"by another program since; not restored");
}

static void every_record_has_words_for_each_part(void **state)
{
	(void)state;
	for (int event = 0; event < _NB_EVENT_MAX; event++)
		for (int outcome = 0; outcome < _NB_OUTCOME_MAX; outcome++)
			for (int effect = 0; effect < _NB_EFFECT_MAX; effect++) {
				struct nb_record record = moved();
				g_autofree char *text = NULL;

				record.event = (enum nb_event)event;
				record.outcome = (enum nb_outcome)outcome;
				record.effect = (enum nb_effect)effect;
				text = nb_record_describe(&record);
				assert_non_null(strstr(text, "eth0 queue 3"));
				assert_null(strstr(text, "invalid"));
			}
}

static void a_verdict_comes_with_its_numbers(void **state)
{
	struct nb_plan plan = {
		.verdict = NB_VERDICT_QUIET, .hottest_cpu = 3, .hottest = 1210, .mean = 800};
	g_autofree char *quiet = nb_plan_describe(&plan);
	g_autofree char *no_gain = NULL;

	(void)state;
	assert_string_equal(quiet, "no CPU with a queue is hot (CPU 3 at 12 %, mean 8 %)");
	plan.verdict = NB_VERDICT_NO_GAIN;
	plan.gain_needed = 500;
	no_gain = nb_plan_describe(&plan);
	assert_string_equal(no_gain, "a CPU is hot, but no move gains enough (CPU 3 at 12 %, mean "
				     "8 %, a move must gain 5 %)");
}

static void without_a_plan_or_a_cpu_there_are_no_numbers(void **state)
{
	struct nb_plan plan = {.verdict = NB_VERDICT_QUIET, .hottest_cpu = -1};
	g_autofree char *none = nb_plan_describe(NULL);
	g_autofree char *no_cpu = nb_plan_describe(&plan);

	(void)state;
	assert_string_equal(none, "nothing has been measured yet");
	assert_string_equal(no_cpu, "no CPU with a queue is hot");
}

static void an_intrusion_is_told_by_its_source(void **state)
{
	struct nb_intrusion irq = {.number = 41, .handlers = "eth0-rx-1"};
	const struct nb_intrusion softirq = {.source = NB_SOURCE_SOFTIRQ,
					     .number = NB_SOFTIRQ_NET_RX};
	g_autofree char *named = nb_intrusion_describe(&irq);
	g_autofree char *of_softirq = nb_intrusion_describe(&softirq), *nameless = NULL;

	(void)state;
	*irq.handlers = '\0';
	nameless = nb_intrusion_describe(&irq);
	assert_string_equal(named, "IRQ 41 (eth0-rx-1)");
	assert_string_equal(nameless, "IRQ 41 (without handler)");
	assert_string_equal(of_softirq, "NET_RX");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_channel_is_told_by_its_id),
		cmocka_unit_test(an_rss_table_says_which_queues_get_packets),
		cmocka_unit_test(xps_masks_are_told_together_and_restored_one_by_one),
		cmocka_unit_test(napi_threads_are_told_together_and_restored_one_by_one),
		cmocka_unit_test(threaded_napi_tells_what_came_of_it),
		cmocka_unit_test(an_rss_table_says_how_many_entries_moved),
		cmocka_unit_test(a_setting_says_what_it_was_and_is),
		cmocka_unit_test(flow_tables_say_for_how_many_flows),
		cmocka_unit_test(a_move_says_from_where_to_where_why_and_what_is_expected),
		cmocka_unit_test(an_interrupt_of_no_queue_is_told_by_name_and_number),
		cmocka_unit_test(both_interrupts_of_a_queue_are_named),
		cmocka_unit_test(a_mask_of_several_cpus_is_no_single_cpu),
		cmocka_unit_test(a_move_without_a_known_load_promises_nothing),
		cmocka_unit_test(a_refusal_is_told_in_words),
		cmocka_unit_test(a_measured_effect_carries_its_number),
		cmocka_unit_test(a_move_for_a_wait_in_vain_tells_of_the_wait),
		cmocka_unit_test(a_queue_that_stays_is_pinned),
		cmocka_unit_test(an_effect_that_cannot_be_measured_has_no_number),
		cmocka_unit_test(an_empty_rps_list_is_off),
		cmocka_unit_test(a_yielded_knob_is_left_alone_and_needs_no_reason_of_ours),
		cmocka_unit_test(putting_back_respects_what_others_wrote),
		cmocka_unit_test(every_record_has_words_for_each_part),
		cmocka_unit_test(an_intrusion_is_told_by_its_source),
		cmocka_unit_test(a_verdict_comes_with_its_numbers),
		cmocka_unit_test(without_a_plan_or_a_cpu_there_are_no_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
