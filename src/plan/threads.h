/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* NAPI threads that follow the interrupts of their queues
 * (Documentation/networking/napi.rst, Threaded NAPI). Pure. */

#include "plan/board.h"

#include <glib.h>

/* True: the threads of one NIC are to be bound to other CPUs, or to be as they were found. One NIC
 * a cycle. masks and pids are filled with what the change points to. */
bool nb_threads_follow(const struct nb_board *board, const struct nb_machine *machine,
		       const struct nb_memory *memory, GArray *masks, GArray *pids,
		       struct nb_follow_change *ret);
