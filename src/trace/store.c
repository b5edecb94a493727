/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/store.h"

#include <assert.h>

struct nb_trace *nb_trace_new(void)
{
	struct nb_trace *trace = g_new0(struct nb_trace, 1);

	trace->windows = g_array_new(FALSE, FALSE, sizeof(struct nb_trace_window));
	trace->moves = g_array_new(FALSE, FALSE, sizeof(struct nb_move));
	trace->device_irqs = g_array_new(FALSE, FALSE, sizeof(struct nb_trace_device_irq));
	trace->machines = g_array_new(FALSE, FALSE, sizeof(struct nb_trace_machine *));
	trace->blocks = g_array_new(FALSE, FALSE, sizeof(void *));
	return trace;
}

void nb_trace_free(struct nb_trace *trace)
{
	if (!trace)
		return;
	for (unsigned i = 0; i < trace->machines->len; i++)
		nb_trace_machine_free(g_array_index(trace->machines, struct nb_trace_machine *, i));
	for (unsigned i = 0; i < trace->blocks->len; i++)
		g_free(g_array_index(trace->blocks, void *, i));
	g_array_unref(trace->windows);
	g_array_unref(trace->moves);
	g_array_unref(trace->device_irqs);
	g_array_unref(trace->machines);
	g_array_unref(trace->blocks);
	g_free(trace);
}

void nb_trace_add_machine(struct nb_trace *trace, struct nb_trace_machine *machine)
{
	trace->held += machine->queues->len * sizeof(struct nb_queue);
	g_array_append_val(trace->machines, machine);
}

void *nb_trace_hold(struct nb_trace *trace, size_t size)
{
	void *block;

	if (trace->held > NB_TRACE_HELD_MAX || size > NB_TRACE_HELD_MAX - trace->held)
		return NULL;
	block = g_malloc0(MAX(size, 1));
	trace->held += size;
	g_array_append_val(trace->blocks, block);
	return block;
}

unsigned nb_trace_n_frames(const struct nb_trace *trace)
{
	return trace->windows->len;
}

void nb_trace_frame(const struct nb_trace *trace, unsigned i, struct nb_trace_frame *ret)
{
	const struct nb_trace_window *window;

	assert(i < trace->windows->len);
	window = &g_array_index(trace->windows, struct nb_trace_window, i);

	*ret = (struct nb_trace_frame){
		.taken_nsec = window->taken_msec * NB_TRACE_NSEC_PER_MSEC,
		.window_nsec = window->window_msec * NB_TRACE_NSEC_PER_MSEC,
		.machine = window->machine,
		.grade = window->grade,
		.fixed = (const uint32_t *)window->rows[NB_TRACE_FIXED_LOAD],
		.backlog = (const uint32_t *)window->rows[NB_TRACE_BACKLOG],
		.dropped = (const uint32_t *)window->rows[NB_TRACE_DROPPED],
		.time = (const uint32_t *)window->rows[NB_TRACE_TIME],
		.cpus = window->rows[NB_TRACE_PLACE],
		.threaded = (const uint32_t *)window->rows[NB_TRACE_THREADED],
		.pinned = (const uint32_t *)window->rows[NB_TRACE_PINNED],
		.deferred = (const uint32_t *)window->rows[NB_TRACE_DEFERRED],
		.rps = window->rps,
		.n_rps = window->n_rps,
		.n_moves = window->n_moves,
		.n_device_irqs = window->n_device_irqs,
	};
	if (window->n_moves > 0)
		ret->moves = &g_array_index(trace->moves, struct nb_move, window->first_move);
	if (window->n_device_irqs > 0)
		ret->device_irqs = &g_array_index(trace->device_irqs, struct nb_trace_device_irq,
						  window->first_device_irq);
}
