/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/rehearsed.h"

#include "base/describe.h"
#include "nicbalance/names.h"

GArray *nb_rehearsed_run_rows(const nb_rehearsed *rehearsed)
{
	GArray *rows = g_array_new(FALSE, FALSE, sizeof(struct nb_run_row));

	for (unsigned i = 0; i < 2; i++) {
		struct nb_rehearsal_sum sum;
		struct nb_run_row row = {.name = rehearsed->names[i]};

		nb_rehearsal_sum(rehearsed->runs[i], &sum);
		row.hottest_mean = sum.hottest_mean;
		row.hottest_p99 = sum.hottest_p99;
		row.hot_usec = sum.hot_msec * 1000;
		row.dropped = sum.dropped;
		row.n_moves = sum.n_moves;
		row.n_steered = sum.n_steered;
		row.n_ping_pongs = sum.n_ping_pongs;
		g_array_append_val(rows, row);
	}
	return rows;
}

static int compare_verdicts(const void *a, const void *b)
{
	const struct nb_verdict_row *left = a, *right = b;

	return (left->usec < right->usec) - (left->usec > right->usec);
}

/* The longest first; those that never were are left out. */
GArray *nb_rehearsed_verdict_rows(const struct nb_rehearsal *run)
{
	GArray *rows = g_array_new(FALSE, FALSE, sizeof(struct nb_verdict_row));
	struct nb_rehearsal_sum sum;

	nb_rehearsal_sum(run, &sum);
	for (int i = 0; i < _NB_VERDICT_MAX; i++) {
		enum nb_verdict verdict = (enum nb_verdict)i;
		struct nb_verdict_row row = {
			.word = nb_verdict_to_string(verdict),
			.text = nb_verdict_explain(verdict),
			.usec = sum.verdict_nsec[i] / NB_NSEC_PER_USEC,
			.share = nb_basis_points(sum.verdict_nsec[i], sum.length_nsec),
		};

		if (row.usec > 0)
			g_array_append_val(rows, row);
	}
	g_array_sort(rows, compare_verdicts);
	return rows;
}

static const char *own(GPtrArray *texts, char *text)
{
	g_ptr_array_add(texts, text);
	return text;
}

/* In a trace places also change by the hand of others. */
static bool is_foreign(const struct nb_record *record)
{
	return record->event == NB_EVENT_MOVED && record->reason == _NB_REASON_INVALID;
}

static const char *reason_word(const struct nb_record *record)
{
	return record->reason == _NB_REASON_INVALID ? "" : nb_reason_to_string(record->reason);
}

static const char *why(const struct nb_record *record, GPtrArray *texts)
{
	return is_foreign(record) ? "someone else moved it" : own(texts, nb_record_why(record));
}

static const char *result(const struct nb_record *record, GPtrArray *texts)
{
	if (record->outcome == NB_OUTCOME_REHEARSED && record->event == NB_EVENT_REDIRECTED)
		return "told only: a trace does not say what would follow";
	if (record->outcome == NB_OUTCOME_REHEARSED)
		return "told only: a trace does not say what RPS would take off";
	/* Also in what would have been: a rehearsal plans queues alone. */
	if (nb_key_is_device_irq(record->key))
		return "as recorded";
	return own(texts, nb_record_result(record));
}

static struct nb_move_row row_of(const struct nb_record *record, GPtrArray *texts)
{
	return (struct nb_move_row){
		.realtime_usec = record->realtime_usec,
		.event = nb_event_to_string(record->event),
		.reason = reason_word(record),
		.outcome = nb_outcome_to_string(record->outcome),
		.effect = nb_effect_to_string(record->effect),
		.ifindex = record->key.ifindex,
		.netdev = record->netdev,
		.index = record->key.index,
		.irqs = {.irqs = record->irqs, .n_irqs = record->n_irqs},
		.cpu_from = record->cpu_from,
		.cpu_to = record->cpu_to,
		.rps_from = record->rps_from ? record->rps_from : "",
		.rps_to = record->rps_to ? record->rps_to : "",
		.load = record->load,
		.before = record->before,
		.predicted = record->predicted,
		.measured = record->measured,
		.what = own(texts, nb_record_what(record)),
		.why = why(record, texts),
		.result = result(record, texts),
	};
}

GArray *nb_rehearsed_move_rows(const struct nb_rehearsal *run, GPtrArray *texts)
{
	GArray *rows = g_array_new(FALSE, FALSE, sizeof(struct nb_move_row));

	for (unsigned i = 0; i < run->records->len; i++) {
		struct nb_move_row row =
			row_of(&g_array_index(run->records, struct nb_record, i), texts);

		g_array_append_val(rows, row);
	}
	return rows;
}
