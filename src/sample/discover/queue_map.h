/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* From the vectors of a device to its queues. Pure. */

#include "nicbalance/netdev.h"
#include "sample/drivers/vector.h"

#include <glib.h>

/* Which interrupt serves each queue of a device; 0: not known. Interrupt 0 is the timer's. Likewise
 * the ids of their NAPIs, where netlink tells. */
struct nb_queue_map {
	unsigned n_rx;
	unsigned n_tx;
	uint32_t *rx;                    /* owned */
	uint32_t *tx;                    /* owned */
	uint32_t *rx_napis;              /* owned */
	uint32_t *tx_napis;              /* owned */
	bool *rx_defers;                 /* whether these NAPIs may defer their interrupts; owned */
	uint32_t *rx_threads;            /* and the pids of their kernel threads; owned */
	enum nb_threading *rx_threading; /* owned */
};

void nb_queue_map_init(struct nb_queue_map *map, unsigned n_rx, unsigned n_tx);
void nb_queue_map_clear(struct nb_queue_map *map);
bool nb_queue_map_is_empty(const struct nb_queue_map *map);
/* Whether every receive queue has an interrupt, and there is one. */
bool nb_queue_map_is_complete(const struct nb_queue_map *map);

/* By the roles and numbers of an array of struct nb_vector, which is sorted here. Vectors of queues
 * that are not active are left out. Vectors that bear only the device's name count when there are
 * no others. Returns how many were slow path. */
unsigned nb_queue_map_assign(struct nb_queue_map *map, GArray *vectors);

/* The queues as units that move as one, ascending by index, appended to queues (struct nb_queue).
 * ret_rx and ret_tx (n_rx and n_tx entries) tell the position in queues of the unit of each queue,
 * or -1. A transmit queue of unknown interrupt belongs to the receive queue of its index when the
 * device has no transmit interrupts at all, as for drivers that send from the receive interrupt. */
void nb_queue_map_units(const struct nb_queue_map *map, int ifindex, GArray *queues, int *ret_rx,
			int *ret_tx);
