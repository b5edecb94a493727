/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rehearse/rehearse.h"

#define NSEC_PER_MSEC UINT64_C(1000000)

static const struct nb_rehearsed_second *second_at(const struct nb_rehearsal *rehearsal, unsigned i)
{
	return &g_array_index(rehearsal->seconds, struct nb_rehearsed_second, i);
}

static int compare_hottest(const void *a, const void *b)
{
	const struct nb_rehearsed_second *left = a, *right = b;

	return (left->hottest > right->hottest) - (left->hottest < right->hottest);
}

/* The least of the measured values that is not exceeded for 99 % of the time. */
static uint32_t percentile_99(const struct nb_rehearsal *rehearsal, uint64_t length_nsec)
{
	g_autoptr(GArray) sorted =
		g_array_sized_new(FALSE, FALSE, sizeof(struct nb_rehearsed_second), 0);
	uint64_t passed_nsec = 0;

	g_array_append_vals(sorted, rehearsal->seconds->data, rehearsal->seconds->len);
	g_array_sort(sorted, compare_hottest);
	for (unsigned i = 0; i < sorted->len; i++) {
		const struct nb_rehearsed_second *second =
			&g_array_index(sorted, struct nb_rehearsed_second, i);

		passed_nsec += second->window_nsec;
		if (passed_nsec >= length_nsec / 100 * 99)
			return second->hottest;
	}
	return 0;
}

static unsigned count_steered(const struct nb_rehearsal *rehearsal)
{
	unsigned n = 0;

	for (unsigned i = 0; i < rehearsal->records->len; i++) {
		const struct nb_record *record =
			&g_array_index(rehearsal->records, struct nb_record, i);

		n += record->event == NB_EVENT_STEERED && record->outcome == NB_OUTCOME_APPLIED;
	}
	return n;
}

void nb_rehearsal_sum(const struct nb_rehearsal *rehearsal, struct nb_rehearsal_sum *ret)
{
	struct nb_rehearsal_sum sum = {
		.n_moves = rehearsal->n_moves,
		.n_steered = count_steered(rehearsal),
		.n_ping_pongs = rehearsal->n_ping_pongs,
		.dropped = rehearsal->dropped,
	};
	uint64_t hot_nsec = 0, weighted = 0;

	for (unsigned i = 0; i < rehearsal->seconds->len; i++) {
		const struct nb_rehearsed_second *second = second_at(rehearsal, i);

		sum.length_nsec += second->window_nsec;
		sum.verdict_nsec[second->verdict] += second->window_nsec;
		hot_nsec += second->hot_nsec;
		weighted += second->hottest * (second->window_nsec / NSEC_PER_MSEC);
	}
	if (sum.length_nsec >= NSEC_PER_MSEC)
		sum.hottest_mean = (uint32_t)(weighted / (sum.length_nsec / NSEC_PER_MSEC));
	sum.hottest_p99 = percentile_99(rehearsal, sum.length_nsec);
	sum.hot_msec = hot_nsec / NSEC_PER_MSEC;
	*ret = sum;
}
