/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "verify/verify.h"

#include "base/rss_table.h"

#include "base/device_irq_memory.h"
#include "base/follow.h"
#include "base/memory.h"
#include "support/host.h"
#include "support/plan.h"
#include "support/support.h"

static int set_up(void **state)
{
	struct nb_host *host = nb_host_new(4, 1, 1);

	nb_host_add_nic(host, NB_NODE_NONE, 1, 0, 1000);
	nb_memory_sync(&host->memory, &host->snapshot);
	host->memory.queues[0].fresh = false;
	*state = host;
	return 0;
}

static int tear_down(void **state)
{
	nb_host_free(*state);
	return 0;
}

/* Notes one move of queue 0 to CPU 2 with this outcome, and returns what is remembered of the
 * queue. */
static const struct nb_queue_memory *note(struct nb_host *host, enum nb_outcome outcome)
{
	struct nb_move move = {.key = host->snapshot.queues[0].key,
			       .reason = NB_REASON_BALANCE,
			       .cpu_from = 0,
			       .cpu_to = 2};
	struct nb_plan plan = PLAN_OF(MOVE(&move));

	set_outcome(&plan, outcome);
	nb_verify_note(&plan, host->snapshot.taken_nsec, &host->memory);
	return &host->memory.queues[0];
}

static void what_was_applied_is_expected_and_pending(void **state)
{
	const struct nb_queue_memory *queue = note(*state, NB_OUTCOME_APPLIED);

	assert_int_equal(queue->expected_cpu, 2);
	assert_true(queue->pending.active);
	assert_true(queue->moved_nsec > 0);
}

static void the_last_cpus_that_a_queue_left_are_remembered(void **state)
{
	const struct nb_queue_memory *queue = note(*state, NB_OUTCOME_BUSY);

	assert_true(queue->departures[0].nsec == 0);
	note(*state, NB_OUTCOME_APPLIED);
	assert_int_equal(queue->departures[0].cpu, 0);
	assert_true(queue->departures[0].nsec == queue->moved_nsec);
	for (unsigned i = 1; i < NB_DEPARTURES; i++)
		note(*state, NB_OUTCOME_APPLIED);
	assert_true(queue->departures[NB_DEPARTURES - 1].nsec > 0);
}

/* It may come back as soon as its cost is known. */
static void a_saturated_queue_leaves_its_cpu_without_prejudice(void **state)
{
	struct nb_host *host = *state;
	struct nb_move move = {.key = host->snapshot.queues[0].key,
			       .reason = NB_REASON_PANIC,
			       .cpu_to = 2,
			       .saturated = true};
	struct nb_plan plan = PLAN_OF(MOVE(&move));
	enum nb_outcome outcome = NB_OUTCOME_APPLIED;
	const struct nb_queue_memory *queue = &host->memory.queues[0];

	/* In the first round. */
	set_outcome(&plan, outcome);
	nb_verify_note(&plan, host->snapshot.taken_nsec, &host->memory);
	assert_int_equal(queue->departures[0].nsec, 0);
	assert_true(queue->pending.settling);
	assert_true(host->memory.settling_until_nsec > host->snapshot.taken_nsec);
	/* Likewise what makes room for it, as long as its cost is not known. */
	move.saturated = false;
	set_outcome(&plan, outcome);
	nb_verify_note(&plan, host->snapshot.taken_nsec, &host->memory);
	assert_int_equal(queue->departures[0].nsec, 0);
	move.saturated = true;
	/* Later costs are known. */
	host->memory.settling_until_nsec = 0;
	set_outcome(&plan, outcome);
	nb_verify_note(&plan, host->snapshot.taken_nsec, &host->memory);
	assert_int_not_equal(queue->departures[0].nsec, 0);
	assert_false(queue->pending.settling);
	/* But for those that were piled up. */
	move.reason = plan.changes[0].reason = NB_REASON_COLLAPSED;
	set_outcome(&plan, outcome);
	nb_verify_note(&plan, host->snapshot.taken_nsec, &host->memory);
	assert_int_equal(queue->departures[1].nsec, 0);
	assert_true(host->memory.settling_until_nsec > host->snapshot.taken_nsec);
}

static void what_was_unchanged_is_expected_but_not_measured(void **state)
{
	const struct nb_queue_memory *queue = note(*state, NB_OUTCOME_UNCHANGED);

	assert_int_equal(queue->expected_cpu, 2);
	assert_false(queue->pending.active);
}

static void what_was_refused_is_never_asked_again(void **state)
{
	const struct nb_queue_memory *queue = note(*state, NB_OUTCOME_REFUSED);

	assert_true(queue->refused);
	assert_int_equal(queue->expected_cpu, -1);
}

static void a_full_cpu_is_avoided_for_five_minutes(void **state)
{
	struct nb_host *host = *state;
	uint64_t now = host->snapshot.taken_nsec;

	assert_true(note(host, NB_OUTCOME_NO_VECTOR)->fresh);
	assert_true(nb_memory_lacks_vectors(&host->memory, 2, now + 299 * NB_NSEC_PER_SEC));
	assert_false(nb_memory_lacks_vectors(&host->memory, 2, now + 301 * NB_NSEC_PER_SEC));
	assert_false(nb_memory_lacks_vectors(&host->memory, 1, now));
}

