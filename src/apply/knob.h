/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* One file of the kernel that holds a mask of CPUs, and who is behind it. */

#include "nicbalance/netdev.h"
#include "nicbalance/outcome.h"
#include "sysroot/sysroot.h"

enum nb_knob_type {
	NB_KNOB_IRQ, /* proc/irq/N/smp_affinity */
	NB_KNOB_RPS, /* sys/class/net/NAME/queues/rx-N/rps_cpus */
	_NB_KNOB_TYPE_MAX,
	_NB_KNOB_TYPE_INVALID = -1,
};

/* irq and queue are zero where the type has none, so that knobs compare by all three. */
typedef struct nb_knob {
	enum nb_knob_type type;
	uint32_t irq;
	struct nb_queue_key queue;
	char *name; /* owned: handlers of the interrupt ("" for none), or the interface */
} nb_knob;

/* The knob of an interrupt, named by the handlers it has now (none where the file is missing). */
int nb_knob_irq(struct nb_sysroot *root, uint32_t irq, struct nb_knob *ret);
void nb_knob_rps(struct nb_queue_key queue, const char *ifname, struct nb_knob *ret);
void nb_knob_copy(const struct nb_knob *knob, struct nb_knob *ret);
void nb_knob_clear(struct nb_knob *knob);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(nb_knob, nb_knob_clear)

/* Whether both are the same number, whoever is behind it; and the hash that goes with it. */
bool nb_knob_equal(const struct nb_knob *a, const struct nb_knob *b);
unsigned nb_knob_hash(const struct nb_knob *knob);

/* Whether a knob kept from before is still the same interrupt: numbers are used again. An interrupt
 * without handlers passes: its descriptor, and with it the directory in proc/irq, outlives them
 * while the interface is down. True for RPS: an ifindex is not used again. */
bool nb_knob_same_owner(const struct nb_knob *kept, const struct nb_knob *now);

/* Looks for itself who is behind the knob now. 0, or -ENOENT: another interrupt or device. */
int nb_knob_find(struct nb_sysroot *root, const struct nb_knob *knob);

/* The mask without the end of line; caller frees (g_free). -EBADMSG: it holds something else. */
int nb_knob_read(struct nb_sysroot *root, const struct nb_knob *knob, char **ret_mask);
bool nb_knob_holds(struct nb_sysroot *root, const struct nb_knob *knob, const char *mask);

/* Whether its file mode lets it be written: since 6.12 that of managed interrupts does not. */
bool nb_knob_is_settable(struct nb_sysroot *root, const struct nb_knob *knob);
/* mask must have as many groups as the file prints. NB_OUTCOME_STALE may leave an RPS mask that is
 * neither the old one nor this: the kernel drops CPUs it does not want without saying so. */
enum nb_outcome nb_knob_write(struct nb_sysroot *root, const struct nb_knob *knob,
			      const char *mask);
