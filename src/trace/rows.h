/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What writer and reader of a trace agree on; nicbalance-trace(5) says the same to people. Pure. */

#include "nicbalance/snapshot.h"

#include <glib.h>

/* The first line: this word and the version. */
#define NB_TRACE_MAGIC "nicbalance-trace"
#define NB_TRACE_VERSION "2"

#define NB_TRACE_NSEC_PER_MSEC UINT64_C(1000000)

/* Limits that no host comes near, and that keep a reader from being led to any size. */
#define NB_TRACE_NIC_MAX 9999
#define NB_TRACE_INDEX_MAX 65535
#define NB_TRACE_QUEUES_MAX 16384
#define NB_TRACE_NUMBER_MAX INT32_MAX

/* The lines of a window that hold a number for each CPU, or for each queue. One that is missing is
 * all 0. */
enum nb_trace_row {
	NB_TRACE_FIXED_LOAD,
	NB_TRACE_BACKLOG,
	NB_TRACE_DROPPED,
	NB_TRACE_TIME, /* from here on, of queues */
	NB_TRACE_PLACE,
	NB_TRACE_PINNED,
	NB_TRACE_THREADED,
	NB_TRACE_DEFERRED,
	NB_TRACE_ROWS,
};

/* The first word of a row's line. */
static inline const char *nb_trace_row_word(enum nb_trace_row row)
{
	static const char *const words[NB_TRACE_ROWS] = {
		"cpu-fixed", "cpu-backlog",  "cpu-dropped",    "queue-time",
		"queue-cpu", "queue-pinned", "queue-threaded", "queue-deferred",
	};

	return words[row];
}

static inline unsigned nb_trace_row_length(enum nb_trace_row row, const struct nb_machine *machine)
{
	return row < NB_TRACE_TIME ? machine->topology.n_cpus : machine->n_queues;
}
