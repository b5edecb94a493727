/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/steer.h"

#include "base/memory.h"
#include "plan/spread.h"

/* Consecutive samples for which a mask must not be needed before it is removed; those that the last
 * plan asked for early do not count. */
#define CALM_SAMPLES 10u
/* A node must be busier than rps_node_busy by this much before a mask is removed for it, so that
 * the cost of RPS itself does not make it come and go. */
#define BUSY_SLACK 1000u
/* So much of its dwell a mask stays in panic, and so much if queues lose packets on its CPUs. */
#define PANIC_FRACTION 3u
#define LOSS_FRACTION 12u
/* So long after a mask was set smoothed loads show two thirds of what it hands over, or more. */
#define EXPECTED_NSEC (3 * NB_NSEC_PER_SEC)
/* A mask that was removed because its node had no time returns if the queue receives less than nine
 * tenths without it, in the mean of so many samples at least, within so long. */
#define SAMPLES_WITHOUT 5u
#define REGRET_NSEC (20 * NB_NSEC_PER_SEC)

/* A node that fills up has no time for more, which its smoothed loads do not show yet. */
static bool has_time(const struct nb_board *board, const struct nb_board_queue *queue)
{
	const struct nb_domain *domain = &board->domains[queue->domain];

	return MAX(domain->mean_busy, domain->mean_window) < board->policy->rps_node_busy;
}

/* A queue of a device without hardware is polled where its packets come from, which may be any CPU
 * of its mask at any time: that is no reason for another mask. */
static bool may_contain(const struct nb_board *board, const struct nb_board_queue *queue,
			const struct nb_rps_memory *rps, unsigned cpu)
{
	if (queue->is_virtual)
		return nb_board_in_domain(board, cpu, queue->domain) &&
		       nb_board_may_steer(board, queue, cpu);
	if (rps->own && cpu == queue->cpu)
		return nb_board_may_steer(board, queue, cpu);
	return nb_spread_allows(board, queue, cpu);
}

/* Without the CPUs that it may not contain (any more). */
static struct nb_cpumask mended(const struct nb_board *board, const struct nb_board_queue *queue,
				const struct nb_rps_memory *rps)
{
	struct nb_cpumask good = {};

	NB_CPUMASK_FOREACH (id, &rps->cpus) {
		unsigned cpu = nb_board_find_cpu(board, (int)id);

		if (cpu != NB_NOWHERE && may_contain(board, queue, rps, cpu))
			nb_cpumask_add(&good, id);
	}
	return good;
}

/* What the queue steers to a CPU, if its own did it. */
static uint32_t backlog_of(const struct nb_board *board, const struct nb_board_queue *queue,
			   unsigned cpu)
{
	return nb_capacity_convert(nb_board_handed(board, queue, cpu), board->cpus[cpu].capacity,
				   board->cpus[queue->cpu].capacity);
}

/* Likewise. Measured, and so with the cost of RPS. */
static uint32_t steered_on(const struct nb_board *board, const struct nb_board_queue *queue,
			   const struct nb_cpumask *mask)
{
	uint32_t handed = 0;

	NB_CPUMASK_FOREACH (id, mask) {
		unsigned cpu = nb_board_find_cpu(board, (int)id);

		if (cpu != NB_NOWHERE)
			handed += backlog_of(board, queue, cpu);
	}
	return handed;
}

static bool fits_one_cpu(const struct nb_board_queue *queue, uint32_t handed)
{
	return queue->load + handed <= nb_spread_cost(NB_WHOLE);
}

/* A queue that is too much for one CPU fills CPUs that had time for it: only their other load tells
 * whether they still have. Without RPS it would lose packets. */
static bool is_overdrawn(const struct nb_board *board, const struct nb_board_queue *queue,
			 const struct nb_rps_memory *rps, uint32_t handed)
{
	const struct nb_domain *domain = &board->domains[queue->domain];
	uint32_t steered = 0;

	if ((rps->own || !fits_one_cpu(queue, handed)) && domain->n_cpus > 0)
		steered = (uint32_t)((uint64_t)handed * board->cpus[queue->cpu].capacity /
				     domain->capacities);
	return domain->mean_busy >= board->policy->rps_node_busy + BUSY_SLACK + steered;
}

/* With a margin: more may be steered to a full CPU than it can do. */
static uint32_t work_steered(const struct nb_board *board, const struct nb_board_queue *queue,
			     const struct nb_cpumask *mask)
{
	return nb_spread_cost(steered_on(board, queue, mask));
}

