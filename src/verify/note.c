/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "verify/verify.h"

#include "base/delays.h"
#include "base/device_irq_memory.h"
#include "base/follow.h"
#include "base/memory.h"
#include "base/rss_table.h"

#include <assert.h>
#include <string.h>

/* A CPU without a free vector is no target for so long: vectors become free when devices close. */
#define FULL_NSEC (5 * 60 * NB_NSEC_PER_SEC)

/* EINVAL may come of a CPU that has just gone offline, but not so many times in a row. */
#define STALE_IN_A_ROW 3u

/* An RPS mask that the kernel refused is not tried again before this. */
#define REFUSED_NSEC (3600 * NB_NSEC_PER_SEC)

/* For so long a placement of saturated queues, or the first cycle that moves some, is corrected
 * without waiting. Later on a queue that moves while its CPU is full is one of many whose loads are
 * known. */
#define SETTLING_NSEC (15 * NB_NSEC_PER_SEC)

/* A queue that moved before loads were known, or from a collapsed placement, may return. */
static void note_departure(const struct nb_move *move, uint64_t now_nsec, bool settling,
			   bool starting, struct nb_queue_memory *queue)
{
	struct nb_departure *departures = queue->departures;

	if (move->cpu_from < 0 || settling || move->reason == NB_REASON_COLLAPSED)
		return;
	memmove(&departures[1], departures, (NB_DEPARTURES - 1) * sizeof(*departures));
	departures[0] = (struct nb_departure){
		.cpu = (unsigned)move->cpu_from,
		.nsec = now_nsec,
		.applications = starting ? move->source_applications : 0,
	};
}

/* Whether NET_RX still waits has to show anew. */
static void note_delay(const struct nb_move *move, const struct nb_memory *memory)
{
	struct nb_delay_memory *delay = move->reason == NB_REASON_DELAY && move->cpu_from >= 0
						? nb_delays_find(memory, (unsigned)move->cpu_from)
						: NULL;

	if (!delay)
		return;
	delay->over_msec = 0;
	delay->moves++;
}

static void note_applied(const struct nb_move *move, uint32_t gain, uint64_t now_nsec,
			 const struct nb_memory *memory, struct nb_queue_memory *queue)
{
	bool settling = now_nsec < memory->settling_until_nsec;

	queue->expected_cpu = (int)move->cpu_to;
	queue->moved_nsec = now_nsec;
	queue->rejections.in_a_row = 0;
	note_delay(move, memory);
	queue->pending = (struct nb_pending){.active = true,
					     .settling = settling,
					     .since_nsec = now_nsec,
					     .gain = gain,
					     .move = *move};
	note_departure(move, now_nsec, settling, nb_memory_is_starting(memory, now_nsec), queue);
}

/* True if it is no longer for a passing reason. */
static bool note_rejection(enum nb_outcome outcome, uint64_t now_nsec,
			   struct nb_rejections *rejections)
{
	nb_memory_reject(rejections, now_nsec);
	return outcome == NB_OUTCOME_REFUSED ||
	       (outcome == NB_OUTCOME_STALE && rejections->in_a_row >= STALE_IN_A_ROW);
}

/* Its place is judged again, too. */
static void note_rejected(const struct nb_move *move, enum nb_outcome outcome, uint64_t now_nsec,
			  struct nb_memory *memory, struct nb_queue_memory *queue)
{
	if (outcome == NB_OUTCOME_NO_VECTOR)
		nb_memory_set_no_vector(memory, move->cpu_to, now_nsec + FULL_NSEC);
	queue->refused = note_rejection(outcome, now_nsec, &queue->rejections);
	queue->fresh = !queue->refused;
}

