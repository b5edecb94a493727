/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The changes that one batch of messages held, each kind once. Pure. */

#include "netlink/netlink.h"

struct nb_batch {
	struct {
		bool changed;
		int ifindex; /* 0: of no device, or of several */
	} kinds[NB_NOTICE_LOST + 1];
};

static inline bool nb_batch_has(const struct nb_batch *batch, enum nb_notice change)
{
	return batch->kinds[change].changed;
}

void nb_batch_add(struct nb_batch *batch, enum nb_notice change, int ifindex);

/* Calls back for each kind that the batch holds, in the order of enum nb_notice. */
void nb_batch_tell(const struct nb_batch *batch, nb_netlink_notify change, void *userdata);
