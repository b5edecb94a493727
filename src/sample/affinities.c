/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/affinities.h"

#include "base/find.h"
#include "sample/rps.h"

#include <errno.h>
#include <string.h>

void nb_affinities_init(struct nb_affinities *affinities, struct nb_sysroot *root)
{
	*affinities = (struct nb_affinities){0};
	nb_irq_files_init(&affinities->files, root);
}

static void forget_counts(struct nb_affinities *affinities)
{
	g_clear_pointer(&affinities->last, g_free);
	g_clear_pointer(&affinities->next, g_free);
}

void nb_affinities_clear(struct nb_affinities *affinities)
{
	forget_counts(affinities);
	g_free(affinities->queues);
	g_free(affinities->counted);
	nb_irq_files_clear(&affinities->files);
}

static const uint32_t *find_row(const struct nb_affinities *affinities,
				const struct nb_queue *queue)
{
	const struct nb_machine before = {
		.queues = affinities->queues,
		.n_queues = affinities->n_queues,
	};
	const struct nb_queue *known = nb_machine_find_queue(&before, queue->key);
	size_t i;

	if (!affinities->last || !known || known->n_irqs != queue->n_irqs ||
	    memcmp(known->irqs, queue->irqs, sizeof(known->irqs)) != 0)
		return NULL;
	i = (size_t)(known - affinities->queues);
	return affinities->counted[i] ? &affinities->last[i * affinities->n_cpus] : NULL;
}

/* The same interrupt goes on counting: where it is handled shows in the first sample, too. */
static void carry_over(struct nb_affinities *affinities, const struct nb_machine *machine)
{
	uint32_t *last = g_new0(uint32_t, (gsize)machine->n_queues * affinities->n_cpus);
	bool *counted = g_new0(bool, machine->n_queues);

	for (unsigned i = 0; i < machine->n_queues; i++) {
		const uint32_t *row = find_row(affinities, &machine->queues[i]);

		counted[i] = row;
		if (row)
			memcpy(&last[(size_t)i * affinities->n_cpus], row,
			       affinities->n_cpus * sizeof(*row));
	}
	forget_counts(affinities);
	g_free(affinities->queues);
	g_free(affinities->counted);
	affinities->last = last;
	affinities->counted = counted;
	affinities->queues =
		g_memdup2(machine->queues, machine->n_queues * sizeof(*machine->queues));
	affinities->n_queues = machine->n_queues;
}

void nb_affinities_adopt(struct nb_affinities *affinities, const struct nb_machine *machine)
{
	carry_over(affinities, machine);
	nb_irq_files_keep(&affinities->files, machine);
}

/* The masks of a queue's interrupts. */
struct masks {
	struct nb_cpumask any;    /* in one of them: of a pair held apart two CPUs */
	struct nb_cpumask common; /* in all of them */
};

static int read_masks(struct nb_irq_files *files, const struct nb_queue *queue, struct masks *ret)
{
	struct masks masks = {};
	struct nb_cpumask mask;
	int r;

	for (unsigned i = 0; i < queue->n_irqs; i++) {
		r = nb_irq_files_read_cpus(files, NB_IRQ_AFFINITY, queue->irqs[i], &mask);
		if (r < 0)
			return r;
		nb_cpumask_or(&masks.any, &mask);
		if (i == 0)
			masks.common = mask;
		else
			nb_cpumask_and(&masks.common, &mask);
	}
	*ret = masks;
	return 0;
}

/* Where it is delivered: of its first interrupt, which is the receiving one. */
static int read_effective(struct nb_irq_files *files, const struct nb_queue *queue)
{
	struct nb_cpumask mask;

	if (queue->n_irqs == 0 ||
	    nb_irq_files_read_cpus(files, NB_IRQ_EFFECTIVE, queue->irqs[0], &mask) < 0)
		return -1;
	return nb_cpumask_only(&mask);
}

