/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/intrusions.h"

#include "base/find.h"
#include "nicbalance/units.h"

#include <string.h>

#define TELL_AGAIN_NSEC (3600 * NB_NSEC_PER_SEC)
/* Handlers may have another name each time: of one number the last so many are kept. */
#define NAMES_MAX 8u
/* CPUs that become excluded one after the other are read so much oftener. */
#define HURRY 5u

void nb_intrusions_init(struct nb_intrusions *intrusions)
{
	*intrusions = (struct nb_intrusions){
		.cpus = g_array_new(FALSE, FALSE, sizeof(struct nb_excluded_cpu)),
		.rows = g_array_new(FALSE, FALSE, sizeof(struct nb_intrusion)),
		.gap_nsec = NB_INTRUSIONS_GAP_NSEC,
	};
}

void nb_intrusions_clear(struct nb_intrusions *intrusions)
{
	if (!intrusions->cpus)
		return;
	g_array_unref(intrusions->cpus);
	g_array_unref(intrusions->rows);
}

static struct nb_excluded_cpu *cpu_at(const struct nb_intrusions *intrusions, unsigned i)
{
	return &g_array_index(intrusions->cpus, struct nb_excluded_cpu, i);
}

static struct nb_intrusion *row_at(const struct nb_intrusions *intrusions, unsigned i)
{
	return &g_array_index(intrusions->rows, struct nb_intrusion, i);
}

/* Where a CPU stands, or would. */
static unsigned position_of_cpu(const struct nb_intrusions *intrusions, unsigned cpu)
{
	unsigned i = 0;

	while (i < intrusions->cpus->len && cpu_at(intrusions, i)->cpu < cpu)
		i++;
	return i;
}

static struct nb_excluded_cpu *find_cpu(const struct nb_intrusions *intrusions, unsigned cpu)
{
	unsigned i = position_of_cpu(intrusions, cpu);

	return i < intrusions->cpus->len && cpu_at(intrusions, i)->cpu == cpu
		       ? cpu_at(intrusions, i)
		       : NULL;
}

/* When it was told last stays: pods come and go. */
static void begin(struct nb_intrusions *intrusions, unsigned cpu, uint64_t now_nsec,
		  uint64_t realtime_usec)
{
	struct nb_excluded_cpu *known = find_cpu(intrusions, cpu);
	struct nb_excluded_cpu fresh = {
		.cpu = cpu,
		.is_excluded = true,
		.since_nsec = now_nsec,
		.since_realtime_usec = realtime_usec,
		.told_nsec = known ? known->told_nsec : 0,
	};

	if (known)
		*known = fresh;
	else
		g_array_insert_val(intrusions->cpus, position_of_cpu(intrusions, cpu), fresh);
}

static void end(struct nb_intrusions *intrusions, unsigned cpu)
{
	unsigned first = 0, n = 0;

	find_cpu(intrusions, cpu)->is_excluded = false;
	while (first < intrusions->rows->len && row_at(intrusions, first)->cpu < cpu)
		first++;
	while (first + n < intrusions->rows->len && row_at(intrusions, first + n)->cpu == cpu)
		n++;
	if (n > 0)
		g_array_remove_range(intrusions->rows, first, n);
}

void nb_intrusions_watch(struct nb_intrusions *intrusions, const struct nb_rules *rules,
			 uint64_t now_nsec, uint64_t realtime_usec)
{
	struct nb_cpumask excluded, came, went = intrusions->excluded;

	nb_rules_excluded(rules, &excluded);
	if (nb_cpumask_equal(&excluded, &intrusions->excluded))
		return;
	came = excluded;
	nb_cpumask_andnot(&came, &intrusions->excluded);
	nb_cpumask_andnot(&went, &excluded);
	NB_CPUMASK_FOREACH (cpu, &came)
		begin(intrusions, cpu, now_nsec, realtime_usec);
	NB_CPUMASK_FOREACH (cpu, &went)
		end(intrusions, cpu);
	intrusions->excluded = excluded;
}

