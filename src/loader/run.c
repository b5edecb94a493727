/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "loader/loader.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <glib.h>

/* Enough of the verifier's log for the reason, which comes last. */
#define LOG_BYTES 65536

static bool has_btf(void)
{
	struct btf *btf = btf__load_vmlinux_btf();

	if (!btf)
		return false;
	btf__free(btf);
	return true;
}

void nb_loader_run(struct nb_loaded *ret)
{
	g_autofree char *log = g_malloc0(LOG_BYTES);
	g_autofree char *reason = NULL;
	int r;

	libbpf_set_print(NULL);
	r = nb_loader_load(true, ret, log, LOG_BYTES);
	if (r < 0 && r != -EPERM)
		r = nb_loader_load(false, ret, log, LOG_BYTES);
	if (r == 0) {
		nb_loader_add_cpustat(ret);
		return;
	}
	ret->result = nb_loader_explain(r, r == -EPERM || has_btf(), log, &reason);
	g_strlcpy(ret->reason, reason, sizeof(ret->reason));
}
