/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/fetch_rows.h"
#include "nicbalance/interface.h"

static int read_nic(sd_bus_message *reply, void *row)
{
	struct nb_nic_row *nic = row;

	return sd_bus_message_read(reply, "(" NB_BUS_NIC ")", &nic->ifindex, &nic->name,
				   &nic->driver, &nic->node, &nic->master, &nic->scope,
				   &nic->mapping, &nic->packets, &nic->n_rx, &nic->n_tx,
				   &nic->n_queues, &nic->n_slow_path);
}

int nb_fetch_nics(sd_bus *bus, nb_rows *ret)
{
	return nb_fetch_rows(bus, "ListNics", NB_BUS_NIC, sizeof(struct nb_nic_row), read_nic, ret);
}
