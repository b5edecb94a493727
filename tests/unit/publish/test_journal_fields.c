/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/support.h"

#include "publish/journal_fields.h"
#include "publish/message_ids.h"

#include <syslog.h>

static struct nb_record moved(void)
{
	return (struct nb_record){
		.event = NB_EVENT_MOVED,
		.reason = NB_REASON_PANIC,
		.effect = NB_EFFECT_PENDING,
		.key = {2, 3},
		.netdev = "eth0",
		.n_irqs = 2,
		.irqs = {41, 42},
		.cpu_from = -1,
		.cpu_to = 5,
		.predicted = 6105,
		.measured = NB_UNMEASURED,
	};
}

static void assert_fields(const struct nb_record *record, const char *const *expected)
{
	g_auto(GStrv) fields = nb_record_fields(record);

	assert_int_equal(g_strv_length(fields), g_strv_length((char **)expected));
	for (unsigned i = 0; fields[i]; i++)
		assert_true(g_strv_contains(expected, fields[i]));
}

static void a_move_carries_its_numbers_and_each_interrupt(void **state)
{
	const char *const expected[] = {"NB_NETDEV=eth0",     "NB_QUEUE=3",
					"NB_IRQ=41",          "NB_IRQ=42",
					"NB_CPU_TO=5",        "NB_OUTCOME=applied",
					"NB_EFFECT=pending",  "NB_REASON=panic",
					"NB_PREDICTED=61.05", NULL};
	struct nb_record record = moved();

	(void)state;
	assert_fields(&record, expected);
}

static void a_channel_has_a_field_of_its_own(void **state)
{
	struct nb_record record = moved();
	g_auto(GStrv) fields = NULL;

	(void)state;
	record.n_irqs = 1;
	record.irqs[0] = NB_IRQ_CHANNEL | 21;
	fields = nb_record_fields(&record);
	assert_true(g_strv_contains((const char *const *)fields, "NB_CHANNEL=21"));
	for (char **field = fields; *field; field++)
		assert_false(g_str_has_prefix(*field, "NB_IRQ="));
}

static void a_measured_move_carries_what_was_measured(void **state)
{
	struct nb_record record = moved();
	g_auto(GStrv) fields = NULL;

	(void)state;
	record.measured = 7002;
	fields = nb_record_fields(&record);
	assert_true(g_strv_contains((const char *const *)fields, "NB_MEASURED=70.02"));
}

static void steering_carries_the_list_and_no_cpu(void **state)
{
	const char *const expected[] = {
		"NB_NETDEV=eth0", "NB_QUEUE=3",          "NB_IRQ=41",
		"NB_IRQ=42",      "NB_RPS=6-7",          "NB_OUTCOME=applied",
		"NB_EFFECT=none", "NB_REASON=rps-widen", NULL};
	struct nb_record record = moved();

	(void)state;
	record.event = NB_EVENT_STEERED;
	record.kind = NB_KIND_RPS;
	record.reason = NB_REASON_RPS_WIDEN;
	record.effect = NB_EFFECT_NONE;
	record.rps_from = (char *)"";
	record.rps_to = (char *)"6-7";
	assert_fields(&record, expected);
}

static void a_setting_is_of_a_nic(void **state)
{
	const char *const expected[] = {"NB_NETDEV=eth0",       "NB_SETTING=8",
					"NB_OUTCOME=refused",   "NB_EFFECT=none",
					"NB_REASON=configured", NULL};
	struct nb_record record = {
		.event = NB_EVENT_CONFIGURED,
		.kind = NB_KIND_CHANNELS,
		.reason = NB_REASON_CONFIGURED,
		.outcome = NB_OUTCOME_REFUSED,
		.netdev = "eth0",
		.setting_from = (char *)"1",
		.setting_to = (char *)"8",
		.measured = NB_UNMEASURED,
	};

	(void)state;
	assert_fields(&record, expected);
	assert_string_equal(nb_record_message_id(&record), NB_MESSAGE_CONFIGURED);
	assert_int_equal(nb_record_priority(&record), LOG_WARNING); /* somebody asked for it */
	record.outcome = NB_OUTCOME_APPLIED;
	assert_int_equal(nb_record_priority(&record), LOG_NOTICE);
	record.event = NB_EVENT_RESTORED;
	record.kind = NB_KIND_UDP_HASH;
	assert_string_equal(nb_record_message_id(&record), NB_MESSAGE_RESTORED);
}

