/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/planner.h"

#include "base/delays.h"
#include "base/memory.h"
#include "plan/balance.h"
#include "plan/board.h"
#include "plan/buckets.h"
#include "plan/configure.h"
#include "plan/delay.h"
#include "plan/device_irqs.h"
#include "plan/place.h"
#include "plan/repack.h"
#include "plan/spill.h"
#include "plan/steer.h"
#include "plan/threaded.h"
#include "plan/threads.h"
#include "plan/undo.h"
#include "plan/unstick.h"
#include "plan/xps.h"

/* A gain must exceed three standard deviations of a predicted load: those of the measured load and,
 * independently, of the loads that move: √2 times the noise. The cap keeps noise from hiding a full
 * CPU beside one that is not. */
#define NOISE_FACTOR (3 * 14142u)
#define MAX_GAIN_NEEDED 2500u
/* Among so many samples of the same loads one shows a heat, and a gain, that do not exist: from
 * then on each must be larger by a gain, until loads shift. */
#define RESTING_CYCLES 60u

/* By then a NAPI that completes at times has followed its interrupt; others need help. */
#define FOLLOWED_NSEC (NB_NSEC_PER_SEC / 5)

struct nb_planner {
	struct nb_board board;
	struct nb_plan plan;
	GArray *moves;
	GArray *rps;
	GArray *rss;
	GArray *threaded;
	GArray *rfs;
	GArray *udp_hashes;
	GArray *channels;
	GArray *device_irqs;
	GArray *xps;
	GArray *xps_masks; /* struct nb_cpumask: of the one in xps */
	GArray *threads;
	GArray *thread_masks; /* struct nb_cpumask and uint32_t: of the one in threads */
	GArray *thread_pids;
	GArray *changes; /* struct nb_change: all of these */
};

struct nb_planner *nb_planner_new(void)
{
	struct nb_planner *planner = g_new0(struct nb_planner, 1);

	nb_board_init(&planner->board);
	planner->moves = g_array_new(FALSE, FALSE, sizeof(struct nb_move));
	planner->rps = g_array_new(FALSE, FALSE, sizeof(struct nb_rps_change));
	planner->rss = g_array_new(FALSE, FALSE, sizeof(struct nb_rss_change));
	planner->threaded = g_array_new(FALSE, FALSE, sizeof(struct nb_threaded_change));
	planner->rfs = g_array_new(FALSE, FALSE, sizeof(struct nb_setting_change));
	planner->udp_hashes = g_array_new(FALSE, FALSE, sizeof(struct nb_setting_change));
	planner->channels = g_array_new(FALSE, FALSE, sizeof(struct nb_setting_change));
	planner->device_irqs = g_array_new(FALSE, FALSE, sizeof(struct nb_move));
	planner->xps = g_array_new(FALSE, FALSE, sizeof(struct nb_follow_change));
	planner->xps_masks = g_array_new(FALSE, FALSE, sizeof(struct nb_cpumask));
	planner->threads = g_array_new(FALSE, FALSE, sizeof(struct nb_follow_change));
	planner->thread_masks = g_array_new(FALSE, FALSE, sizeof(struct nb_cpumask));
	planner->thread_pids = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	planner->changes = g_array_new(FALSE, FALSE, sizeof(struct nb_change));
	return planner;
}

void nb_planner_free(struct nb_planner *planner)
{
	if (!planner)
		return;
	nb_board_clear(&planner->board);
	g_array_unref(planner->moves);
	g_array_unref(planner->rps);
	g_array_unref(planner->rss);
	g_array_unref(planner->threaded);
	g_array_unref(planner->rfs);
	g_array_unref(planner->udp_hashes);
	g_array_unref(planner->channels);
	g_array_unref(planner->device_irqs);
	g_array_unref(planner->xps);
	g_array_unref(planner->xps_masks);
	g_array_unref(planner->threads);
	g_array_unref(planner->thread_masks);
	g_array_unref(planner->thread_pids);
	g_array_unref(planner->changes);
	g_free(planner);
}

static uint32_t least_gain(const struct nb_loads *loads, const struct nb_policy *policy)
{
	uint32_t noise = MIN(loads->noise * NOISE_FACTOR / NB_WHOLE, MAX_GAIN_NEEDED);

	return MAX(policy->minimum_gain, noise);
}

