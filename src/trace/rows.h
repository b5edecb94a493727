/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What writer and reader of a trace agree on; nicbalance-trace(5) says the same to people. Pure. */

#include "nicbalance/netdev.h"

#include <glib.h>

/* The first line: this word and the version. */
#define NB_TRACE_MAGIC "nicbalance-trace"
#define NB_TRACE_VERSION "1"

#define NB_TRACE_NSEC_PER_MSEC UINT64_C(1000000)

/* Limits that no host comes near, and that keep a reader from being led to any size. */
#define NB_TRACE_NIC_MAX 9999
#define NB_TRACE_INDEX_MAX 65535
#define NB_TRACE_QUEUES_MAX 16384
#define NB_TRACE_NUMBER_MAX INT32_MAX

/* The rows of numbers that are told by their changes. All begin at 0 with a machine. */
enum nb_trace_row {
	NB_TRACE_FIXED_LOAD,
	NB_TRACE_BACKLOG,
	NB_TRACE_DROPPED,
	NB_TRACE_TIME, /* from here on, of queues */
	NB_TRACE_PLACE,
	NB_TRACE_PINNED,
	NB_TRACE_THREADED,
	NB_TRACE_ROWS,
};

/* The letter that a row's lines begin with. */
static inline char nb_trace_row_letter(enum nb_trace_row row)
{
	return "rbdqpft"[row];
}

static inline unsigned nb_trace_row_length(enum nb_trace_row row, unsigned n_cpus,
					   unsigned n_queues)
{
	return row < NB_TRACE_TIME ? n_cpus : n_queues;
}
