/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/fetch_rows.h"
#include "nicbalance/interface.h"

static int read_excluded(sd_bus_message *reply, void *row)
{
	struct nb_excluded_row *excluded = row;

	return sd_bus_message_read(reply, "(" NB_BUS_EXCLUDED ")", &excluded->kind, &excluded->what,
				   &excluded->reason, &excluded->why);
}

int nb_fetch_excluded(sd_bus *bus, nb_rows *ret)
{
	return nb_fetch_rows(bus, "ListExcluded", NB_BUS_EXCLUDED, sizeof(struct nb_excluded_row),
			     read_excluded, ret);
}
