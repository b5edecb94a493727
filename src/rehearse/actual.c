/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/find.h"
#include "rehearse/frame.h"
#include "rehearse/records.h"
#include "rehearse/rehearsal.h"

static void add_moves(struct nb_rehearsal *rehearsal, const struct nb_trace_frame *frame)
{
	struct nb_scene scene = {
		.at_nsec = frame->taken_nsec, .machine = frame->machine, .from_trace = true};

	for (unsigned i = 0; i < frame->n_moves; i++)
		nb_records_add_move(rehearsal, &scene, &frame->moves[i], NB_OUTCOME_APPLIED,
				    NB_EFFECT_NONE);
}

/* Where the queue was a window before; -1: nowhere. */
static int place_before(const struct nb_trace_frame *before, const struct nb_trace_frame *now,
			unsigned i)
{
	const struct nb_queue *queue = &now->machine->queues[i];

	if (before->machine != now->machine)
		queue = nb_machine_find_queue(before->machine, queue->key);
	if (!queue)
		return -1;
	return before->machine == now->machine ? before->cpus[i]
					       : before->cpus[queue - before->machine->queues];
}

/* A queue that is served elsewhere now, though no recorded move said so: irqbalance, an operator, a
 * driver, or the kernel when a CPU went. */
static void add_foreign_moves(struct nb_rehearsal *rehearsal, const struct nb_trace_frame *before,
			      const struct nb_trace_frame *now)
{
	struct nb_scene scene = {
		.at_nsec = before->taken_nsec, .machine = now->machine, .from_trace = true};

	for (unsigned i = 0; i < now->machine->n_queues; i++) {
		struct nb_queue_key key = now->machine->queues[i].key;
		const struct nb_record *last = nb_records_last_move(rehearsal, key);
		struct nb_move move = {
			.key = key,
			.reason = _NB_REASON_INVALID,
			.cpu_from = place_before(before, now, i),
			.load = now->time[i],
		};

		if (move.cpu_from < 0 || now->cpus[i] < 0 || move.cpu_from == now->cpus[i] ||
		    (last && last->cpu_to == now->cpus[i]))
			continue;
		move.cpu_to = (unsigned)now->cpus[i];
		nb_records_add_move(rehearsal, &scene, &move, NB_OUTCOME_APPLIED, NB_EFFECT_NONE);
	}
}

static void write_down(struct nb_rehearsal *rehearsal, const struct nb_trace_frame *frame)
{
	const struct nb_topology *topology = &frame->machine->topology;
	g_autofree uint32_t *demand = g_new(uint32_t, topology->n_cpus);
	struct nb_cpumask network = nb_frame_network(frame, frame->cpus);
	struct nb_rehearsed_second second = {
		.at_nsec = frame->taken_nsec,
		.window_nsec = frame->window_nsec,
		.verdict = NB_VERDICT_UNKNOWN,
	};

	for (unsigned i = 0; i < topology->n_cpus; i++)
		second.dropped += frame->dropped[i];
	nb_frame_demand(frame, frame->cpus, demand);
	nb_rehearsal_add_second(rehearsal, &second, topology, demand, &network);
}

struct nb_rehearsal *nb_rehearse_actual(const struct nb_trace *trace)
{
	struct nb_rehearsal *rehearsal = nb_rehearsal_new();
	struct nb_trace_frame before, frame;

	nb_frame_add_cpus(trace, rehearsal);
	for (unsigned i = 0; i < nb_trace_n_frames(trace); i++) {
		nb_trace_frame(trace, i, &frame);
		if (i > 0)
			add_foreign_moves(rehearsal, &before, &frame);
		add_moves(rehearsal, &frame);
		nb_records_add_device_irqs(rehearsal, &frame);
		write_down(rehearsal, &frame);
		before = frame;
	}
	return rehearsal;
}
