/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Writes a trace again from what was read of it. */

#include "trace/trace.h"

static inline void nb_note_device_irqs(const struct nb_trace_device_irq *others, unsigned n,
				       struct nb_trace_writer *writer)
{
	for (unsigned i = 0; i < n; i++) {
		const struct nb_record record = {
			.event = others[i].event,
			.reason = others[i].reason,
			.key = nb_device_irq_key(others[i].irq),
			.cpu_from = others[i].cpu_from,
			.cpu_to = others[i].cpu_to,
		};

		nb_trace_note_device_irq(writer, &record);
	}
}

static inline void nb_rewrite_frame(const struct nb_trace_frame *frame,
				    struct nb_trace_writer *writer, GString *text)
{
	const struct nb_machine *machine = frame->machine;
	unsigned n_cpus = machine->topology.n_cpus, n_queues = machine->n_queues;
	g_autofree struct nb_cpu_load *cpus = g_new0(struct nb_cpu_load, n_cpus);
	g_autofree struct nb_queue_load *queues = g_new0(struct nb_queue_load, n_queues);
	g_autofree struct nb_queue_state *states = g_new0(struct nb_queue_state, n_queues);
	g_autofree struct nb_change *changes = g_new(struct nb_change, frame->n_moves);
	struct nb_snapshot snapshot = {
		.taken_nsec = frame->taken_nsec,
		.grade = frame->grade,
		.machine = machine,
		.queues = states,
		.n_queues = n_queues,
		.rps = (struct nb_rps_state *)frame->rps,
		.n_rps = frame->n_rps,
	};
	struct nb_loads loads = {
		.taken_nsec = frame->taken_nsec,
		.window_nsec = frame->window_nsec,
		.cpus = cpus,
		.n_cpus = n_cpus,
		.queues = queues,
		.n_queues = n_queues,
	};
	struct nb_plan plan = {.changes = changes, .n_changes = frame->n_moves};
	struct nb_rules rules;

	for (unsigned i = 0; i < n_cpus; i++) {
		cpus[i].id = machine->topology.cpus[i].id;
		cpus[i].window_fixed = frame->fixed[i];
		cpus[i].window_backlog = frame->backlog[i];
		cpus[i].dropped = frame->dropped[i];
	}
	for (unsigned i = 0; i < n_queues; i++) {
		queues[i].key = states[i].key = machine->queues[i].key;
		queues[i].window_time = frame->time[i];
		queues[i].window_threaded = frame->threaded[i];
		queues[i].cpu = frame->cpus[i];
		states[i].settable = !frame->pinned[i];
	}
	for (unsigned i = 0; i < frame->n_moves; i++) {
		changes[i] = nb_change_of_move(NB_KIND_QUEUE, &frame->moves[i]);
		changes[i].outcome = NB_OUTCOME_APPLIED;
	}
	nb_note_device_irqs(frame->device_irqs, frame->n_device_irqs, writer);
	nb_rules_init(&rules, &snapshot, NULL, NULL);
	nb_trace_write(writer, &snapshot, &rules, &loads, &plan, text);
}

/* Caller frees. */
static inline GString *nb_rewrite_trace(const struct nb_trace *trace)
{
	g_autoptr(nb_trace_writer) writer = nb_trace_writer_new();
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < nb_trace_n_frames(trace); i++) {
		struct nb_trace_frame frame;

		nb_trace_frame(trace, i, &frame);
		nb_rewrite_frame(&frame, writer, text);
	}
	return text;
}
