/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/record.h"

#include "support/support.h"

static struct nb_nic nic = {.ifindex = 2, .name = "eth0"};
static struct nb_queue queue = {.key = {2, 3}, .n_irqs = 2, .irqs = {40, 41}};
static const struct nb_machine machine = {
	.nics = &nic, .n_nics = 1, .queues = &queue, .n_queues = 1};

static void a_record_names_its_device_and_interrupts(void **state)
{
	struct nb_record record = nb_record_of(&machine, NB_EVENT_MOVED, NB_KIND_QUEUE, queue.key);

	(void)state;
	assert_string_equal(record.netdev, "eth0");
	assert_int_equal(record.n_irqs, 2);
	assert_int_equal(record.irqs[1], 41);
	assert_int_equal(record.cpu_from, -1);
	assert_int_equal(record.measured, NB_UNMEASURED);
}

static void a_record_of_a_queue_that_is_gone_names_none(void **state)
{
	struct nb_record record = nb_record_of(&machine, NB_EVENT_RESTORED, NB_KIND_QUEUE,
					       (struct nb_queue_key){7, 0});

	(void)state;
	assert_string_equal(record.netdev, "");
	assert_int_equal(record.n_irqs, 0);
	assert_int_equal(record.key.ifindex, 7);
}

static void an_interrupt_of_no_queue_is_named_by_its_handlers(void **state)
{
	struct nb_device_irq disk = {.irq = 50, .handlers = "ahci"};
	struct nb_machine with_disk = {.device_irqs = &disk, .n_device_irqs = 1};
	struct nb_move move = {.key = nb_device_irq_key(50), .cpu_from = 1, .cpu_to = 4};
	struct nb_record record =
		nb_record_of(&with_disk, NB_EVENT_MOVED, NB_KIND_DEVICE_IRQ, move.key);

	(void)state;
	nb_record_set_move(&record, &move, NB_OUTCOME_APPLIED);
	assert_string_equal(record.handlers, "ahci");
	assert_string_equal(record.netdev, "");
	assert_int_equal(record.n_irqs, 1);
	assert_int_equal(record.irqs[0], 50);
	assert_int_equal(record.effect, NB_EFFECT_NONE);
	record = nb_record_of(&machine, NB_EVENT_RESTORED, NB_KIND_DEVICE_IRQ,
			      nb_device_irq_key(50));
	assert_string_equal(record.handlers, "");
	assert_int_equal(record.irqs[0], 50);
}

static void only_a_move_that_was_applied_is_measured(void **state)
{
	struct nb_move move = {.reason = NB_REASON_PANIC, .cpu_from = 1, .cpu_to = 4, .load = 900};
	struct nb_record record = nb_record_of(&machine, NB_EVENT_MOVED, NB_KIND_QUEUE, queue.key);

	(void)state;
	nb_record_set_move(&record, &move, NB_OUTCOME_REFUSED);
	assert_false(nb_record_is_open(&record));
	nb_record_set_move(&record, &move, NB_OUTCOME_APPLIED);
	assert_true(nb_record_is_open(&record));
	assert_int_equal(record.cpu_to, 4);
	assert_int_equal(record.load, 900);
	assert_int_equal(record.reason, NB_REASON_PANIC);
}

static void a_stuck_move_is_measured_on_and_a_settled_one_is_not(void **state)
{
	struct nb_record record = {.effect = NB_EFFECT_STUCK};

	(void)state;
	assert_true(nb_record_is_open(&record));
	record.effect = NB_EFFECT_WORKED;
	assert_false(nb_record_is_open(&record));
}

static void a_cleared_record_holds_no_text(void **state)
{
	struct nb_rps_change rps = {.reason = NB_REASON_RPS_WIDEN, .to = {.words = {0xc}}};
	struct nb_change change = nb_change_of_rps(&rps);
	struct nb_record record = nb_record_of(&machine, NB_EVENT_STEERED, NB_KIND_RPS, queue.key);

	(void)state;
	nb_record_set_change(&record, &change);
	assert_string_equal(record.rps_from, "");
	assert_string_equal(record.rps_to, "2-3");
	nb_record_clear(&record);
	assert_null(record.rps_to);
	assert_int_equal(record.measured, NB_UNMEASURED);
}