static void count_steady(const struct nb_loads *loads, struct nb_memory *memory)
{
	if (loads->shifted)
		memory->steady_cycles = 0;
	else if (!memory->hurried)
		memory->steady_cycles = MIN(memory->steady_cycles + 1, RESTING_CYCLES);
}

static bool is_hot_by(const struct nb_domain *domain, const struct nb_policy *policy,
		      uint32_t margin)
{
	return domain->hottest != NB_NOWHERE && domain->hottest_load > policy->hot + margin;
}

static bool is_uneven_by(const struct nb_domain *domain, const struct nb_policy *policy,
			 uint32_t margin)
{
	return is_hot_by(domain, policy, margin) &&
	       domain->hottest_load > domain->mean + policy->gap + margin;
}

static bool is_uneven(const struct nb_domain *domain, const struct nb_board *board)
{
	return is_uneven_by(domain, board->policy, domain->urgent ? 0 : board->rest_margin);
}

static bool is_worse(const struct nb_domain *domain, const struct nb_domain *than,
		     const struct nb_board *board)
{
	bool uneven = is_uneven(domain, board), than_uneven = is_uneven(than, board);

	if (uneven != than_uneven)
		return uneven;
	return domain->hottest_load != than->hottest_load
		       ? domain->hottest_load > than->hottest_load
		       : nb_cpumask_count(&domain->cpus) > nb_cpumask_count(&than->cpus);
}

/* The domain that needs attention most, of those not tried: an uneven one before an even one, then
 * the hotter. NULL when none serves a queue. */
static struct nb_domain *worst_domain(const struct nb_board *board)
{
	struct nb_domain *worst = NULL;

	for (unsigned i = 0; i < board->n_domains; i++) {
		struct nb_domain *domain = &board->domains[i];

		if (!domain->tried && domain->hottest != NB_NOWHERE &&
		    (!worst || is_worse(domain, worst, board)))
			worst = domain;
	}
	return worst;
}

/* After a placement one more window is about the old one. A placement made before loads were known
 * is corrected without waiting. */
static bool is_cooling(const struct nb_board *board, const struct nb_memory *memory, bool urgent)
{
	uint64_t cooldown_nsec = board->policy->cooldown_nsec;

	if (urgent || board->now_nsec < memory->settling_until_nsec)
		cooldown_nsec = MIN(cooldown_nsec, board->policy->panic_cooldown_nsec *
							   (memory->last_moves_placed ? 2 : 1));
	return memory->last_moves_nsec && board->now_nsec < memory->last_moves_nsec + cooldown_nsec;
}

static unsigned samples_to_arm(const struct nb_board *board, const struct nb_memory *memory)
{
	return board->now_nsec < memory->settling_until_nsec ? 1 : board->policy->arm_samples;
}

/* intrd's test: the load without the biggest queue says whether there is anything to share. */
static bool one_queue_fills(const struct nb_board *board, const struct nb_domain *domain)
{
	NB_BOARD_FOREACH_QUEUE(i, board, domain->hottest)
	if (nb_board_least_load(&board->queues[i], domain) > board->policy->hot)
		return true;
	return false;
}

/* What is held may move soon; only a CPU in panic does not wait for that. */
static bool may_do_more(const struct nb_board *board, const struct nb_domain *domain,
			enum nb_obstacle obstacle)
{
	if (obstacle == NB_OBSTACLE_HOLD)
		return board->cpus[domain->hottest].panics;
	return obstacle != NB_OBSTACLE_NONE;
}

static bool is_deferred(const struct nb_board *board, const struct nb_domain *domain)
{
	NB_BOARD_FOREACH_QUEUE(i, board, domain->hottest)
	if (board->queues[i].deferred)
		return true;
	return false;
}

/* Entries of the RSS table; then RPS; then threaded NAPI. UNKNOWN: none of them can help. */
static enum nb_verdict share_out(struct nb_planner *planner, const struct nb_domain *domain,
				 struct nb_memory *memory)
{
	struct nb_board *board = &planner->board;
	struct nb_threaded_change threaded;
	struct nb_rss_change table;
	struct nb_rps_change mask;

