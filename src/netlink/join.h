/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Which interrupt serves a queue, and how: that of its NAPI. Pure. */

#include "netlink/netlink.h"

struct nb_napi {
	uint32_t id;
	uint32_t irq;    /* 0: the driver does not say */
	uint32_t thread; /* 0: softirqs poll it */
	enum nb_deferral deferral;
	enum nb_threading threading;
};

/* Sets irq, thread, deferral and threading of the struct nb_netlink_queue from index first on,
 * where napis (of struct nb_napi) holds the queue's NAPI, else to 0. */
void nb_join_napis(GArray *queues, unsigned first, const GArray *napis);