static void a_record_of_an_rss_table_is_of_its_device(void **state)
{
	struct nb_rss_change rss = {.reason = NB_REASON_RSS_EMPTY, .queues = {.words = {0x5}}};
	struct nb_change change = nb_change_of_rss(&rss);
	struct nb_queue_key gone = {.ifindex = 0};
	struct nb_record record = nb_record_of(&machine, NB_EVENT_REDIRECTED, NB_KIND_RSS, gone);

	(void)state;
	nb_record_set_change(&record, &change);
	assert_string_equal(record.rss_queues, "0,2");
	assert_int_equal(record.reason, NB_REASON_RSS_EMPTY);
	assert_false(nb_record_is_open(&record));
	nb_record_clear(&record);
	assert_null(record.rss_queues);
}

static void a_record_of_entries_that_move_counts_them(void **state)
{
	static const uint32_t from[] = {0, 1, 2, 5, 0, 1, 2, 5}, to[] = {0, 1, 2, 5, 2, 5, 2, 5};
	struct nb_rss_change rss = {.reason = NB_REASON_RSS_SPREAD,
				    .from = from,
				    .to = to,
				    .n_entries = 8,
				    .n_moved = 2,
				    .load_before = 9000,
				    .load_after = 4000};
	struct nb_rss_change empty = {.reason = NB_REASON_RSS_EMPTY, .queues = {.words = {0x27}}};
	struct nb_change change = nb_change_of_rss(&rss), other = nb_change_of_rss(&empty);
	const struct nb_record none =
		nb_record_of(&machine, NB_EVENT_REDIRECTED, NB_KIND_RSS, rss.key);
	struct nb_record record = none, again = none;

	(void)state;
	nb_record_set_change(&record, &change);
	assert_int_equal(record.reason, NB_REASON_RSS_SPREAD);
	assert_int_equal(record.rss_moved, 2);
	assert_int_equal(record.rss_entries, 8);
	assert_string_equal(record.rss_queues, "0-2,5");
	assert_int_equal(record.before, 9000);
	assert_int_equal(record.predicted, 4000);
	assert_true(record.out_of_order == NB_UNCOUNTED);
	/* Counted once more it would be others: no news. */
	rss.n_moved = 1;
	nb_record_set_change(&again, &change);
	assert_true(nb_record_is_same_target(&record, &again));
	nb_record_clear(&again);
	again = none;
	nb_record_set_change(&again, &other);
	assert_string_equal(again.rss_queues, "0-2,5");
	assert_int_equal(again.rss_moved, 0);
	assert_int_equal(again.rss_entries, 0);
	assert_false(nb_record_is_same_target(&record, &again));
	nb_record_clear(&again);

	/* Back. */
	again = none;
	rss = (struct nb_rss_change){.reason = NB_REASON_RSS_CALM};
	nb_record_set_change(&again, &change);
	assert_string_equal(again.rss_queues, "");
	assert_int_equal(again.rss_moved, 0);
	assert_false(nb_record_is_same_target(&record, &again));
	nb_record_clear(&again);
	nb_record_clear(&record);
	assert_null(record.rss_queues);
	assert_int_equal(record.rss_moved, 0);
}

static void a_record_of_a_setting_has_it_in_words(void **state)
{
	struct nb_setting_change setting = {.from = NB_UDP_HASH_ADDRESSES, .to = NB_UDP_HASH_PORTS};
	struct nb_change change = nb_change_of_setting(NB_KIND_UDP_HASH, &setting);
	struct nb_queue_key key = {.ifindex = 2};
	struct nb_record record = nb_record_of(&machine, NB_EVENT_CONFIGURED, change.kind, key);
	struct nb_record other = nb_record_of(&machine, NB_EVENT_CONFIGURED, change.kind, key);

	(void)state;
	nb_record_set_change(&record, &change);
	assert_string_equal(record.setting_from, "addresses");
	assert_string_equal(record.setting_to, "addresses and ports");
	setting.to = 0;
	nb_record_set_change(&other, &change);
	assert_string_equal(other.setting_to, "");
	assert_false(nb_record_is_same_target(&record, &other));
	nb_record_clear(&record);
	nb_record_clear(&other);
	assert_null(record.setting_to);

	record = nb_record_of(&machine, NB_EVENT_RESTORED, NB_KIND_CHANNELS, key);
	nb_record_set_setting(&record, 8, 1);
	assert_string_equal(record.setting_from, "8");
	assert_string_equal(record.setting_to, "1");
	nb_record_clear(&record);

	setting = (struct nb_setting_change){.to = 32768};
	change = nb_change_of_setting(NB_KIND_RFS, &setting);
	record = nb_record_of(&machine, nb_event_of(change.kind), change.kind, key);
	nb_record_set_change(&record, &change);
	assert_int_equal(record.event, NB_EVENT_CONFIGURED);
	assert_string_equal(record.setting_from, "");
	assert_string_equal(record.setting_to, "32768");
	nb_record_clear(&record);
}

