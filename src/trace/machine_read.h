/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A machine from its lines in a trace. Pure. What a line says wrong is a sentence; NULL: nothing.
 */

#include "nicbalance/snapshot.h"
#include "trace/fields.h"

#include <glib.h>

/* Its lists are those of the arrays once it is sealed. */
typedef struct nb_trace_machine {
	struct nb_machine machine;
	GArray *cpus;   /* struct nb_cpu */
	GArray *nics;   /* struct nb_nic */
	GArray *queues; /* struct nb_queue */
	GArray *pools;  /* struct nb_pool */
} nb_trace_machine;

void nb_trace_machine_free(struct nb_trace_machine *machine);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(nb_trace_machine, nb_trace_machine_free)

/* fields: what stands behind the word machine, which begins one. */
const char *nb_trace_machine_begin(struct nb_trace_fields *fields, struct nb_trace_machine **ret);

typedef const char *(*nb_trace_machine_line)(struct nb_trace_machine *machine,
					     struct nb_trace_fields *fields);
/* What takes the lines that begin with this word; NULL: they are not about a machine. */
nb_trace_machine_line nb_trace_machine_line_of(const struct nb_trace_field *word);

/* No line follows. */
const char *nb_trace_machine_seal(struct nb_trace_machine *machine, uint64_t generation);