static void what_could_not_be_done_now_is_looked_at_again(void **state)
{
	static const enum nb_outcome passing[] = {NB_OUTCOME_BUSY, NB_OUTCOME_STALE,
						  NB_OUTCOME_UNSAFE, NB_OUTCOME_GONE};

	for (unsigned i = 0; i < G_N_ELEMENTS(passing); i++) {
		struct nb_host *host = *state;
		const struct nb_queue_memory *queue;

		host->memory.queues[0].fresh = false;
		queue = note(host, passing[i]);
		assert_true(queue->fresh);
		assert_int_equal(queue->expected_cpu, -1);
		assert_false(queue->pending.active);
	}
}

static bool is_rejected(struct nb_host *host, unsigned after_sec)
{
	return nb_memory_is_rejected(&host->memory.queues[0].rejections, host->policy.cooldown_nsec,
				     host->snapshot.taken_nsec + after_sec * NB_NSEC_PER_SEC);
}

static void what_keeps_failing_is_tried_less_and_less_often(void **state)
{
	struct nb_host *host = *state;

	note(host, NB_OUTCOME_BUSY);
	assert_true(is_rejected(host, 4));
	assert_false(is_rejected(host, 5));
	note(host, NB_OUTCOME_NO_VECTOR);
	assert_true(is_rejected(host, 9));
	assert_false(is_rejected(host, 10));
	for (unsigned i = 0; i < 50; i++)
		note(host, NB_OUTCOME_BUSY);
	assert_true(is_rejected(host, 5 * 512 - 1));
	assert_false(is_rejected(host, 5 * 512));
	assert_false(host->memory.queues[0].refused);
	/* That says nothing about what a move gains. */
	assert_int_equal(host->memory.queues[0].failures, 0);
	assert_int_equal(host->memory.queues[0].moved_nsec, 0);
	note(host, NB_OUTCOME_APPLIED);
	assert_false(is_rejected(host, 0));
}

static void what_is_stale_three_times_in_a_row_is_refused(void **state)
{
	struct nb_host *host = *state;

	assert_false(note(host, NB_OUTCOME_STALE)->refused);
	assert_false(note(host, NB_OUTCOME_STALE)->refused);
	note(host, NB_OUTCOME_UNCHANGED);
	assert_false(note(host, NB_OUTCOME_STALE)->refused);
	assert_false(note(host, NB_OUTCOME_STALE)->refused);
	assert_true(note(host, NB_OUTCOME_STALE)->refused);
	assert_false(host->memory.queues[0].fresh);
}

static void a_rehearsal_changes_no_expectation(void **state)
{
	const struct nb_queue_memory *queue = note(*state, NB_OUTCOME_REHEARSED);

	assert_int_equal(queue->expected_cpu, -1);
	assert_false(queue->pending.active);
	assert_true(queue->moved_nsec > 0);
}

static void a_round_disarms_and_cools(void **state)
{
	struct nb_host *host = *state;

	host->memory.armed_samples = 3;
	note(host, NB_OUTCOME_APPLIED);
	assert_int_equal(host->memory.armed_samples, 0);
	assert_true(host->memory.last_moves_nsec == host->snapshot.taken_nsec);
}

static void an_empty_plan_is_no_round(void **state)
{
	struct nb_host *host = *state;
	struct nb_plan plan = {};

	host->memory.armed_samples = 2;
	nb_verify_note(&plan, 77, &host->memory);
	assert_int_equal(host->memory.armed_samples, 2);
	assert_true(host->memory.last_moves_nsec == 0);
}

static void note_rps(struct nb_host *host, const struct nb_cpumask *to, enum nb_outcome outcome)
{
	struct nb_rps_change change = {.key = host->snapshot.queues[0].key, .to = *to};
	struct nb_plan plan = PLAN_OF(STEER(&change));

	set_outcome(&plan, outcome);
	nb_verify_note(&plan, host->snapshot.taken_nsec, &host->memory);
}

static void an_rps_mask_is_remembered_until_withdrawn(void **state)
{
	struct nb_host *host = *state;
	struct nb_cpumask mask = {};

	nb_cpumask_add(&mask, 3);
	note_rps(host, &mask, NB_OUTCOME_APPLIED);
	assert_int_equal(host->memory.n_rps, 1);
	assert_true(nb_cpumask_equal(&host->memory.rps[0].cpus, &mask));
	nb_cpumask_clear(&mask);
	note_rps(host, &mask, NB_OUTCOME_APPLIED);
	assert_int_equal(host->memory.n_rps, 0);
}

static void a_refused_rps_mask_is_not_taken_for_set(void **state)
{
	struct nb_host *host = *state;
	struct nb_cpumask mask = {};

	nb_cpumask_add(&mask, 3);
	note_rps(host, &mask, NB_OUTCOME_REFUSED);
	assert_true(nb_cpumask_empty(&host->memory.rps[0].cpus));
	assert_true(host->memory.rps[0].set_nsec > 0);
}

