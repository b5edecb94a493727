/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What a window of a trace would have been with its queues in other places. Pure. */

#include "rehearse/rehearse.h"

/* The time that a queue would have taken of this CPU. */
uint32_t nb_frame_time(const struct nb_trace_frame *frame, unsigned queue, int cpu);
/* What each CPU of the frame's machine wanted to do, with its queues where places (parallel to
 * them) says; ret has room for as many. */
void nb_frame_demand(const struct nb_trace_frame *frame, const int *places, uint32_t *ret);
/* Those that serve a queue there, and those that RPS hands packets to. */
struct nb_cpumask nb_frame_network(const struct nb_trace_frame *frame, const int *places);

/* Index of a CPU of the machine; -1 when it is not online. */
int nb_frame_find_cpu(const struct nb_trace_frame *frame, int id);

/* All CPUs that are online in some window of the trace. */
void nb_frame_add_cpus(const struct nb_trace *trace, struct nb_rehearsal *rehearsal);
