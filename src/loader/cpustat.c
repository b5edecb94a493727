/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "loader/loader.h"

#include "bpf/cpustat.skel.h"

void nb_loader_add_cpustat(struct nb_loaded *loaded)
{
	struct cpustat_bpf *object = cpustat_bpf__open();

	if (!object || bpf_map__set_max_entries(object->maps.times, loaded->n_cpus) < 0 ||
	    cpustat_bpf__load(object) < 0) {
		cpustat_bpf__destroy(object);
		return;
	}
	loaded->fds[NB_ARRAY_CPUSTAT] = bpf_map__fd(object->maps.times);
	loaded->fds[NB_FD_READ_CPUSTAT] = bpf_program__fd(object->progs.read_cpustat);
}
