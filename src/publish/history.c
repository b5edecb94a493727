/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "publish/history.h"

#include "base/record.h"

/* The ring is a window that slides through twice its room: it stays contiguous for the reader, and
 * is shifted back once in NB_HISTORY_SIZE additions. */
struct nb_history {
	unsigned first;
	unsigned n;
	struct nb_record records[2 * NB_HISTORY_SIZE];
};

/* Records are not cleared, so that only what is used becomes resident. */
struct nb_history *nb_history_new(void)
{
	struct nb_history *history = g_malloc(sizeof(*history));

	history->first = 0;
	history->n = 0;
	return history;
}

void nb_history_free(struct nb_history *history)
{
	if (!history)
		return;
	for (unsigned i = 0; i < history->n; i++)
		nb_record_clear(&history->records[history->first + i]);
	g_free(history);
}

static void drop_oldest(struct nb_history *history)
{
	nb_record_clear(&history->records[history->first]);
	history->first++;
	history->n--;
}

static void shift_back(struct nb_history *history)
{
	memmove(history->records, &history->records[history->first],
		history->n * sizeof(history->records[0]));
	history->first = 0;
}

void nb_history_add(struct nb_history *history, struct nb_record *record)
{
	if (history->n == NB_HISTORY_SIZE)
		drop_oldest(history);
	if (history->first + history->n == G_N_ELEMENTS(history->records))
		shift_back(history);

	history->records[history->first + history->n] = *record;
	history->n++;
	/* The texts are the ring's now. */
	record->rps_from = NULL;
	record->rps_to = NULL;
	record->rss_queues = NULL;
	record->setting_from = NULL;
	record->setting_to = NULL;
	record->limited_to = NULL;
	nb_record_clear(record);
}

struct nb_record *nb_history_find_pending(struct nb_history *history, enum nb_kind kind,
					  struct nb_queue_key key)
{
	for (unsigned i = history->n; i > 0; i--) {
		struct nb_record *record = &history->records[history->first + i - 1];

		if (nb_record_is_open(record) && record->kind == kind &&
		    nb_queue_key_compare(record->key, key) == 0)
			return record;
	}
	return NULL;
}

const struct nb_record *nb_history_records(const struct nb_history *history, unsigned *ret_n)
{
	*ret_n = history->n;
	return &history->records[history->first];
}