/* What is delivered to the only CPU of its mask stays there until the mask changes. A mask that has
 * changed may be a wish still: kernel/irq/proc.c show_irq_affinity() shows the pending one. */
static bool has_arrived(const struct nb_queue_state *state, int allowed_cpu)
{
	return allowed_cpu >= 0 && state->affinity_cpu == allowed_cpu &&
	       state->effective_cpu == allowed_cpu;
}

/* Of its first interrupt, too: drivers give all of a queue the same. */
static bool is_hinted(struct nb_irq_files *files, const struct nb_queue *queue,
		      const struct nb_cpumask *allowed)
{
	struct nb_cpumask hint;

	return queue->n_irqs > 0 &&
	       nb_irq_files_read_cpus(files, NB_IRQ_HINT, queue->irqs[0], &hint) == 0 &&
	       nb_cpumask_equal(&hint, allowed);
}

static void set_affinity(struct nb_irq_files *files, const struct nb_queue *queue,
			 const struct nb_cpumask *allowed, struct nb_queue_state *state)
{
	int cpu = nb_cpumask_only(allowed);
	unsigned n_allowed = nb_cpumask_count(allowed);

	if (state->affinity_cpu != cpu || state->n_allowed != n_allowed)
		state->hinted = is_hinted(files, queue, allowed);
	state->affinity_cpu = cpu;
	state->n_allowed = n_allowed;
}

static int read_affinity(struct nb_irq_files *files, const struct nb_queue *queue, bool uncached,
			 struct nb_queue_state *state, struct masks *masks)
{
	int r = read_masks(files, queue, masks);

	if (r == -ENOENT)
		return -ESTALE;
	if (r < 0)
		*masks = (struct masks){};
	if (uncached || !has_arrived(state, nb_cpumask_only(&masks->any)))
		state->effective_cpu = read_effective(files, queue);
	set_affinity(files, queue, &masks->any, state);
	return 0;
}

static bool is_default(const struct nb_snapshot *snapshot, const struct nb_cpumask *cpus)
{
	struct nb_cpumask outside = snapshot->machine->topology.online;

	nb_cpumask_andnot(&outside, cpus);
	return nb_cpumask_empty(&outside) || nb_cpumask_equal(cpus, &snapshot->default_affinity);
}

static void add_several(const struct nb_snapshot *snapshot, const struct nb_queue_state *state,
			const struct masks *masks, GArray *several)
{
	struct nb_several row = {.key = state->key, .apart = nb_cpumask_empty(&masks->common)};

	if (state->n_allowed < 2)
		return;
	row.cpus = row.apart ? masks->any : masks->common;
	if (!is_default(snapshot, &row.cpus))
		g_array_append_val(several, row);
}

static bool is_settable(struct nb_irq_files *files, const struct nb_queue *queue)
{
	for (unsigned i = 0; i < queue->n_irqs; i++)
		if (!nb_irq_files_is_settable(files, queue->irqs[i]))
			return false;
	return true;
}

static int read_affinities(struct nb_irq_files *files, const struct nb_machine *machine,
			   bool uncached, struct nb_snapshot *snapshot, GArray *several)
{
	struct masks masks;

	for (unsigned i = 0; i < snapshot->n_queues; i++) {
		const struct nb_queue *queue = &machine->queues[i];
		struct nb_queue_state *state = &snapshot->queues[i];
		int r;

		r = read_affinity(files, queue, uncached, state, &masks);
		if (r < 0)
			return r;
		add_several(snapshot, state, &masks, several);
		if (uncached)
			state->settable = !queue->ignored && is_settable(files, queue);
	}
	return 0;
}

/* The CPU whose count grew most, or -1. Counts wrap at 32 bits. */
static int landed_cpu(const struct nb_irq_counts *counts, const uint32_t *last,
		      const uint32_t *next)
{
	uint32_t most = 0;
	int landed = -1;

	for (unsigned i = 0; i < counts->n_cpus; i++) {
		uint32_t grown = next[i] - last[i];

		if (grown > most) {
			most = grown;
			landed = (int)counts->cpus[i];
		}
	}
	return landed;
}