/* Of a CPU that is to be read sooner than the others. */
static bool is_pressing(const struct nb_intrusions *intrusions, const struct nb_excluded_cpu *cpu,
			uint64_t now_nsec)
{
	if (!cpu->is_excluded || cpu->counted_nsec)
		return false;
	return cpu->since_nsec > intrusions->read_nsec ||
	       now_nsec >= cpu->since_nsec + NB_OBEYED_NSEC;
}

bool nb_intrusions_are_due(const struct nb_intrusions *intrusions, uint64_t now_nsec)
{
	if (nb_cpumask_empty(&intrusions->excluded))
		return false;
	if (!intrusions->read_nsec || now_nsec >= intrusions->read_nsec + intrusions->gap_nsec)
		return true;
	if (now_nsec < intrusions->read_nsec + intrusions->gap_nsec / HURRY)
		return false;
	for (unsigned i = 0; i < intrusions->cpus->len; i++)
		if (is_pressing(intrusions, cpu_at(intrusions, i), now_nsec))
			return true;
	return false;
}

static void add_allowed(const struct nb_rules *rules, const struct nb_pools *pools,
			struct nb_cpumask *cpus)
{
	struct nb_allowed allowed;

	for (unsigned i = 0; i < pools->n; i++) {
		nb_rules_allow(rules, pools->rows[i].key, &allowed);
		nb_cpumask_or(cpus, &allowed.cpus);
	}
}

/* Where something may be that raises softirqs. Of a written mask excluded CPUs are none. */
static void allow_softirqs(const struct nb_rules *rules, struct nb_cpumask *ret)
{
	struct nb_allowed allowed;

	nb_rules_allow_common(rules, &allowed);
	*ret = allowed.cpus;
	if (nb_cpumask_empty(ret))
		return;
	add_allowed(rules, rules->configured, ret);
	if (rules->claims)
		add_allowed(rules, &rules->claims->pools, ret);
}

/* No CPU at all: it stays where it is, since no other is left. */
static bool lets(const struct nb_cpumask *cpus, unsigned cpu)
{
	return nb_cpumask_empty(cpus) || nb_cpumask_has(cpus, cpu);
}

static bool is_allowed(const struct nb_machine *machine, const struct nb_rules *rules,
		       const struct nb_cpumask *softirqs, const struct nb_arrival *arrival)
{
	struct nb_allowed allowed;

	if (arrival->source == NB_SOURCE_SOFTIRQ)
		return lets(softirqs, arrival->cpu);
	nb_rules_allow(rules, nb_machine_key_of_irq(machine, arrival->number), &allowed);
	return lets(&allowed.cpus, arrival->cpu);
}

static int compare_numbers(const struct nb_intrusion *row, const struct nb_arrival *arrival)
{
	if (row->cpu != arrival->cpu)
		return row->cpu < arrival->cpu ? -1 : 1;
	if (row->source != arrival->source)
		return row->source < arrival->source ? -1 : 1;
	if (row->number != arrival->number)
		return row->number < arrival->number ? -1 : 1;
	return 0;
}

static int compare(const struct nb_intrusion *row, const struct nb_arrival *arrival)
{
	int r = compare_numbers(row, arrival);

	return r ? r : strcmp(row->handlers, arrival->handlers);
}

