/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The names of the handlers of interrupts, as they are at a rescan. Hosts have thousands of
 * interrupts; where the bus tells which are a device's, only those are read. */

#include "nicbalance/device_irq.h"
#include "sysroot/sysroot.h"

#include <stdint.h>

struct nb_handler {
	uint32_t irq;
	char **names; /* more than one where the line is shared; owned */
};

typedef struct nb_handlers {
	struct nb_sysroot *root; /* borrowed */
	bool in_sysfs;           /* each interrupt tells its own */
	GArray *all; /* struct nb_handler, ascending by irq; NULL until asked for; owned */
} nb_handlers;

/* From sys/kernel/irq, or proc/interrupts, or the directories below proc/irq. */
int nb_handlers_open(struct nb_sysroot *root, struct nb_handlers **ret);
void nb_handlers_free(struct nb_handlers *handlers);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(nb_handlers, nb_handlers_free)

/* Those of one interrupt; caller frees (g_strfreev). NULL: it has none. */
char **nb_handlers_of(struct nb_handlers *handlers, uint32_t irq);
/* Names in one text, joined by commas and cut at its length. */
void nb_handlers_join(char **names, char ret[NB_HANDLERS_MAX]);
/* Those of the whole host, without interrupts that have none; empty where none can be read. */
const GArray *nb_handlers_all(struct nb_handlers *handlers);
