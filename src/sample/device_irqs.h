/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Looks at the interrupts that are no NIC's, when a machine is new: where those stand that came
 * since the look before. There may be thousands; what it costs goes by how many came, up to a
 * bound. */

#include "sample/discover/scan.h"

struct nb_device_irqs {
	struct nb_sysroot *root; /* borrowed */
	bool wanted;
	uint64_t look;
	uint64_t counted_nsec; /* 0: never */
	GArray *counts;        /* uint32_t, by number of the interrupt; owned */
	GArray *next;          /* of this look; owned */
	GArray *rows;          /* struct nb_device_irq, ascending by irq, of the last look; owned */
};

void nb_device_irqs_init(struct nb_device_irqs *device_irqs, struct nb_sysroot *root);
void nb_device_irqs_clear(struct nb_device_irqs *device_irqs);

/* Fills the others of the machine: from a look now, or where the last one was a moment ago, too
 * short a time to tell how often they come, by what that found. The first look only counts. None
 * when they are not wanted, or cannot be read. */
void nb_device_irqs_fill(struct nb_device_irqs *device_irqs, struct nb_scan *scan,
			 uint64_t now_nsec);
