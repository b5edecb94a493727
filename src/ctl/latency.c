/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/bus/connect.h"
#include "ctl/bus/describe.h"
#include "ctl/ctl.h"
#include "ctl/show/columns.h"
#include "ctl/show/delays.h"
#include "nicbalance/interface.h"

/* Early enough that the daemon does not stop counting in between. */
#define RENEW_SEC (NB_BUS_WATCH_SEC / 2)

static int renew(const struct nb_ctl *ctl)
{
	g_autoptr(sd_bus_message) reply = NULL;

	return nb_call(ctl->bus, "WatchDelays", &reply);
}

/* Of counters that grow two readings are needed, at the begin and the end. */
static int watch(const struct nb_ctl *ctl, json_t **before, json_t **after)
{
	int r;

	r = renew(ctl);
	if (r == 0)
		r = nb_describe(ctl->bus, before);
	for (unsigned left = ctl->seconds ? ctl->seconds : SECONDS_DEFAULT; r == 0 && left > 0;) {
		unsigned step = MIN(left, RENEW_SEC);

		g_usleep(step * G_USEC_PER_SEC);
		r = renew(ctl);
		left -= step;
	}
	return r < 0 ? r : nb_describe(ctl->bus, after);
}

int nb_ctl_latency(struct nb_ctl *ctl)
{
	json_t *before = NULL, *after = NULL, *latency;
	int r;

	r = watch(ctl, &before, &after);
	if (r == 0) {
		latency = nb_delays_summarize(json_object_get(before, "delays"),
					      json_object_get(after, "delays"));
		nb_ctl_print_only(ctl, &nb_form_latency, latency);
		json_decref(latency);
	}
	json_decref(before);
	json_decref(after);
	return r;
}
