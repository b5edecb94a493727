/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The only writer. Carries out a plan, knob by knob; saves the value found in
 * run/nicbalance/baseline before the first write of each knob, and restores it. */

#include "apply/knob.h"
#include "netlink/netlink.h"
#include "nicbalance/outcome.h"
#include "nicbalance/plan.h"
#include "nicbalance/snapshot.h"
#include "sysroot/sysroot.h"

typedef struct nb_applier nb_applier;

/* Reads the baseline that an earlier run left, if any: the values found in it stay the values to
 * restore. A damaged baseline is copied to run/nicbalance/baseline.damaged, what could be read of
 * it stays in use, and -EBADMSG is returned with *ret set. What ethtool sets is reached by netlink;
 * NULL for a captured machine, of which nothing is. root and netlink are borrowed. */
int nb_applier_new(struct nb_sysroot *root, struct nb_netlink *netlink, struct nb_applier **ret);
void nb_applier_free(struct nb_applier *applier);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(nb_applier, nb_applier_free)

/* The numbers of the lines of the baseline that could not be read ("3, 7"); NULL if all could.
 * Borrowed. */
const char *nb_applier_damage(const struct nb_applier *applier);

/* Carries out every change of the plan, in its order, and notes the outcome of each in it. A queue
 * with two interrupts gets the worse outcome, and its first interrupt is restored if the second
 * cannot move. If the baseline cannot be written (a full /run) nothing is written and each outcome
 * is NB_OUTCOME_UNSAFE; the return value is then that errno, else 0. */
int nb_apply(struct nb_applier *applier, const struct nb_machine *machine, struct nb_plan *plan);

/* An RSS table that we wrote. */
struct nb_own_table {
	struct nb_cpumask queues; /* those that have an entry */
	uint32_t spread;  /* entries moved: its digest (base/rss_table.h); 0: it is limited to
			     these queues for a moment */
	unsigned n_moved; /* entries of other queues than in the table found */
};

/* Whether a device's interrupt, all of a queue, a receive queue's RPS mask, or a device's RSS table
 * still has the value we wrote last: in this run, or in the one before it (a restart adopts its
 * placement). */
bool nb_applier_owns_irq(struct nb_applier *applier, uint32_t irq, unsigned *ret_cpu);
bool nb_applier_owns_queue(struct nb_applier *applier, const struct nb_machine *machine,
			   const struct nb_queue *queue, unsigned *ret_cpu);
bool nb_applier_owns_rps(struct nb_applier *applier, int ifindex, const char *ifname,
			 unsigned queue, struct nb_cpumask *ret);
/* 1: it has; 0: it has not; -EBUSY: the table cannot be read at this moment. */
int nb_applier_owns_rss(struct nb_applier *applier, int ifindex, const char *ifname,
			struct nb_own_table *ret);
/* The same of an RSS table that was read already. */
bool nb_applier_owns_table(struct nb_applier *applier, int ifindex, const char *ifname,
			   const GArray *entries, unsigned n_rings, struct nb_own_table *ret);
bool nb_applier_owns_xps(struct nb_applier *applier, int ifindex, const char *ifname,
			 unsigned queue);
/* The affinity of a NAPI thread. */
bool nb_applier_owns_thread(struct nb_applier *applier, int ifindex, uint32_t pid);
/* Of one queue or of all, answered as of an RSS table. */
int nb_applier_owns_threaded(struct nb_applier *applier, struct nb_queue_key key,
			     const char *ifname);
/* The flow table of a receive queue; ifindex 0: of the host. */
bool nb_applier_owns_rfs(struct nb_applier *applier, int ifindex, const char *ifname,
			 unsigned queue);
/* Whether anything of this type of a device (0: of the host) was ours; nothing is read. */
bool nb_applier_wrote(const struct nb_applier *applier, enum nb_knob_type type, int ifindex);
/* Whether any flow table that the device uses was. */
bool nb_applier_wrote_rfs(const struct nb_applier *applier, int ifindex);
/* The same of a setting of a device as a whole, by either version of IP, answered as of an RSS
 * table; *ret as in struct nb_setting_change. */
int nb_applier_owns_setting(struct nb_applier *applier, enum nb_kind kind, int ifindex,
			    const char *ifname, unsigned *ret);

/* Forgets what will never be there again, so that the baseline does not grow with all that comes
 * and goes: NAPI threads that ended, and interfaces that have been in no machine for a day. Called
 * for each machine; a driver that is loaded anew makes other interfaces. */
void nb_applier_forget_gone(struct nb_applier *applier, const struct nb_machine *machine,
			    uint64_t now_nsec);

/* One knob restored, or why not. */
struct nb_restored {
	enum nb_knob_type type;
	uint32_t irq;               /* of NB_KNOB_IRQ and _VMBUS */
	int ifindex;                /* of the others, but NB_KNOB_IRQ */
	char ifname[NB_IFNAME_MAX]; /* of these but NB_KNOB_THREAD */
	unsigned queue; /* of NB_KNOB_RPS, _XPS, _RFS and _VMBUS; of NB_KNOB_UDP_HASH the version of
			   IP, of NB_KNOB_THREAD the pid */
	struct nb_cpumask ours;             /* we wrote; empty of what holds no CPUs */
	struct nb_cpumask found;            /* to restore */
	uint64_t number_ours, number_found; /* of what holds a number */
	enum nb_outcome outcome; /* UNCHANGED: nothing to restore, or another program has written it
				    since; left as it is */
};

/* Restores everything in reverse order, forgets it and removes the baseline file; what could not
 * be restored for a passing reason (busy, no vector) stays in the baseline. Appends struct
 * nb_restored to report if that is not NULL. 0 when nothing is left to restore, -EAGAIN when
 * something is, else why the file could not be removed. */
int nb_applier_restore(struct nb_applier *applier, GArray *report);
unsigned nb_applier_count(const struct nb_applier *applier); /* knobs in the baseline */