static void note_move(const struct nb_move *move, uint32_t gain, enum nb_outcome outcome,
		      uint64_t now_nsec, struct nb_memory *memory)
{
	struct nb_queue_memory *queue = nb_memory_find_queue(memory, move->key);

	if (!queue)
		return;
	switch (outcome) {
	case NB_OUTCOME_APPLIED:
		note_applied(move, gain, now_nsec, memory, queue);
		break;
	case NB_OUTCOME_UNCHANGED:
		queue->expected_cpu = (int)move->cpu_to;
		queue->moved_nsec = now_nsec;
		queue->rejections.in_a_row = 0;
		break;
	case NB_OUTCOME_REFUSED:
	case NB_OUTCOME_NO_VECTOR:
	case NB_OUTCOME_GONE:
	case NB_OUTCOME_BUSY:
	case NB_OUTCOME_STALE:
	case NB_OUTCOME_UNSAFE:
	case NB_OUTCOME_FOREIGN:
		note_rejected(move, outcome, now_nsec, memory, queue);
		break;
	case NB_OUTCOME_REHEARSED:
		queue->moved_nsec = now_nsec;
		break;
	case _NB_OUTCOME_MAX:
	case _NB_OUTCOME_INVALID:
		break;
	}
}

static bool is_help(enum nb_reason reason)
{
	return reason == NB_REASON_RPS_UNSTICK || reason == NB_REASON_RPS_UNSTUCK;
}

/* That a mask was removed because the host was full is on trial, too: the mask may return. */
static void note_removal(const struct nb_rps_change *change, struct nb_rps_memory *rps)
{
	if (is_help(change->reason))
		return;
	if (!nb_cpumask_empty(&rps->removed) && change->reason == NB_REASON_RPS_WIDEN)
		rps->regrets++;
	nb_cpumask_clear(&rps->removed);
	memset(&rps->without, 0, sizeof(rps->without));
	if (change->reason == NB_REASON_RPS_BUSY) {
		rps->removed = change->from;
		rps->removed_nsec = rps->set_nsec;
		rps->removed_packets_per_sec = change->packets_per_sec;
	}
}

/* What outlives a mask. */
static bool is_kept(const struct nb_rps_change *change, const struct nb_rps_memory *rps)
{
	if (change->reason == NB_REASON_RPS_BUSY)
		return true;
	return rps &&
	       (rps->failures > 0 || (is_help(change->reason) && !nb_cpumask_empty(&rps->removed)));
}

/* A mask that is to share a queue's work is on trial. */
static void note_mask(const struct nb_rps_change *change, bool starting, struct nb_rps_memory *rps)
{
	rps->applications = starting ? change->applications : 0;
	note_removal(change, rps);
	if (change->load) {
		rps->load = change->load;
		rps->packets_per_sec = change->packets_per_sec;
	}
	rps->cpus = change->to;
	rps->own = change->own;
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

	rps = nb_memory_find_rps(memory, change->key);
	if (set && nb_cpumask_empty(&change->to) && !is_kept(change, rps)) {
		nb_memory_drop_rps(memory, change->key);
		return;
	}
	rps = nb_memory_get_rps(memory, change->key);
	rps->set_nsec = now_nsec;
	if (outcome == NB_OUTCOME_REFUSED)
		rps->yielded_until_nsec = now_nsec + REFUSED_NSEC;
	if (outcome == NB_OUTCOME_STALE)
		rps->failures++;
	rps->calm_samples = 0;
	rps->no_gain = false;
	if (set)
		note_mask(change, nb_memory_is_starting(memory, now_nsec), rps);
}

/* It is on trial if buckets moved. */
static void note_table(const struct nb_rss_change *change, uint64_t now_nsec,
		       struct nb_rss_memory *rss)
{
	rss->queues = change->queues;
	rss->spread = change->n_entries ? nb_table_digest(change->to, change->n_entries) : 0;
	rss->set_nsec = now_nsec;
	rss->calm_samples = 0;
	rss->no_gain = false;
	rss->trial = (struct nb_rss_trial){
		.active = change->n_entries > 0,
		.before = change->hottest_before,
		.packets_per_sec_before = change->packets_per_sec,
	};
}

/* Buckets that did not move are not counted again soon. */
static void note_unspread(const struct nb_rss_change *change, uint64_t now_nsec,
			  struct nb_memory *memory)
{
	struct nb_rss_memory *rss;

	if (change->n_entries == 0)
		return;
	rss = nb_memory_get_rss(memory, change->key.ifindex);
	rss->set_nsec = now_nsec;
	rss->failures++;
}