	switch (nb_buckets_begin(board, memory, domain, planner->plan.gain_needed, &table)) {
	case NB_BUCKETS_COUNT:
		planner->plan.count_buckets = table.key.ifindex;
		return NB_VERDICT_COUNTING;
	case NB_BUCKETS_MOVE:
		g_array_append_val(planner->rss, table);
		return NB_VERDICT_STEERING;
	case NB_BUCKETS_NOTHING:
		break;
	}
	if (nb_steer_begin(board, memory, domain, &mask)) {
		g_array_append_val(planner->rps, mask);
		return NB_VERDICT_STEERING;
	}
	if (nb_threaded_begin(board, memory, domain, planner->plan.gain_needed, &threaded)) {
		g_array_append_val(planner->threaded, threaded);
		return NB_VERDICT_STEERING;
	}
	return NB_VERDICT_UNKNOWN;
}

/* First move interrupts inside the domain; then to other nodes; then packets; else say what is in
 * the way. */
static enum nb_verdict escalate(struct nb_planner *planner, const struct nb_domain *domain,
				struct nb_memory *memory)
{
	struct nb_board *board = &planner->board;
	unsigned number = (unsigned)(domain - board->domains);
	uint32_t gain = planner->plan.gain_needed;
	enum nb_verdict shared;
	enum nb_obstacle obstacle;

	if (nb_buckets_on_trial(board, memory, domain) || nb_threaded_on_trial(memory))
		return NB_VERDICT_COOLING;
	obstacle = nb_balance(board, number, gain, planner->moves);
	if (may_do_more(board, domain, obstacle) &&
	    nb_repack(board, memory, domain, gain, planner->moves))
		return NB_VERDICT_PLACING;
	if (may_do_more(board, domain, obstacle) &&
	    nb_spill(board, memory, number, gain, planner->moves))
		return NB_VERDICT_BALANCING;
	switch (obstacle) {
	case NB_OBSTACLE_NONE:
		return NB_VERDICT_BALANCING;
	case NB_OBSTACLE_HOLD:
		return NB_VERDICT_HELD;
	case NB_OBSTACLE_GAIN:
	case NB_OBSTACLE_FIXED:
		break;
	}
	shared = share_out(planner, domain, memory);
	if (shared != NB_VERDICT_UNKNOWN)
		return shared;
	if (obstacle == NB_OBSTACLE_FIXED)
		return is_deferred(board, domain) ? NB_VERDICT_DEFERRED : NB_VERDICT_HELD;
	if (one_queue_fills(board, domain) || nb_steer_gave_up(board, memory, domain))
		return NB_VERDICT_ONE_FLOW;
	return NB_VERDICT_NO_GAIN;
}

static void describe(struct nb_plan *plan, const struct nb_board *board,
		     const struct nb_domain *domain)
{
	plan->hottest_cpu = (int)board->cpus[domain->hottest].id;
	plan->hottest = domain->hottest_load;
	plan->mean = domain->mean;
}

static enum nb_verdict judge_domain(struct nb_planner *planner, const struct nb_domain *domain,
				    struct nb_memory *memory)
{
	const struct nb_board *board = &planner->board;

	if (!domain->urgent && memory->armed_samples < samples_to_arm(board, memory))
		return NB_VERDICT_ARMING;
	/* A CPU that a queue has yet to leave is full, which is nothing new. */
	if (is_cooling(board, memory, domain->urgent && !domain->awaits))
		return NB_VERDICT_COOLING;
	return escalate(planner, domain, memory);
}

static bool does_something(const struct nb_planner *planner)
{
	return planner->moves->len + planner->rps->len + planner->rss->len +
		       planner->threaded->len >
	       0;
}

/* If the worst domain cannot be helped, the next one may be. If none can, the verdict is that of
 * the worst. */
static enum nb_verdict judge_uneven(struct nb_planner *planner, struct nb_domain *worst,
				    struct nb_memory *memory)
{
	const struct nb_board *board = &planner->board;
	enum nb_verdict first = NB_VERDICT_UNKNOWN;