static void note_reason(struct nb_host *host, enum nb_reason reason, const struct nb_cpumask *from,
			const struct nb_cpumask *to)
{
	struct nb_rps_change change = {.key = host->snapshot.queues[0].key,
				       .reason = reason,
				       .from = *from,
				       .to = *to,
				       .hottest_before = 9000};
	enum nb_outcome outcome = NB_OUTCOME_APPLIED;
	struct nb_plan plan = PLAN_OF(STEER(&change));

	set_outcome(&plan, outcome);
	nb_verify_note(&plan, host->snapshot.taken_nsec, &host->memory);
}

static void a_wider_rps_mask_is_on_trial(void **state)
{
	struct nb_host *host = *state;
	struct nb_cpumask mask = {}, none = {};

	nb_cpumask_add(&mask, 3);
	note_reason(host, NB_REASON_RPS_WIDEN, &none, &mask);
	assert_true(host->memory.rps[0].trial.active);
	assert_int_equal(host->memory.rps[0].trial.before, 9000);
	assert_true(nb_cpumask_empty(&host->memory.rps[0].trial.from));
	note_reason(host, NB_REASON_RPS_MEND, &mask, &mask);
	assert_false(host->memory.rps[0].trial.active);
}

static void note_removal(struct nb_host *host, enum nb_reason reason, uint64_t from, uint64_t to)
{
	struct nb_rps_change change = {
		.key = host->snapshot.queues[0].key,
		.reason = reason,
		.from = {.words = {from}},
		.to = {.words = {to}},
		.packets_per_sec = 1000,
		.load = reason == NB_REASON_RPS_WIDEN ? 5000 : 0,
	};
	struct nb_plan plan = PLAN_OF(STEER(&change));

	set_outcome(&plan, NB_OUTCOME_APPLIED);
	nb_verify_note(&plan, host->snapshot.taken_nsec, &host->memory);
}

static void a_mask_that_is_removed_from_a_full_host_is_remembered(void **state)
{
	struct nb_host *host = *state;
	const struct nb_rps_memory *rps;

	note_removal(host, NB_REASON_RPS_WIDEN, 0, 0x6);
	note_removal(host, NB_REASON_RPS_BUSY, 0x6, 0);
	assert_int_equal(host->memory.n_rps, 1);
	rps = &host->memory.rps[0];
	assert_true(nb_cpumask_empty(&rps->cpus));
	assert_int_equal(rps->removed.words[0], 0x6);
	assert_int_equal(rps->removed_packets_per_sec, 1000);
	assert_int_equal(rps->load, 5000);
	assert_int_equal(rps->removed_nsec, host->snapshot.taken_nsec);
	note_removal(host, NB_REASON_RPS_UNSTICK, 0, 0x8);
	note_removal(host, NB_REASON_RPS_UNSTUCK, 0x8, 0);
	assert_int_equal(host->memory.n_rps, 1);
	assert_int_equal(rps->removed.words[0], 0x6);
	assert_int_equal(rps->regrets, 0);
	note_removal(host, NB_REASON_RPS_WIDEN, 0, 0x6);
	assert_int_equal(rps->regrets, 1);
	assert_true(nb_cpumask_empty(&rps->removed));
	note_removal(host, NB_REASON_RPS_CALM, 0x6, 0);
	assert_int_equal(host->memory.n_rps, 0);
}

static void that_rps_did_not_help_outlives_its_mask(void **state)
{
	struct nb_host *host = *state;
	struct nb_cpumask mask = {}, none = {};

	nb_cpumask_add(&mask, 3);
	note_reason(host, NB_REASON_RPS_WIDEN, &none, &mask);
	host->memory.rps[0].no_gain = true;
	host->memory.rps[0].failures = 1;
	note_reason(host, NB_REASON_RPS_NO_GAIN, &mask, &none);
	assert_int_equal(host->memory.n_rps, 1);
	assert_true(nb_cpumask_empty(&host->memory.rps[0].cpus));
	assert_false(host->memory.rps[0].no_gain);
	assert_int_equal(host->memory.rps[0].failures, 1);
	host->machine.generation++;
	nb_memory_sync(&host->memory, &host->snapshot);
	assert_int_equal(host->memory.n_rps, 1);
}

static const struct nb_rss_memory *note_rss(struct nb_host *host, uint64_t queues,
					    enum nb_outcome outcome)
{
	int ifindex = host->snapshot.queues[0].key.ifindex;
	struct nb_rss_change change = {.key.ifindex = ifindex, .queues = {.words = {queues}}};
	struct nb_plan plan = PLAN_OF(REDIRECT(&change));

	set_outcome(&plan, outcome);
	nb_verify_note(&plan, host->snapshot.taken_nsec, &host->memory);
	return nb_memory_find_rss(&host->memory, ifindex);
}

static void an_rss_table_is_remembered_until_put_back(void **state)
{
	struct nb_host *host = *state;
	static const enum nb_outcome done[] = {NB_OUTCOME_APPLIED, NB_OUTCOME_UNCHANGED};

	for (unsigned i = 0; i < G_N_ELEMENTS(done); i++) {
		const struct nb_rss_memory *rss = note_rss(host, 5, done[i]);

		assert_int_equal(rss->queues.words[0], 5);
		assert_true(rss->set_nsec == host->snapshot.taken_nsec);
		assert_false(rss->refused);
		assert_null(note_rss(host, 0, done[i]));
	}
	assert_int_equal(host->memory.last_moves_nsec, 0);
}

