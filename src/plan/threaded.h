/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Threaded NAPI, the last resort of a CPU that one queue makes hot: a kernel thread polls it, and
 * the scheduler parts it from what else its CPU does (Documentation/networking/napi.rst, Threaded
 * NAPI). Where it cannot be switched for a queue alone, threads poll all queues of the NIC. Pure.
 */

#include "plan/board.h"

/* Reviews what we switched it on for: off again if it did not help, is no longer asked for
 * or no longer needed. At most one change; false if there is none. Counts calm samples. */
bool nb_threaded_review(const struct nb_board *board, const struct nb_machine *machine,
			struct nb_memory *memory, struct nb_threaded_change *ret);

/* Switches it on for the queue, or the NIC of the queue, that makes the hottest CPU of the domain
 * hot. False if that cannot help: it is not asked for, the time of queues is not measured, the
 * queue can move, shares its CPU with nothing, a NAPI that would be switched does not complete, RPS
 * hands packets of one on, or the threads would not all find CPUs with time; or it is on, did not
 * help shortly before, is another program's choice, or was refused. */
bool nb_threaded_begin(struct nb_board *board, const struct nb_memory *memory,
		       const struct nb_domain *domain, uint32_t gain,
		       struct nb_threaded_change *ret);

/* What it came to is being measured. */
bool nb_threaded_on_trial(const struct nb_memory *memory);
