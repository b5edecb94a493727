/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "verify/verify.h"

#include "base/memory.h"
#include "base/other_memory.h"

#include <string.h>

/* A CPU without a free vector is left alone for so long: vectors come free when devices close. */
#define FULL_NSEC (5 * 60 * NB_NSEC_PER_SEC)

static void note_departure(const struct nb_move *move, uint64_t now_nsec,
			   struct nb_queue_memory *queue)
{
	struct nb_departure *departures = queue->departures;

	if (move->cpu_from < 0)
		return;
	memmove(&departures[1], departures, (NB_DEPARTURES - 1) * sizeof(*departures));
	departures[0] = (struct nb_departure){.cpu = (unsigned)move->cpu_from, .nsec = now_nsec};
}

static void note_applied(const struct nb_move *move, uint32_t gain, uint64_t now_nsec,
			 struct nb_queue_memory *queue)
{
	note_departure(move, now_nsec, queue);
	queue->expected_cpu = (int)move->cpu_to;
	queue->pending = (struct nb_pending){.active = true, .gain = gain, .move = *move};
}

static void note_move(const struct nb_move *move, uint32_t gain, enum nb_outcome outcome,
		      uint64_t now_nsec, struct nb_memory *memory)
{
	struct nb_queue_memory *queue = nb_memory_find_queue(memory, move->key);

	if (!queue)
		return;
	queue->moved_nsec = now_nsec;
	switch (outcome) {
	case NB_OUTCOME_APPLIED:
		note_applied(move, gain, now_nsec, queue);
		break;
	case NB_OUTCOME_UNCHANGED:
		queue->expected_cpu = (int)move->cpu_to;
		break;
	case NB_OUTCOME_REFUSED:
		queue->refused = true;
		break;
	case NB_OUTCOME_FULL:
		nb_memory_set_full(memory, move->cpu_to, now_nsec + FULL_NSEC);
		queue->fresh = true;
		break;
	case NB_OUTCOME_GONE:
	case NB_OUTCOME_BUSY:
	case NB_OUTCOME_STALE:
		queue->failures++;
		queue->fresh = true;
		break;
	case NB_OUTCOME_UNSAFE:
		queue->fresh = true;
		break;
	case NB_OUTCOME_REHEARSED:
	case _NB_OUTCOME_MAX:
	case _NB_OUTCOME_INVALID:
		break;
	}
}

static void note_drained(const struct nb_rps_change *change, uint64_t now_nsec,
			 struct nb_memory *memory)
{
	struct nb_queue_memory *queue = nb_memory_find_queue(memory, change->key);

	if (queue)
		queue->drained_nsec = now_nsec;
}

/* What was set to share a queue's work has to prove that it does. */
static void note_mask(const struct nb_rps_change *change, struct nb_rps_memory *rps)
{
	rps->cpus = change->to;
	rps->unsticks = change->reason == NB_REASON_RPS_UNSTICK;
	rps->trial = (struct nb_rps_trial){.active = change->reason == NB_REASON_RPS_WIDEN,
					   .from = change->from,
					   .before = change->hottest_before};
}

static void note_rps(const struct nb_rps_change *change, enum nb_outcome outcome, uint64_t now_nsec,
		     struct nb_memory *memory)
{
	bool set = outcome == NB_OUTCOME_APPLIED || outcome == NB_OUTCOME_UNCHANGED;
	struct nb_rps_memory *rps;

	if (set && change->reason == NB_REASON_RPS_UNSTICK)
		note_drained(change, now_nsec, memory);
	rps = nb_memory_find_rps(memory, change->key);
	if (set && nb_cpumask_empty(&change->to) && !(rps && rps->failures > 0)) {
		nb_memory_drop_rps(memory, change->key);
		return;
	}
	rps = nb_memory_get_rps(memory, change->key);
	rps->set_nsec = now_nsec;
	rps->calm_samples = 0;
	rps->no_gain = false;
	if (set)
		note_mask(change, rps);
}

/* What became of it is not measured: it was moved for its place. */
static void note_other(const struct nb_move *move, enum nb_outcome outcome, uint64_t now_nsec,
		       struct nb_memory *memory)
{
	struct nb_other_memory *other = nb_other_memory_find(memory, move->key.index);

	if (!other)
		return;
	switch (outcome) {
	case NB_OUTCOME_APPLIED:
	case NB_OUTCOME_UNCHANGED:
		other->expected_cpu = (int)move->cpu_to;
		other->moved_nsec = now_nsec;
		break;
	case NB_OUTCOME_REFUSED:
		other->refused = true;
		break;
	case NB_OUTCOME_FULL:
		nb_memory_set_full(memory, move->cpu_to, now_nsec + FULL_NSEC);
		break;
	case NB_OUTCOME_GONE:
	case NB_OUTCOME_BUSY:
	case NB_OUTCOME_STALE:
		other->moved_nsec = now_nsec;
		break;
	case NB_OUTCOME_UNSAFE:
	case NB_OUTCOME_REHEARSED:
	case _NB_OUTCOME_MAX:
	case _NB_OUTCOME_INVALID:
		break;
	}
}

void nb_verify_note(const struct nb_plan *plan, const enum nb_outcome *outcomes, uint64_t now_nsec,
		    struct nb_memory *memory)
{
	for (unsigned i = 0; i < plan->n_others; i++)
		note_other(&plan->others[i], outcomes[plan->n_moves + plan->n_rps + i], now_nsec,
			   memory);
	if (plan->n_moves == 0 && plan->n_rps == 0)
		return;
	memory->last_round_nsec = now_nsec;
	memory->last_round_placed = plan->verdict == NB_VERDICT_PLACING;
	memory->armed_samples = 0;
	for (unsigned i = 0; i < plan->n_moves; i++)
		note_move(&plan->moves[i], plan->gain_needed, outcomes[i], now_nsec, memory);
	for (unsigned i = 0; i < plan->n_rps; i++)
		note_rps(&plan->rps[i], outcomes[plan->n_moves + i], now_nsec, memory);
}
