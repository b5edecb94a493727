/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/cpu_reader.h"

#include <errno.h>

int nb_cpu_reader_open(struct nb_cpu_reader *reader, struct nb_sysroot *root)
{
	*reader = (struct nb_cpu_reader){};
	return nb_cpu_files_open(&reader->files, root);
}

void nb_cpu_reader_close(struct nb_cpu_reader *reader)
{
	nb_cpu_files_close(&reader->files);
	g_clear_pointer(&reader->cpustat, g_free);
}

void nb_cpu_reader_use_probe(struct nb_cpu_reader *reader, struct nb_probe *probe)
{
	struct nb_probe_view view;

	g_clear_pointer(&reader->cpustat, g_free);
	reader->probe = probe;
	if (!probe)
		return;
	nb_probe_view(probe, &view);
	reader->cpustat = g_new0(struct nb_probe_cpustat, view.n_cpus);
}

/* What /proc/stat would tell, for the price of one system call. CPUs without a tick keep their
 * times to themselves until /proc/stat asks (kernel/sched/cputime.c kcpustat_cpu_fetch()). */
static int read_cpustat(struct nb_cpu_reader *reader, const struct nb_topology *topology,
			struct nb_cpu_counters *cpus)
{
	int r;

	if (!reader->probe || !nb_cpumask_empty(&topology->isolated_by[NB_ISOLATION_NOHZ_FULL]))
		return -EOPNOTSUPP;
	r = nb_probe_read_cpustat(reader->probe, reader->cpustat, topology->n_possible);
	if (r < 0)
		return r;
	for (unsigned i = 0; i < topology->n_cpus; i++) {
		const struct nb_probe_cpustat *stat = &reader->cpustat[cpus[i].id];

		cpus[i].user_nsec = stat->user_nsec;
		cpus[i].steal_nsec = stat->steal_nsec;
	}
	return 0;
}

int nb_cpu_reader_times(struct nb_cpu_reader *reader, const struct nb_topology *topology,
			struct nb_cpu_counters *cpus)
{
	int r = read_cpustat(reader, topology, cpus);

	if (r != -EOPNOTSUPP)
		return r;
	return nb_cpu_files_read_times(&reader->files, cpus, topology->n_cpus);
}

int nb_cpu_reader_counters(struct nb_cpu_reader *reader, const struct nb_topology *topology,
			   struct nb_cpu_counters *cpus)
{
	int r = nb_cpu_reader_times(reader, topology, cpus);

	if (r == 0 && !reader->probe)
		r = nb_cpu_files_read_softirqs(&reader->files, cpus, topology->n_cpus);
	if (r == 0)
		r = nb_cpu_files_read_softnet(&reader->files, cpus, topology->n_cpus);
	return r;
}