/* At least half of its load is not steered to it. */
static bool has_other_work(const struct nb_board *board, unsigned cpu)
{
	return board->cpus[cpu].backlog < nb_board_load(board, cpu) / 2;
}

/* The CPUs of the mask that are hot by other work, or those that are hot by steered work. They were
 * chosen to stay just below Hot=, as predicted: by other work they are if it is by more than a step
 * would have to gain. */
static struct nb_cpumask hot_targets(const struct nb_board *board, const struct nb_cpumask *mask,
				     bool other_work)
{
	uint32_t limit = board->policy->hot + (other_work ? board->policy->minimum_gain : 0);
	struct nb_cpumask hot = {};

	NB_CPUMASK_FOREACH (id, mask) {
		unsigned cpu = nb_board_find_cpu(board, (int)id);

		if (cpu != NB_NOWHERE && nb_board_load(board, cpu) > limit &&
		    has_other_work(board, cpu) == other_work)
			nb_cpumask_add(&hot, id);
	}
	return hot;
}

/* In the last window, as the verifier measures it: the smoothed load lags behind a sudden one. */
static uint32_t hottest_window(const struct nb_board *board, const struct nb_cpumask *mask)
{
	uint32_t hottest = 0;

	NB_CPUMASK_FOREACH (id, mask) {
		unsigned cpu = nb_board_find_cpu(board, (int)id);

		if (cpu != NB_NOWHERE)
			hottest = MAX(hottest, board->cpus[cpu].window_busy);
	}
	return hottest;
}

static bool dwells(const struct nb_board *board, const struct nb_rps_memory *rps, unsigned fraction)
{
	return board->now_nsec < rps->set_nsec + board->policy->rps_dwell_nsec / fraction;
}

static bool backs_off(const struct nb_board *board, const struct nb_rps_memory *rps)
{
	uint64_t dwell_nsec = nb_memory_quadruple(board->policy->rps_dwell_nsec, rps->failures);

	return board->now_nsec < rps->set_nsec + dwell_nsec;
}

static bool change_to(struct nb_rps_change *change, enum nb_reason reason, struct nb_cpumask to)
{
	change->reason = reason;
	change->to = to;
	return true;
}

/* It was set soon after the start, because of applications that have ended since. Applications that
 * get less because of steered packets have not ended; what the queue leaves to its own CPU would
 * stay there in any case. */
static bool has_calmed(const struct nb_board *board, const struct nb_board_queue *queue,
		       const struct nb_rps_memory *rps)
{
	uint32_t applications = NB_BOARD_ENDED;

	if (rps->applications <= applications)
		return false;
	for (unsigned i = 0; i < board->n_cpus; i++) {
		const struct nb_board_cpu *cpu = &board->cpus[i];

		applications += cpu->applications.most;
		if (i != queue->cpu && cpu->window_busy > board->policy->panic)
			applications += cpu->backlog;
	}
	return rps->applications > applications;
}

/* What the queue would cost its CPU without the mask: by packets, what it did when the mask was
 * set; 0 if that is not known. */
static uint64_t load_alone(const struct nb_board *board, const struct nb_board_queue *queue,
			   const struct nb_rps_memory *rps)
{
	uint32_t load = nb_capacity_convert(rps->load, NB_WHOLE, board->cpus[queue->cpu].capacity);

	return rps->packets_per_sec ? (uint64_t)load * queue->packets_per_sec / rps->packets_per_sec
				    : 0;
}

/* With what RPS costs, to each CPU of the mask, as the queue's own has it. */
static uint32_t expected_share(const struct nb_board *board, const struct nb_board_queue *queue,
			       const struct nb_rps_memory *rps)
{
	uint32_t load = (uint32_t)MIN(load_alone(board, queue, rps), NB_WHOLE);

	return nb_spread_cost(load) / nb_cpumask_count(&rps->cpus);
}

static void expect(struct nb_board *board, const struct nb_board_queue *queue,
		   const struct nb_rps_memory *rps)
{
	uint32_t share = expected_share(board, queue, rps);

	NB_CPUMASK_FOREACH (id, &rps->cpus) {
		unsigned cpu = nb_board_find_cpu(board, (int)id);
		uint32_t expected, missing;

		if (cpu == NB_NOWHERE)
			continue;
		expected = nb_capacity_convert(share, board->cpus[queue->cpu].capacity,
					       board->cpus[cpu].capacity);
		missing = nb_growth(nb_board_handed(board, queue, cpu), expected);
		board->cpus[cpu].fixed += missing;
		board->cpus[cpu].backlog += missing;
	}
}