static const uint32_t moved_to[] = {0, 1, 1, 1};

static const struct nb_rss_memory *note_spread(struct nb_host *host, enum nb_outcome outcome)
{
	static const uint32_t moved_from[] = {0, 1, 0, 1};
	int ifindex = host->snapshot.queues[0].key.ifindex;
	struct nb_rss_change change = {
		.key.ifindex = ifindex,
		.reason = NB_REASON_RSS_SPREAD,
		.from = moved_from,
		.to = moved_to,
		.n_entries = 4,
		.n_moved = 1,
		.hottest_before = 9000,
		.packets_per_sec = 500,
	};
	struct nb_plan plan = PLAN_OF(REDIRECT(&change));

	set_outcome(&plan, outcome);
	nb_verify_note(&plan, host->snapshot.taken_nsec, &host->memory);
	return nb_memory_find_rss(&host->memory, ifindex);
}

static void a_table_in_which_buckets_moved_is_on_trial(void **state)
{
	struct nb_host *host = *state;
	const struct nb_rss_memory *rss = note_spread(host, NB_OUTCOME_APPLIED);

	assert_int_equal(rss->spread, nb_table_digest(moved_to, 4));
	assert_true(rss->set_nsec == host->snapshot.taken_nsec);
	assert_true(nb_cpumask_empty(&rss->queues));
	assert_true(rss->trial.active);
	assert_int_equal(rss->trial.before, 9000);
	assert_int_equal(rss->trial.packets_per_sec_before, 500);
	assert_int_equal(host->memory.last_moves_nsec, host->snapshot.taken_nsec);
	host->memory.last_moves_nsec = 1;
	assert_null(note_rss(host, 0, NB_OUTCOME_APPLIED));
	assert_int_equal(host->memory.last_moves_nsec, 1);
}

static void that_moving_buckets_did_not_help_outlives_the_table(void **state)
{
	struct nb_host *host = *state;
	const struct nb_rss_memory *rss;

	note_spread(host, NB_OUTCOME_APPLIED);
	host->memory.rss[0].no_gain = true;
	host->memory.rss[0].failures = 2;
	rss = note_rss(host, 0, NB_OUTCOME_APPLIED);
	assert_int_equal(rss->failures, 2);
	assert_int_equal(rss->spread, 0);
	assert_false(rss->no_gain);
	assert_false(rss->trial.active);
}

static void buckets_that_did_not_move_are_not_tried_soon(void **state)
{
	static const enum nb_outcome passing[] = {NB_OUTCOME_BUSY, NB_OUTCOME_STALE,
						  NB_OUTCOME_UNSAFE, NB_OUTCOME_REHEARSED};
	struct nb_host *host = *state;

	for (unsigned i = 0; i < G_N_ELEMENTS(passing); i++) {
		const struct nb_rss_memory *rss = note_spread(host, passing[i]);

		assert_int_equal(rss->failures, i + 1);
		assert_true(rss->set_nsec == host->snapshot.taken_nsec);
		assert_int_equal(rss->spread, 0);
	}
	assert_true(note_spread(host, NB_OUTCOME_REFUSED)->refused);
	assert_null(note_spread(host, NB_OUTCOME_GONE));
}

static void a_moved_table_that_cannot_be_put_back_is_given_up(void **state)
{
	struct nb_host *host = *state;
	const struct nb_rss_memory *rss;

	note_spread(host, NB_OUTCOME_APPLIED);
	rss = note_rss(host, 0, NB_OUTCOME_REFUSED);
	assert_true(rss->refused);
	assert_int_equal(rss->spread, 0);
}

static void a_refused_rss_table_is_remembered_as_that(void **state)
{
	struct nb_host *host = *state;
	const struct nb_rss_memory *rss = note_rss(host, 5, NB_OUTCOME_REFUSED);

	assert_true(rss->refused);
	assert_true(nb_cpumask_empty(&rss->queues));
	assert_true(note_rss(host, 0, NB_OUTCOME_UNCHANGED)->refused);
}

/* The one before it is ours still, and has to go. */
static void a_second_rss_table_that_is_refused_leaves_the_first_to_be_put_back(void **state)
{
	struct nb_host *host = *state;
	const struct nb_rss_memory *rss;

	note_rss(host, 5, NB_OUTCOME_APPLIED);
	rss = note_rss(host, 7, NB_OUTCOME_REFUSED);
	assert_true(rss->refused);
	assert_int_equal(rss->queues.words[0], 5);
	assert_true(nb_cpumask_empty(&note_rss(host, 0, NB_OUTCOME_APPLIED)->queues));
}

static void an_rss_table_that_cannot_be_put_back_is_given_up(void **state)
{
	struct nb_host *host = *state;
	const struct nb_rss_memory *rss;

	note_rss(host, 5, NB_OUTCOME_APPLIED);
	rss = note_rss(host, 0, NB_OUTCOME_REFUSED);
	assert_true(rss->refused);
	assert_true(nb_cpumask_empty(&rss->queues));
	assert_null(note_rss(host, 0, NB_OUTCOME_GONE));
}

