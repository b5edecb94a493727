/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rehearse/stage.h"

#include "base/find.h"
#include "rehearse/frame.h"

#include <string.h>

/* A trace counts no packets. The planner and the verifier only ask whether there were any, and what
 * took time had some. */
#define NSEC_OF_A_PACKET UINT64_C(1000)

struct shot {
	struct nb_snapshot snapshot;
	GArray *cpus;   /* struct nb_cpu_counters */
	GArray *queues; /* struct nb_queue_state */
};

struct nb_stage {
	struct shot shots[2]; /* the current one, and the one before it */
	unsigned current;
	const struct nb_machine *machine;
	GArray *places; /* int, of each queue of the machine; -1: unknown */
};

struct nb_stage *nb_stage_new(void)
{
	struct nb_stage *stage = g_new0(struct nb_stage, 1);

	for (unsigned i = 0; i < 2; i++) {
		stage->shots[i].cpus = g_array_new(FALSE, TRUE, sizeof(struct nb_cpu_counters));
		stage->shots[i].queues = g_array_new(FALSE, TRUE, sizeof(struct nb_queue_state));
	}
	stage->places = g_array_new(FALSE, FALSE, sizeof(int));
	return stage;
}

void nb_stage_free(struct nb_stage *stage)
{
	if (!stage)
		return;
	for (unsigned i = 0; i < 2; i++) {
		g_array_unref(stage->shots[i].cpus);
		g_array_unref(stage->shots[i].queues);
	}
	g_array_unref(stage->places);
	g_free(stage);
}

static int *place_of(const struct nb_stage *stage, unsigned i)
{
	return &g_array_index(stage->places, int, i);
}

/* Other interrupts under the same key are a device that was reset. */
static int known_place(const struct nb_stage *stage, const struct nb_queue *queue)
{
	const struct nb_queue *known =
		stage->machine ? nb_machine_find_queue(stage->machine, queue->key) : NULL;

	if (!known || memcmp(known->irqs, queue->irqs, sizeof(queue->irqs)) != 0)
		return -1;
	return *place_of(stage, (unsigned)(known - stage->machine->queues));
}

static void adopt_machine(struct nb_stage *stage, const struct nb_trace_frame *frame)
{
	GArray *places = g_array_new(FALSE, FALSE, sizeof(int));

	for (unsigned i = 0; i < frame->machine->n_queues; i++) {
		int place = known_place(stage, &frame->machine->queues[i]);

		g_array_append_val(places, place);
	}
	g_array_unref(stage->places);
	stage->places = places;
	stage->machine = frame->machine;
}

static void settle_places(struct nb_stage *stage, const struct nb_trace_frame *frame)
{
	if (stage->machine != frame->machine)
		adopt_machine(stage, frame);
	for (unsigned i = 0; i < frame->machine->n_queues; i++)
		if (nb_frame_find_cpu(frame, *place_of(stage, i)) < 0)
			*place_of(stage, i) = frame->cpus[i];
}

/* Room for the machine, and the counters as they were where they were. */
static void continue_counters(struct shot *shot, const struct nb_snapshot *before,
			      const struct nb_machine *machine)
{
	g_array_set_size(shot->cpus, 0);
	g_array_set_size(shot->cpus, machine->topology.n_cpus);
	for (unsigned i = 0; i < shot->cpus->len; i++) {
		struct nb_cpu_counters *cpu = &g_array_index(shot->cpus, struct nb_cpu_counters, i);
		const struct nb_cpu_counters *known =
			nb_snapshot_find_cpu(before, machine->topology.cpus[i].id);

		if (known)
			*cpu = *known;
		cpu->id = machine->topology.cpus[i].id;
	}
	g_array_set_size(shot->queues, 0);
	g_array_set_size(shot->queues, machine->n_queues);
	for (unsigned i = 0; i < shot->queues->len; i++) {
		struct nb_queue_state *state =
			&g_array_index(shot->queues, struct nb_queue_state, i);
		const struct nb_queue_state *known =
			nb_snapshot_find_queue(before, machine->queues[i].key);

		if (known)
			*state = *known;
		state->key = machine->queues[i].key;
	}
}

/* On a CPU that wants to do more than it can, each queue gets its part. */
static uint64_t time_nsec(uint32_t time, uint32_t all, uint64_t window_nsec)
{
	return window_nsec / MAX(all, NB_WHOLE) * time;
}

static void place_queue(struct nb_queue_state *state, int place, bool pinned, bool deferred)
{
	state->affinity_cpu = place;
	state->effective_cpu = place;
	state->polled_cpu = place;
	state->thread_cpu = -1;
	state->n_allowed = place >= 0;
	state->settable = !pinned;
	state->defers = deferred;
}

static void count_queue(struct nb_queue_state *state, uint64_t nsec, uint64_t threaded_nsec)
{
	uint64_t packets = nsec / NSEC_OF_A_PACKET;

	state->landed_cpu = packets ? state->polled_cpu : -1;
	state->time_nsec += nsec;
	state->threaded_nsec += threaded_nsec;
	state->polled_packets += packets;
	state->rx_packets += packets;
	state->polls += packets > 0;
	state->interrupts += packets > 0 && !state->defers;
}

