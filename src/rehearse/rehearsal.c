/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rehearse/rehearsal.h"

#include "base/record.h"

#include <string.h>

#define HOT 9000u

struct nb_rehearsal *nb_rehearsal_new(void)
{
	struct nb_rehearsal *rehearsal = g_new0(struct nb_rehearsal, 1);

	rehearsal->seconds = g_array_new(FALSE, FALSE, sizeof(struct nb_rehearsed_second));
	rehearsal->demand = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	rehearsal->records = g_array_new(FALSE, FALSE, sizeof(struct nb_record));
	rehearsal->advice = g_array_new(FALSE, FALSE, sizeof(struct nb_rehearsed_advice));
	return rehearsal;
}

void nb_rehearsal_free(struct nb_rehearsal *rehearsal)
{
	if (!rehearsal)
		return;
	for (unsigned i = 0; i < rehearsal->records->len; i++) {
		nb_record_clear(&g_array_index(rehearsal->records, struct nb_record, i));
	}
	for (unsigned i = 0; i < rehearsal->advice->len; i++)
		g_free(g_array_index(rehearsal->advice, struct nb_rehearsed_advice, i).text);
	g_array_unref(rehearsal->advice);
	g_array_unref(rehearsal->seconds);
	g_array_unref(rehearsal->demand);
	g_array_unref(rehearsal->records);
	g_free(rehearsal->cpu_ids);
	g_free(rehearsal->cpu_nodes);
	g_free(rehearsal);
}

/* Where a CPU is, or where it would have to be put in. */
static unsigned position_of(const struct nb_rehearsal *rehearsal, unsigned id)
{
	unsigned low = 0, high = rehearsal->n_cpus;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (rehearsal->cpu_ids[middle] < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void add_cpu(struct nb_rehearsal *rehearsal, const struct nb_cpu *cpu)
{
	unsigned at = position_of(rehearsal, cpu->id);
	unsigned n_behind = rehearsal->n_cpus - at;

	if (n_behind && rehearsal->cpu_ids[at] == cpu->id)
		return;
	rehearsal->n_cpus++;
	rehearsal->cpu_ids = g_renew(unsigned, rehearsal->cpu_ids, rehearsal->n_cpus);
	rehearsal->cpu_nodes = g_renew(int, rehearsal->cpu_nodes, rehearsal->n_cpus);
	memmove(&rehearsal->cpu_ids[at + 1], &rehearsal->cpu_ids[at],
		n_behind * sizeof(*rehearsal->cpu_ids));
	memmove(&rehearsal->cpu_nodes[at + 1], &rehearsal->cpu_nodes[at],
		n_behind * sizeof(*rehearsal->cpu_nodes));
	rehearsal->cpu_ids[at] = cpu->id;
	rehearsal->cpu_nodes[at] = cpu->node;
}

void nb_rehearsal_add_cpus(struct nb_rehearsal *rehearsal, const struct nb_topology *topology)
{
	for (unsigned i = 0; i < topology->n_cpus; i++)
		add_cpu(rehearsal, &topology->cpus[i]);
}

static uint32_t *add_row(struct nb_rehearsal *rehearsal)
{
	unsigned first = rehearsal->demand->len;
	uint32_t *row;

	g_array_set_size(rehearsal->demand, first + rehearsal->n_cpus);
	row = &g_array_index(rehearsal->demand, uint32_t, first);
	for (unsigned i = 0; i < rehearsal->n_cpus; i++)
		row[i] = NB_REHEARSED_OFFLINE;
	return row;
}

static unsigned n_told(const struct nb_rehearsal *rehearsal)
{
	const struct nb_rehearsed_second *last;

	if (rehearsal->seconds->len == 0)
		return 0;
	last = &g_array_index(rehearsal->seconds, struct nb_rehearsed_second,
			      rehearsal->seconds->len - 1);
	return last->first_record + last->n_records;
}

void nb_rehearsal_add_second(struct nb_rehearsal *rehearsal,
			     const struct nb_rehearsed_second *second,
			     const struct nb_topology *topology, const uint32_t *demand,
			     const struct nb_cpumask *network)
{
	struct nb_rehearsed_second closed = *second;
	uint32_t *row = add_row(rehearsal);

	closed.hottest = 0;
	closed.hot_nsec = 0;
	for (unsigned i = 0; i < topology->n_cpus; i++) {
		unsigned id = topology->cpus[i].id;

		row[position_of(rehearsal, id)] = demand[i];
		if (!nb_cpumask_has(network, id))
			continue;
		closed.hottest = MAX(closed.hottest, demand[i]);
		if (demand[i] > HOT)
			closed.hot_nsec += closed.window_nsec;
	}
	closed.first_record = n_told(rehearsal);
	closed.n_records = rehearsal->records->len - closed.first_record;
	rehearsal->dropped += closed.dropped;
	g_array_append_val(rehearsal->seconds, closed);
}