/* Where the row of a source stands, or would. */
static unsigned position_of_row(const struct nb_intrusions *intrusions,
				const struct nb_arrival *arrival)
{
	unsigned low = 0, high = intrusions->rows->len;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (compare(row_at(intrusions, middle), arrival) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_of_number(const struct nb_intrusions *intrusions, unsigned position,
			 const struct nb_arrival *arrival)
{
	return position < intrusions->rows->len &&
	       compare_numbers(row_at(intrusions, position), arrival) == 0;
}

/* Makes room for one more name of a number, at this position. Returns where that is then. */
static unsigned limit_names(struct nb_intrusions *intrusions, const struct nb_arrival *arrival,
			    unsigned position)
{
	unsigned first = position, end = position, oldest;

	while (first > 0 && is_of_number(intrusions, first - 1, arrival))
		first--;
	while (is_of_number(intrusions, end, arrival))
		end++;
	if (end - first < NAMES_MAX)
		return position;
	oldest = first;
	for (unsigned i = first + 1; i < end; i++)
		if (row_at(intrusions, i)->last_realtime_usec <
		    row_at(intrusions, oldest)->last_realtime_usec)
			oldest = i;
	g_array_remove_index(intrusions->rows, oldest);
	return oldest < position ? position - 1 : position;
}

/* The row of a source, a new one if it has none. Numbers are reused: with other handlers it is
 * another. */
static struct nb_intrusion *row_of(struct nb_intrusions *intrusions,
				   const struct nb_arrival *arrival, bool allowed)
{
	unsigned position = position_of_row(intrusions, arrival);
	struct nb_intrusion fresh = {
		.cpu = arrival->cpu,
		.source = arrival->source,
		.number = arrival->number,
		.is_allowed = allowed,
	};

	if (position < intrusions->rows->len && compare(row_at(intrusions, position), arrival) == 0)
		return row_at(intrusions, position);
	memcpy(fresh.handlers, arrival->handlers, sizeof(fresh.handlers));
	position = limit_names(intrusions, arrival, position);
	g_array_insert_val(intrusions->rows, position, fresh);
	return row_at(intrusions, position);
}

/* What was allowed at the reading before may have been told to leave in between. */
static void count(struct nb_excluded_cpu *cpu, struct nb_intrusion *row, bool allowed, bool leaving,
		  uint32_t n)
{
	if (allowed) {
		row->allowed += n;
	} else if (leaving || row->is_allowed) {
		row->leaving += n;
	} else {
		row->count += n;
		cpu->count += n;
		cpu->untold += n;
	}
	row->is_allowed = allowed;
}

void nb_intrusions_add(struct nb_intrusions *intrusions, const struct nb_machine *machine,
		       const struct nb_rules *rules, const struct nb_arrivals *arrivals,
		       uint64_t realtime_usec)
{
	struct nb_cpumask softirqs;

	allow_softirqs(rules, &softirqs);
	for (unsigned i = 0; i < arrivals->n; i++) {
		const struct nb_arrival *arrival = &arrivals->rows[i];
		struct nb_excluded_cpu *cpu = find_cpu(intrusions, arrival->cpu);
		bool allowed = is_allowed(machine, rules, &softirqs, arrival);
		struct nb_intrusion *row;

		if (!cpu || !cpu->is_excluded || arrivals->since_nsec < cpu->since_nsec)
			continue;
		row = row_of(intrusions, arrival, allowed);
		count(cpu, row, allowed, !cpu->counted_nsec, arrival->count);
		row->last_realtime_usec = realtime_usec;
	}
	for (unsigned i = 0; i < intrusions->cpus->len; i++) {
		struct nb_excluded_cpu *cpu = cpu_at(intrusions, i);

		if (!cpu->is_excluded || cpu->counted_nsec ||
		    arrivals->read_nsec < cpu->since_nsec + NB_OBEYED_NSEC)
			continue;
		cpu->counted_nsec = arrivals->read_nsec;
		cpu->counted_realtime_usec = realtime_usec;
	}
	intrusions->read_nsec = arrivals->read_nsec;
	intrusions->gap_nsec =
		MAX(NB_INTRUSIONS_GAP_NSEC, arrivals->n_files * NB_INTRUSIONS_FILE_NSEC);
}

static bool is_news(const struct nb_excluded_cpu *cpu, uint64_t now_nsec)
{
	return cpu->is_excluded && cpu->untold > 0 &&
	       (!cpu->told_nsec || now_nsec >= cpu->told_nsec + TELL_AGAIN_NSEC);
}

bool nb_intrusions_tell(struct nb_intrusions *intrusions, uint64_t now_nsec,
			struct nb_excluded_cpu *ret)
{
	for (unsigned i = 0; i < intrusions->cpus->len; i++) {
		struct nb_excluded_cpu *cpu = cpu_at(intrusions, i);

		if (!is_news(cpu, now_nsec))
			continue;
		*ret = *cpu;
		cpu->untold = 0;
		cpu->told_nsec = now_nsec;
		return true;
	}
	return false;
}
