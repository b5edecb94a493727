/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/rehearsed.h"

int nb_ctl_replay(struct nb_ctl *ctl)
{
	g_auto(nb_rehearsed) rehearsed = {0};
	int r;

	r = nb_rehearsed_replay(ctl, &rehearsed);
	if (r < 0)
		return r;
	return nb_rehearsed_show(ctl, &rehearsed);
}
