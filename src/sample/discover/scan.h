/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The whole machine as a rescan finds it, with what is needed to read its counters. Counted
 * references: the snapshots taken from a machine outlive the next rescan. */

#include "nicbalance/device.h"
#include "nicbalance/snapshot.h"
#include "sample/drivers/drops.h"
#include "sysroot/sysroot.h"

/* A NAPI that netlink knows. */
struct nb_scan_napi {
	int ifindex;
	uint32_t id;
	unsigned queue; /* position among the machine's queues */
};

/* Devices without hardware that are to have a queue, if they are there; 0: none. */
#define NB_VIRTUALS_MAX 8u
struct nb_virtual_slots {
	int ifindexes[NB_VIRTUALS_MAX];
};

typedef struct nb_scan {
	struct nb_machine machine;
	struct nb_cpumask possible;
	struct nb_packets *packets; /* one for each NIC in scope, ascending by ifindex */
	struct nb_drops *drops;     /* parallel to packets */
	unsigned n_packets;
	GArray *napis;   /* struct nb_scan_napi, ascending by ifindex and id; owned */
	GArray *tunnels; /* int: devices that take packets out of others; owned */
	struct nb_virtual_slots virtuals; /* those that have one, in the places where they were */
	GPtrArray *faults;                /* of .link files, texts for people; owned */
	GHashTable *network_irqs; /* of all network devices, in scope or not, for whatever they are;
				     owned */
} nb_scan;

/* netlink, rules and virtuals may be NULL. */
int nb_scan_new(struct nb_sysroot *root, struct nb_netlink *netlink,
		const struct nb_device_rules *rules, const struct nb_virtual_slots *virtuals,
		uint64_t generation, struct nb_scan **ret);
struct nb_scan *nb_scan_ref(struct nb_scan *scan);
void nb_scan_unref(struct nb_scan *scan);

/* The queue of a NAPI by its id, or -1: netlink does not tell on this kernel or of this driver. */
int nb_scan_find_napi(const struct nb_scan *scan, int ifindex, uint32_t id);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(nb_scan, nb_scan_unref)