static void what_may_pass_leaves_the_rss_table_as_it_was(void **state)
{
	struct nb_host *host = *state;
	static const enum nb_outcome passing[] = {NB_OUTCOME_BUSY, NB_OUTCOME_UNSAFE,
						  NB_OUTCOME_REHEARSED};

	for (unsigned i = 0; i < G_N_ELEMENTS(passing); i++) {
		assert_null(note_rss(host, 5, passing[i]));
		note_rss(host, 5, NB_OUTCOME_APPLIED);
		assert_int_equal(note_rss(host, 0, passing[i])->queues.words[0], 5);
		note_rss(host, 0, NB_OUTCOME_APPLIED);
	}
}

static void each_change_has_its_outcome(void **state)
{
	struct nb_host *host = *state;
	struct nb_queue_key key = host->snapshot.queues[0].key;
	struct nb_move move = {.key = key, .cpu_from = 0, .cpu_to = 2};
	struct nb_move other = {.key = nb_device_irq_key(77), .cpu_to = 1};
	struct nb_rss_change change = {.key.ifindex = key.ifindex, .queues = {.words = {1}}};
	struct nb_plan plan = PLAN_OF(MOVE(&move), MOVE_IRQ(&other), REDIRECT(&change));

	set_outcome(&plan, NB_OUTCOME_APPLIED);
	plan.changes[1].outcome = NB_OUTCOME_REFUSED;
	nb_verify_note(&plan, host->snapshot.taken_nsec, &host->memory);
	assert_false(nb_memory_find_rss(&host->memory, key.ifindex)->refused);
	assert_int_equal(host->memory.queues[0].expected_cpu, 2);
}

static struct nb_threaded_memory *note_threaded(struct nb_host *host, bool on,
						enum nb_outcome outcome)
{
	struct nb_threaded_change change = {
		.key = {host->machine.nics[0].ifindex, 1},
		.reason = on ? NB_REASON_THREADED_ON : NB_REASON_THREADED_CALM,
		.on = on,
		.cpu = 3,
		.hottest_before = 8500,
		.load = 4000,
		.packets_per_sec = 700,
	};
	struct nb_plan plan = PLAN_OF(SWITCH(&change));

	set_outcome(&plan, outcome);
	nb_verify_note(&plan, host->snapshot.taken_nsec, &host->memory);
	return nb_memory_find_threaded(&host->memory, change.key);
}

static void threaded_napi_is_on_trial_and_moves_wait(void **state)
{
	struct nb_host *host = *state;
	uint64_t now_nsec = host->snapshot.taken_nsec;
	struct nb_threaded_memory *threaded = note_threaded(host, true, NB_OUTCOME_APPLIED);

	assert_true(threaded->on);
	assert_true(threaded->trial.active);
	assert_int_equal(threaded->trial.cpu, 3);
	assert_int_equal(threaded->trial.before, 8500);
	assert_int_equal(threaded->trial.packets_per_sec_before, 700);
	assert_int_equal(threaded->load, 4000);
	assert_int_equal(threaded->packets_per_sec, 700);
	assert_true(threaded->set_nsec == now_nsec);
	assert_true(threaded->generation > 0);
	assert_true(threaded->generation == host->memory.generation);
	assert_true(host->memory.last_moves_nsec == now_nsec);

	host->memory.last_moves_nsec = 0;
	threaded->no_gain = true;
	threaded->failures = 2;
	threaded->softirq_share = NB_WHOLE / 2;
	threaded = note_threaded(host, false, NB_OUTCOME_APPLIED);
	assert_int_equal(threaded->softirq_share, 0);
	assert_false(threaded->on);
	assert_false(threaded->trial.active);
	assert_false(threaded->no_gain);
	assert_int_equal(threaded->failures, 2);
	assert_int_equal(host->memory.last_moves_nsec, 0);
}

static void threaded_napi_that_is_not_switched_is_remembered(void **state)
{
	struct nb_host *host = *state;
	struct nb_threaded_memory *threaded = note_threaded(host, true, NB_OUTCOME_BUSY);

	assert_false(threaded->on);
	assert_int_equal(threaded->rejections.in_a_row, 1);
	assert_int_equal(note_threaded(host, true, NB_OUTCOME_REHEARSED)->failures, 1);
	threaded = note_threaded(host, true, NB_OUTCOME_FOREIGN);
	assert_true(threaded->yielded_nsec == host->snapshot.taken_nsec);
	assert_false(threaded->on);
	threaded = note_threaded(host, true, NB_OUTCOME_APPLIED);
	assert_int_equal(threaded->yielded_nsec, 0);
	assert_int_equal(threaded->rejections.in_a_row, 0);
	assert_true(note_threaded(host, false, NB_OUTCOME_BUSY)->on);
	threaded = note_threaded(host, false, NB_OUTCOME_REFUSED);
	assert_true(threaded->refused);
	assert_false(threaded->on);
	assert_null(note_threaded(host, true, NB_OUTCOME_GONE));
}

static struct nb_setting_memory note_setting(struct nb_host *host, unsigned to,
					     enum nb_outcome outcome)
{
	int ifindex = host->machine.nics[0].ifindex;
	struct nb_setting_change change = {
		.key.ifindex = ifindex, .to = to, .asked = to, .n_rx = to / 2};
	struct nb_plan plan = PLAN_OF(SET(NB_KIND_CHANNELS, &change));
	const struct nb_setting_memory *setting;

