/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Answers what netlink asks about queues and NAPIs of one device, and switches threaded NAPI of one
 * NAPI, as the real kernel does (net/core/netdev-genl.c). Each receive queue shares its NAPI with
 * the transmit queue of the same number. */

#include "netlink/netlink.h"

#define NB_FAKE_NAPIS_MAX 8u

typedef struct nb_fake_napis {
	int ifindex;
	unsigned n;
	uint32_t first_id;                    /* of the NAPI of queue 0 */
	uint32_t threaded[NB_FAKE_NAPIS_MAX]; /* enum netdev_napi_threaded */
	bool down;
	bool disabled; /* the driver resets the device: it has queues, and no NAPI is found */
	bool unlinked; /* the driver links no NAPI to a queue */
	bool old;      /* before 6.17: NAPIs do not tell */
	int set_error; /* of each change; 0: it is made */
	unsigned n_sets;
} nb_fake_napis;

/* Takes the place of every request of netlink's family netdev. Both are borrowed. */
void nb_fake_napis_attach(struct nb_fake_napis *napis, struct nb_netlink *netlink);
/* One request. */
int nb_fake_napis_answer(struct nb_fake_napis *napis, struct nlmsghdr *request,
			 int (*take)(struct nlmsghdr *hdr, void *userdata), void *taker);
/* What the switch of the whole device does to each (net/core/dev.c netif_set_threaded()). */
void nb_fake_napis_set_all(struct nb_fake_napis *napis, uint32_t threaded);
