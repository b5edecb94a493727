/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/planner.h"

#include "plan/balance.h"
#include "plan/board.h"
#include "plan/place.h"
#include "plan/steer.h"

/* A gain must exceed three standard deviations of the measured loads, but a signal however noisy
 * does not make a CPU that is full beside one that is not look even. */
#define NOISE_FACTOR 3u
#define MAX_GAIN_NEEDED 2500u

struct nb_planner {
	struct nb_board board;
	struct nb_plan plan;
	GArray *moves;
};

struct nb_planner *nb_planner_new(void)
{
	struct nb_planner *planner = g_new0(struct nb_planner, 1);

	nb_board_init(&planner->board);
	planner->moves = g_array_new(FALSE, FALSE, sizeof(struct nb_move));
	return planner;
}

void nb_planner_free(struct nb_planner *planner)
{
	if (!planner)
		return;
	nb_board_clear(&planner->board);
	g_array_unref(planner->moves);
	g_free(planner);
}

static uint32_t gain_needed(const struct nb_loads *loads, const struct nb_policy *policy)
{
	uint32_t noise = MIN(NOISE_FACTOR * loads->noise, MAX_GAIN_NEEDED);

	return MAX(policy->minimum_gain, noise);
}

static bool is_hot(const struct nb_domain *domain, const struct nb_policy *policy)
{
	return domain->hottest != NB_NOWHERE && domain->hottest_load > policy->hot;
}

static bool is_uneven(const struct nb_domain *domain, const struct nb_policy *policy)
{
	return is_hot(domain, policy) && domain->hottest_load > domain->mean + policy->gap;
}

/* The domain that needs attention most: an uneven one before an even one, then the hotter. */
static struct nb_domain worst_domain(const struct nb_board *board)
{
	struct nb_domain worst = {.hottest = NB_NOWHERE};
	int last = INT_MIN;

	for (unsigned i = 0; i < board->n_queues; i++) {
		struct nb_domain domain;
		bool uneven, worst_uneven;

		if (board->queues[i].domain == last)
			continue;
		last = board->queues[i].domain;
		domain = nb_board_domain(board, last);
		uneven = is_uneven(&domain, board->policy);
		worst_uneven = is_uneven(&worst, board->policy);
		if (uneven != worst_uneven ? uneven : domain.hottest_load > worst.hottest_load)
			worst = domain;
	}
	return worst;
}

/* Packets are being lost, or are about to be. */
static bool is_panic(const struct nb_board *board, const struct nb_domain *domain)
{
	return domain->hottest_load > board->policy->panic || board->cpus[domain->hottest].dropping;
}

/* After a placement the smoothed loads speak for a while of where everything was: no panic shortens
 * that. */
static bool is_cooling(const struct nb_board *board, const struct nb_memory *memory, bool panic)
{
	uint64_t cooldown_nsec = panic && !memory->last_round_placed
					 ? board->policy->panic_cooldown_nsec
					 : board->policy->cooldown_nsec;

	return memory->last_round_nsec && board->now_nsec < memory->last_round_nsec + cooldown_nsec;
}

static bool one_queue_fills(const struct nb_board *board, const struct nb_domain *domain)
{
	for (unsigned i = 0; i < board->n_queues; i++)
		if (board->queues[i].cpu == domain->hottest &&
		    board->queues[i].cost > board->policy->hot)
			return true;
	return false;
}

/* The ladder: move interrupts inside the domain; then RPS; then say what stands in the way. */
static enum nb_verdict escalate(struct nb_planner *planner, const struct nb_domain *domain,
				bool panic, struct nb_memory *memory)
{
	struct nb_board *board = &planner->board;
	enum nb_obstacle obstacle =
		nb_balance(board, domain->domain, planner->plan.gain_needed, panic, planner->moves);

	switch (obstacle) {
	case NB_OBSTACLE_NONE:
		return NB_VERDICT_BALANCING;
	case NB_OBSTACLE_HOLD:
		return NB_VERDICT_HELD;
	case NB_OBSTACLE_GAIN:
		break;
	}
	if (nb_steer_begin(board, memory, domain, &planner->plan.rps)) {
		planner->plan.steer = true;
		return NB_VERDICT_STEERING;
	}
	return one_queue_fills(board, domain) ? NB_VERDICT_ONE_FLOW : NB_VERDICT_NO_GAIN;
}

static enum nb_verdict judge_load(struct nb_planner *planner, const struct nb_domain *domain,
				  struct nb_memory *memory)
{
	const struct nb_board *board = &planner->board;
	const struct nb_policy *policy = board->policy;
	bool panic;

	if (!is_uneven(domain, policy)) {
		memory->armed_samples = 0;
		return is_hot(domain, policy) ? NB_VERDICT_EVEN : NB_VERDICT_QUIET;
	}
	memory->armed_samples = MIN(memory->armed_samples + 1, policy->arm_samples);
	panic = is_panic(board, domain);
	if (!panic && memory->armed_samples < policy->arm_samples)
		return NB_VERDICT_ARMING;
	if (is_cooling(board, memory, panic))
		return NB_VERDICT_COOLING;
	return escalate(planner, domain, panic, memory);
}

static void describe(struct nb_plan *plan, const struct nb_board *board,
		     const struct nb_domain *domain)
{
	plan->hottest_cpu =
		domain->hottest == NB_NOWHERE ? -1 : (int)board->cpus[domain->hottest].id;
	plan->hottest = domain->hottest_load;
	plan->mean = domain->mean;
}

/* Placement before balancing, and the masks that are set before new ones. */
static enum nb_verdict judge(struct nb_planner *planner, const struct nb_domain *domain,
			     struct nb_memory *memory)
{
	nb_place(&planner->board, planner->moves);
	if (planner->moves->len > 0)
		return NB_VERDICT_PLACING;
	if (nb_steer_review(&planner->board, memory, &planner->plan.rps)) {
		planner->plan.steer = true;
		return NB_VERDICT_STEERING;
	}
	return judge_load(planner, domain, memory);
}

const struct nb_plan *nb_planner_run(struct nb_planner *planner, const struct nb_snapshot *snapshot,
				     const struct nb_loads *loads, const struct nb_policy *policy,
				     struct nb_memory *memory)
{
	struct nb_plan *plan = &planner->plan;
	struct nb_domain domain;

	g_array_set_size(planner->moves, 0);
	*plan = (struct nb_plan){.hottest_cpu = -1, .gain_needed = gain_needed(loads, policy)};
	if (loads->window_nsec == 0) {
		plan->verdict = NB_VERDICT_UNKNOWN;
		return plan;
	}

	nb_board_set_up(&planner->board, snapshot, loads, policy, memory);
	domain = worst_domain(&planner->board);
	describe(plan, &planner->board, &domain);
	plan->verdict = judge(planner, &domain, memory);
	plan->moves = (struct nb_move *)(void *)planner->moves->data;
	plan->n_moves = planner->moves->len;
	return plan;
}
