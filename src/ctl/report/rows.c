/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/report/rehearsed.h"
#include "document/document.h"
#include "document/json.h"
#include "nicbalance/names.h"

static json_t *run_of(const char *name, const struct nb_rehearsal_sum *sum)
{
	json_t *row = json_object();

	nb_json_set(row, "run", nb_json_text(name));
	nb_json_set(row, "hottest-mean-percent", nb_json_percent(sum->hottest_mean));
	nb_json_set(row, "hottest-p99-percent", nb_json_percent(sum->hottest_p99));
	nb_json_set(row, "above-90-percent-seconds", nb_json_seconds(sum->hot_msec * 1000));
	nb_json_set(row, "dropped", nb_json_count(sum->dropped));
	nb_json_set(row, "moves", json_integer(sum->n_moves));
	nb_json_set(row, "rps-changes", json_integer(sum->n_steered));
	nb_json_set(row, "ping-pongs", json_integer(sum->n_ping_pongs));
	return row;
}

json_t *nb_rehearsed_runs(const nb_rehearsed *rehearsed)
{
	json_t *rows = json_array();

	for (unsigned i = 0; i < 2; i++) {
		struct nb_rehearsal_sum sum;

		nb_rehearsal_sum(rehearsed->runs[i], &sum);
		nb_json_append(rows, run_of(rehearsed->names[i], &sum));
	}
	return rows;
}

static json_t *verdict_of(enum nb_verdict verdict, const struct nb_rehearsal_sum *sum)
{
	uint64_t nsec = sum->verdict_nsec[verdict];
	json_t *row = json_object();

	nb_json_set(row, "seconds", nb_json_seconds(nsec / NB_NSEC_PER_USEC));
	nb_json_set(row, "percent", nb_json_percent(nb_basis_points(nsec, sum->length_nsec)));
	nb_json_set(row, "verdict", nb_json_text(nb_verdict_to_string(verdict)));
	nb_json_set(row, "verdict-text", nb_json_text(nb_verdict_explain(verdict)));
	return row;
}

/* The longest first; those that never were are left out. */
json_t *nb_rehearsed_verdicts(const struct nb_rehearsal *run)
{
	json_t *rows = json_array();
	struct nb_rehearsal_sum sum;

	nb_rehearsal_sum(run, &sum);
	for (;;) {
		unsigned longest = 0;

		for (unsigned i = 1; i < _NB_VERDICT_MAX; i++)
			if (sum.verdict_nsec[i] > sum.verdict_nsec[longest])
				longest = i;
		if (sum.verdict_nsec[longest] < NB_NSEC_PER_USEC)
			return rows;
		nb_json_append(rows, verdict_of((enum nb_verdict)longest, &sum));
		sum.verdict_nsec[longest] = 0;
	}
}

json_t *nb_rehearsed_advice(const struct nb_rehearsal *run)
{
	json_t *rows = json_array();

	for (unsigned i = 0; i < run->advice->len; i++) {
		const struct nb_rehearsed_advice *said =
			&g_array_index(run->advice, struct nb_rehearsed_advice, i);
		json_t *row = json_object();

		nb_json_set(row, "nic", nb_json_text(said->nic));
		nb_json_set(row, "advice", nb_json_text(nb_advice_to_string(said->advice)));
		nb_json_set(row, "text", nb_json_text(said->text));
		nb_json_append(rows, row);
	}
	return rows;
}

/* What others did, and what a trace cannot tell of. */
static void explain(json_t *row, const struct nb_record *record)
{
	/* In a trace other programs move queues, too. */
	if (record->event == NB_EVENT_MOVED && record->reason == _NB_REASON_INVALID)
		nb_json_set(row, "why", json_string("moved by another program"));
	if (record->outcome == NB_OUTCOME_REHEARSED)
		nb_json_set(
			row, "result",
			json_string(
				record->event == NB_EVENT_REDIRECTED
					? "not simulated: a trace does not say what would follow"
					: "not simulated: a trace does not say how much "
					  "RPS would steer"));
	/* Also in what would have been: a rehearsal plans queues alone. */
	else if (record->kind == NB_KIND_DEVICE_IRQ)
		nb_json_set(row, "result", json_string("as recorded"));
}

json_t *nb_rehearsed_moves(const struct nb_rehearsal *run)
{
	json_t *rows = json_array();

	for (unsigned i = 0; i < run->records->len; i++) {
		const struct nb_record *record = &g_array_index(run->records, struct nb_record, i);
		json_t *row = nb_document_rehearsed_move(record);

		explain(row, record);
		nb_json_append(rows, row);
	}
	return rows;
}