/* A table that cannot be restored is given up until the end of the run, when that is tried again.
 * What failed for a passing reason is unchanged. */
static void note_rss(const struct nb_rss_change *change, enum nb_outcome outcome, uint64_t now_nsec,
		     struct nb_memory *memory)
{
	struct nb_rss_memory *rss = nb_memory_find_rss(memory, change->key.ifindex);
	bool back = nb_cpumask_empty(&change->queues) && change->n_entries == 0;

	switch (outcome) {
	case NB_OUTCOME_APPLIED:
	case NB_OUTCOME_UNCHANGED:
		if (back && !(rss && (rss->refused || rss->no_gain))) {
			nb_memory_drop_rss(memory, change->key.ifindex);
			break;
		}
		note_table(change, now_nsec, nb_memory_get_rss(memory, change->key.ifindex));
		break;
	case NB_OUTCOME_REFUSED:
		rss = nb_memory_get_rss(memory, change->key.ifindex);
		rss->refused = true;
		if (back) {
			nb_cpumask_clear(&rss->queues);
			rss->spread = 0;
		}
		break;
	case NB_OUTCOME_GONE:
		nb_memory_drop_rss(memory, change->key.ifindex);
		break;
	case NB_OUTCOME_NO_VECTOR:
	case NB_OUTCOME_BUSY:
	case NB_OUTCOME_STALE:
	case NB_OUTCOME_UNSAFE:
	case NB_OUTCOME_FOREIGN:
	case NB_OUTCOME_REHEARSED:
		note_unspread(change, now_nsec, memory);
		break;
	case _NB_OUTCOME_MAX:
	case _NB_OUTCOME_INVALID:
		break;
	}
}

/* On trial, unless another run switched it on. */
static void note_switched(const struct nb_threaded_change *change, uint64_t now_nsec,
			  uint64_t generation, struct nb_threaded_memory *threaded)
{
	threaded->generation = generation;
	threaded->on = change->on;
	threaded->yielded_nsec = 0;
	threaded->load = change->load;
	threaded->packets_per_sec = change->packets_per_sec;
	threaded->softirq_share = 0;
	threaded->set_nsec = now_nsec;
	threaded->calm_samples = 0;
	threaded->rejections.in_a_row = 0;
	threaded->trial = (struct nb_threaded_trial){
		.active = change->on,
		.cpu = change->cpu,
		.before = change->hottest_before,
		.packets_per_sec_before = change->packets_per_sec,
	};
}

/* What did not help is remembered, so that it is not tried again soon. */
static void note_threaded(const struct nb_threaded_change *change, enum nb_outcome outcome,
			  uint64_t now_nsec, struct nb_memory *memory)
{
	struct nb_threaded_memory *threaded = nb_memory_get_threaded(memory, change->key);

	switch (outcome) {
	case NB_OUTCOME_APPLIED:
	case NB_OUTCOME_UNCHANGED:
		note_switched(change, now_nsec, memory->generation, threaded);
		threaded->no_gain = false;
		break;
	case NB_OUTCOME_REFUSED:
		threaded->refused = true;
		threaded->on = threaded->no_gain = false;
		break;
	case NB_OUTCOME_FOREIGN:
		threaded->yielded_nsec = now_nsec;
		threaded->on = threaded->no_gain = false;
		break;
	case NB_OUTCOME_GONE:
		nb_memory_drop_threaded(memory, change->key);
		break;
	case NB_OUTCOME_REHEARSED:
		threaded->set_nsec = now_nsec;
		threaded->failures++;
		break;
	case NB_OUTCOME_NO_VECTOR:
	case NB_OUTCOME_BUSY:
	case NB_OUTCOME_STALE:
	case NB_OUTCOME_UNSAFE:
		nb_memory_reject(&threaded->rejections, now_nsec);
		break;
	case _NB_OUTCOME_MAX:
	case _NB_OUTCOME_INVALID:
		break;
	}
}

/* A kernel without XPS, a queue without a traffic class, or a daemon that may not, is like what is
 * another program's. */
static void note_rest(bool foreign, uint64_t now_nsec, struct nb_follow_memory *row)
{
	row->yielded_nsec = foreign ? now_nsec : 0;
	row->rejections.in_a_row = 0;
}

