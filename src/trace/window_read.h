/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The lines of a trace that describe windows. Pure. What a line says wrong is a sentence; NULL:
 * nothing. */

#include "trace/fields.h"
#include "trace/store.h"

/* A trace as far as it was read. */
struct nb_trace_reading {
	struct nb_trace *trace;
	struct nb_trace_machine *open;    /* its lines are being read; owned */
	const struct nb_machine *machine; /* of the windows; NULL: none was described */
	struct nb_trace_window window;    /* the next one */
	unsigned rows_told;               /* of it: a bit each */
	GArray *rps;                      /* struct nb_rps_state */
	bool rps_told;
};

/* The open machine is whole. Rows begin at 0, and RPS is off. */
const char *nb_trace_settle(struct nb_trace_reading *reader);

/* fields: the whole line, which is not empty. There is a machine. */
const char *nb_trace_take_of_window(struct nb_trace_reading *reader,
				    struct nb_trace_fields *fields);