	for (struct nb_domain *domain = worst; domain && is_uneven(domain, board);
	     domain = worst_domain(board)) {
		enum nb_verdict verdict = judge_domain(planner, domain, memory);

		if (does_something(planner) || planner->plan.count_buckets > 0) {
			describe(&planner->plan, board, domain);
			return verdict;
		}
		domain->tried = true;
		if (domain == worst)
			first = verdict;
	}
	return first;
}

/* From a node that is full though its CPUs are even, or back to one that has room again. */
static enum nb_verdict judge_nodes(struct nb_planner *planner, const struct nb_memory *memory)
{
	struct nb_board *board = &planner->board;

	if (is_cooling(board, memory, false))
		return NB_VERDICT_UNKNOWN;
	if (nb_spill_any(board, memory, planner->plan.gain_needed, planner->moves))
		return NB_VERDICT_BALANCING;
	return nb_spill_back(board, memory, planner->moves) ? NB_VERDICT_PLACING
							    : NB_VERDICT_UNKNOWN;
}

static enum nb_verdict judge_even(struct nb_planner *planner, const struct nb_domain *worst,
				  struct nb_memory *memory)
{
	const struct nb_policy *policy = planner->board.policy;

	memory->armed_samples = 0;
	memory->repack_tries = 0;
	if (nb_steer_has_hot_target(&planner->board, memory) ||
	    (worst && is_uneven_by(worst, policy, 0)))
		return NB_VERDICT_NO_GAIN;
	return worst && is_hot_by(worst, policy, 0) ? NB_VERDICT_EVEN : NB_VERDICT_QUIET;
}

static enum nb_verdict judge_balance(struct nb_planner *planner, struct nb_domain *worst,
				     struct nb_memory *memory)
{
	if (!worst || !is_uneven(worst, &planner->board))
		return judge_even(planner, worst, memory);
	if (!memory->hurried)
		memory->armed_samples =
			MIN(memory->armed_samples + 1, planner->board.policy->arm_samples);
	return judge_uneven(planner, worst, memory);
}

/* CPUs that let NET_RX wait too long below Hot=. That none of them can be helped is told only where
 * there is nothing worse to tell. */
static enum nb_verdict judge_delays(struct nb_planner *planner, const struct nb_memory *memory,
				    enum nb_verdict verdict)
{
	struct nb_board *board = &planner->board;

	if (planner->plan.count_buckets > 0 || is_cooling(board, memory, false) ||
	    !nb_memory_is_settled(memory, board->now_nsec))
		return verdict;
	switch (nb_delay_relieve(board, memory, planner->plan.gain_needed, planner->moves)) {
	case NB_DELAY_MOVED:
		return NB_VERDICT_BALANCING;
	case NB_DELAY_HELPLESS:
		return verdict == NB_VERDICT_QUIET ? NB_VERDICT_DELAYED : verdict;
	case NB_DELAY_NONE:
		break;
	}
	return verdict;
}

static enum nb_verdict judge_load(struct nb_planner *planner, struct nb_domain *worst,
				  struct nb_memory *memory)
{
	enum nb_verdict verdict = judge_balance(planner, worst, memory), nodes;

	if (does_something(planner))
		return verdict;
	nodes = judge_nodes(planner, memory);
	if (nodes != NB_VERDICT_UNKNOWN)
		return nodes;
	return judge_delays(planner, memory, verdict);
}

/* With other channels a NIC has other interrupts: nothing else then. Placement and undo come before
 * balancing, and masks that are set before new ones. */
static enum nb_verdict judge(struct nb_planner *planner, const struct nb_machine *machine,
			     struct nb_domain *worst, struct nb_memory *memory)
{
	struct nb_board *board = &planner->board;
	struct nb_unstick unstick = {.rps = planner->rps, .rss = planner->rss};
	struct nb_threaded_change threaded;
	struct nb_rss_change table;
	struct nb_rps_change change;

