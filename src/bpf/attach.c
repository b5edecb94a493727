/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bpf/call.h"
#include "bpf/probe_internal.h"

#include <unistd.h>

/* As NB_FD_PROGRAMS has them. */
static const char *const tracepoints[NB_PROBE_PROGRAMS] = {
	"softirq_entry",    "softirq_exit", "irq_handler_entry",
	"irq_handler_exit", "napi_poll",    "netif_rx",
};

int nb_probe_attach(struct nb_probe *probe)
{
	if (probe->attached)
		return 0;
	probe->attached = true;
	for (unsigned i = 0; probe->loaded && i < NB_PROBE_PROGRAMS; i++) {
		int r = nb_bpf_attach(probe->fds[NB_FD_PROGRAMS + i],
				      probe->typed ? NULL : tracepoints[i]);

		if (r < 0) {
			nb_probe_detach(probe);
			return r;
		}
		probe->links[i] = r;
	}
	return 0;
}

void nb_probe_detach(struct nb_probe *probe)
{
	nb_probe_measure(probe, false);
	for (unsigned i = 0; probe->loaded && i < NB_PROBE_PROGRAMS; i++) {
		if (probe->links[i] >= 0)
			close(probe->links[i]);
		probe->links[i] = -1;
	}
	probe->attached = false;
}

bool nb_probe_is_attached(const struct nb_probe *probe)
{
	return probe->attached;
}

void nb_probe_measure(struct nb_probe *probe, bool on)
{
	uint32_t slice = 0;

	if (!probe->control || on == nb_probe_measures(probe))
		return;
	if (on) {
		probe->n_slices = probe->n_slices == UINT32_MAX ? 1 : probe->n_slices + 1;
		slice = probe->n_slices;
	}
	__atomic_store_n(&probe->control->slice, slice, __ATOMIC_RELEASE);
}

bool nb_probe_measures(const struct nb_probe *probe)
{
	return probe->control && probe->control->slice != 0;
}

void nb_probe_skip_cpus(struct nb_probe *probe, const struct nb_cpumask *cpus)
{
	unsigned n = MIN(probe->n_cpus, NB_PROBE_CPUS_MAX);

	for (unsigned i = 0; probe->control && i < n; i++)
		probe->control->skipped[i] = nb_cpumask_has(cpus, i);
}
