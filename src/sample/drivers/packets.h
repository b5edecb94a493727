/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* How many packets went through each queue: by netlink (qstats), else by the driver's ethtool
 * statistics. */

#include "netlink/netlink.h"
#include "nicbalance/snapshot.h"

/* Where the packets of one device are read, and to which queue of the machine each count goes. */
struct nb_packets {
	enum nb_packets_source source;
	int ifindex;
	char ifname[NB_IFNAME_MAX];
	unsigned first_queue; /* its queues among the machine's */
	unsigned n_queues;
	unsigned n_rx;
	unsigned n_tx;
	int *rx_queues; /* by receive queue: position in the machine's queues, or -1; owned */
	int *tx_queues; /* owned */
	unsigned n_values;
	GArray *stats;  /* struct nb_stat; owned; NULL unless source is ethtool */
	GArray *buffer; /* what is read; keeps its memory; owned; NULL without a source */
	bool answered;  /* the buffer is what nb_packets_read() read last */
};

/* Finds a source; ifindex, ifname and the queues must be set. */
void nb_packets_probe(struct nb_packets *packets, struct nb_netlink *netlink, const char *driver);
void nb_packets_clear(struct nb_packets *packets);

/* Sets rx_packets and tx_packets of the device's queues. -ESTALE: its statistics are not those that
 * were found. On failure the queues are left as they were. queues are the machine's. */
int nb_packets_read(struct nb_packets *packets, struct nb_netlink *netlink,
		    struct nb_queue_state *queues);