	nb_configure_channels(board, machine, memory, planner->channels);
	if (planner->channels->len > 0)
		return NB_VERDICT_CONFIGURING;
	nb_configure_hashes(board, machine, memory, planner->udp_hashes);
	nb_unstick(board, memory, &unstick);
	planner->plan.again_nsec = unstick.again_nsec;
	nb_steer_obey(board, memory, planner->rps);
	nb_place(board, planner->moves);
	if (planner->moves->len > 0)
		return NB_VERDICT_PLACING;
	if (nb_undo(board, memory, planner->moves))
		return NB_VERDICT_UNDOING;
	if (planner->rps->len + planner->rss->len > 0)
		return NB_VERDICT_STEERING;
	if (nb_buckets_review(board, memory, &table)) {
		g_array_append_val(planner->rss, table);
		return NB_VERDICT_STEERING;
	}
	if (nb_steer_review(board, memory, &change)) {
		g_array_append_val(planner->rps, change);
		return NB_VERDICT_STEERING;
	}
	if (nb_threaded_review(board, machine, memory, &threaded)) {
		g_array_append_val(planner->threaded, threaded);
		return NB_VERDICT_STEERING;
	}
	return judge_load(planner, worst, memory);
}

/* What can be told without loads: who may not be where. */
static enum nb_verdict obey(struct nb_planner *planner, const struct nb_memory *memory)
{
	nb_steer_obey(&planner->board, memory, planner->rps);
	nb_place_obey(&planner->board, planner->moves);
	return planner->moves->len > 0 ? NB_VERDICT_PLACING : NB_VERDICT_UNKNOWN;
}

static void note_applications(const struct nb_planner *planner)
{
	const struct nb_board *board = &planner->board;
	uint32_t applications = 0;

	if (planner->rps->len == 0)
		return;
	for (unsigned i = 0; i < board->n_cpus; i++)
		applications += board->cpus[i].applications.least;
	for (unsigned i = 0; i < planner->rps->len; i++)
		g_array_index(planner->rps, struct nb_rps_change, i).applications = applications;
}

static bool moves_saturated(const struct nb_planner *planner)
{
	for (unsigned i = 0; i < planner->moves->len; i++)
		if (g_array_index(planner->moves, struct nb_move, i).saturated)
			return true;
	return false;
}

static void add_moves(GArray *changes, enum nb_kind kind, const GArray *moves)
{
	for (unsigned i = 0; i < moves->len; i++) {
		struct nb_change change =
			nb_change_of_move(kind, &g_array_index(moves, struct nb_move, i));

		g_array_append_val(changes, change);
	}
}

static void add_masks(GArray *changes, const GArray *masks)
{
	for (unsigned i = 0; i < masks->len; i++) {
		struct nb_change change =
			nb_change_of_rps(&g_array_index(masks, struct nb_rps_change, i));

		g_array_append_val(changes, change);
	}
}

static void add_tables(GArray *changes, const GArray *tables)
{
	for (unsigned i = 0; i < tables->len; i++) {
		struct nb_change change =
			nb_change_of_rss(&g_array_index(tables, struct nb_rss_change, i));

		g_array_append_val(changes, change);
	}
}

static void add_followers(GArray *changes, enum nb_kind kind, const GArray *followers)
{
	for (unsigned i = 0; i < followers->len; i++) {
		struct nb_change change = nb_change_of_follow(
			kind, &g_array_index(followers, struct nb_follow_change, i));

		g_array_append_val(changes, change);
	}
}

static void add_threaded(GArray *changes, const GArray *threaded)
{
	for (unsigned i = 0; i < threaded->len; i++) {
		struct nb_change change = nb_change_of_threaded(
			&g_array_index(threaded, struct nb_threaded_change, i));

		g_array_append_val(changes, change);
	}
}

static void add_settings(GArray *changes, enum nb_kind kind, const GArray *settings)
{
	for (unsigned i = 0; i < settings->len; i++) {
		struct nb_change change = nb_change_of_setting(
			kind, &g_array_index(settings, struct nb_setting_change, i));

		g_array_append_val(changes, change);
	}
}

static void clear(struct nb_planner *planner)
{
	g_array_set_size(planner->moves, 0);
	g_array_set_size(planner->rps, 0);
	g_array_set_size(planner->rss, 0);
	g_array_set_size(planner->threaded, 0);
	g_array_set_size(planner->rfs, 0);
	g_array_set_size(planner->udp_hashes, 0);
	g_array_set_size(planner->channels, 0);
	g_array_set_size(planner->device_irqs, 0);
	g_array_set_size(planner->xps, 0);
	g_array_set_size(planner->threads, 0);
	g_array_set_size(planner->changes, 0);
}