	set_outcome(&plan, outcome);
	nb_verify_note(&plan, host->snapshot.taken_nsec, &host->memory);
	setting = nb_memory_find_setting(&host->memory, NB_KIND_CHANNELS, ifindex);
	return setting ? *setting : (struct nb_setting_memory){.ifindex = -1};
}

static void a_setting_is_remembered_with_what_was_asked(void **state)
{
	struct nb_setting_memory setting = note_setting(*state, 8, NB_OUTCOME_BUSY);

	assert_int_equal(setting.asked, 0);
	assert_int_equal(setting.ours, 0);
	assert_int_equal(setting.rejections.in_a_row, 1);
	setting = note_setting(*state, 8, NB_OUTCOME_APPLIED);
	assert_int_equal(setting.asked, 8);
	assert_int_equal(setting.ours, 8);
	assert_int_equal(setting.n_rx, 4);
	assert_int_equal(setting.rejections.in_a_row, 0);
	setting = note_setting(*state, 4, NB_OUTCOME_REFUSED); /* the other stays */
	assert_int_equal(setting.asked, 4);
	assert_int_equal(setting.ours, 8);
	assert_int_equal(setting.n_rx, 2);
	setting = note_setting(*state, 16, NB_OUTCOME_FOREIGN); /* so it does then */
	assert_int_equal(setting.asked, 16);
	assert_int_equal(setting.ours, 8);
	assert_int_equal(setting.rejections.in_a_row, 0);
	setting = note_setting(*state, 0, NB_OUTCOME_REHEARSED);
	assert_int_equal(setting.asked, 0);
	assert_int_equal(setting.ours, 8);
	assert_true(setting.rehearsed);
	setting = note_setting(*state, 0, NB_OUTCOME_REFUSED); /* given up, until the stop */
	assert_false(setting.rehearsed);
	assert_int_equal(setting.ours, 0);
	assert_int_equal(note_setting(*state, 8, NB_OUTCOME_GONE).ifindex, -1);
}

static void a_mask_that_was_refused_is_left_alone(void **state)
{
	struct nb_host *host = *state;
	struct nb_rps_change change = {.key = host->snapshot.queues[0].key,
				       .reason = NB_REASON_RPS_UNSTICK};
	struct nb_plan plan = PLAN_OF(STEER(&change));
	enum nb_outcome outcome = NB_OUTCOME_REFUSED;

	nb_cpumask_add(&change.to, 3);
	set_outcome(&plan, outcome);
	nb_verify_note(&plan, host->snapshot.taken_nsec, &host->memory);
	assert_true(nb_cpumask_empty(&host->memory.rps[0].cpus));
	assert_true(host->memory.rps[0].yielded_until_nsec >
		    host->snapshot.taken_nsec + 60 * NB_NSEC_PER_SEC);
}

static void help_to_follow_is_no_round(void **state)
{
	struct nb_host *host = *state;
	struct nb_cpumask mask = {}, none = {};

	nb_cpumask_add(&mask, 3);
	note_reason(host, NB_REASON_RPS_UNSTICK, &none, &mask);
	note_reason(host, NB_REASON_RPS_UNSTUCK, &mask, &none);
	assert_int_equal(host->memory.n_rps, 0);
	assert_int_equal(host->memory.last_moves_nsec, 0);
	note_reason(host, NB_REASON_RPS_WIDEN, &none, &mask);
	assert_true(host->memory.last_moves_nsec == host->snapshot.taken_nsec);
}

/* Notes the move of an interrupt of no queue, behind that of one; returns what is remembered. */
static const struct nb_device_irq_memory *note_device_irq(struct nb_host *host,
							  enum nb_outcome outcome)
{
	struct nb_move move = {.key = host->snapshot.queues[0].key, .cpu_from = 0, .cpu_to = 2};
	struct nb_move other = {.key = nb_device_irq_key(500), .cpu_from = 0, .cpu_to = 3};
	struct nb_plan plan = PLAN_OF(MOVE(&move), MOVE_IRQ(&other));

	nb_host_add_device_irq(host, NB_NODE_NONE, "", 0, 1000);
	(void)nb_device_irq_memory_get(&host->memory, &host->machine.device_irqs[0]);
	plan.changes[0].outcome = NB_OUTCOME_UNSAFE;
	plan.changes[1].outcome = outcome;
	nb_verify_note(&plan, host->snapshot.taken_nsec, &host->memory);
	return nb_device_irq_memory_find(&host->memory, 500);
}

static void an_other_that_was_moved_is_expected_there(void **state)
{
	const struct nb_device_irq_memory *other = note_device_irq(*state, NB_OUTCOME_APPLIED);

	assert_int_equal(other->expected_cpu, 3);
	assert_true(other->moved_nsec > 0);
}

static void an_other_that_was_refused_is_never_asked_again(void **state)
{
	const struct nb_device_irq_memory *other = note_device_irq(*state, NB_OUTCOME_REFUSED);

	assert_true(other->refused);
	assert_int_equal(other->expected_cpu, -1);
}

