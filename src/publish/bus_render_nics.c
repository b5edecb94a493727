/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nicbalance/names.h"
#include "publish/bus_internal.h"
#include "publish/lookup.h"

/* What moves as one may hold a receive and a transmit queue. */
static unsigned count_queues(const struct nb_machine *machine, int ifindex)
{
	unsigned n = 0;

	for (unsigned i = 0; i < machine->n_queues; i++)
		n += machine->queues[i].key.ifindex == ifindex;
	return n;
}

static int append_nic(sd_bus_message *reply, const struct nb_machine *machine,
		      const struct nb_nic *nic)
{
	int r;

	r = sd_bus_message_open_container(reply, 'r', NB_BUS_NIC);
	if (r < 0)
		return r;
	r = sd_bus_message_append(reply, "i", nic->ifindex);
	if (r < 0)
		return r;
	r = nb_bus_append_texts(reply, nic->name, nic->driver, NULL);
	if (r < 0)
		return r;
	r = sd_bus_message_append(reply, "i", nic->node);
	if (r < 0)
		return r;
	r = nb_bus_append_texts(reply, nb_machine_netdev(machine, nic->master),
				nb_scope_to_string(nic->scope), nb_mapping_to_string(nic->mapping),
				nb_packets_source_to_string(nic->packets), NULL);
	if (r < 0)
		return r;
	r = sd_bus_message_append(reply, "uuuu", nic->n_rx, nic->n_tx,
				  count_queues(machine, nic->ifindex), nic->n_slow_path);
	if (r < 0)
		return r;
	return sd_bus_message_close_container(reply);
}

static int render(sd_bus_message *reply, const struct nb_status *status)
{
	const struct nb_machine *machine = nb_status_machine(status);
	int r;

	for (unsigned i = 0; machine && i < machine->n_nics; i++) {
		r = append_nic(reply, machine, &machine->nics[i]);
		if (r < 0)
			return r;
	}
	return 0;
}

int nb_bus_list_nics(sd_bus_message *call, void *userdata, sd_bus_error *error)
{
	(void)error;
	return nb_bus_reply_rows(call, userdata, NB_BUS_NIC, render);
}
