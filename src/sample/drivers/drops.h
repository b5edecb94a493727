/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Packets that a NIC itself dropped on receive, because no buffer of its rings was free: of each
 * queue by netlink (qstats) or the driver's ethtool statistics, and of the device by its
 * rx_missed_errors. */

#include "sample/drivers/packets.h"
#include "sysroot/sysroot.h"

/* Where those of one device are read. */
struct nb_drops {
	enum nb_packets_source source; /* of those of its queues */
	bool missed;                   /* the device counts its own, too */
	unsigned n_values;
	GArray *stats;  /* struct nb_stat; owned; NULL unless source is ethtool */
	GArray *buffer; /* what is read; keeps its memory; owned; NULL without a source */
};

/* Finds out; packets must have been probed. netlink may be NULL. */
void nb_drops_probe(struct nb_drops *drops, const struct nb_packets *packets,
		    struct nb_sysroot *root, struct nb_netlink *netlink, const char *driver);
void nb_drops_clear(struct nb_drops *drops);

/* Sets nic, but for its key, and dropped of the device's queues. The packets of the same sample
 * were read before: an answer that holds both is not asked for again. A device that does not
 * answer, or not as it did, keeps its counts and when they were read. queues are the machine's. */
void nb_drops_read(struct nb_drops *drops, const struct nb_packets *packets,
		   struct nb_sysroot *root, struct nb_netlink *netlink, uint64_t now_nsec,
		   struct nb_nic_state *nic, struct nb_queue_state *queues);
