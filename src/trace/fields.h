/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The fields of one line of a trace, with one space between them. Pure. Each function takes one
 * field, and returns false and leaves *ret alone when that is not what stands there. */

#include "nicbalance/cpumask.h"
#include "nicbalance/netdev.h"

#include <stddef.h>

/* What is left of the line. */
struct nb_trace_fields {
	const char *at, *end;
};

struct nb_trace_field {
	const char *text;
	size_t len;
};

/* Longer than any word that has a meaning. */
#define NB_TRACE_WORD_MAX 32

bool nb_trace_take(struct nb_trace_fields *fields, struct nb_trace_field *ret);
bool nb_trace_take_word(struct nb_trace_fields *fields, char ret[NB_TRACE_WORD_MAX]);
bool nb_trace_take_number(struct nb_trace_fields *fields, uint32_t max, uint32_t *ret);
bool nb_trace_take_time(struct nb_trace_fields *fields, uint64_t max, uint64_t *ret);
/* "-" is -1. */
bool nb_trace_take_perhaps(struct nb_trace_fields *fields, uint32_t max, int *ret);
/* "4" or "4-7". */
bool nb_trace_take_range(struct nb_trace_fields *fields, uint32_t max, uint32_t *ret_first,
			 uint32_t *ret_last);
/* "1.4" */
bool nb_trace_take_queue(struct nb_trace_fields *fields, struct nb_queue_key *ret);
/* "0-3,8": one CPU at least. */
bool nb_trace_take_cpus(struct nb_trace_fields *fields, struct nb_cpumask *ret);
bool nb_trace_at_end(const struct nb_trace_fields *fields);

bool nb_trace_field_is(const struct nb_trace_field *field, const char *word);
