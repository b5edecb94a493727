/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bpf/probe_internal.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <malloc.h>

/* As much of the verifier's log as tells why; it says so last. */
#define LOG_BYTES 65536

static bool has_btf(void)
{
	struct btf *btf = btf__load_vmlinux_btf();

	if (!btf)
		return false;
	btf__free(btf);
	return true;
}

int nb_probe_new(struct nb_probe **ret, char **ret_reason)
{
	static const char *const flavours[] = {"tp_btf", "raw_tp"};
	g_autofree char *log = g_malloc0(LOG_BYTES);
	g_autoptr(nb_probe) probe = g_new0(struct nb_probe, 1);
	int r = 0;

	libbpf_set_print(NULL);
	for (unsigned i = 0; i < G_N_ELEMENTS(flavours); i++) {
		r = nb_probe_load(probe, flavours[i], log, LOG_BYTES);
		if (r >= 0 || r == -EPERM)
			break;
		nb_probe_unload(probe);
	}
	if (r < 0)
		return nb_probe_explain(r, r == -EPERM || has_btf(), log, ret_reason);

	nb_probe_load_cpustat(probe);
#ifdef __GLIBC__
	malloc_trim(0); /* libbpf has read all types of the kernel, some megabytes */
#endif
	*ret = g_steal_pointer(&probe);
	return 0;
}

void nb_probe_free(struct nb_probe *probe)
{
	if (!probe)
		return;
	nb_probe_unload_cpustat(probe);
	nb_probe_unload(probe);
	g_clear_pointer(&probe->irq_positions, g_hash_table_unref);
	g_clear_pointer(&probe->ifindexes, g_array_unref);
	g_free(probe);
}

void nb_probe_view(const struct nb_probe *probe, struct nb_probe_view *ret)
{
	*ret = (struct nb_probe_view){
		.cpus = probe->cpus,
		.n_cpus = probe->n_cpus,
		.napis = probe->napis,
		.n_napis =
			MIN(g_atomic_int_get((const gint *)probe->n_napis), (gint)probe->max_napis),
		.irqs = probe->irqs,
		.n_irqs = probe->n_irqs,
	};
}

const char *nb_probe_flavour(const struct nb_probe *probe)
{
	return probe->flavour;
}
