/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Reads device interrupts when a machine is new: the affinities of those that occurred since they
 * were read last. There may be thousands; the cost depends on how many occurred, up to a bound. */

#include "sample/discover/scan.h"

struct nb_device_irqs {
	struct nb_sysroot *root; /* borrowed */
	bool wanted;
	uint64_t look;
	uint64_t counted_nsec; /* 0: never */
	GArray *counts;        /* uint32_t, by number of the interrupt; owned */
	GArray *next;          /* as read now; owned */
	GArray *rows;          /* struct nb_device_irq, ascending by irq, as read last; owned */
};

void nb_device_irqs_init(struct nb_device_irqs *device_irqs, struct nb_sysroot *root);
void nb_device_irqs_clear(struct nb_device_irqs *device_irqs);

/* Fills the device interrupts of the machine: reads them now, or, if they were read a moment ago,
 * takes what that found, for so short a time says nothing of their rates. The first time they are
 * only counted. None when they are not wanted, or cannot be read. rules may be NULL. */
void nb_device_irqs_fill(struct nb_device_irqs *device_irqs, struct nb_scan *scan,
			 const struct nb_device_rules *rules, uint64_t now_nsec);