static void an_other_that_failed_waits_and_a_full_cpu_is_avoided(void **state)
{
	struct nb_host *host = *state;

	assert_int_equal(note_device_irq(host, NB_OUTCOME_BUSY)->rejections.in_a_row, 1);
	assert_int_equal(note_device_irq(host, NB_OUTCOME_UNSAFE)->rejections.in_a_row, 2);
	assert_int_equal(note_device_irq(host, NB_OUTCOME_APPLIED)->rejections.in_a_row, 0);
	(void)note_device_irq(host, NB_OUTCOME_NO_VECTOR);
	assert_true(nb_memory_lacks_vectors(&host->memory, 3, host->snapshot.taken_nsec));
}

static void a_round_of_others_alone_neither_disarms_nor_cools(void **state)
{
	struct nb_host *host = *state;
	struct nb_move other = {.key = nb_device_irq_key(500), .cpu_to = 3};
	struct nb_plan plan = PLAN_OF(MOVE_IRQ(&other));
	enum nb_outcome outcome = NB_OUTCOME_APPLIED;

	host->memory.armed_samples = 2;
	set_outcome(&plan, outcome);
	nb_verify_note(&plan, host->snapshot.taken_nsec, &host->memory);
	assert_int_equal(host->memory.armed_samples, 2);
	assert_int_equal(host->memory.last_moves_nsec, 0);
}

/* Services start when we do. */
static void what_applications_got_matters_soon_after_the_start_alone(void **state)
{
	struct nb_host *host = *state;
	uint64_t now_nsec = host->snapshot.taken_nsec;
	struct nb_cpumask mask = {};
	struct nb_move move = {.key = host->snapshot.queues[0].key,
			       .reason = NB_REASON_BALANCE,
			       .cpu_to = 2,
			       .source_applications = 4000};
	struct nb_rps_change change = {.key = host->snapshot.queues[0].key,
				       .reason = NB_REASON_RPS_WIDEN,
				       .applications = 5000};
	struct nb_plan plan = PLAN_OF(MOVE(&move), STEER(&change));

	nb_cpumask_add(&mask, 3);
	change.to = mask;
	host->memory.begun_nsec = now_nsec;
	set_outcome(&plan, NB_OUTCOME_APPLIED);
	nb_verify_note(&plan, now_nsec + 15 * NB_NSEC_PER_SEC - 1, &host->memory);
	assert_int_equal(host->memory.queues[0].departures[0].applications, 4000);
	assert_int_equal(host->memory.rps[0].applications, 5000);
	nb_verify_note(&plan, now_nsec + 15 * NB_NSEC_PER_SEC, &host->memory);
	assert_int_equal(host->memory.queues[0].departures[0].applications, 0);
	assert_int_equal(host->memory.rps[0].applications, 0);
}

static void note_follow(struct nb_host *host, enum nb_kind kind, enum nb_reason reason,
			enum nb_outcome outcome)
{
	const struct nb_cpumask to[4] = {};
	const uint32_t threads[4] = {100, 101, 102, 103};
	const struct nb_follow_change change = {.key.ifindex = host->machine.nics[0].ifindex,
						.threads = kind == NB_KIND_THREAD ? threads : NULL,
						.to = reason == NB_REASON_XPS_BACK ? NULL : to,
						.reason = reason,
						.n = 4,
						.places = reason == NB_REASON_XPS_BACK ? 0 : 77,
						.carrier_changes = 2};
	struct nb_plan plan = PLAN_OF(FOLLOW(kind, &change));

	set_outcome(&plan, outcome);
	nb_verify_note(&plan, host->snapshot.taken_nsec, &host->memory);
}

/* Masks of the NIC that come to this; NULL: nothing is remembered of it. */
static const struct nb_follow_memory *note_xps(struct nb_host *host, enum nb_reason reason,
					       enum nb_outcome outcome)
{
	note_follow(host, NB_KIND_XPS, reason, outcome);
	return nb_follow_find(&host->memory.xps, host->machine.nics[0].ifindex);
}

static void xps_masks_are_remembered_until_they_return(void **state)
{
	const struct nb_follow_memory *xps =
		note_xps(*state, NB_REASON_XPS_FOLLOW, NB_OUTCOME_APPLIED);

	assert_true(xps->ours);
	assert_true(xps->places == 77);
	assert_int_equal(xps->n, 4);
	assert_int_equal(xps->carrier_changes, 2);
	assert_null(note_xps(*state, NB_REASON_XPS_BACK, NB_OUTCOME_APPLIED));
}

static void rehearsed_xps_masks_are_as_they_were(void **state)
{
	const struct nb_follow_memory *xps =
		note_xps(*state, NB_REASON_XPS_FOLLOW, NB_OUTCOME_REHEARSED);

	assert_false(xps->ours);
	assert_true(xps->places == 0);
	assert_true(xps->rehearsed == 77);
	note_xps(*state, NB_REASON_XPS_FOLLOW, NB_OUTCOME_APPLIED);
	xps = note_xps(*state, NB_REASON_XPS_BACK, NB_OUTCOME_REHEARSED);
	assert_true(xps->ours);
	assert_true(xps->places == 77);
	assert_true(xps->rehearsed == NB_FOLLOW_RETURN);
}

