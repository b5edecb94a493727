/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netlink/batch.h"

void nb_batch_add(struct nb_batch *batch, enum nb_notice change, int ifindex)
{
	if (nb_batch_has(batch, change) && batch->kinds[change].ifindex != ifindex)
		ifindex = 0;
	batch->kinds[change].changed = true;
	batch->kinds[change].ifindex = ifindex;
}

void nb_batch_tell(const struct nb_batch *batch, nb_netlink_notify change, void *userdata)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(batch->kinds); i++)
		if (batch->kinds[i].changed)
			change((enum nb_notice)i, batch->kinds[i].ifindex, userdata);
}
