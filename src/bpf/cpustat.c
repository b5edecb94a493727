/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bpf/call.h"
#include "bpf/probe_internal.h"

#include <errno.h>
#include <string.h>

int nb_probe_read_cpustat(struct nb_probe *probe, struct nb_probe_cpustat *stats, unsigned n_cpus)
{
	n_cpus = MIN(n_cpus, probe->n_cpus);
	if (!probe->cpustat)
		return -EOPNOTSUPP;
	for (uint64_t cpu = 0; probe->loaded && cpu < n_cpus; cpu += NB_PROBE_CPUS_AT_ONCE) {
		int r = nb_bpf_run(probe->fds[NB_FD_READ_CPUSTAT], &cpu, sizeof(cpu));

		if (r < 0)
			return r;
	}
	memcpy(stats, probe->cpustat, n_cpus * sizeof(*stats));
	return 0;
}