static void xps_masks_of_others_are_yielded_to_until_they_are_ours(void **state)
{
	struct nb_host *host = *state;
	const struct nb_follow_memory *xps =
		note_xps(host, NB_REASON_XPS_FOLLOW, NB_OUTCOME_FOREIGN);

	assert_false(xps->ours);
	assert_true(xps->yielded_nsec == host->snapshot.taken_nsec);
	assert_false(xps->refused);
	note_xps(host, NB_REASON_XPS_FOLLOW, NB_OUTCOME_BUSY);
	assert_int_equal(xps->rejections.in_a_row, 1);
	note_xps(host, NB_REASON_XPS_FOLLOW, NB_OUTCOME_APPLIED);
	assert_true(xps->yielded_nsec == 0);
	assert_int_equal(xps->rejections.in_a_row, 0);
	note_xps(host, NB_REASON_XPS_FOLLOW, NB_OUTCOME_REFUSED);
	assert_true(xps->refused);
}

/* Others have come meanwhile. */
static void threads_that_are_gone_are_looked_for_again(void **state)
{
	struct nb_host *host = *state;
	const struct nb_follow_memory *threads;

	note_follow(host, NB_KIND_THREAD, NB_REASON_THREAD_FOLLOW, NB_OUTCOME_GONE);
	threads = nb_follow_find(&host->memory.threads, host->machine.nics[0].ifindex);
	assert_int_equal(threads->rejections.in_a_row, 1);
	assert_true(threads->places == 0);
	note_xps(host, NB_REASON_XPS_FOLLOW, NB_OUTCOME_GONE);
	assert_true(nb_follow_find(&host->memory.xps, host->machine.nics[0].ifindex)->places == 77);
}

static void a_move_for_a_wait_has_it_shown_anew(void **state)
{
	struct nb_host *host = *state;
	struct nb_move move = {.key = host->snapshot.queues[0].key, .cpu_from = 0, .cpu_to = 2};
	struct nb_plan plan = PLAN_OF(MOVE(&move));

	host->memory.delays = g_new0(struct nb_delay_memory, 1);
	host->memory.n_delays = 1;
	host->memory.delays[0].over_msec = host->memory.delays[0].calm_msec = 3000;
	set_outcome(&plan, NB_OUTCOME_APPLIED);
	move.reason = NB_REASON_BALANCE;
	nb_verify_note(&plan, host->snapshot.taken_nsec, &host->memory);
	assert_int_equal(host->memory.delays[0].over_msec, 3000);
	assert_int_equal(host->memory.delays[0].moves, 0);
	move.reason = NB_REASON_DELAY;
	nb_verify_note(&plan, host->snapshot.taken_nsec, &host->memory);
	assert_int_equal(host->memory.delays[0].over_msec, 0);
	assert_int_equal(host->memory.delays[0].calm_msec, 3000);
	assert_int_equal(host->memory.delays[0].moves, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_was_applied_is_expected_and_pending, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_move_for_a_wait_has_it_shown_anew, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(threads_that_are_gone_are_looked_for_again, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_saturated_queue_leaves_its_cpu_without_prejudice,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_last_cpus_that_a_queue_left_are_remembered,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_was_unchanged_is_expected_but_not_measured,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_was_refused_is_never_asked_again, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_full_cpu_is_avoided_for_five_minutes, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_could_not_be_done_now_is_looked_at_again,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_keeps_failing_is_tried_less_and_less_often,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_stale_three_times_in_a_row_is_refused,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_rehearsal_changes_no_expectation, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_round_disarms_and_cools, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_empty_plan_is_no_round, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_rps_mask_is_remembered_until_withdrawn, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_refused_rps_mask_is_not_taken_for_set, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_wider_rps_mask_is_on_trial, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_mask_that_is_removed_from_a_full_host_is_remembered, set_up, tear_down),
		cmocka_unit_test_setup_teardown(that_rps_did_not_help_outlives_its_mask, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(an_rss_table_is_remembered_until_put_back, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_table_in_which_buckets_moved_is_on_trial, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(that_moving_buckets_did_not_help_outlives_the_table,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(buckets_that_did_not_move_are_not_tried_soon,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_moved_table_that_cannot_be_put_back_is_given_up,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_refused_rss_table_is_remembered_as_that, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(
			a_second_rss_table_that_is_refused_leaves_the_first_to_be_put_back, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(an_rss_table_that_cannot_be_put_back_is_given_up,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_may_pass_leaves_the_rss_table_as_it_was,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(each_change_has_its_outcome, set_up, tear_down),
		cmocka_unit_test_setup_teardown(threaded_napi_is_on_trial_and_moves_wait, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(threaded_napi_that_is_not_switched_is_remembered,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_setting_is_remembered_with_what_was_asked, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_mask_that_was_refused_is_left_alone, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(help_to_follow_is_no_round, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_other_that_was_moved_is_expected_there, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(an_other_that_was_refused_is_never_asked_again,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			an_other_that_failed_waits_and_a_full_cpu_is_avoided, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_round_of_others_alone_neither_disarms_nor_cools,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			what_applications_got_matters_soon_after_the_start_alone, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(xps_masks_are_remembered_until_they_return, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(rehearsed_xps_masks_are_as_they_were, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(
			xps_masks_of_others_are_yielded_to_until_they_are_ours, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
