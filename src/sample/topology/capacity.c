/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/topology/capacity.h"

#define CPUS "sys/devices/system/cpu"

/* What differs by no more than this, in basis points, are CPUs of one kind. */
struct source {
	const char *file;
	uint64_t most;
	uint32_t margin;
};

static const struct source sources[] = {
	/* What the scheduler goes by, of 1024 (drivers/base/arch_topology.c cpu_capacity_show():
	 * arm64, RISC-V). Favoured cores may have some per cent more there. */
	{"cpu_capacity", 1024, NB_WHOLE / 10},
	/* kHz, for x86: that shows no capacities, and has none for hybrids with hyper-threading
	 * (drivers/cpufreq/intel_pstate.c hybrid_init_cpu_capacity_scaling()). It does not tell how
	 * much a core does in a cycle, and cores of one kind differ: favoured ones by up to 7 %
	 * (5.6 and 6.0 GHz of a Core i9-14900K), those that an administrator prefers by some more
	 * (Speed Select, Turbo Frequency). The kinds of hybrids differ by more than 25 %: 5.2
	 * and 3.9 GHz (Core i9-12900K), 5.4 and 4.2 (i7-14700), 5.0 and 3.7 (Ryzen 5 8500G). */
	{"cpufreq/cpuinfo_max_freq", 100000000, NB_WHOLE / 4},
};

/* Of each CPU of the topology; NULL unless all are known. */
static uint64_t *read_all(struct nb_sysroot *root, const struct nb_topology *topology,
			  const struct source *source)
{
	g_autofree uint64_t *values = g_new0(uint64_t, topology->n_cpus);

	for (unsigned i = 0; i < topology->n_cpus; i++) {
		g_autofree char *path =
			g_strdup_printf(CPUS "/cpu%u/%s", topology->cpus[i].id, source->file);

		if (nb_sysroot_read_number(root, path, source->most, &values[i]) < 0 ||
		    values[i] == 0)
			return NULL;
	}
	return g_steal_pointer(&values);
}

static int largest_first(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return (*left < *right) - (*left > *right);
}

/* The largest CPU of the kind to which one of this value belongs. */
static uint64_t kind_of(uint64_t value, const uint64_t *descending, const struct source *source)
{
	uint64_t kind = descending[0];

	for (unsigned i = 1; kind * NB_WHOLE > value * (NB_WHOLE + source->margin); i++)
		if (kind * NB_WHOLE > descending[i] * (NB_WHOLE + source->margin))
			kind = descending[i];
	return kind;
}

/* False: this source knows no difference. */
static bool read_source(struct nb_sysroot *root, struct nb_topology *topology,
			const struct source *source)
{
	g_autofree uint64_t *values = read_all(root, topology, source), *descending = NULL;
	bool differ = false;

	if (!values)
		return false;
	descending = g_memdup2(values, topology->n_cpus * sizeof(*values));
	qsort(descending, topology->n_cpus, sizeof(*descending), largest_first);
	for (unsigned i = 0; i < topology->n_cpus; i++) {
		uint64_t kind = kind_of(values[i], descending, source);

		topology->cpus[i].capacity =
			MAX(nb_basis_points(kind, descending[0]), NB_CAPACITY_LEAST);
		differ |= kind != descending[0];
	}
	return differ;
}

void nb_capacity_read(struct nb_sysroot *root, struct nb_topology *topology)
{
	for (unsigned i = 0; i < topology->n_cpus; i++)
		topology->cpus[i].capacity = NB_WHOLE;
	for (size_t i = 0; i < G_N_ELEMENTS(sources); i++)
		if (read_source(root, topology, &sources[i]))
			return;
}
