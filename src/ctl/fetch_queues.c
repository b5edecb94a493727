/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/fetch_rows.h"
#include "nicbalance/interface.h"

/* The fields of NB_BUS_QUEUE before and behind its interrupts. */
#define BEFORE "isubb"
#define BEHIND "iuubtttss"
G_STATIC_ASSERT(sizeof(NB_BUS_QUEUE) == sizeof(BEFORE "au" BEHIND));

static int read_queue(sd_bus_message *reply, void *row)
{
	struct nb_queue_row *queue = row;
	int r;

	r = sd_bus_message_enter_container(reply, 'r', NB_BUS_QUEUE);
	if (r <= 0)
		return r;
	r = sd_bus_message_read(reply, BEFORE, &queue->ifindex, &queue->netdev, &queue->index,
				&queue->has_rx, &queue->has_tx);
	if (r < 0)
		return r;
	r = nb_irqs_read(reply, &queue->irqs);
	if (r < 0)
		return r;
	r = sd_bus_message_read(reply, BEHIND, &queue->cpu, &queue->time, &queue->threaded,
				&queue->saturated, &queue->rx_per_sec, &queue->tx_per_sec,
				&queue->interrupts_per_sec, &queue->rps, &queue->note);
	if (r < 0)
		return r;
	r = sd_bus_message_exit_container(reply);
	return r < 0 ? r : 1;
}

int nb_fetch_queues(sd_bus *bus, nb_rows *ret)
{
	return nb_fetch_rows(bus, "ListQueues", NB_BUS_QUEUE, sizeof(struct nb_queue_row),
			     read_queue, ret);
}
