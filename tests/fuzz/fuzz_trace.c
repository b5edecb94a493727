/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is read of a trace is within its bounds, and written again is the same trace. */

#include "fuzz/fuzz.h"
#include "support/rewrite_trace.h"

#include <stdlib.h>
#include <string.h>

static void check_frame(const struct nb_trace_frame *frame)
{
	for (unsigned i = 0; i < frame->machine->topology.n_cpus; i++)
		FUZZ_CLAIM(frame->fixed[i] <= INT32_MAX && frame->backlog[i] <= INT32_MAX &&
			   frame->dropped[i] <= INT32_MAX);
	for (unsigned i = 0; i < frame->machine->n_queues; i++)
		FUZZ_CLAIM(frame->time[i] <= INT32_MAX && frame->pinned[i] <= 1 &&
			   frame->deferred[i] <= 1 && frame->cpus[i] >= -1 &&
			   frame->cpus[i] < (int)NB_CPUS_MAX);
	for (unsigned i = 0; i < frame->n_rps; i++)
		FUZZ_CLAIM(!nb_cpumask_empty(&frame->rps[i].cpus));
	for (unsigned i = 0; i < frame->n_moves; i++)
		FUZZ_CLAIM(frame->moves[i].cpu_to < NB_CPUS_MAX);
	for (unsigned i = 0; i < frame->n_device_irqs; i++)
		FUZZ_CLAIM(frame->device_irqs[i].irq <= INT32_MAX &&
			   (frame->device_irqs[i].event == NB_EVENT_MOVED) ==
				   (frame->device_irqs[i].reason != _NB_REASON_INVALID) &&
			   frame->device_irqs[i].event != NB_EVENT_STEERED &&
			   frame->device_irqs[i].event != NB_EVENT_REDIRECTED &&
			   frame->device_irqs[i].cpu_from < (int)NB_CPUS_MAX &&
			   frame->device_irqs[i].cpu_to < (int)NB_CPUS_MAX);
}

/* The first writing numbers the NICs its own way and drops what means nothing; the second finds
 * nothing to change. */
static void check_rewriting(const struct nb_trace *trace)
{
	g_autoptr(GString) once = nb_rewrite_trace(trace);
	g_autoptr(GString) twice = NULL;
	g_autoptr(nb_trace) again = NULL;
	g_autofree char *error = NULL;

	if (nb_trace_n_frames(trace) == 0)
		return;
	FUZZ_CLAIM(nb_trace_parse(once->str, once->len, &again, &error) == 0);
	FUZZ_CLAIM(nb_trace_n_frames(again) == nb_trace_n_frames(trace));
	twice = nb_rewrite_trace(again);
	FUZZ_CLAIM(strcmp(once->str, twice->str) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(nb_trace) trace = NULL;
	g_autofree char *error = NULL;

	if (nb_trace_parse((const char *)data, size, &trace, &error) < 0) {
		FUZZ_CLAIM(error && !trace);
		return 0;
	}
	for (unsigned i = 0; i < nb_trace_n_frames(trace); i++) {
		struct nb_trace_frame frame;

		nb_trace_frame(trace, i, &frame);
		check_frame(&frame);
	}
	check_rewriting(trace);
	return 0;
}
