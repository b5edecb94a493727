/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bpf/probe_internal.h"

#include "bpf/probe.skel.h"

#include <errno.h>

static struct bpf_program *raise_program(const struct probe_bpf *object)
{
	return bpf_program__autoload(object->progs.softirq_raise_btf)
		       ? object->progs.softirq_raise_btf
		       : object->progs.softirq_raise_raw;
}

static int start(struct nb_probe *probe)
{
	int r;

	if (probe->raise_link)
		return 0;
	if (!probe->delays) {
		r = nb_probe_map(probe->object->maps.delays, (void **)&probe->delays);
		if (r < 0)
			return r;
	}
	probe->raise_link = bpf_program__attach(raise_program(probe->object));
	return probe->raise_link ? 0 : -errno;
}

int nb_probe_watch_delays(struct nb_probe *probe, bool on)
{
	if (!probe->object)
		return 0;
	if (on)
		return start(probe);
	return bpf_link__destroy(g_steal_pointer(&probe->raise_link));
}

const struct nb_probe_delays *nb_probe_delays(const struct nb_probe *probe)
{
	return probe->delays;
}
