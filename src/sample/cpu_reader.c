/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/cpu_reader.h"

#include "sample/parse/parse.h"

#include <errno.h>
#include <unistd.h>

enum { STAT, SOFTIRQS, SOFTNET };

static const char *const paths[NB_CPU_FILES] = {
	[STAT] = "proc/stat",
	[SOFTIRQS] = "proc/softirqs",
	[SOFTNET] = "proc/net/softnet_stat",
};

int nb_cpu_reader_open(struct nb_cpu_reader *reader, struct nb_sysroot *root)
{
	*reader = (struct nb_cpu_reader){.root = root};
	reader->ticks_per_sec = (unsigned)sysconf(_SC_CLK_TCK);
	reader->text = g_string_new(NULL);
	for (int i = 0; i < NB_CPU_FILES; i++)
		reader->fds[i] = -1;
	for (int i = 0; i < NB_CPU_FILES && nb_sysroot_is_host(root); i++) {
		int r = nb_sysroot_open_file(root, paths[i], &reader->fds[i]);

		if (r < 0) {
			nb_cpu_reader_close(reader);
			return r;
		}
	}
	return 0;
}

void nb_cpu_reader_close(struct nb_cpu_reader *reader)
{
	g_clear_pointer(&reader->cpustat, g_free);
	if (!reader->text)
		return;
	g_string_free(g_steal_pointer(&reader->text), TRUE);
	for (int i = 0; i < NB_CPU_FILES; i++)
		if (reader->fds[i] >= 0)
			close(reader->fds[i]);
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

static int read_file(struct nb_cpu_reader *reader, int file)
{
	if (reader->fds[file] >= 0)
		return nb_sysroot_pread(reader->fds[file], reader->text);
	return nb_sysroot_read_into(reader->root, paths[file], reader->text);
}

int nb_cpu_reader_stat(struct nb_cpu_reader *reader, const struct nb_topology *topology,
		       struct nb_cpu_counters *cpus)
{
	int r = read_file(reader, STAT);

	if (r < 0)
		return r;
	return nb_parse_stat(reader->text->str, reader->text->len, reader->ticks_per_sec, cpus,
			     topology->n_cpus);
}

int nb_cpu_reader_times(struct nb_cpu_reader *reader, const struct nb_topology *topology,
			struct nb_cpu_counters *cpus)
{
	int r = read_cpustat(reader, topology, cpus);

	return r == -EOPNOTSUPP ? nb_cpu_reader_stat(reader, topology, cpus) : r;
}

int nb_cpu_reader_counters(struct nb_cpu_reader *reader, const struct nb_topology *topology,
			   struct nb_cpu_counters *cpus)
{
	const GString *text = reader->text;
	int r = nb_cpu_reader_times(reader, topology, cpus);

	if (r == 0 && !reader->probe) {
		r = read_file(reader, SOFTIRQS);
		if (r == 0)
			r = nb_parse_softirqs(text->str, text->len, cpus, topology->n_cpus);
	}
	if (r == 0)
		r = read_file(reader, SOFTNET);
	return r < 0 ? r : nb_parse_softnet(text->str, text->len, cpus, topology->n_cpus);
}
