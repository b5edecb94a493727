/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bpf/call.h"
#include "bpf/probe_internal.h"

#include <unistd.h>

static int start(struct nb_probe *probe)
{
	int r;

	if (probe->raise_link >= 0)
		return 0;
	if (!probe->delays) {
		r = nb_probe_map(probe, NB_ARRAY_DELAYS);
		if (r < 0)
			return r;
	}
	r = nb_bpf_attach(probe->fds[NB_FD_SOFTIRQ_RAISE], probe->typed ? NULL : "softirq_raise");
	if (r < 0)
		return r;
	probe->raise_link = r;
	return 0;
}

static void stop(struct nb_probe *probe)
{
	if (probe->raise_link >= 0)
		close(probe->raise_link);
	probe->raise_link = -1;
}

int nb_probe_watch_delays(struct nb_probe *probe, bool on)
{
	if (!probe->loaded)
		return 0;
	if (on)
		return start(probe);
	stop(probe);
	return 0;
}

bool nb_probe_watches_delays(const struct nb_probe *probe)
{
	return probe->delays && nb_probe_measures(probe) &&
	       (!probe->loaded || probe->raise_link >= 0);
}

const struct nb_probe_delays *nb_probe_delays(const struct nb_probe *probe)
{
	return probe->delays;
}
