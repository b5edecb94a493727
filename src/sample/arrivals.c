/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/arrivals.h"

#include "sample/discover/handlers.h"
#include "sample/parse/parse.h"

#include <errno.h>

/* How often an interrupt came to one CPU. */
struct cpu_count {
	unsigned cpu;
	uint32_t count;
};

/* One reading. */
struct reading {
	struct nb_arrivals_reader *reader;
	const struct nb_cpumask *cpus;
	struct nb_irq_files *files;
	struct nb_irq_counts counts;
	struct nb_handlers *handlers; /* NULL until the first is asked for */
	uint32_t *sums;               /* of the interrupt at hand, parallel to counts.cpus */
	unsigned n_files;
};

static void free_counts(gpointer counts)
{
	g_array_unref(counts);
}

void nb_arrivals_reader_init(struct nb_arrivals_reader *reader, struct nb_sysroot *root)
{
	*reader = (struct nb_arrivals_reader){
		.root = root,
		.totals = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
		.next_totals = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
		.kept = g_hash_table_new_full(NULL, NULL, NULL, free_counts),
		.softirqs = g_array_new(FALSE, TRUE, sizeof(uint32_t)),
		.next_softirqs = g_array_new(FALSE, TRUE, sizeof(uint32_t)),
		.rows = g_array_new(FALSE, FALSE, sizeof(struct nb_arrival)),
		.text = g_string_new(NULL),
	};
}

void nb_arrivals_reader_clear(struct nb_arrivals_reader *reader)
{
	if (!reader->totals)
		return;
	g_array_unref(reader->totals);
	g_array_unref(reader->next_totals);
	g_hash_table_unref(reader->kept);
	g_array_unref(reader->softirqs);
	g_array_unref(reader->next_softirqs);
	g_array_unref(reader->rows);
	g_string_free(reader->text, TRUE);
}

/* Counts wrap. One that went back is another interrupt's, which got the number and began with 0. */
static uint32_t growth(uint32_t before, uint32_t now)
{
	uint32_t grown = now - before;

	return grown > INT32_MAX ? now : grown;
}

static uint32_t total_before(const struct nb_arrivals_reader *reader, uint32_t irq)
{
	return irq < reader->totals->len ? g_array_index(reader->totals, uint32_t, irq) : 0;
}

/* The first that is not before i is looked at next: CPUs ascend on both sides. */
static uint32_t count_before(const GArray *kept, unsigned cpu, unsigned *i)
{
	while (kept && *i < kept->len && g_array_index(kept, struct cpu_count, *i).cpu < cpu)
		(*i)++;
	return kept && *i < kept->len && g_array_index(kept, struct cpu_count, *i).cpu == cpu
		       ? g_array_index(kept, struct cpu_count, *i).count
		       : 0;
}

static GArray *keep_counts(const struct reading *reading)
{
	GArray *kept = g_array_new(FALSE, FALSE, sizeof(struct cpu_count));

	for (unsigned i = 0; i < reading->counts.n_cpus; i++) {
		struct cpu_count count = {reading->counts.cpus[i], reading->sums[i]};

		if (count.count > 0)
			g_array_append_val(kept, count);
	}
	return kept;
}

/* Where it is not told, it is delivered to some CPU. */
static bool has_a_cpu(struct nb_irq_files *files, uint32_t irq)
{
	struct nb_cpumask effective;

	return nb_irq_files_read_cpus(files, NB_IRQ_EFFECTIVE, irq, &effective) < 0 ||
	       !nb_cpumask_empty(&effective);
}

static void name_it(struct reading *reading, struct nb_arrival *arrival)
{
	g_auto(GStrv) names = NULL;

	if (!reading->handlers && nb_handlers_open(reading->reader->root, &reading->handlers) < 0)
		return;
	names = nb_handlers_of(reading->handlers, arrival->number);
	if (names)
		nb_handlers_join(names, arrival->handlers);
}

static void add_irq(struct reading *reading, struct nb_arrival *arrival, bool *named)
{
	if (!*named) {
		if (!has_a_cpu(reading->files, arrival->number))
			return;
		name_it(reading, arrival);
		reading->n_files += 2;
		*named = true;
	}
	g_array_append_val(reading->reader->rows, *arrival);
}

static void compare_irq(struct reading *reading, uint32_t irq, const GArray *kept)
{
	struct nb_arrival arrival = {.source = NB_SOURCE_IRQ, .number = irq};
	bool named = false;
	unsigned at = 0;

	for (unsigned i = 0; i < reading->counts.n_cpus; i++) {
		unsigned cpu = reading->counts.cpus[i];

		arrival.cpu = cpu;
		arrival.count = growth(count_before(kept, cpu, &at), reading->sums[i]);
		if (arrival.count > 0 && nb_cpumask_has(reading->cpus, cpu))
			add_irq(reading, &arrival, &named);
	}
}

