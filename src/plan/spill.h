/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Queues of a NIC whose node is full go to other nodes if Spill= allows it, and come back. Pure. */

#include "plan/moves.h"

/* Notes in memory which NICs have a full node that another node would relieve. */
void nb_spill_look(struct nb_board *board, struct nb_memory *memory, uint32_t gain);

/* Appends moves of queues of the domain to other nodes, once it has been full for a cooldown. Each
 * gains more than a move within the node has to. False: there is none. */
bool nb_spill(struct nb_board *board, const struct nb_memory *memory, unsigned domain,
	      uint32_t gain, GArray *moves);
/* The same of every domain that was not tried. */
bool nb_spill_any(struct nb_board *board, const struct nb_memory *memory, uint32_t gain,
		  GArray *moves);
/* Appends moves of queues back to their node, as long as that stays well below hot: so under
 * constant load it is never full again by them. False: there is none. */
bool nb_spill_back(struct nb_board *board, const struct nb_memory *memory, GArray *moves);
