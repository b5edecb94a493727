/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Which NICs have a full node, and since when (struct nb_full_node). Pure. */

#include "nicbalance/memory.h"
#include "nicbalance/units.h"

/* Noise of loads around Hot= does not end it, nor does a pause of such length. */
#define NB_FULL_NODE_GAP_NSEC (15 * NB_NSEC_PER_SEC)
/* What lasts for a shorter time is a burst, and not worth telling. */
#define NB_FULL_NODE_LASTS_NSEC (180 * NB_NSEC_PER_SEC)

/* The node of this NIC is full now. Returns its row. */
const struct nb_full_node *nb_full_nodes_note(struct nb_memory *memory, int ifindex,
					      uint64_t now_nsec);
/* Forgets those that were not noted for NB_FULL_NODE_GAP_NSEC. */
void nb_full_nodes_expire(struct nb_memory *memory, uint64_t now_nsec);
/* NULL: the node of this NIC is not full. */
const struct nb_full_node *nb_full_nodes_find(const struct nb_memory *memory, int ifindex);

/* For how long it had been full when that was seen last; 0: not long enough to tell. */
uint64_t nb_full_node_lasts_nsec(const struct nb_full_node *node);