static void count_queue(struct nb_affinities *affinities, struct nb_irq_counts *counts,
			const struct nb_queue *queue, unsigned position,
			struct nb_queue_state *state)
{
	size_t offset = (size_t)position * counts->n_cpus;
	uint32_t *next = affinities->next + offset;

	memset(next, 0, counts->n_cpus * sizeof(*next));
	if (nb_queue_has_channel(queue))
		return;
	for (unsigned i = 0; i < queue->n_irqs; i++)
		(void)nb_irq_counts_add(counts, queue->irqs[i], next);

	state->interrupts = 0;
	for (unsigned i = 0; i < counts->n_cpus; i++)
		state->interrupts += next[i];
	state->landed_cpu = affinities->last && affinities->counted[position]
				    ? landed_cpu(counts, affinities->last + offset, next)
				    : NB_LANDED_UNKNOWN;
}

static void count_interrupts(struct nb_affinities *affinities, const struct nb_scan *scan,
			     struct nb_snapshot *snapshot)
{
	struct nb_irq_counts counts;

	nb_irq_counts_init(&counts, &affinities->files, &scan->possible);
	affinities->n_cpus = counts.n_cpus;
	if (!affinities->next)
		affinities->next = g_new(uint32_t, (gsize)snapshot->n_queues * counts.n_cpus);
	for (unsigned i = 0; i < snapshot->n_queues; i++)
		count_queue(affinities, &counts, &scan->machine.queues[i], i, &snapshot->queues[i]);
	nb_irq_counts_clear(&counts);
}

/* The kernel counts the interrupts of a channel, not by CPU; they come to the one that the host was
 * told last. A count that wraps to 0 only delays the answer by one sample. */
static void count_channel(struct nb_irq_files *files, uint32_t irq, struct nb_queue_state *state)
{
	bool first = state->interrupts == 0;
	uint64_t count;
	uint32_t grown;

	if (nb_irq_files_read(files, NB_IRQ_COUNTS, irq) < 0 ||
	    !g_ascii_string_to_unsigned(g_strchomp(files->text->str), 10, 0, UINT64_MAX, &count,
					NULL))
		return;
	grown = (uint32_t)count - state->interrupts;
	state->interrupts = (uint32_t)count;
	if (!first)
		state->landed_cpu = grown > 0 ? state->effective_cpu : -1;
}

static void count_channels(struct nb_irq_files *files, const struct nb_machine *machine,
			   struct nb_snapshot *snapshot)
{
	for (unsigned i = 0; i < machine->n_queues; i++)
		if (nb_queue_has_channel(&machine->queues[i]))
			count_channel(files, machine->queues[i].irqs[0], &snapshot->queues[i]);
}

int nb_affinities_read(struct nb_affinities *affinities, const struct nb_scan *scan, unsigned flags,
		       struct nb_snapshot *snapshot, const struct nb_affinity_rows *rows)
{
	struct nb_irq_files *files = &affinities->files;
	bool uncached = flags & NB_AFFINITIES_UNCACHED;
	int r;

	r = read_affinities(files, &scan->machine, uncached, snapshot, rows->several);
	if (r < 0)
		return r;
	if (flags & NB_AFFINITIES_COUNTS)
		count_interrupts(affinities, scan, snapshot);
	else
		forget_counts(affinities);
	count_channels(files, &scan->machine, snapshot);

	if (uncached)
		nb_rps_find_all(files->root, &scan->machine, rows->rps);
	else
		nb_rps_review(files->root, &scan->machine, rows->rps);
	return 0;
}

void nb_affinities_commit(struct nb_affinities *affinities)
{
	uint32_t *older = affinities->last;

	affinities->last = affinities->next;
	affinities->next = older;
	for (unsigned i = 0; i < affinities->n_queues; i++)
		affinities->counted[i] = true;
}