static void flow_tables_are_of_a_nic_and_restored_one_by_one(void **state)
{
	const char *const configured[] = {"NB_NETDEV=eth0",       "NB_SETTING=32768",
					  "NB_OUTCOME=applied",   "NB_EFFECT=none",
					  "NB_REASON=configured", NULL};
	const char *const restored[] = {"NB_QUEUE=3",         "NB_NETDEV=eth0", "NB_SETTING=32768",
					"NB_OUTCOME=applied", "NB_EFFECT=none", NULL};
	struct nb_record record = {
		.event = NB_EVENT_CONFIGURED,
		.kind = NB_KIND_RFS,
		.reason = NB_REASON_CONFIGURED,
		.key = {2, 3},
		.netdev = "eth0",
		.setting_to = (char *)"32768",
		.measured = NB_UNMEASURED,
	};

	(void)state;
	assert_fields(&record, configured);
	assert_string_equal(nb_record_message_id(&record), NB_MESSAGE_CONFIGURED);
	record.outcome = NB_OUTCOME_FOREIGN;
	assert_string_equal(nb_record_message_id(&record), NB_MESSAGE_YIELDED);
	assert_int_equal(nb_record_priority(&record), LOG_NOTICE);
	record.outcome = NB_OUTCOME_REFUSED;
	assert_int_equal(nb_record_priority(&record), LOG_WARNING);
	record.outcome = NB_OUTCOME_APPLIED;
	record.event = NB_EVENT_RESTORED;
	assert_fields(&record, restored);
	record.key = (struct nb_queue_key){0, NB_EVERY_QUEUE};
	*record.netdev = '\0';
	assert_fields(&record, (const char *const[]){"NB_NETDEV=", "NB_SETTING=32768",
						     "NB_OUTCOME=applied", "NB_EFFECT=none", NULL});
}

static void entries_that_moved_are_fields(void **state)
{
	const char *const moved[] = {"NB_NETDEV=eth0",       "NB_RSS_QUEUES=0-3",
				     "NB_RSS_MOVED=12",      "NB_RSS_ENTRIES=128",
				     "NB_OUTCOME=refused",   "NB_EFFECT=none",
				     "NB_REASON=rss-spread", NULL};
	const char *const verified[] = {
		"NB_NETDEV=eth0",     "NB_RSS_QUEUES=0-3",    "NB_RSS_MOVED=12",
		"NB_RSS_ENTRIES=128", "NB_OUT_OF_ORDER=3",    "NB_OUTCOME=refused",
		"NB_EFFECT=none",     "NB_REASON=rss-spread", NULL};
	const char *const yielded[] = {"NB_NETDEV=eth0", "NB_OUTCOME=refused", "NB_EFFECT=none",
				       NULL};
	struct nb_record record = {
		.event = NB_EVENT_REDIRECTED,
		.kind = NB_KIND_RSS,
		.reason = NB_REASON_RSS_SPREAD,
		.outcome = NB_OUTCOME_REFUSED,
		.netdev = "eth0",
		.key = {.ifindex = 2},
		.rss_queues = (char *)"0-3",
		.rss_moved = 12,
		.rss_entries = 128,
		.measured = NB_UNMEASURED,
		.out_of_order = NB_UNCOUNTED,
	};

	(void)state;
	assert_fields(&record, moved);
	record.out_of_order = 3;
	assert_fields(&record, verified);
	assert_string_equal(nb_record_message_id(&record), NB_MESSAGE_REDIRECTED);
	assert_int_equal(nb_record_priority(&record), LOG_NOTICE);
	record.event = NB_EVENT_YIELDED;
	record.rss_queues = NULL;
	record.rss_moved = 0;
	assert_fields(&record, yielded);
	assert_string_equal(nb_record_message_id(&record), NB_MESSAGE_YIELDED);
	assert_int_equal(nb_record_priority(&record), LOG_WARNING);
}

