/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Reads the host: its CPUs, NICs, queues and interrupts (a rescan), then their counters (a
 * sample). */

#include "bpf/probe.h"
#include "netlink/netlink.h"
#include "nicbalance/cpu_sample.h"
#include "nicbalance/device.h"
#include "nicbalance/intrusion.h"
#include "nicbalance/snapshot.h"
#include "sysroot/sysroot.h"

typedef struct nb_sampler nb_sampler;

/* netlink may be NULL (a captured machine): queues are then mapped by names, and packets unknown.
 * root, netlink and rules are borrowed and must outlive the sampler. */
int nb_sampler_new(struct nb_sysroot *root, struct nb_netlink *netlink,
		   const struct nb_device_rules *rules, struct nb_sampler **ret);
void nb_sampler_free(struct nb_sampler *sampler);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(nb_sampler, nb_sampler_free)

/* Finds the whole machine again. On failure the last machine stays in use. A device that
 * vanishes while it is read is left out; that is no failure. -EBUSY: the kernel did not answer in
 * time, since something holds the RTNL lock for long; try again later. */
int nb_sampler_rescan(struct nb_sampler *sampler);
/* What that found wrong in files that are not ours, texts; NULL before the first one. Valid until
 * the next. */
const GPtrArray *nb_sampler_faults(const struct nb_sampler *sampler);
/* The time that the last rescan took, on the clock below, also of one that failed. */
uint64_t nb_sampler_rescan_nsec(const struct nb_sampler *sampler);
/* A clock of nanoseconds: what is read is stamped with when it was, and not with when the call
 * began. Without one a call takes no time, so that samples are taken when the caller says. */
void nb_sampler_use_clock(struct nb_sampler *sampler, uint64_t (*clock_nsec)(void));
/* The rules changed: the next rescan uses these. */
void nb_sampler_set_rules(struct nb_sampler *sampler, const struct nb_device_rules *rules);

/* What others say at run time of where interrupts may run: reads it for the next samples, and
 * returns what changed, as in limits.h. A change of isolation needs a rescan. */
unsigned nb_sampler_read_limits(struct nb_sampler *sampler);

/* Whether the first sample of each machine also reads device interrupts: it does, unless this says
 * otherwise. */
void nb_sampler_want_device_irqs(struct nb_sampler *sampler, bool wanted);

/* Whether devices without hardware that cost are looked for: at first they are not. Each that is
 * found has a queue without an interrupt after the next rescan, until it has long cost nothing.
 * Those with more than one receive queue are left out. */
void nb_sampler_want_virtuals(struct nb_sampler *sampler, bool wanted);
/* One that has an RPS mask of ours, from the run before. */
void nb_sampler_add_virtual(struct nb_sampler *sampler, int ifindex, uint64_t now_nsec);
/* The last sample found one: a rescan is due. */
bool nb_sampler_found_virtual(const struct nb_sampler *sampler);

/* What came to these CPUs since the last call, which may have been for others. *ret stays valid
 * until the next. Errors as nb_sampler_read(); then the next call tells what came meanwhile. Costs
 * a file for each interrupt that came. */
int nb_sampler_read_arrivals(struct nb_sampler *sampler, const struct nb_cpumask *cpus,
			     uint64_t now_nsec, struct nb_arrivals *ret);

/* Samples are of the measured grade from now on, or with NULL of the estimated one. Needs a
 * machine. probe is borrowed until the next call. When the scope cannot be set, now or after a
 * later rescan (nb_probe_set_scope()), samples are of the estimated grade from then on. */
int nb_sampler_use_probe(struct nb_sampler *sampler, struct nb_probe *probe);

/* Counts the packets of this NIC by entry of its RSS table (nb_snapshot.buckets) from now on; 0: of
 * none. Nothing changes if it does already. Asks the NIC for its table, and attaches two programs,
 * so it takes some milliseconds; then true. Ends with a rescan that does not find the NIC, and with
 * nb_sampler_use_probe(). Without a probe, netlink or that NIC nothing is counted. */
bool nb_sampler_count_buckets(struct nb_sampler *sampler, int ifindex, uint64_t now_nsec);

/* Whether there will be a probe as soon as a CPU is hot; snapshots tell. */
void nb_sampler_expect_probe(struct nb_sampler *sampler, bool expected);

/* How much is read. Each includes those before it. */
enum nb_depth {
	NB_DEPTH_PROBE,    /* what the probe counts, without a system call; in the estimated grade
			      this is NB_DEPTH_COUNTERS */
	NB_DEPTH_COUNTERS, /* times of CPUs outside interrupts, drops of CPUs; packets (estimated
			      grade) */
	NB_DEPTH_COMPLETE, /* affinities, RPS masks that were there before; interrupts and where
			   they were handled (estimated grade), packets; drops of NICs */
	NB_DEPTH_UNCACHED, /* RPS masks of all queues, which affinities may be set */
};

/* The first sample of a machine is always an uncached sample; after an RPS mask was written, the
 * next one must be, or it is not seen. *ret stays valid until the call after the next, so that two
 * neighbouring snapshots can be compared. -ESTALE: the set of online CPUs is no longer that of the
 * machine, or an interrupt of a queue is gone: rescan and read again. -EBADMSG: a file was cut or
 * malformed; the sample is dropped, the last good one stays. A sample that is not complete
 * allocates nothing. */
int nb_sampler_read(struct nb_sampler *sampler, uint64_t now_nsec, enum nb_depth depth,
		    const struct nb_snapshot **ret);

/* Reads the times of CPUs from /proc/stat, whatever the grade, while the probe does not measure: a
 * CPU's time is told in the estimated grade. *ret_before is the call before. -EAGAIN: this was the
 * first one for this machine. Else as nb_sampler_read_cpus(). */
int nb_sampler_watch_cpus(struct nb_sampler *sampler, uint64_t now_nsec,
			  struct nb_cpu_sample *ret_before, struct nb_cpu_sample *ret_now);

/* Reads the CPUs alone, between two samples: in the measured grade without a system call,
 * unless times are wanted, too: what CPUs did outside interrupts. *ret_before is the idle check
 * before, or the last sample when there was none since. Both are valid until the next sample or
 * idle check but one. -ESTALE: the last sample was of another machine or grade, or not of these
 * CPUs; else as nb_sampler_read(). Allocates nothing. */
int nb_sampler_read_cpus(struct nb_sampler *sampler, uint64_t now_nsec, bool times,
			 struct nb_cpu_sample *ret_before, struct nb_cpu_sample *ret_now);
