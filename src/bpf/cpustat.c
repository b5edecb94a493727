/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bpf/probe_internal.h"

#include "bpf/cpustat.skel.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>

void nb_probe_load_cpustat(struct nb_probe *probe)
{
	struct cpustat_bpf *object = cpustat_bpf__open();

	probe->cpustat_object = object;
	if (!object || bpf_map__set_max_entries(object->maps.times, probe->n_cpus) < 0 ||
	    cpustat_bpf__load(object) < 0 ||
	    nb_probe_map(object->maps.times, (void **)&probe->cpustat) < 0)
		nb_probe_unload_cpustat(probe);
}

void nb_probe_unload_cpustat(struct nb_probe *probe)
{
	if (!probe->cpustat_object)
		return;
	nb_probe_unmap(g_steal_pointer(&probe->cpustat), probe->cpustat_object->maps.times);
	g_clear_pointer(&probe->cpustat_object, cpustat_bpf__destroy);
}

static int run(const struct nb_probe *probe, uint64_t first_cpu)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &first_cpu,
		    .ctx_size_in = sizeof(first_cpu));

	return bpf_prog_test_run_opts(bpf_program__fd(probe->cpustat_object->progs.read_cpustat),
				      &opts);
}

int nb_probe_read_cpustat(struct nb_probe *probe, struct nb_probe_cpustat *stats, unsigned n_cpus)
{
	n_cpus = MIN(n_cpus, probe->n_cpus);
	if (!probe->cpustat)
		return -EOPNOTSUPP;
	for (unsigned cpu = 0; probe->cpustat_object && cpu < n_cpus;
	     cpu += NB_PROBE_CPUS_AT_ONCE) {
		int r = run(probe, cpu);

		if (r < 0)
			return r;
	}
	memcpy(stats, probe->cpustat, n_cpus * sizeof(*stats));
	return 0;
}
