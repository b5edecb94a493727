/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A trace in memory: windows share what did not change between them. Pure. */

#include "trace/machine_read.h"
#include "trace/rows.h"
#include "trace/trace.h"

/* A day of a large host; a text that makes more of itself is not a recording. */
#define NB_TRACE_HELD_MAX ((size_t)2 << 30)

struct nb_trace_window {
	uint64_t taken_msec;
	uint64_t window_msec;
	const struct nb_machine *machine;
	enum nb_grade grade;
	const int32_t *rows[NB_TRACE_ROWS];
	const struct nb_rps_state *rps;
	unsigned n_rps;
	unsigned first_move, n_moves;
	unsigned first_device_irq, n_device_irqs;
};

struct nb_trace {
	GArray *windows;     /* struct nb_trace_window */
	GArray *moves;       /* struct nb_move */
	GArray *device_irqs; /* struct nb_trace_device_irq */
	GArray *machines;    /* struct nb_trace_machine *, owned */
	GArray *blocks;      /* void *, owned: rows and masks */
	size_t held;         /* bytes in blocks and queues */
};

struct nb_trace *nb_trace_new(void);
void nb_trace_add_machine(struct nb_trace *trace, struct nb_trace_machine *machine);
/* Memory that lives as long as the trace; NULL when that holds too much already. */
void *nb_trace_hold(struct nb_trace *trace, size_t size);