void nb_steer_expect(struct nb_board *board, const struct nb_memory *memory)
{
	for (unsigned i = 0; i < memory->n_rps; i++) {
		const struct nb_rps_memory *rps = &memory->rps[i];
		const struct nb_board_queue *queue = nb_board_find_queue(board, rps->key);

		if (queue && queue->cpu != NB_NOWHERE && !rps->unsticks &&
		    !nb_cpumask_empty(&rps->cpus) &&
		    board->now_nsec < rps->set_nsec + EXPECTED_NSEC)
			expect(board, queue, rps);
	}
}

/* Where kernel threads do the backlog (PREEMPT_RT, or thread_backlog_napi), steered work is in no
 * softirq and looks like an application. And the timer tick, the witness of what is not timed, sees
 * little of work that comes in short pieces. */
static uint32_t unseen_work(const struct nb_board *board, const struct nb_board_queue *queue,
			    const struct nb_rps_memory *rps, uint32_t handed)
{
	uint32_t away =
		(uint32_t)MIN(nb_growth(queue->load, load_alone(board, queue, rps)), NB_WHOLE);

	return !board->timed || handed < away / 4 ? away : 0;
}

/* Without the mask the queue alone would be reason enough to set it again. */
static bool needs_it_anyway(const struct nb_board *board, const struct nb_board_queue *queue,
			    const struct nb_rps_memory *rps, uint32_t handed)
{
	const struct nb_policy *policy = board->policy;
	bool has_few = queue->n_rx < board->domains[queue->domain].n_cpus;

	return !fits_one_cpu(queue, handed) ||
	       load_alone(board, queue, rps) > (has_few ? policy->hot : policy->panic);
}

static bool is_enabled(const struct nb_board *board, const struct nb_board_queue *queue)
{
	return board->policy->rps && (board->policy->rps_virtual || !queue->is_virtual);
}

/* Neither may a single window decide, nor one soon after the last change. */
static bool lasts(const struct nb_board *board, struct nb_rps_memory *rps, bool now, bool hurried)
{
	if (!now)
		rps->calm_samples = 0;
	else if (!hurried)
		rps->calm_samples++;
	return rps->calm_samples >= CALM_SAMPLES && !dwells(board, rps, PANIC_FRACTION);
}

/* For longer each time that packets were lost without it. */
static bool regrets(const struct nb_board *board, const struct nb_rps_memory *rps)
{
	uint64_t dwell_nsec = nb_memory_quadruple(board->policy->rps_dwell_nsec, rps->regrets);

	return rps->regrets > 0 && board->now_nsec < rps->set_nsec + dwell_nsec;
}

static bool withdraw(const struct nb_board *board, const struct nb_board_queue *queue,
		     struct nb_rps_memory *rps, bool hurried, struct nb_rps_change *change)
{
	uint32_t handed = steered_on(board, queue, &rps->cpus);
	bool busy = is_overdrawn(board, queue, rps, handed) && !regrets(board, rps);
	uint32_t work = MAX(handed, unseen_work(board, queue, rps, handed));
	bool calm = nb_board_load(board, queue->cpu) + work < board->policy->hot / 2;

	if (has_calmed(board, queue, rps) && !needs_it_anyway(board, queue, rps, handed))
		return change_to(change, NB_REASON_RPS_CALM, (struct nb_cpumask){});
	if (!lasts(board, rps, busy || calm || !is_enabled(board, queue), hurried))
		return false;
	change->packets_per_sec = queue->packets_per_sec;
	return change_to(change, busy && !calm ? NB_REASON_RPS_BUSY : NB_REASON_RPS_CALM,
			 (struct nb_cpumask){});
}

/* Whether a queue that has no time on its own CPU gets some beside applications depends on the
 * kernel: until Linux 6.5 softirqs waited for ksoftirqd, which has the weight of one thread
 * (d15121be7485). So it is tried. */
