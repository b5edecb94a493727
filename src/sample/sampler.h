/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Reads the host: its CPUs, NICs, queues and interrupts (a rescan), then their counters (a
 * reading). */

#include "netlink/netlink.h"
#include "nicbalance/device.h"
#include "nicbalance/snapshot.h"
#include "sysroot/sysroot.h"

typedef struct nb_sampler nb_sampler;

/* netlink may be NULL (a captured machine): queues are then mapped by names, and packets unknown.
 * root, netlink and rules are borrowed and must outlive the sampler. */
int nb_sampler_new(struct nb_sysroot *root, struct nb_netlink *netlink,
		   const struct nb_device_rules *rules, struct nb_sampler **ret);
void nb_sampler_free(struct nb_sampler *sampler);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(nb_sampler, nb_sampler_free)

/* Looks at the whole machine anew. On failure the last machine stays in use. A device that vanishes
 * while it is read is left out; that is no failure. */
int nb_sampler_rescan(struct nb_sampler *sampler);
/* The rules changed: the next rescan uses these. */
void nb_sampler_set_rules(struct nb_sampler *sampler, const struct nb_device_rules *rules);

/* Reads all counters; with audit also affinities, interrupts, where they landed, and RPS masks.
 * The first reading of a machine is always an audit. *ret stays valid until the call after the
 * next, so that two neighbouring snapshots can be compared. -ESTALE: the set of online CPUs is no
 * longer that of the machine, or an interrupt of a queue is gone: rescan and read again. -EBADMSG:
 * a file was cut or malformed; the reading is dropped, the last good one stays. A steady reading
 * without audit allocates nothing. */
int nb_sampler_read(struct nb_sampler *sampler, uint64_t now_nsec, bool audit,
		    const struct nb_snapshot **ret);
