/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The changes that one batch of messages held, each kind once. Pure. */

#include "netlink/netlink.h"

struct nb_batch {
	struct {
		bool changed;
		int ifindex; /* 0: of no device, or of several */
	} kinds[NB_CHANGE_LOST + 1];
};

static inline bool nb_batch_has(const struct nb_batch *batch, enum nb_change change)
{
	return batch->kinds[change].changed;
}

void nb_batch_add(struct nb_batch *batch, enum nb_change change, int ifindex);

/* Calls back for each kind that the batch holds, in the order of enum nb_change. */
void nb_batch_tell(const struct nb_batch *batch, nb_netlink_change change, void *userdata);
