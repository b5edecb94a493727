/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/loading.h"

#include <errno.h>
#include <sys/wait.h>

/* Until any of them has ended, which stays to be noticed by others. */
static void await_child(void)
{
	siginfo_t info;

	(void)waitid(P_ALL, 0, &info, WEXITED | WNOWAIT);
}

int nb_await_probe(struct nb_probe **ret, char **ret_reason)
{
	struct nb_probe_loading *loading = NULL;
	int r;

	while ((r = nb_probe_open(&loading, ret, ret_reason)) == -EINPROGRESS)
		await_child();
	return r;
}

int nb_await_loaded(nb_loader_fn *load, struct nb_loaded *ret)
{
	g_autoptr(nb_probe_loading) loading = NULL;
	int r;

	r = nb_probe_loading_new(load, &loading);
	if (r < 0)
		return r;
	while ((r = nb_probe_loading_answer(loading, ret)) == -EINPROGRESS)
		await_child();
	return r;
}