/* Softirqs come first, and other work gets what they leave. */
static void count_cpu(struct nb_cpu_counters *cpu, const struct nb_trace_frame *frame, unsigned i,
		      uint64_t queues_nsec)
{
	uint64_t left_nsec = frame->window_nsec - queues_nsec;
	uint64_t bp_nsec = frame->window_nsec / NB_WHOLE;
	uint64_t fixed_nsec = MIN(bp_nsec * frame->fixed[i], left_nsec);
	uint64_t backlog_nsec = MIN(bp_nsec * frame->backlog[i], fixed_nsec);

	cpu->queues_nsec += queues_nsec;
	cpu->backlog_nsec += backlog_nsec;
	cpu->softirq_nsec += queues_nsec + backlog_nsec;
	cpu->user_nsec += fixed_nsec - backlog_nsec;
	cpu->idle_nsec += left_nsec - fixed_nsec;
	cpu->net_rx += queues_nsec + backlog_nsec > 0;
}

/* On a CPU that has less to do than it had, nothing would have been dropped. */
static uint32_t dropped_on(const struct nb_trace_frame *frame, unsigned i, const uint32_t *actual,
			   const uint32_t *replayed)
{
	return replayed[i] >= actual[i] ? frame->dropped[i] : 0;
}

static void count(struct nb_stage *stage, struct shot *shot, const struct nb_trace_frame *frame)
{
	unsigned n_cpus = frame->machine->topology.n_cpus;
	g_autofree uint32_t *actual = g_new(uint32_t, n_cpus);
	g_autofree uint32_t *replayed = g_new(uint32_t, n_cpus);
	g_autofree uint64_t *queues_nsec = g_new0(uint64_t, n_cpus);

	nb_frame_demand(frame, frame->cpus, actual);
	nb_frame_demand(frame, nb_stage_places(stage), replayed);
	for (unsigned i = 0; i < frame->machine->n_queues; i++) {
		int cpu = nb_frame_find_cpu(frame, *place_of(stage, i));
		uint32_t all = cpu < 0 ? 0 : replayed[cpu] - frame->fixed[cpu];
		uint64_t nsec = time_nsec(nb_frame_time(frame, i, *place_of(stage, i)), all,
					  frame->window_nsec);

		count_queue(&g_array_index(shot->queues, struct nb_queue_state, i), nsec,
			    frame->window_nsec / NB_WHOLE * frame->threaded[i]);
		if (cpu >= 0)
			queues_nsec[cpu] += nsec;
	}
	for (unsigned i = 0; i < n_cpus; i++) {
		struct nb_cpu_counters *cpu = &g_array_index(shot->cpus, struct nb_cpu_counters, i);

		count_cpu(cpu, frame, i, queues_nsec[i]);
		cpu->dropped += dropped_on(frame, i, actual, replayed);
	}
}

static const struct nb_snapshot *show(struct shot *shot, const struct nb_trace_frame *frame,
				      uint64_t taken_nsec)
{
	shot->snapshot = (struct nb_snapshot){
		.taken_nsec = taken_nsec,
		.times_nsec = taken_nsec,
		.grade = NB_GRADE_REPLAYED,
		.complete = true,
		.machine = frame->machine,
		.cpus = (struct nb_cpu_counters *)(void *)shot->cpus->data,
		.n_cpus = shot->cpus->len,
		.queues = (struct nb_queue_state *)(void *)shot->queues->data,
		.n_queues = shot->queues->len,
		.rps = (struct nb_rps_state *)frame->rps,
		.n_rps = frame->n_rps,
	};
	return &shot->snapshot;
}

static struct shot *next_shot(struct nb_stage *stage, const struct nb_trace_frame *frame)
{
	const struct nb_snapshot *before = &stage->shots[stage->current].snapshot;
	struct shot *shot;

	stage->current = 1 - stage->current;
	shot = &stage->shots[stage->current];
	settle_places(stage, frame);
	continue_counters(shot, before, frame->machine);
	for (unsigned i = 0; i < shot->queues->len; i++)
		place_queue(&g_array_index(shot->queues, struct nb_queue_state, i),
			    *place_of(stage, i), frame->pinned[i], frame->deferred[i]);
	return shot;
}

const struct nb_snapshot *nb_stage_begin(struct nb_stage *stage, const struct nb_trace_frame *frame)
{
	struct shot *shot = next_shot(stage, frame);

	for (unsigned i = 0; i < shot->queues->len; i++)
		count_queue(&g_array_index(shot->queues, struct nb_queue_state, i), 0, 0);
	return show(shot, frame, nb_growth(frame->window_nsec, frame->taken_nsec));
}

const struct nb_snapshot *nb_stage_advance(struct nb_stage *stage,
					   const struct nb_trace_frame *frame)
{
	struct shot *shot = next_shot(stage, frame);

	count(stage, shot, frame);
	return show(shot, frame, frame->taken_nsec);
}

const int *nb_stage_places(const struct nb_stage *stage)
{
	return (const int *)(const void *)stage->places->data;
}

static enum nb_outcome move(struct nb_stage *stage, const struct nb_move *move)
{
	const struct nb_queue *queue = nb_machine_find_queue(stage->machine, move->key);

	if (!queue)
		return NB_OUTCOME_GONE;
	*place_of(stage, (unsigned)(queue - stage->machine->queues)) = (int)move->cpu_to;
	return NB_OUTCOME_APPLIED;
}

void nb_stage_obey(void *host, struct nb_plan *plan)
{
	for (unsigned i = 0; i < plan->n_changes; i++) {
		struct nb_change *change = &plan->changes[i];

		change->outcome = change->kind == NB_KIND_QUEUE ? move(host, change->move)
								: NB_OUTCOME_REHEARSED;
	}
}
