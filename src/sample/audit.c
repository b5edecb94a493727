/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/audit.h"
#include "base/cpumask_text.h"
#include "sample/irq_counts.h"
#include "sample/topology.h"

#include <errno.h>

/* The only CPU of a set, or -1. */
static int only_cpu(const struct nb_cpumask *mask)
{
	return nb_cpumask_count(mask) == 1 ? (int)nb_cpumask_next(mask, 0) : -1;
}

static int read_mask(struct nb_sysroot *root, const char *path, struct nb_cpumask *ret)
{
	g_autofree char *text = NULL;
	size_t len;
	int r;

	r = nb_sysroot_read(root, path, &text, &len);
	if (r < 0)
		return r;
	return nb_cpumask_parse_mask(text, len, ret, NULL);
}

/* The union of the masks of its interrupts, which go together: of a pair held apart it says two
 * CPUs. */
static int read_allowed(struct nb_sysroot *root, const struct nb_queue *queue,
			struct nb_cpumask *ret)
{
	struct nb_cpumask allowed = {};

	for (unsigned i = 0; i < queue->n_irqs; i++) {
		g_autofree char *path = g_strdup_printf("proc/irq/%u/smp_affinity", queue->irqs[i]);
		struct nb_cpumask mask;
		int r;

		r = read_mask(root, path, &mask);
		if (r < 0)
			return r;
		nb_cpumask_or(&allowed, &mask);
	}
	*ret = allowed;
	return 0;
}

/* Where it is delivered: of its first interrupt, which is the receiving one. */
static int read_effective(struct nb_sysroot *root, const struct nb_queue *queue)
{
	g_autofree char *path =
		g_strdup_printf("proc/irq/%u/effective_affinity_list", queue->irqs[0]);
	struct nb_cpumask mask;

	return nb_topology_read_list(root, path, &mask) == 0 ? only_cpu(&mask) : -1;
}

static int read_affinity(struct nb_sysroot *root, const struct nb_queue *queue,
			 struct nb_queue_state *state)
{
	struct nb_cpumask allowed;
	int r;

	state->affinity_cpu = -1;
	state->n_allowed = 0;
	state->effective_cpu = read_effective(root, queue);

	r = read_allowed(root, queue, &allowed);
	if (r == -ENOENT)
		return -ESTALE;
	if (r == 0) {
		state->affinity_cpu = only_cpu(&allowed);
		state->n_allowed = nb_cpumask_count(&allowed);
	}
	return 0;
}

/* Since 6.12 the kernel shows in the mode what it lets nobody move; before, a write must tell. */
static bool is_settable(struct nb_sysroot *root, const struct nb_queue *queue)
{
	for (unsigned i = 0; i < queue->n_irqs; i++) {
		g_autofree char *path = g_strdup_printf("proc/irq/%u/smp_affinity", queue->irqs[i]);

		if (!nb_sysroot_is_writable(root, path))
			return false;
	}
	return true;
}

/* The CPU whose count grew most, or -1. Counts wrap at 32 bits. */
static int landed_cpu(const struct nb_cpumask *possible, const uint32_t *last, const uint32_t *next)
{
	uint32_t most = 0;
	unsigned i = 0;
	int landed = -1;

	NB_CPUMASK_FOREACH (cpu, possible) {
		uint32_t grown = next[i] - last[i];

		if (grown > most) {
			most = grown;
			landed = (int)cpu;
		}
		i++;
	}
	return landed;
}

static void read_interrupts(struct nb_audit *audit, struct nb_irq_counts *counts,
			    const struct nb_queue *queue, unsigned position,
			    struct nb_queue_state *state)
{
	size_t offset = (size_t)position * counts->n_cpus;
	uint32_t *next = audit->next + offset;

	memset(next, 0, counts->n_cpus * sizeof(*next));
	for (unsigned i = 0; i < queue->n_irqs; i++)
		(void)nb_irq_counts_add(counts, queue->irqs[i], next);

	state->interrupts = 0;
	for (unsigned i = 0; i < counts->n_cpus; i++)
		state->interrupts += next[i];
	state->landed_cpu =
		audit->last ? landed_cpu(counts->possible, audit->last + offset, next) : -1;
}

static int read_queues(struct nb_audit *audit, struct nb_sysroot *root, const struct nb_scan *scan,
		       struct nb_irq_counts *counts, struct nb_snapshot *snapshot)
{
	for (unsigned i = 0; i < snapshot->n_queues; i++) {
		const struct nb_queue *queue = &scan->machine.queues[i];
		struct nb_queue_state *state = &snapshot->queues[i];
		int r;

		r = read_affinity(root, queue, state);
		if (r < 0)
			return r;
		state->settable = is_settable(root, queue);
		read_interrupts(audit, counts, queue, i, state);
	}
	return 0;
}

static void read_rps(struct nb_sysroot *root, const struct nb_nic *nic, GArray *rps)
{
	for (unsigned i = 0; i < nic->n_rx; i++) {
		g_autofree char *path =
			g_strdup_printf("sys/class/net/%s/queues/rx-%u/rps_cpus", nic->name, i);
		struct nb_rps_state state = {.key = {nic->ifindex, i}};

		if (read_mask(root, path, &state.cpus) == 0 && !nb_cpumask_empty(&state.cpus))
			g_array_append_val(rps, state);
	}
}

int nb_audit_read(struct nb_audit *audit, struct nb_sysroot *root, const struct nb_scan *scan,
		  struct nb_snapshot *snapshot, GArray *rps)
{
	struct nb_irq_counts counts;
	int r;

	nb_irq_counts_init(&counts, root, &scan->possible);
	if (!audit->next)
		audit->next = g_new(uint32_t, (gsize)snapshot->n_queues * counts.n_cpus);
	r = read_queues(audit, root, scan, &counts, snapshot);
	nb_irq_counts_clear(&counts);
	if (r < 0)
		return r;

	g_array_set_size(rps, 0);
	for (unsigned i = 0; i < scan->machine.n_nics; i++)
		if (scan->machine.nics[i].scope == NB_SCOPE_IN)
			read_rps(root, &scan->machine.nics[i], rps);
	return 0;
}

void nb_audit_commit(struct nb_audit *audit)
{
	uint32_t *older = audit->last;

	audit->last = audit->next;
	audit->next = older;
}

void nb_audit_clear(struct nb_audit *audit)
{
	g_clear_pointer(&audit->last, g_free);
	g_clear_pointer(&audit->next, g_free);
}