static void note_places(const struct nb_follow_change *change, struct nb_follow_memory *row)
{
	row->places = change->places;
	row->n = change->n;
	row->carrier_changes = change->carrier_changes;
}

static void note_follow(const struct nb_follow_change *change, enum nb_outcome outcome,
			uint64_t now_nsec, struct nb_follow_rows *rows)
{
	struct nb_follow_memory *row = nb_follow_get(rows, change->key.ifindex);
	bool back = !change->to;

	/* Others have come, which the next rescan finds. */
	if (outcome == NB_OUTCOME_GONE && change->threads)
		outcome = NB_OUTCOME_BUSY;
	switch (outcome) {
	case NB_OUTCOME_REHEARSED:
		row->rehearsed = back ? NB_FOLLOW_RETURN : change->places;
		break;
	case NB_OUTCOME_APPLIED:
	case NB_OUTCOME_UNCHANGED:
		row->ours = true;
		row->refused = false;
		note_rest(false, now_nsec, row);
		note_places(change, row);
		if (back)
			nb_follow_drop(rows, change->key.ifindex);
		break;
	case NB_OUTCOME_FOREIGN:
	case NB_OUTCOME_REFUSED:
	case NB_OUTCOME_GONE:
		row->refused = outcome == NB_OUTCOME_REFUSED;
		note_rest(true, now_nsec, row);
		note_places(change, row);
		if (back)
			nb_follow_drop(rows, change->key.ifindex);
		break;
	case NB_OUTCOME_NO_VECTOR:
	case NB_OUTCOME_BUSY:
	case NB_OUTCOME_STALE:
	case NB_OUTCOME_UNSAFE:
		nb_memory_reject(&row->rejections, now_nsec);
		break;
	case _NB_OUTCOME_MAX:
	case _NB_OUTCOME_INVALID:
		break;
	}
}

/* What is rehearsed, refused or another program's is not tried again; what failed for a passing
 * reason is. */
static void note_setting(enum nb_kind kind, const struct nb_setting_change *change,
			 enum nb_outcome outcome, uint64_t now_nsec, struct nb_memory *memory)
{
	struct nb_setting_memory *setting;

	if (outcome == NB_OUTCOME_GONE) {
		nb_memory_drop_setting(memory, kind, change->key.ifindex);
		return;
	}
	setting = nb_memory_get_setting(memory, kind, change->key.ifindex);
	setting->rehearsed = false;
	switch (outcome) {
	case NB_OUTCOME_APPLIED:
	case NB_OUTCOME_UNCHANGED:
		setting->ours = change->to;
		setting->asked = change->asked;
		setting->n_rx = change->n_rx;
		setting->rejections.in_a_row = 0;
		break;
	case NB_OUTCOME_REFUSED:
	case NB_OUTCOME_FOREIGN:
		setting->asked = change->asked;
		setting->n_rx = change->n_rx;
		if (change->to == 0)
			setting->ours = 0;
		break;
	case NB_OUTCOME_REHEARSED:
		setting->asked = change->asked;
		setting->n_rx = change->n_rx;
		setting->rehearsed = true;
		break;
	case NB_OUTCOME_NO_VECTOR:
	case NB_OUTCOME_BUSY:
	case NB_OUTCOME_STALE:
	case NB_OUTCOME_UNSAFE:
		nb_memory_reject(&setting->rejections, now_nsec);
		break;
	case NB_OUTCOME_GONE:
	case _NB_OUTCOME_MAX:
	case _NB_OUTCOME_INVALID:
		break;
	}
}

/* Its effect is not measured: it moved for its place alone. */
static void note_device_irq(const struct nb_move *move, enum nb_outcome outcome, uint64_t now_nsec,
			    struct nb_memory *memory)
{
	struct nb_device_irq_memory *other = nb_device_irq_memory_find(memory, move->key.index);