static void an_rss_table_is_no_queues(void **state)
{
	const char *const expected[] = {"NB_NETDEV=eth0",      "NB_RSS_QUEUES=0,2",
					"NB_OUTCOME=refused",  "NB_EFFECT=none",
					"NB_REASON=rss-empty", NULL};
	struct nb_record record = {
		.event = NB_EVENT_REDIRECTED,
		.kind = NB_KIND_RSS,
		.reason = NB_REASON_RSS_EMPTY,
		.outcome = NB_OUTCOME_REFUSED,
		.netdev = "eth0",
		.key = {.ifindex = 2},
		.rss_queues = (char *)"0,2",
		.measured = NB_UNMEASURED,
	};

	(void)state;
	assert_fields(&record, expected);
	assert_string_equal(nb_record_message_id(&record), NB_MESSAGE_REDIRECTED);
	/* It is as with many drivers; but to be left with a table of ours is not. */
	assert_int_equal(nb_record_priority(&record), LOG_NOTICE);
	record.rss_queues = (char *)"";
	assert_int_equal(nb_record_priority(&record), LOG_WARNING);
	record.event = NB_EVENT_RESTORED;
	assert_string_equal(nb_record_message_id(&record), NB_MESSAGE_RESTORED);
}

static void what_others_did_has_no_reason_of_ours(void **state)
{
	const char *const expected[] = {"NB_NETDEV=eth0",     "NB_QUEUE=3",     "NB_IRQ=41",
					"NB_IRQ=42",          "NB_CPU_FROM=1",  "NB_CPU_TO=5",
					"NB_OUTCOME=applied", "NB_EFFECT=none", NULL};
	const char *const limited[] = {
		"NB_NETDEV=eth0", "NB_QUEUE=3",  "NB_IRQ=41",         "NB_IRQ=42",
		"NB_CPU_FROM=1",  "NB_CPU_TO=5", "NB_LIMITED_TO=4-5", "NB_OUTCOME=applied",
		"NB_EFFECT=none", NULL};
	struct nb_record record = moved();

	(void)state;
	record.event = NB_EVENT_YIELDED;
	record.reason = _NB_REASON_INVALID;
	record.effect = NB_EFFECT_NONE;
	record.cpu_from = 1;
	assert_fields(&record, expected);
	record.limited_to = (char *)"4-5";
	assert_fields(&record, limited);
}

static void the_id_names_the_event_unless_it_failed(void **state)
{
	struct nb_record record = moved();

	(void)state;
	assert_string_equal(nb_record_message_id(&record), NB_MESSAGE_MOVED);
	record.effect = NB_EFFECT_WORKED;
	assert_string_equal(nb_record_message_id(&record), NB_MESSAGE_MOVED);
	record.effect = NB_EFFECT_NOT_FOLLOWED;
	assert_string_equal(nb_record_message_id(&record), NB_MESSAGE_NOT_FOLLOWED);
	record.effect = NB_EFFECT_NO_GAIN;
	assert_string_equal(nb_record_message_id(&record), NB_MESSAGE_NO_GAIN);
	record.effect = NB_EFFECT_WORSE;
	assert_string_equal(nb_record_message_id(&record), NB_MESSAGE_WORSE);

	record.effect = NB_EFFECT_NONE;
	record.event = NB_EVENT_STEERED;
	assert_string_equal(nb_record_message_id(&record), NB_MESSAGE_STEERED);
	record.event = NB_EVENT_YIELDED;
	assert_string_equal(nb_record_message_id(&record), NB_MESSAGE_YIELDED);
	record.event = NB_EVENT_RESTORED;
	assert_string_equal(nb_record_message_id(&record), NB_MESSAGE_RESTORED);
	record.outcome = NB_OUTCOME_NO_VECTOR;
	assert_string_equal(nb_record_message_id(&record), NB_MESSAGE_REFUSED);
}