static bool loses(const struct nb_board_queue *queue, struct nb_rps_memory *rps, bool hurried)
{
	uint64_t nine_tenths = rps->removed_packets_per_sec / 10 * 9;

	if (hurried)
		return false;
	rps->without.samples++;
	rps->without.saturated += queue->saturated;
	rps->without.packets_per_sec += queue->packets_per_sec;
	/* The scheduler gives it time by turns, so it completes now and then. */
	return rps->without.samples >= SAMPLES_WITHOUT &&
	       rps->without.saturated * 3 >= rps->without.samples &&
	       rps->without.packets_per_sec < nine_tenths * rps->without.samples;
}

/* The mask that the queue had until the host was full, or what is left of it. */
static bool give_back(const struct nb_board *board, const struct nb_board_queue *queue,
		      struct nb_rps_memory *rps, bool hurried, struct nb_rps_change *change)
{
	if (nb_cpumask_empty(&rps->removed))
		return false;
	if (board->now_nsec >= rps->removed_nsec + REGRET_NSEC) {
		nb_cpumask_clear(&rps->removed);
		rps->regrets = 0;
		return false;
	}
	if (!is_enabled(board, queue) || !loses(queue, rps, hurried))
		return false;
	/* What loses packets has no time on its CPU, whatever a window shows of that. */
	change->hottest_before = NB_WHOLE;
	change->load = rps->load;
	change->packets_per_sec = rps->packets_per_sec;
	change->own = nb_cpumask_has(&rps->removed, board->cpus[queue->cpu].id);
	change_to(change, NB_REASON_RPS_WIDEN, rps->removed);
	nb_board_limit_rps(board, queue, &change->to);
	return !nb_cpumask_empty(&change->to);
}

/* CPUs that stay below Hot=. Where packets are lost others may get nearly full, if it takes that.
 */
static bool spread_within(const struct nb_board *board, const struct nb_board_queue *queue,
			  const struct nb_cpumask *keep, unsigned least_width, uint32_t cost,
			  bool lose, struct nb_cpumask *ret)
{
	const struct nb_policy *policy = board->policy;

	return nb_spread(board, queue, keep, least_width, cost, policy->hot, ret) ||
	       (lose && nb_spread(board, queue, keep, least_width, cost, policy->panic, ret));
}

/* The same mask without the CPUs that are hot by other work, and with others if it gets too narrow.
 * If there are none it stays: one CPU alone would be hotter still. */
static bool relieve(const struct nb_board *board, const struct nb_board_queue *queue,
		    const struct nb_rps_memory *rps, const struct nb_cpumask *hot, bool lose,
		    struct nb_rps_change *change)
{
	struct nb_cpumask good = rps->cpus;

	nb_cpumask_andnot(&good, hot);
	change->reason = NB_REASON_RPS_MEND;
	return spread_within(board, queue, &good, 1, work_steered(board, queue, &rps->cpus), lose,
			     &change->to);
}

/* A queue that shares with its own CPU and with others that are full loses packets: CPUs that now
 * have time for as much as each of these does are added. */
static bool share_wider(const struct nb_board *board, const struct nb_board_queue *queue,
			const struct nb_rps_memory *rps, struct nb_rps_change *change)
{
	uint32_t most = 0;

	NB_CPUMASK_FOREACH (id, &rps->cpus) {
		unsigned cpu = nb_board_find_cpu(board, (int)id);

		if (cpu != NB_NOWHERE)
			most = MAX(most, backlog_of(board, queue, cpu));
	}
	change->own = nb_spread_with_own(board, queue, &rps->cpus, most, &change->to);
	return change->own;
}

/* A mask of full CPUs loses packets: as in spread_first(), others may get nearly full. */
static bool widen(const struct nb_board *board, const struct nb_board_queue *queue,
		  const struct nb_rps_memory *rps, bool panic, struct nb_rps_change *change)
{
	unsigned wider = nb_cpumask_count(&rps->cpus) + 1;
	uint32_t cost = work_steered(board, queue, &rps->cpus);

	change->reason = NB_REASON_RPS_WIDEN;
	change->hottest_before =
		MAX(hottest_window(board, &rps->cpus), board->cpus[queue->cpu].window_busy);
	if (has_time(board, queue) &&
	    spread_within(board, queue, &rps->cpus, wider, cost, panic, &change->to))
		return true;
	return panic && rps->own && queue->saturated && share_wider(board, queue, rps, change);
}

/* Queues that lose packets because of what is steered there: unlike an application they are there
 * to stay. */
