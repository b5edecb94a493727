/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What an interrupt of a network device is for, by the name its driver gave it. Pure. */

#include "sample/drivers/pattern.h"

#include <glib.h>
#include <stdint.h>

enum nb_vector_role {
	NB_VECTOR_RX,
	NB_VECTOR_TX,
	NB_VECTOR_PAIR, /* receive and transmit queue of one index */
	NB_VECTOR_BARE, /* only the name of the device: all there is, or the link's */
	NB_VECTOR_SLOW, /* link, mailbox, admin: known and left alone */
};

/* How the number in the name leads to the queue. */
enum nb_vector_numbering {
	NB_NUMBERING_INDEX, /* it is the queue's index */
	NB_NUMBERING_RANK,  /* the queue's index is its rank among the numbers */
	NB_NUMBERING_HALF,  /* gve: the first half transmits, the second half receives */
};

struct nb_vector {
	uint32_t irq;
	enum nb_vector_role role;
	enum nb_vector_numbering numbering;
	unsigned number;
};

/* Whose interrupt it might be. */
struct nb_vector_device {
	struct nb_pattern_names names; /* borrowed */
	GPtrArray *rows;               /* what the names of its interrupts may be; owned */
};

/* is_own: the bus lists the interrupts that are asked for under the device (msi_irqs), so names
 * that say nothing of the device count too. */
void nb_vector_device_init(struct nb_vector_device *device, const char *driver,
			   const struct nb_pattern_names *names, bool is_own);
void nb_vector_device_clear(struct nb_vector_device *device);

/* What a handler of this name is for. False when none of the driver's names fits: not an interrupt
 * of this device, or not one that is known. ret->irq is left alone. */
bool nb_vector_classify(const struct nb_vector_device *device, const char *handler,
			struct nb_vector *ret);

/* Whether the interrupts of this driver, or of this handler name, are bound to their CPUs: DPAA
 * portals, whose stash destination must move along (drivers/soc/fsl/qbman/qman_portal.c). An
 * application that takes a portal (DPDK, USDPAA) has set both to the CPU of its thread. */
bool nb_vector_driver_is_fixed(const char *driver);
bool nb_vector_handler_is_fixed(const char *handler);