static void an_interrupt_of_no_queue_has_ids_and_fields_of_its_own(void **state)
{
	const char *const expected[] = {"NB_HANDLERS=ahci",
					"NB_IRQ=50",
					"NB_CPU_FROM=1",
					"NB_CPU_TO=5",
					"NB_OUTCOME=applied",
					"NB_EFFECT=none",
					"NB_REASON=device-crowded",
					NULL};
	struct nb_record record = {
		.event = NB_EVENT_MOVED,
		.kind = NB_KIND_DEVICE_IRQ,
		.reason = NB_REASON_DEVICE_CROWDED,
		.key = nb_device_irq_key(50),
		.handlers = "ahci",
		.n_irqs = 1,
		.irqs = {50},
		.cpu_from = 1,
		.cpu_to = 5,
		.measured = NB_UNMEASURED,
	};

	(void)state;
	assert_fields(&record, expected);
	assert_string_equal(nb_record_message_id(&record), NB_MESSAGE_DEVICE_IRQ_MOVED);
	record.event = NB_EVENT_YIELDED;
	assert_string_equal(nb_record_message_id(&record), NB_MESSAGE_DEVICE_IRQ_YIELDED);
	record.event = NB_EVENT_RESTORED;
	assert_string_equal(nb_record_message_id(&record), NB_MESSAGE_RESTORED);
	record.event = NB_EVENT_MOVED;
	record.outcome = NB_OUTCOME_REFUSED;
	assert_string_equal(nb_record_message_id(&record), NB_MESSAGE_DEVICE_IRQ_REFUSED);
	assert_int_equal(nb_record_priority(&record), LOG_NOTICE);
	record.outcome = NB_OUTCOME_NO_VECTOR;
	assert_int_equal(nb_record_priority(&record), LOG_WARNING);
}

static void xps_masks_are_of_a_nic_and_yielded_or_refused_without_alarm(void **state)
{
	struct nb_record record = {
		.event = NB_EVENT_STEERED,
		.kind = NB_KIND_XPS,
		.reason = NB_REASON_XPS_FOLLOW,
		.netdev = "eth0",
		.measured = NB_UNMEASURED,
	};
	static const char *const expected[] = {"NB_NETDEV=eth0", "NB_OUTCOME=applied",
					       "NB_EFFECT=none", "NB_REASON=xps-follow", NULL};

	(void)state;
	assert_fields(&record, expected);
	assert_string_equal(nb_record_message_id(&record), NB_MESSAGE_STEERED);
	record.outcome = NB_OUTCOME_FOREIGN;
	assert_string_equal(nb_record_message_id(&record), NB_MESSAGE_YIELDED);
	assert_int_equal(nb_record_priority(&record), LOG_NOTICE);
	record.outcome = NB_OUTCOME_REFUSED;
	assert_string_equal(nb_record_message_id(&record), NB_MESSAGE_REFUSED);
	assert_int_equal(nb_record_priority(&record), LOG_NOTICE);
	record.event = NB_EVENT_RESTORED;
	assert_int_equal(nb_record_priority(&record), LOG_WARNING);
}

static void threads_are_of_a_nic_and_there_is_advice_where_they_are_refused(void **state)
{
	struct nb_record record = {
		.event = NB_EVENT_STEERED,
		.kind = NB_KIND_THREAD,
		.reason = NB_REASON_THREAD_FOLLOW,
		.netdev = "eth0",
		.measured = NB_UNMEASURED,
	};
	static const char *const expected[] = {"NB_NETDEV=eth0", "NB_OUTCOME=applied",
					       "NB_EFFECT=none", "NB_REASON=thread-follow", NULL};

	(void)state;
	assert_fields(&record, expected);
	assert_string_equal(nb_record_message_id(&record), NB_MESSAGE_STEERED);
	record.outcome = NB_OUTCOME_FOREIGN;
	assert_string_equal(nb_record_message_id(&record), NB_MESSAGE_YIELDED);
	record.outcome = NB_OUTCOME_REFUSED;
	assert_int_equal(nb_record_priority(&record), LOG_NOTICE);
}

