/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands that change something: for root. */
#include "ctl/bus/connect.h"
#include "ctl/ctl.h"

#include <stdio.h>

static int change(struct nb_ctl *ctl, const char *method, const char *done)
{
	g_autoptr(sd_bus_message) reply = NULL;
	int r;

	r = nb_call(ctl->bus, method, &reply);
	if (r < 0)
		return r;
	fputs(done, stdout);
	return 0;
}

int nb_ctl_pause(struct nb_ctl *ctl)
{
	return change(ctl, "Pause", "Paused: nothing is written until nicbalancectl resume.\n");
}

int nb_ctl_resume(struct nb_ctl *ctl)
{
	return change(ctl, "Resume", "Resumed.\n");
}

/* Says nothing: it is the unit's ExecReload, and the daemon logs what became of it. */
int nb_ctl_reload(struct nb_ctl *ctl)
{
	return change(ctl, "Reload", "");
}

int nb_ctl_restore(struct nb_ctl *ctl)
{
	g_autoptr(sd_bus_message) reply = NULL;
	uint32_t n_restored;
	int r;

	r = nb_call(ctl->bus, "Restore", &reply);
	if (r < 0)
		return r;
	r = sd_bus_message_read(reply, "u", &n_restored);
	if (r < 0)
		return nb_answer_is_odd(r);
	printf("%u original value%s restored. Paused: nothing is changed until nicbalancectl "
	       "resume.\n",
	       n_restored, n_restored == 1 ? "" : "s");
	return 0;
}
