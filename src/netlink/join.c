/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netlink/join.h"

static struct nb_napi find_napi(const GArray *napis, uint32_t id)
{
	/* All transmit-only NAPIs have the id 0 (netif_napi_add_tx()). */
	for (unsigned i = 0; id != 0 && i < napis->len; i++) {
		const struct nb_napi *napi = &g_array_index(napis, struct nb_napi, i);

		if (napi->id == id)
			return *napi;
	}
	return (struct nb_napi){};
}

void nb_join_napis(GArray *queues, unsigned first, const GArray *napis)
{
	for (unsigned i = first; i < queues->len; i++) {
		struct nb_netlink_queue *queue = &g_array_index(queues, struct nb_netlink_queue, i);
		struct nb_napi napi = find_napi(napis, queue->napi_id);

		queue->irq = napi.irq;
		queue->thread = napi.thread;
		queue->deferral = napi.deferral;
		queue->threading = napi.threading;
	}
}