static void threaded_napi_that_is_refused_is_a_warning(void **state)
{
	struct nb_record record = {
		.event = NB_EVENT_STEERED,
		.kind = NB_KIND_THREADED,
		.key = {2, NB_EVERY_QUEUE},
		.reason = NB_REASON_THREADED_ON,
		.netdev = "eth0",
		.setting_to = (char *)"on",
		.measured = NB_UNMEASURED,
	};
	static const char *const of_queue[] = {"NB_QUEUE=3",
					       "NB_NETDEV=eth0",
					       "NB_SETTING=on",
					       "NB_OUTCOME=applied",
					       "NB_EFFECT=none",
					       "NB_REASON=threaded-on",
					       NULL};
	static const char *const expected[] = {"NB_NETDEV=eth0",        "NB_SETTING=on",
					       "NB_OUTCOME=applied",    "NB_EFFECT=none",
					       "NB_REASON=threaded-on", NULL};

	(void)state;
	assert_fields(&record, expected);
	record.key.index = 3;
	assert_fields(&record, of_queue);
	assert_string_equal(nb_record_message_id(&record), NB_MESSAGE_STEERED);
	record.effect = NB_EFFECT_NO_GAIN;
	assert_string_equal(nb_record_message_id(&record), NB_MESSAGE_NO_GAIN);
	record.outcome = NB_OUTCOME_FOREIGN;
	assert_string_equal(nb_record_message_id(&record), NB_MESSAGE_YIELDED);
	record.outcome = NB_OUTCOME_REFUSED;
	assert_string_equal(nb_record_message_id(&record), NB_MESSAGE_REFUSED);
	assert_int_equal(nb_record_priority(&record), LOG_WARNING);
}

static void only_what_the_operator_can_mend_is_a_warning(void **state)
{
	(void)state;
	for (int outcome = 0; outcome < _NB_OUTCOME_MAX; outcome++) {
		struct nb_record record = moved();
		bool bad = outcome == NB_OUTCOME_REFUSED || outcome == NB_OUTCOME_NO_VECTOR ||
			   outcome == NB_OUTCOME_UNSAFE;

		record.outcome = (enum nb_outcome)outcome;
		assert_int_equal(nb_record_priority(&record), bad ? LOG_WARNING : LOG_NOTICE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_move_carries_its_numbers_and_each_interrupt),
		cmocka_unit_test(a_channel_has_a_field_of_its_own),
		cmocka_unit_test(a_measured_move_carries_what_was_measured),
		cmocka_unit_test(steering_carries_the_list_and_no_cpu),
		cmocka_unit_test(a_setting_is_of_a_nic),
		cmocka_unit_test(flow_tables_are_of_a_nic_and_restored_one_by_one),
		cmocka_unit_test(entries_that_moved_are_fields),
		cmocka_unit_test(an_rss_table_is_no_queues),
		cmocka_unit_test(what_others_did_has_no_reason_of_ours),
		cmocka_unit_test(the_id_names_the_event_unless_it_failed),
		cmocka_unit_test(an_interrupt_of_no_queue_has_ids_and_fields_of_its_own),
		cmocka_unit_test(xps_masks_are_of_a_nic_and_yielded_or_refused_without_alarm),
		cmocka_unit_test(threads_are_of_a_nic_and_there_is_advice_where_they_are_refused),
		cmocka_unit_test(threaded_napi_that_is_refused_is_a_warning),
		cmocka_unit_test(only_what_the_operator_can_mend_is_a_warning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
