/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bpf/call.h"
#include "bpf/probe_internal.h"

#include <assert.h>
#include <errno.h>

static bool has_ifindex(const int *ifindexes, unsigned n, int ifindex)
{
	for (unsigned i = 0; i < n; i++)
		if (ifindexes[i] == ifindex)
			return true;
	return false;
}

/* A full hash map answers E2BIG (kernel/bpf/hashtab.c alloc_htab_elem()). */
static int put(int fd, const void *key, uint32_t value)
{
	int r = nb_bpf_update(fd, key, &value);

	return r == -E2BIG ? -ENOSPC : r;
}

/* A number that has become another kind of device's is left to it. */
static bool is_told_as(int fd, int ifindex, uint32_t kind)
{
	uint32_t told;

	return nb_bpf_lookup(fd, &ifindex, &told) == 0 && told == kind;
}

/* Those of that kind: the ones told before, and the ones that there are now. */
static int tell_devices(struct nb_probe *probe, GArray *before, const int *ifindexes, unsigned n,
			uint32_t kind)
{
	int fd = probe->fds[NB_FD_DEVICES];

	for (unsigned i = 0; probe->loaded && i < before->len; i++) {
		int ifindex = g_array_index(before, int, i);

		if (!has_ifindex(ifindexes, n, ifindex) && is_told_as(fd, ifindex, kind))
			(void)nb_bpf_delete(fd, &ifindex);
	}
	for (unsigned i = 0; probe->loaded && i < n; i++) {
		int r = put(fd, &ifindexes[i], kind);

		if (r < 0)
			return r;
	}
	g_array_set_size(before, 0);
	if (n > 0)
		g_array_append_vals(before, ifindexes, n);
	return 0;
}

/* The programs find a NAPI by its address, without reading its device; so each one is marked. They
 * clear the mark themselves once the device is in scope. */
static int mark_napis(struct nb_probe *probe, const int *ifindexes, unsigned n)
{
	int fd = probe->fds[NB_FD_NAPI_POSITIONS];
	uint64_t address, *previous = NULL;
	uint32_t position;
	int r;

	while (nb_bpf_next_key(fd, previous, &address) == 0) {
		previous = &address;
		if (nb_bpf_lookup(fd, &address, &position) < 0)
			continue;
		if (position & NB_PROBE_OUT ||
		    has_ifindex(ifindexes, n, (int)probe->napis[position].ifindex))
			continue;
		r = put(fd, &address, position | NB_PROBE_OUT);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Position of an interrupt's counters, given out now if it has none. */
static int give_position(struct nb_probe *probe, uint32_t irq)
{
	struct nb_probe_irq counters = {.irq = irq};
	unsigned position;
	int r;

	position =
		GPOINTER_TO_UINT(g_hash_table_lookup(probe->irq_positions, GUINT_TO_POINTER(irq)));
	if (position > 0)
		return (int)position - 1;
	if (probe->n_irqs == probe->max_irqs)
		return -ENOSPC;

	position = probe->n_irqs;
	if (probe->loaded) {
		r = nb_bpf_update(probe->fds[NB_ARRAY_IRQS], &position, &counters);
		if (r < 0)
			return r;
	} else {
		probe->irqs[position].irq = irq;
	}
	probe->n_irqs++;
	g_hash_table_insert(probe->irq_positions, GUINT_TO_POINTER(irq),
			    GUINT_TO_POINTER(position + 1));
	return (int)position;
}

static int tell_irq(const struct nb_probe *probe, uint32_t position, bool in_scope)
{
	int fd = probe->fds[NB_FD_IRQS_IN_SCOPE];
	uint32_t irq = probe->irqs[position].irq;

	if (in_scope)
		return put(fd, &irq, position);
	return nb_bpf_delete(fd, &irq);
}

static int scope_irqs(struct nb_probe *probe, const uint32_t *irqs, unsigned n)
{
	g_autofree bool *wanted = g_new0(bool, probe->max_irqs);
	int result = 0;

	for (unsigned i = 0; i < n; i++) {
		int position = give_position(probe, irqs[i]);

		if (position >= 0)
			wanted[position] = true;
		else
			result = position;
	}
	for (unsigned i = 0; i < probe->n_irqs; i++) {
		int r = 0;

		if (wanted[i] == probe->irq_in_scope[i])
			continue;
		if (probe->loaded)
			r = tell_irq(probe, i, wanted[i]);
		if (r < 0)
			return r;
		probe->irq_in_scope[i] = wanted[i];
	}
	return result;
}

int nb_probe_set_scope(struct nb_probe *probe, const int *ifindexes, unsigned n_ifindexes,
		       const uint32_t *irqs, unsigned n_irqs)
{
	int r;

	if (!probe->irq_positions) {
		probe->irq_positions = g_hash_table_new(NULL, NULL);
		probe->ifindexes = g_array_new(FALSE, FALSE, sizeof(int));
		probe->tunnels = g_array_new(FALSE, FALSE, sizeof(int));
	}
	r = tell_devices(probe, probe->ifindexes, ifindexes, n_ifindexes, NB_PROBE_NIC);
	if (r < 0)
		return r;
	if (probe->loaded) {
		r = mark_napis(probe, ifindexes, n_ifindexes);
		if (r < 0)
			return r;
	}

	r = scope_irqs(probe, irqs, n_irqs);
	if (r < 0)
		return r;
	return probe->totals && probe->totals->lost > 0 ? -ENOSPC : 0;
}

int nb_probe_set_tunnels(struct nb_probe *probe, const int *ifindexes, unsigned n)
{
	int r;

	assert(probe->tunnels);
	n = MIN(n, NB_PROBE_TUNNELS_MAX);
	r = tell_devices(probe, probe->tunnels, ifindexes, n, NB_PROBE_TUNNEL);
	if (r == 0)
		probe->control->n_tunnels = n;
	return r;
}

int nb_probe_set_virtuals(struct nb_probe *probe, const int *ifindexes)
{
	int fd = probe->fds[NB_FD_DEVICES];

	assert(probe->tunnels);
	for (unsigned i = 0; i < NB_PROBE_VIRTUALS_MAX; i++) {
		int before = probe->virtuals[i];

		if (before && before != ifindexes[i] && probe->loaded &&
		    is_told_as(fd, before, NB_PROBE_VIRTUAL + i))
			(void)nb_bpf_delete(fd, &before);
		probe->virtuals[i] = 0;
	}
	for (unsigned i = 0; i < NB_PROBE_VIRTUALS_MAX; i++) {
		int r = 0;

		if (ifindexes[i] && probe->loaded)
			r = put(fd, &ifindexes[i], NB_PROBE_VIRTUAL + i);
		if (r < 0)
			return r;
		probe->virtuals[i] = ifindexes[i];
	}
	return 0;
}

void nb_probe_watch_virtuals(struct nb_probe *probe, bool on)
{
	probe->control->watches_virtuals = on;
}

int nb_probe_find_irq(const struct nb_probe *probe, uint32_t irq)
{
	unsigned position;

	if (!probe->irq_positions)
		return -1;
	position =
		GPOINTER_TO_UINT(g_hash_table_lookup(probe->irq_positions, GUINT_TO_POINTER(irq)));
	if (position == 0 || !probe->irq_in_scope[position - 1])
		return -1;
	return (int)position - 1;
}
