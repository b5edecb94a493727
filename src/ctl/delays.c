/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/delays.h"

#include "nicbalance/status.h"

struct histogram {
	uint64_t counts[NB_DELAYS];
	uint64_t n_runs;
};

static void add_growth(struct histogram *histogram, const struct nb_delays *before,
		       const struct nb_delays *after)
{
	for (unsigned i = 0; i < NB_DELAYS; i++) {
		uint32_t growth = after->counts[i] - before->counts[i];

		histogram->counts[i] += growth;
		histogram->n_runs += growth;
	}
}

static void add_histogram(struct histogram *histogram, const struct histogram *other)
{
	for (unsigned i = 0; i < NB_DELAYS; i++)
		histogram->counts[i] += other->counts[i];
	histogram->n_runs += other->n_runs;
}

/* What the bucket says of a delay in it. */
static struct nb_bound bound_of(unsigned bucket)
{
	if (bucket < NB_DELAYS - 1)
		return (struct nb_bound){.usec = UINT64_C(1) << bucket};
	return (struct nb_bound){.usec = UINT64_C(1) << (NB_DELAYS - 2), .is_least = true};
}

/* Below it are so many percent of all runs; there must be one. */
static struct nb_bound percentile(const struct histogram *histogram, unsigned percent)
{
	uint64_t n_below = 0;
	unsigned i;

	for (i = 0; i < NB_DELAYS - 1; i++) {
		n_below += histogram->counts[i];
		if (n_below * 100 >= histogram->n_runs * percent)
			break;
	}
	return bound_of(i);
}

static void append_row(GArray *rows, int cpu, const struct histogram *histogram)
{
	struct nb_latency_row row = {.cpu = cpu, .n_runs = histogram->n_runs};

	if (histogram->n_runs > 0) {
		row.p50 = percentile(histogram, 50);
		row.p99 = percentile(histogram, 99);
		row.max = percentile(histogram, 100);
	}
	g_array_append_val(rows, row);
}

static const struct nb_delays *at(const GArray *delays, unsigned i)
{
	return nb_row_at(delays, i);
}

GArray *nb_delays_summarize(const GArray *before, const GArray *after)
{
	GArray *rows = g_array_new(FALSE, TRUE, sizeof(struct nb_latency_row));
	struct histogram all = {0};

	for (unsigned i = 0, j = 0; i < before->len && j < after->len;) {
		if (at(before, i)->cpu < at(after, j)->cpu) {
			i++;
		} else if (at(before, i)->cpu > at(after, j)->cpu) {
			j++;
		} else {
			struct histogram own = {0};

			add_growth(&own, at(before, i++), at(after, j));
			add_histogram(&all, &own);
			if (own.n_runs > 0)
				append_row(rows, (int)at(after, j)->cpu, &own);
			j++;
		}
	}
	append_row(rows, NB_CPU_ALL, &all);
	return rows;
}
