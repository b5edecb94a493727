/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/columns.h"
#include "ctl/ctl.h"
#include "ctl/delays.h"
#include "ctl/fetch.h"
#include "nicbalance/interface.h"

/* Early enough that the daemon does not stop counting in between. */
#define RENEW_SEC (NB_BUS_WATCH_SEC / 2)

static int watch(const struct nb_ctl *ctl, nb_rows *before, nb_rows *after)
{
	int r;

	r = nb_fetch_delays(ctl->bus, before);
	for (unsigned left = ctl->seconds ? ctl->seconds : SECONDS_DEFAULT; r == 0 && left > 0;) {
		unsigned step = MIN(left, RENEW_SEC);

		g_usleep(step * G_USEC_PER_SEC);
		nb_rows_clear(after);
		r = nb_fetch_delays(ctl->bus, after);
		left -= step;
	}
	return r;
}

int nb_ctl_latency(struct nb_ctl *ctl)
{
	g_auto(nb_rows) before = {0}, after = {0}, latency = {0};
	int r;

	r = watch(ctl, &before, &after);
	if (r < 0)
		return r;
	latency.rows = nb_delays_summarize(before.rows, after.rows);
	nb_ctl_print_only(ctl, &nb_form_latency, &latency);
	return 0;
}