static bool serves_queues(const struct nb_board *board, const struct nb_cpumask *hot)
{
	NB_CPUMASK_FOREACH (id, hot) {
		unsigned cpu = nb_board_find_cpu(board, (int)id);

		if (cpu != NB_NOWHERE && board->cpus[cpu].panics && board->cpus[cpu].queues > 0)
			return true;
	}
	return false;
}

static bool cool_targets(const struct nb_board *board, const struct nb_board_queue *queue,
			 const struct nb_rps_memory *rps, struct nb_rps_change *change)
{
	bool panic = hottest_window(board, &rps->cpus) > board->policy->panic;
	unsigned fraction = panic ? PANIC_FRACTION : 1;
	struct nb_cpumask hot = hot_targets(board, &rps->cpus, true);

	/* On its own CPU the other work is the queue itself. */
	if (rps->own || queue->is_virtual)
		nb_cpumask_del(&hot, board->cpus[queue->cpu].id);
	if (!nb_cpumask_empty(&hot)) {
		bool lose = serves_queues(board, &hot);

		return !dwells(board, rps, lose ? LOSS_FRACTION : fraction) &&
		       relieve(board, queue, rps, &hot, lose, change);
	}
	hot = hot_targets(board, &rps->cpus, false);
	if (nb_cpumask_empty(&hot) || dwells(board, rps, fraction) ||
	    (rps->failures > 0 && backs_off(board, rps)))
		return false;
	return widen(board, queue, rps, panic, change);
}

static bool review_one(const struct nb_board *board, struct nb_rps_memory *rps, bool hurried,
		       struct nb_rps_change *change)
{
	const struct nb_board_queue *queue = nb_board_find_queue(board, rps->key);
	struct nb_cpumask good;

	if (!queue || (queue->cpu == NB_NOWHERE && !queue->is_virtual) ||
	    board->now_nsec < rps->yielded_until_nsec) {
		rps->calm_samples = 0;
		return false;
	}
	*change = (struct nb_rps_change){.key = rps->key, .from = rps->cpus};
	if (nb_cpumask_empty(&rps->cpus)) {
		rps->calm_samples = 0;
		return queue->cpu != NB_NOWHERE && give_back(board, queue, rps, hurried, change);
	}
	/* It has not been polled since this run began, and no interrupt tells where it would be. */
	if (queue->cpu == NB_NOWHERE)
		return lasts(board, rps, true, hurried) &&
		       change_to(change, NB_REASON_RPS_CALM, (struct nb_cpumask){});

	if (rps->no_gain) {
		good = rps->trial.from;
		nb_board_limit_rps(board, queue, &good);
		return change_to(change, NB_REASON_RPS_NO_GAIN, good);
	}
	good = mended(board, queue, rps);
	if (!nb_cpumask_equal(&good, &rps->cpus))
		return change_to(change, NB_REASON_RPS_MEND, good);
	return withdraw(board, queue, rps, hurried, change) ||
	       cool_targets(board, queue, rps, change);
}

bool nb_steer_review(const struct nb_board *board, struct nb_memory *memory,
		     struct nb_rps_change *ret)
{
	for (unsigned i = 0; i < memory->n_rps; i++) {
		struct nb_rps_change change;

		if (memory->rps[i].unsticks)
			continue;
		if (review_one(board, &memory->rps[i], memory->hurried, &change)) {
			*ret = change;
			return true;
		}
	}
	return false;
}

static bool is_changed(const GArray *changes, struct nb_queue_key key)
{
	for (unsigned i = 0; i < changes->len; i++) {
		const struct nb_rps_change *change =
			&g_array_index(changes, struct nb_rps_change, i);

		if (nb_queue_key_compare(change->key, key) == 0)
			return true;
	}
	return false;
}

/* Without the CPUs that it may not contain any more. Help for a NAPI ends: it has others. */
static struct nb_rps_change mend(const struct nb_board *board, const struct nb_board_queue *queue,
				 const struct nb_rps_memory *rps)
{
	struct nb_rps_change change = {
		.key = rps->key,
		.reason = rps->unsticks ? NB_REASON_RPS_UNSTUCK : NB_REASON_RPS_MEND,
		.from = rps->cpus,
		.to = rps->cpus,
	};

	nb_board_limit_rps(board, queue, &change.to);
	if (rps->unsticks && !nb_cpumask_equal(&change.to, &change.from))
		nb_cpumask_clear(&change.to);
	change.own = rps->own && queue->cpu != NB_NOWHERE &&
		     nb_cpumask_has(&change.to, board->cpus[queue->cpu].id);
	return change;
}

