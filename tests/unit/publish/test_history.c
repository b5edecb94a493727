/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/support.h"

#include "publish/history.h"

static struct nb_record numbered(uint64_t number)
{
	return (struct nb_record){
		.realtime_usec = number,
		.measured = NB_UNMEASURED,
		.rps_from = g_strdup_printf("from %u", (unsigned)number),
		.rps_to = g_strdup_printf("to %u", (unsigned)number),
		.rss_queues = g_strdup(""),
		.rss_moved = 12,
		.rss_entries = 128,
	};
}

static void add_numbered(struct nb_history *history, uint64_t first, uint64_t last)
{
	for (uint64_t i = first; i <= last; i++) {
		struct nb_record record = numbered(i);

		nb_history_add(history, &record);
	}
}

static void starts_empty(void **state)
{
	g_autoptr(nb_history) history = nb_history_new();
	unsigned n = 7;

	(void)state;
	assert_non_null(nb_history_records(history, &n));
	assert_int_equal(n, 0);
}

static void takes_over_the_texts_and_clears_the_record(void **state)
{
	g_autoptr(nb_history) history = nb_history_new();
	struct nb_record record = numbered(5);
	const char *text = record.rps_to;
	unsigned n;

	(void)state;
	nb_history_add(history, &record);

	assert_null(record.rps_from);
	assert_null(record.rps_to);
	assert_null(record.rss_queues);
	assert_int_equal(record.rss_moved, 0);
	assert_int_equal(record.realtime_usec, 0);
	assert_int_equal(nb_history_records(history, &n)[0].rss_moved, 12);
	assert_int_equal(nb_history_records(history, &n)[0].rss_entries, 128);
	assert_ptr_equal(nb_history_records(history, &n)[0].rps_to, text);
	assert_int_equal(n, 1);
}

/* Far enough that the window has slid through its room several times. */
static void keeps_the_newest_in_order_however_many_came(void **state)
{
	g_autoptr(nb_history) history = nb_history_new();

	(void)state;
	for (uint64_t last = 1; last <= 5 * NB_HISTORY_SIZE; last++) {
		const struct nb_record *records;
		unsigned n;

		add_numbered(history, last, last);
		records = nb_history_records(history, &n);
		assert_int_equal(n, MIN(last, NB_HISTORY_SIZE));
		for (unsigned i = 0; i < n; i++) {
			g_autofree char *text =
				g_strdup_printf("to %u", (unsigned)(last - n + 1 + i));

			assert_string_equal(records[i].rps_to, text);
		}
	}
}

static void finds_the_newest_pending_record_of_a_queue(void **state)
{
	g_autoptr(nb_history) history = nb_history_new();
	struct nb_queue_key key = {2, 3}, other = {2, 4};
	struct nb_record older = {.key = key, .effect = NB_EFFECT_PENDING, .load = 1};
	struct nb_record newer = {.key = key, .effect = NB_EFFECT_PENDING, .load = 2};
	struct nb_record judged = {.key = key, .effect = NB_EFFECT_WORKED, .load = 3};
	struct nb_record of_other = {.key = other, .effect = NB_EFFECT_PENDING, .load = 4};

	(void)state;
	nb_history_add(history, &older);
	nb_history_add(history, &newer);
	nb_history_add(history, &judged);
	nb_history_add(history, &of_other);

	assert_int_equal(nb_history_find_pending(history, NB_KIND_QUEUE, key)->load, 2);
	nb_history_find_pending(history, NB_KIND_QUEUE, key)->effect = NB_EFFECT_WORKED;
	assert_int_equal(nb_history_find_pending(history, NB_KIND_QUEUE, key)->load, 1);
	assert_null(nb_history_find_pending(history, NB_KIND_RSS, key));
}

static void finds_no_pending_record_where_there_is_none(void **state)
{
	g_autoptr(nb_history) history = nb_history_new();
	struct nb_record judged = {.key = {2, 3}, .effect = NB_EFFECT_NO_GAIN};

	(void)state;
	nb_history_add(history, &judged);
	assert_null(nb_history_find_pending(history, NB_KIND_QUEUE, (struct nb_queue_key){2, 3}));
	assert_null(nb_history_find_pending(history, NB_KIND_QUEUE, (struct nb_queue_key){9, 9}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(starts_empty),
		cmocka_unit_test(takes_over_the_texts_and_clears_the_record),
		cmocka_unit_test(keeps_the_newest_in_order_however_many_came),
		cmocka_unit_test(finds_the_newest_pending_record_of_a_queue),
		cmocka_unit_test(finds_no_pending_record_where_there_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