	if (!other)
		return;
	switch (outcome) {
	case NB_OUTCOME_APPLIED:
	case NB_OUTCOME_UNCHANGED:
		other->expected_cpu = (int)move->cpu_to;
		other->moved_nsec = now_nsec;
		other->rejections.in_a_row = 0;
		break;
	case NB_OUTCOME_NO_VECTOR:
		nb_memory_set_no_vector(memory, move->cpu_to, now_nsec + FULL_NSEC);
		break;
	case NB_OUTCOME_REFUSED:
	case NB_OUTCOME_GONE:
	case NB_OUTCOME_BUSY:
	case NB_OUTCOME_STALE:
	case NB_OUTCOME_UNSAFE:
	case NB_OUTCOME_FOREIGN:
		other->refused = note_rejection(outcome, now_nsec, &other->rejections);
		break;
	case NB_OUTCOME_REHEARSED:
	case _NB_OUTCOME_MAX:
	case _NB_OUTCOME_INVALID:
		break;
	}
}

/* Not help for NAPIs by RPS masks or RSS tables, which belongs to earlier moves, nor the return of
 * a table or of threaded NAPI, nor device interrupts. */
static bool counts_as_move(const struct nb_change *change)
{
	if (change->kind == NB_KIND_RPS)
		return change->reason != NB_REASON_RPS_UNSTICK &&
		       change->reason != NB_REASON_RPS_UNSTUCK;
	if (change->kind == NB_KIND_RSS)
		return change->reason == NB_REASON_RSS_SPREAD;
	if (change->kind == NB_KIND_THREADED)
		return change->reason == NB_REASON_THREADED_ON;
	return change->kind == NB_KIND_QUEUE;
}

static bool is_blind(const struct nb_change *change, bool first)
{
	return change->kind == NB_KIND_QUEUE && change->move->saturated &&
	       (first || change->reason == NB_REASON_COLLAPSED);
}

static void note_moves(const struct nb_plan *plan, uint64_t now_nsec, struct nb_memory *memory)
{
	bool first = memory->last_moves_nsec == 0;

	for (unsigned i = 0; i < plan->n_changes; i++) {
		if (!counts_as_move(&plan->changes[i]))
			continue;
		if (is_blind(&plan->changes[i], first))
			memory->settling_until_nsec = now_nsec + SETTLING_NSEC;
		memory->last_moves_nsec = now_nsec;
		memory->last_moves_placed = plan->verdict == NB_VERDICT_PLACING;
		memory->armed_samples = 0;
	}
}

static void note_change(const struct nb_change *change, uint32_t gain, uint64_t now_nsec,
			struct nb_memory *memory)
{
	switch (change->kind) {
	case NB_KIND_QUEUE:
		note_move(change->move, gain, change->outcome, now_nsec, memory);
		break;
	case NB_KIND_RPS:
		note_rps(change->rps, change->outcome, now_nsec, memory);
		break;
	case NB_KIND_DEVICE_IRQ:
		note_device_irq(change->move, change->outcome, now_nsec, memory);
		break;
	case NB_KIND_RSS:
		note_rss(change->rss, change->outcome, now_nsec, memory);
		break;
	case NB_KIND_THREADED:
		note_threaded(change->threaded, change->outcome, now_nsec, memory);
		break;
	case NB_KIND_XPS:
		note_follow(change->follow, change->outcome, now_nsec, &memory->xps);
		break;
	case NB_KIND_THREAD:
		note_follow(change->follow, change->outcome, now_nsec, &memory->threads);
		break;
	case NB_KIND_RFS:
	case NB_KIND_UDP_HASH:
	case NB_KIND_CHANNELS:
		note_setting(change->kind, change->setting, change->outcome, now_nsec, memory);
		break;
	case _NB_KIND_MAX:
	case _NB_KIND_INVALID:
		break;
	}
}

void nb_verify_note(const struct nb_plan *plan, uint64_t now_nsec, struct nb_memory *memory)
{
	note_moves(plan, now_nsec, memory);
	for (unsigned i = 0; i < plan->n_changes; i++) {
		/* The order of writing (nicbalance/plan.h). */
		assert(i == 0 || plan->changes[i - 1].kind <= plan->changes[i].kind);
		note_change(&plan->changes[i], plan->gain_needed, now_nsec, memory);
	}
}
