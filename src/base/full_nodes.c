/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/full_nodes.h"

#include "base/rows.h"

/* NICs with full nodes are few. */
static unsigned position_of(const struct nb_memory *memory, int ifindex)
{
	unsigned at = 0;

	while (at < memory->n_full_nodes && memory->full_nodes[at].ifindex < ifindex)
		at++;
	return at;
}

const struct nb_full_node *nb_full_nodes_find(const struct nb_memory *memory, int ifindex)
{
	unsigned at = position_of(memory, ifindex);

	return at < memory->n_full_nodes && memory->full_nodes[at].ifindex == ifindex
		       ? &memory->full_nodes[at]
		       : NULL;
}

const struct nb_full_node *nb_full_nodes_note(struct nb_memory *memory, int ifindex,
					      uint64_t now_nsec)
{
	unsigned at = position_of(memory, ifindex);

	if (!nb_full_nodes_find(memory, ifindex)) {
		memory->full_nodes = nb_rows_insert(memory->full_nodes, &memory->n_full_nodes, at,
						    sizeof(*memory->full_nodes));
		memory->full_nodes[at] =
			(struct nb_full_node){.ifindex = ifindex, .since_nsec = now_nsec};
	}
	memory->full_nodes[at].seen_nsec = now_nsec;
	return &memory->full_nodes[at];
}

void nb_full_nodes_expire(struct nb_memory *memory, uint64_t now_nsec)
{
	for (unsigned i = memory->n_full_nodes; i-- > 0;)
		if (now_nsec > memory->full_nodes[i].seen_nsec + NB_FULL_NODE_GAP_NSEC)
			nb_rows_remove(memory->full_nodes, &memory->n_full_nodes, i,
				       sizeof(*memory->full_nodes));
}

uint64_t nb_full_node_lasts_nsec(const struct nb_full_node *node)
{
	uint64_t nsec = node->seen_nsec - node->since_nsec;

	return nsec >= NB_FULL_NODE_LASTS_NSEC ? nsec : 0;
}
