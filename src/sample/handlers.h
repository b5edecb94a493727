/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The handler names of every interrupt of the host, read once a rescan. */

#include "sysroot/sysroot.h"

#include <stdint.h>

struct nb_handler {
	uint32_t irq;
	char **names; /* more than one where the line is shared; owned */
};

typedef struct nb_handlers {
	GArray *rows; /* struct nb_handler, ascending by irq; those without a name are left out */
} nb_handlers;

/* From sys/kernel/irq, or proc/interrupts, or the directories below proc/irq. */
int nb_handlers_read(struct nb_sysroot *root, struct nb_handlers **ret);
void nb_handlers_free(struct nb_handlers *handlers);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(nb_handlers, nb_handlers_free)

static inline const struct nb_handler *nb_handlers_get(const struct nb_handlers *handlers,
						       unsigned i)
{
	return &g_array_index(handlers->rows, struct nb_handler, i);
}