static void threaded_napi_is_on_or_off_and_pending_once_it_is_on(void **state)
{
	struct nb_threaded_change threaded = {.on = true};
	struct nb_change change = nb_change_of_threaded(&threaded);
	struct nb_queue_key key = {.ifindex = 2};
	struct nb_record record =
		nb_record_of(&machine, nb_event_of(change.kind), change.kind, key);

	(void)state;
	assert_int_equal(record.event, NB_EVENT_STEERED);
	nb_record_set_change(&record, &change);
	assert_string_equal(record.setting_from, "off");
	assert_string_equal(record.setting_to, "on");
	assert_int_equal(record.effect, NB_EFFECT_NONE);
	nb_record_clear(&record);
	change.outcome = NB_OUTCOME_APPLIED;
	nb_record_set_change(&record, &change);
	assert_int_equal(record.effect, NB_EFFECT_PENDING);
	nb_record_clear(&record);

	threaded.on = false;
	record = nb_record_of(&machine, nb_event_of(change.kind), change.kind, key);
	nb_record_set_change(&record, &change);
	assert_string_equal(record.setting_to, "off");
	assert_int_equal(record.effect, NB_EFFECT_NONE);
	nb_record_clear(&record);
}

static void a_yield_tells_ours_and_theirs(void **state)
{
	struct nb_finding finding = {.event = NB_EVENT_YIELDED, .cpu_ours = 3, .cpu_theirs = -1};
	struct nb_record record =
		nb_record_of(&machine, NB_EVENT_YIELDED, NB_KIND_QUEUE, queue.key);

	(void)state;
	nb_record_set_yield(&record, &finding);
	assert_int_equal(record.cpu_from, 3);
	assert_int_equal(record.cpu_to, -1);
	assert_null(record.rps_from);
	assert_null(record.limited_to);
	nb_cpumask_add(&finding.limited_to, 4);
	nb_record_set_yield(&record, &finding);
	assert_string_equal(record.limited_to, "4");
	nb_record_clear(&record);
	assert_null(record.limited_to);
	finding.kind = NB_KIND_RPS;
	nb_cpumask_clear(&finding.limited_to);
	nb_cpumask_add(&finding.rps_theirs, 2);
	nb_record_set_yield(&record, &finding);
	assert_string_equal(record.rps_from, "");
	assert_string_equal(record.rps_to, "2");
	nb_record_clear(&record);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_record_names_its_device_and_interrupts),
		cmocka_unit_test(a_record_of_a_queue_that_is_gone_names_none),
		cmocka_unit_test(an_interrupt_of_no_queue_is_named_by_its_handlers),
		cmocka_unit_test(only_a_move_that_was_applied_is_measured),
		cmocka_unit_test(a_stuck_move_is_measured_on_and_a_settled_one_is_not),
		cmocka_unit_test(a_record_of_an_rss_table_is_of_its_device),
		cmocka_unit_test(a_record_of_entries_that_move_counts_them),
		cmocka_unit_test(a_record_of_a_setting_has_it_in_words),
		cmocka_unit_test(threaded_napi_is_on_or_off_and_pending_once_it_is_on),
		cmocka_unit_test(a_yield_tells_ours_and_theirs),
		cmocka_unit_test(a_cleared_record_holds_no_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