/* One whose counts before are not known is only kept: it came before the first reading, or could
 * not be read then. */
static void read_irq(struct reading *reading, uint32_t irq)
{
	struct nb_arrivals_reader *reader = reading->reader;
	const GArray *kept = g_hash_table_lookup(reader->kept, GUINT_TO_POINTER(irq));
	bool known = kept || (reader->read_nsec && total_before(reader, irq) == 0);

	memset(reading->sums, 0, reading->counts.n_cpus * sizeof(*reading->sums));
	reading->n_files++;
	if (nb_irq_counts_add(&reading->counts, irq, reading->sums) < 0) {
		g_hash_table_remove(reader->kept, GUINT_TO_POINTER(irq));
		return;
	}
	if (known)
		compare_irq(reading, irq, kept);
	g_hash_table_replace(reader->kept, GUINT_TO_POINTER(irq), keep_counts(reading));
}

static void read_irqs(struct reading *reading)
{
	struct nb_arrivals_reader *reader = reading->reader;

	for (uint32_t irq = 0; irq < reader->next_totals->len; irq++) {
		uint32_t total = g_array_index(reader->next_totals, uint32_t, irq);

		if (total == 0)
			g_hash_table_remove(reader->kept, GUINT_TO_POINTER(irq));
		else if (total != total_before(reader, irq))
			read_irq(reading, irq);
	}
}

static uint32_t softirqs_of(const GArray *softirqs, unsigned i)
{
	return i < softirqs->len ? g_array_index(softirqs, uint32_t, i) : 0;
}

static void compare_softirqs(struct reading *reading)
{
	struct nb_arrivals_reader *reader = reading->reader;

	for (unsigned i = 0; reader->read_nsec && i < reader->next_softirqs->len; i++) {
		struct nb_arrival arrival = {
			.cpu = i / _NB_SOFTIRQ_MAX,
			.source = NB_SOURCE_SOFTIRQ,
			.number = i % _NB_SOFTIRQ_MAX,
			.count = growth(softirqs_of(reader->softirqs, i),
					softirqs_of(reader->next_softirqs, i)),
		};

		if (arrival.count > 0 && nb_cpumask_has(reading->cpus, arrival.cpu))
			g_array_append_val(reader->rows, arrival);
	}
}

static void keep_softirqs(unsigned cpu, const uint32_t counts[_NB_SOFTIRQ_MAX], void *userdata)
{
	GArray *softirqs = userdata;
	unsigned end = (cpu + 1) * _NB_SOFTIRQ_MAX;

	if (softirqs->len < end)
		g_array_set_size(softirqs, end);
	for (unsigned kind = 0; kind < _NB_SOFTIRQ_MAX; kind++)
		g_array_index(softirqs, uint32_t, cpu * _NB_SOFTIRQ_MAX + kind) = counts[kind];
}

static int read_softirqs(struct nb_arrivals_reader *reader)
{
	int r = nb_sysroot_read_into(reader->root, "proc/softirqs", reader->text);

	if (r < 0)
		return r;
	g_array_set_size(reader->next_softirqs, 0);
	return nb_parse_softirq_kinds(reader->text->str, reader->text->len, keep_softirqs,
				      reader->next_softirqs);
}

static int read_totals(struct nb_arrivals_reader *reader)
{
	int r = nb_sysroot_read_into(reader->root, "proc/stat", reader->text);

	return r < 0 ? r : nb_parse_intr(reader->text->str, reader->text->len, reader->next_totals);
}

static void swap(GArray **a, GArray **b)
{
	GArray *other = *a;

	*a = *b;
	*b = other;
}

int nb_arrivals_read(struct nb_arrivals_reader *reader, struct nb_irq_files *files,
		     const struct nb_scan *scan, const struct nb_cpumask *cpus, uint64_t now_nsec,
		     struct nb_arrivals *ret)
{
	struct reading reading = {.reader = reader, .cpus = cpus, .files = files};
	int r;

	r = read_totals(reader);
	if (r == 0)
		r = read_softirqs(reader);
	if (r < 0)
		return r;
	g_array_set_size(reader->rows, 0);
	compare_softirqs(&reading);
	nb_irq_counts_init(&reading.counts, files, &scan->possible);
	reading.sums = g_new(uint32_t, reading.counts.n_cpus);
	read_irqs(&reading);
	g_free(reading.sums);
	nb_irq_counts_clear(&reading.counts);
	nb_handlers_free(reading.handlers);

	swap(&reader->totals, &reader->next_totals);
	swap(&reader->softirqs, &reader->next_softirqs);
	*ret = (struct nb_arrivals){
		.since_nsec = reader->read_nsec,
		.read_nsec = now_nsec,
		.rows = (const struct nb_arrival *)(const void *)reader->rows->data,
		.n = reader->rows->len,
		.n_files = reading.n_files,
	};
	reader->read_nsec = now_nsec;
	return 0;
}