/* Changes point into the arrays, which grow no more. */
static void list_changes(struct nb_planner *planner)
{
	add_moves(planner->changes, NB_KIND_QUEUE, planner->moves);
	add_masks(planner->changes, planner->rps);
	add_moves(planner->changes, NB_KIND_DEVICE_IRQ, planner->device_irqs);
	add_tables(planner->changes, planner->rss);
	add_threaded(planner->changes, planner->threaded);
	add_followers(planner->changes, NB_KIND_XPS, planner->xps);
	add_followers(planner->changes, NB_KIND_THREAD, planner->threads);
	add_settings(planner->changes, NB_KIND_RFS, planner->rfs);
	add_settings(planner->changes, NB_KIND_UDP_HASH, planner->udp_hashes);
	add_settings(planner->changes, NB_KIND_CHANNELS, planner->channels);
	planner->plan.changes = (struct nb_change *)(void *)planner->changes->data;
	planner->plan.n_changes = planner->changes->len;
}

static bool is_idle(const struct nb_planner *planner)
{
	return planner->moves->len + planner->rps->len + planner->rss->len +
		       planner->threaded->len + planner->channels->len +
		       planner->device_irqs->len ==
	       0;
}

static void follow(struct nb_planner *planner, const struct nb_machine *machine,
		   const struct nb_memory *memory)
{
	struct nb_follow_change change;

	if (nb_xps_follow(&planner->board, machine, memory, planner->xps_masks, &change))
		g_array_append_val(planner->xps, change);
	if (nb_threads_follow(&planner->board, machine, memory, planner->thread_masks,
			      planner->thread_pids, &change))
		g_array_append_val(planner->threads, change);
}

struct nb_plan *nb_planner_run(struct nb_planner *planner, const struct nb_snapshot *snapshot,
			       const struct nb_loads *loads, const struct nb_policy *policy,
			       struct nb_memory *memory)
{
	struct nb_plan *plan = &planner->plan;
	uint32_t gain = least_gain(loads, policy);
	struct nb_domain *worst;

	clear(planner);
	if (memory->begun_nsec == 0)
		memory->begun_nsec = snapshot->taken_nsec;
	count_steady(loads, memory);
	planner->board.rest_margin = memory->steady_cycles < RESTING_CYCLES ? 0 : gain;
	*plan = (struct nb_plan){.hottest_cpu = -1,
				 .gain_needed = gain + planner->board.rest_margin};
	nb_board_set_up(&planner->board, snapshot, loads, policy, memory);
	if (planner->board.common_changed)
		nb_plan_device_irqs_obey(&planner->board, snapshot->machine, loads, memory,
					 planner->device_irqs);
	if (loads->window_nsec == 0) {
		plan->verdict = obey(planner, memory);
		list_changes(planner);
		return plan;
	}
	nb_steer_expect(&planner->board, memory);
	nb_spill_look(&planner->board, memory, plan->gain_needed);
	nb_delays_look(memory, loads, policy);
	worst = worst_domain(&planner->board);
	if (worst)
		describe(plan, &planner->board, worst);
	plan->verdict = judge(planner, snapshot->machine, worst, memory);
	note_applications(planner);
	if (moves_saturated(planner) && plan->again_nsec == 0)
		plan->again_nsec = FOLLOWED_NSEC;
	memory->hurried = plan->again_nsec > 0;
	if (is_idle(planner))
		nb_plan_device_irqs(&planner->board, snapshot->machine, loads, memory,
				    planner->device_irqs);
	if (is_idle(planner))
		follow(planner, snapshot->machine, memory);
	if (is_idle(planner))
		nb_configure_rfs(&planner->board, snapshot->machine, memory, planner->rfs);
	list_changes(planner);
	return plan;
}

struct nb_plan *nb_planner_withdraw(struct nb_planner *planner, const struct nb_memory *memory)
{
	clear(planner);
	planner->plan.count_buckets = 0;
	nb_unstick_tables_back(memory, planner->rss);
	list_changes(planner);
	return &planner->plan;
}
