/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In place of the loader's module: hangs, or refuses where the environment says so. */
#include "bpf/loaded.h"

#include <errno.h>
#include <glib.h>
#include <stdlib.h>
#include <unistd.h>

nb_loader_fn nb_loader_run;

void nb_loader_run(struct nb_loaded *ret)
{
	while (!getenv("NB_LOADER_REFUSES"))
		pause();
	ret->result = -EPERM;
	g_strlcpy(ret->reason, "not today", sizeof(ret->reason));
}
