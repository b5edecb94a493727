/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "publish/bus_internal.h"

/* For everyone: a trace tells no more than status does. */
int nb_bus_record(sd_bus_message *call, void *userdata, sd_bus_error *error)
{
	struct nb_bus *bus = userdata;
	struct nb_recorded recorded;
	uint64_t cursor;
	int r;

	(void)error;
	r = sd_bus_message_read(call, "t", &cursor);
	if (r < 0)
		return r;
	bus->handlers.record(bus->userdata, cursor, &recorded);
	return sd_bus_reply_method_return(call, NB_BUS_RECORDED, recorded.cursor,
					  (int)recorded.lost, recorded.text);
}
