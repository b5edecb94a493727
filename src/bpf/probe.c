/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bpf/probe_internal.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* --- arrays ---------------------------------------------------------------------------------- */

struct array {
	void **memory;
	size_t bytes;
};

static struct array array_of(struct nb_probe *probe, enum nb_array array)
{
	const struct array arrays[_NB_ARRAY_MAX] = {
		[NB_ARRAY_CPUS] = {(void **)&probe->cpus, probe->n_cpus * sizeof(*probe->cpus)},
		[NB_ARRAY_NAPIS] = {(void **)&probe->napis,
				    probe->max_napis * sizeof(*probe->napis)},
		[NB_ARRAY_IRQS] = {(void **)&probe->irqs, probe->max_irqs * sizeof(*probe->irqs)},
		[NB_ARRAY_TOTALS] = {(void **)&probe->totals, sizeof(*probe->totals)},
		[NB_ARRAY_CONTROL] = {(void **)&probe->control, sizeof(*probe->control)},
		[NB_ARRAY_DELAYS] = {(void **)&probe->delays,
				     probe->n_cpus * sizeof(*probe->delays)},
		[NB_ARRAY_BUCKETS] = {(void **)&probe->buckets,
				      NB_PROBE_BUCKETS_MAX * sizeof(*probe->buckets)},
		[NB_ARRAY_CPUSTAT] = {(void **)&probe->cpustat,
				      probe->n_cpus * sizeof(*probe->cpustat)},
	};

	return arrays[array];
}

/* Arrays are whole pages (kernel/bpf/arraymap.c array_map_alloc()). */
static size_t mapped_bytes(struct array array)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (array.bytes + page - 1) / page * page;
}

int nb_probe_map(struct nb_probe *probe, enum nb_array which)
{
	struct array array = array_of(probe, which);
	int access = which == NB_ARRAY_CONTROL ? PROT_READ | PROT_WRITE : PROT_READ;
	void *memory = mmap(NULL, mapped_bytes(array), access, MAP_SHARED, probe->fds[which], 0);

	if (memory == MAP_FAILED)
		return -errno;
	*array.memory = memory;
	return 0;
}

static int map_counters(struct nb_probe *probe)
{
	for (enum nb_array i = 0; i < _NB_ARRAY_MAX; i++) {
		int r;

		/* These once they are wanted. */
		if (i == NB_ARRAY_DELAYS || i == NB_ARRAY_BUCKETS || probe->fds[i] < 0)
			continue;
		r = nb_probe_map(probe, i);
		if (r < 0)
			return r;
	}
	return 0;
}

static void unmap_counters(struct nb_probe *probe)
{
	for (enum nb_array i = 0; i < _NB_ARRAY_MAX; i++) {
		struct array array = array_of(probe, i);

		if (*array.memory)
			munmap(*array.memory, mapped_bytes(array));
	}
}

/* --- the probe ------------------------------------------------------------------------------- */

static int adopt(const struct nb_loaded *loaded, struct nb_probe **ret)
{
	g_autoptr(nb_probe) probe = g_new0(struct nb_probe, 1);
	int r;

	probe->loaded = true;
	probe->typed = loaded->typed;
	probe->raise_link = -1;
	memset(probe->links, -1, sizeof(probe->links));
	memset(probe->bucket_links, -1, sizeof(probe->bucket_links));
	probe->clock_nsec = loaded->clock_nsec;
	probe->entering_nsec = loaded->entering_nsec;
	memcpy(probe->fds, loaded->fds, sizeof(probe->fds));
	probe->n_cpus = loaded->n_cpus;
	probe->max_napis = NB_PROBE_NAPIS_MAX;
	probe->max_irqs = NB_PROBE_IRQS_MAX;
	r = map_counters(probe);
	if (r < 0)
		return r;
	*ret = g_steal_pointer(&probe);
	return 0;
}

static int fail(int error, const char *reason, char **ret_reason)
{
	if (ret_reason)
		*ret_reason = g_strdup(reason);
	return error;
}

int nb_probe_adopt(const struct nb_loaded *loaded, struct nb_probe **ret, char **ret_reason)
{
	int r;

	if (loaded->result < 0)
		return fail(loaded->result, loaded->reason, ret_reason);
	r = adopt(loaded, ret);
	if (r < 0)
		return fail(r, "the counters of eBPF programs cannot be mapped", ret_reason);
	return 0;
}

int nb_probe_open(struct nb_probe_loading **loading, struct nb_probe **ret, char **ret_reason)
{
	struct nb_loaded loaded;
	int r;

	if (!*loading) {
		r = nb_probe_loading_new(nb_probe_run_module, loading);
		if (r < 0)
			return fail(r, "no process can be made to load eBPF programs", ret_reason);
	}
	r = nb_probe_loading_answer(*loading, &loaded);
	if (r == -EINPROGRESS)
		return r;
	g_clear_pointer(loading, nb_probe_loading_free);
	if (r < 0)
		return fail(r, "the process that loads eBPF programs died of it", ret_reason);
	return nb_probe_adopt(&loaded, ret, ret_reason);
}

static void close_all(struct nb_probe *probe)
{
	nb_probe_stop_buckets(probe);
	nb_probe_detach(probe);
	unmap_counters(probe);
	for (unsigned i = 0; i < _NB_FD_MAX; i++)
		if (probe->fds[i] >= 0)
			close(probe->fds[i]);
	if (probe->raise_link >= 0)
		close(probe->raise_link);
}

void nb_probe_free(struct nb_probe *probe)
{
	if (!probe)
		return;
	if (probe->loaded)
		close_all(probe);
	g_clear_pointer(&probe->irq_positions, g_hash_table_unref);
	g_clear_pointer(&probe->ifindexes, g_array_unref);
	g_clear_pointer(&probe->tunnels, g_array_unref);
	g_free(probe);
}

void nb_probe_view(const struct nb_probe *probe, struct nb_probe_view *ret)
{
	gint n_napis = g_atomic_int_get((const gint *)&probe->totals->napis);

	*ret = (struct nb_probe_view){
		.cpus = probe->cpus,
		.n_cpus = probe->n_cpus,
		.napis = probe->napis,
		.n_napis = MIN((unsigned)n_napis, probe->max_napis),
		.irqs = probe->irqs,
		.n_irqs = probe->n_irqs,
		.n_slices = probe->n_slices,
	};
}

const char *nb_probe_flavour(const struct nb_probe *probe)
{
	return probe->typed ? "tp_btf" : "raw_tp";
}
