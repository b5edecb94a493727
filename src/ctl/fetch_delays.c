/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/fetch_rows.h"
#include "nicbalance/interface.h"
#include "nicbalance/status.h"

#include <errno.h>
#include <string.h>

static int read_delays(sd_bus_message *reply, void *row)
{
	struct nb_delays *delays = row;
	const void *counts;
	size_t size;
	int r;

	r = sd_bus_message_enter_container(reply, 'r', NB_BUS_DELAYS);
	if (r <= 0)
		return r;
	r = sd_bus_message_read(reply, "u", &delays->cpu);
	if (r < 0)
		return r;
	r = sd_bus_message_read_array(reply, 'u', &counts, &size);
	if (r < 0)
		return r;
	if (size != sizeof(delays->counts))
		return -EBADMSG;
	memcpy(delays->counts, counts, size);
	r = sd_bus_message_exit_container(reply);
	return r < 0 ? r : 1;
}

int nb_fetch_delays(sd_bus *bus, nb_rows *ret)
{
	return nb_fetch_rows(bus, "WatchDelays", NB_BUS_DELAYS, sizeof(struct nb_delays),
			     read_delays, ret);
}
