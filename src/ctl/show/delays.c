/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/show/delays.h"

#include "ctl/show/value.h"
#include "document/json.h"
#include "nicbalance/status.h"

struct histogram {
	uint64_t counts[NB_DELAYS];
	uint64_t n_runs;
};

static uint32_t count_at(const json_t *delays, unsigned bucket)
{
	const json_t *counts = json_object_get(delays, "runs-by-usec");

	return (uint32_t)json_integer_value(json_array_get(counts, bucket));
}

static void add_growth(struct histogram *histogram, const json_t *before, const json_t *after)
{
	for (unsigned i = 0; i < NB_DELAYS; i++) {
		uint32_t growth = count_at(after, i) - count_at(before, i);

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

/* The bucket's upper bound; the last has none. */
static json_t *bound_of(unsigned bucket)
{
	return bucket < NB_DELAYS - 1 ? nb_json_count(UINT64_C(1) << bucket) : json_null();
}

/* Below it are so many percent of all runs; null when there was none. */
static json_t *percentile(const struct histogram *histogram, unsigned percent)
{
	uint64_t n_below = 0;
	unsigned i;

	if (histogram->n_runs == 0)
		return json_null();
	for (i = 0; i < NB_DELAYS - 1; i++) {
		n_below += histogram->counts[i];
		if (n_below * 100 >= histogram->n_runs * percent)
			break;
	}
	return bound_of(i);
}

static void append_row(json_t *rows, json_t *cpu, const struct histogram *histogram)
{
	json_t *row = json_object();

	nb_json_set(row, "cpu", cpu);
	nb_json_set(row, "runs", nb_json_count(histogram->n_runs));
	nb_json_set(row, "p50-below-usec", percentile(histogram, 50));
	nb_json_set(row, "p99-below-usec", percentile(histogram, 99));
	nb_json_set(row, "max-below-usec", percentile(histogram, 100));
	nb_json_append(rows, row);
}

json_t *nb_delays_summarize(const json_t *before, const json_t *after)
{
	json_t *rows = json_array();
	struct histogram all = {0};

	for (size_t i = 0, j = 0; i < json_array_size(before) && j < json_array_size(after);) {
		const json_t *first = json_array_get(before, i), *last = json_array_get(after, j);
		uint64_t cpu = nb_value_count(first, "cpu"), other = nb_value_count(last, "cpu");

		i += cpu <= other;
		j += other <= cpu;
		if (cpu == other) {
			struct histogram own = {0};

			add_growth(&own, first, last);
			add_histogram(&all, &own);
			if (own.n_runs > 0)
				append_row(rows, nb_json_count(cpu), &own);
		}
	}
	append_row(rows, json_null(), &all);
	return rows;
}