void nb_steer_obey(const struct nb_board *board, const struct nb_memory *memory, GArray *changes)
{
	for (unsigned i = 0; i < memory->n_rps; i++) {
		const struct nb_rps_memory *rps = &memory->rps[i];
		const struct nb_board_queue *queue = nb_board_find_queue(board, rps->key);
		struct nb_rps_change change;

		if (!queue || board->now_nsec < rps->yielded_until_nsec ||
		    is_changed(changes, rps->key))
			continue;
		change = mend(board, queue, rps);
		if (!nb_cpumask_equal(&change.to, &change.from))
			g_array_append_val(changes, change);
	}
}

/* With as many queues as CPUs each can have a CPU to itself, and RPS costs more than it gains,
 * unless a queue saturates its CPU beside idle ones. */
static bool is_for(const struct nb_board *board, const struct nb_domain *domain,
		   const struct nb_board_queue *queue)
{
	return queue->n_rx < domain->n_cpus || board->cpus[domain->hottest].panics;
}

/* The queue that makes the hottest CPU of the domain hot, if RPS may be used for it; or NULL. */
static const struct nb_board_queue *culprit(const struct nb_board *board,
					    const struct nb_domain *domain)
{
	const struct nb_board_queue *queue;

	if (domain->hottest == NB_NOWHERE)
		return NULL;
	queue = nb_board_biggest_queue(board, domain->hottest);
	if (!queue || !is_enabled(board, queue) || !queue->has_rx || queue->steered ||
	    !is_for(board, domain, queue) ||
	    queue->load < nb_board_own(&board->cpus[domain->hottest]) / 2)
		return NULL;
	return queue;
}

/* The load of a saturated queue is what it got: it may want twice as much. And as it loses packets,
 * others may get nearly full. */
static bool spread_first(const struct nb_board *board, const struct nb_board_queue *queue,
			 struct nb_rps_change *change)
{
	const struct nb_policy *policy = board->policy;
	const struct nb_cpumask none = {};
	uint32_t cost = nb_spread_cost(queue->load);

	if (queue->saturated &&
	    nb_spread(board, queue, &none, 1, 2 * cost, policy->hot, &change->to))
		return true;
	return spread_within(board, queue, &none, 1, cost, queue->saturated, &change->to);
}

/* The last resort of a queue that loses packets. */
static bool share(const struct nb_board *board, const struct nb_board_queue *queue,
		  struct nb_rps_change *change)
{
	const struct nb_cpumask none = {};
	uint32_t half = nb_spread_cost(queue->load) / 2;

	change->own =
		queue->saturated && nb_spread_with_own(board, queue, &none, half, &change->to);
	return change->own;
}

bool nb_steer_begin(const struct nb_board *board, struct nb_memory *memory,
		    const struct nb_domain *domain, struct nb_rps_change *ret)
{
	const struct nb_board_queue *queue = culprit(board, domain);
	struct nb_rps_change change = {.reason = NB_REASON_RPS_WIDEN};
	const struct nb_rps_memory *rps;

	if (!queue)
		return false;
	rps = nb_memory_find_rps(memory, queue->key);
	if (rps && (board->now_nsec < rps->yielded_until_nsec || backs_off(board, rps)))
		return false;
	change.key = queue->key;
	change.hottest_before = board->cpus[queue->cpu].window_busy;
	change.load = nb_board_whole_load(queue);
	change.packets_per_sec = queue->packets_per_sec;
	if (!(has_time(board, queue) && spread_first(board, queue, &change)) &&
	    !share(board, queue, &change))
		return false;
	*ret = change;
	return true;
}

bool nb_steer_gave_up(const struct nb_board *board, struct nb_memory *memory,
		      const struct nb_domain *domain)
{
	const struct nb_board_queue *queue = culprit(board, domain);
	const struct nb_rps_memory *rps = queue ? nb_memory_find_rps(memory, queue->key) : NULL;

	return rps && rps->failures > 0;
}

bool nb_steer_has_hot_target(const struct nb_board *board, const struct nb_memory *memory)
{
	for (unsigned i = 0; i < memory->n_rps; i++)
		NB_CPUMASK_FOREACH (id, &memory->rps[i].cpus) {
			unsigned cpu = nb_board_find_cpu(board, (int)id);

			if (cpu != NB_NOWHERE && nb_board_load(board, cpu) > board->policy->hot)
				return true;
		}
	return false;
}
