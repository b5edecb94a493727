/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "loader/loader.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <glib.h>
#include <stdlib.h>
#include <sys/utsname.h>

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

/* "bpf: Allow bpf_dynptr_from_skb() for tp_btf" is of 6.11. */
enum nb_flavour nb_loader_first_flavour(void)
{
	unsigned long major, minor;
	struct utsname name;
	char *rest;

	if (uname(&name) < 0)
		return NB_FLAVOUR_TYPED;
	major = strtoul(name.release, &rest, 10);
	minor = *rest == '.' ? strtoul(rest + 1, NULL, 10) : 0;
	return major > 6 || (major == 6 && minor >= 11) ? NB_FLAVOUR_DYNPTR : NB_FLAVOUR_TYPED;
}

static int load(struct nb_loaded *ret, char *log)
{
	int r = -EOPNOTSUPP;

	for (int i = (int)nb_loader_first_flavour(); i >= NB_FLAVOUR_RAW; i--) {
		r = nb_loader_load((enum nb_flavour)i, ret, log, LOG_BYTES);
		if (r == 0 || r == -EPERM)
			break;
	}
	return r;
}

void nb_loader_run(struct nb_loaded *ret)
{
	g_autofree char *log = g_malloc0(LOG_BYTES);
	g_autofree char *reason = NULL;
	int r;

	libbpf_set_print(NULL);
	r = load(ret, log);
	if (r == 0) {
		nb_loader_add_cpustat(ret);
		return;
	}
	ret->result = nb_loader_explain(r, r == -EPERM || has_btf(), log, &reason);
	g_strlcpy(ret->reason, reason, sizeof(ret->reason));
}
