/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The lines of a trace that describe windows. Pure. What a line says wrong is a sentence; NULL:
 * nothing. */

#include "trace/fields.h"
#include "trace/store.h"

/* A trace as far as it was read. */
struct nb_trace_reading {
	struct nb_trace *trace;
	struct nb_trace_field version;
	struct nb_trace_machine *open;      /* its lines are being read; owned */
	const struct nb_machine *machine;   /* of the windows; NULL: none was described */
	uint64_t begin_msec;                /* of this trace, where one follows another */
	uint64_t end_msec;                  /* of the last whole window */
	bool in_window;                     /* its lines are being read */
	struct nb_trace_window window;      /* that one, or the one before */
	unsigned rows_told;                 /* of it: a bit each */
	const int32_t *last[NB_TRACE_ROWS]; /* rows as they were last, to be shared */
	const int32_t *zeros;               /* a row that was left out */
	GArray *row;                        /* int32_t */
	GArray *rps;                        /* struct nb_rps_state */
};

/* The open machine is whole. */
const char *nb_trace_settle(struct nb_trace_reading *reader);

/* fields: what stands behind the word window, which begins one. There is a machine. */
const char *nb_trace_begin_window(struct nb_trace_reading *reader, struct nb_trace_fields *fields);

/* A line within a window; fields: what stands behind its first word. */
const char *nb_trace_take_of_window(struct nb_trace_reading *reader,
				    const struct nb_trace_field *word,
				    struct nb_trace_fields *fields);
