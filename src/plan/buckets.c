/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/buckets.h"

#include "base/memory.h"
#include "base/rss_table.h"

/* Packets are counted for so long at least, and at most until there are enough of them. That they
 * are begun to be counted is waited for as long. */
#define COUNT_NSEC NB_NSEC_PER_SEC
#define MOST_NSEC (5 * NB_NSEC_PER_SEC)
#define ENOUGH_PACKETS 1000u
/* One packet in so many may be where the table does not send it: filters choose queues, too. With
 * more the hash says nothing. */
#define STRAYS 10u
/* A hash that was reckoned may not be the NIC's, and its buckets in the right queues by chance:
 * that must be as unlikely as one in so many. */
#define CHANCE 1000u

/* Consecutive samples for which no table of ours must be needed before the original one returns. */
#define CALM_SAMPLES 10u

static bool is_free(const struct nb_board *board, const struct nb_rss_memory *rss)
{
	uint64_t dwell_nsec;

	if (!rss)
		return true;
	dwell_nsec = nb_memory_quadruple(board->policy->rps_dwell_nsec, rss->failures);
	return !rss->refused && nb_cpumask_empty(&rss->queues) &&
	       board->now_nsec >= rss->yielded_until_nsec &&
	       (rss->set_nsec == 0 || board->now_nsec >= rss->set_nsec + dwell_nsec);
}

bool nb_buckets_on_trial(const struct nb_board *board, const struct nb_memory *memory,
			 const struct nb_domain *domain)
{
	const struct nb_board_queue *queue = nb_board_biggest_queue(board, domain->hottest);
	const struct nb_rss_memory *rss =
		queue ? nb_memory_find_rss(memory, queue->key.ifindex) : NULL;

	return rss && rss->trial.active;
}

/* Another queue of its NIC is on a CPU that is cooler by that much. */
static bool has_cooler_queue(const struct nb_board *board, const struct nb_board_queue *of,
			     uint32_t gain)
{
	uint32_t load = nb_board_load(board, of->cpu);

	for (unsigned i = 0; i < board->n_queues; i++) {
		const struct nb_board_queue *queue = &board->queues[i];

		if (queue->key.ifindex == of->key.ifindex && nb_buckets_may_move(board, queue) &&
		    nb_board_load(board, queue->cpu) + gain <= load)
			return true;
	}
	return false;
}

static const struct nb_board_queue *culprit(const struct nb_board *board,
					    const struct nb_memory *memory,
					    const struct nb_domain *domain, uint32_t gain)
{
	const struct nb_board_queue *queue = nb_board_biggest_queue(board, domain->hottest);

	if (!board->policy->rss || !(board->counts->able || board->counts->soon) || !queue ||
	    !nb_buckets_may_move(board, queue) || queue->load < gain ||
	    !is_free(board, nb_memory_find_rss(memory, queue->key.ifindex)))
		return NULL;
	return has_cooler_queue(board, queue, gain) ? queue : NULL;
}

/* As we left it; or if we had not changed it, nobody's. */
static bool is_free_to_set(const struct nb_board *board, const struct nb_rss_memory *rss)
{
	const struct nb_bucket_counts *counts = board->counts;

	if (rss && rss->spread)
		return rss->spread == nb_table_digest(counts->queues, counts->n);
	return nb_table_is_even(counts->queues, counts->n, counts->n_rings);
}

static uint64_t count_packets(const struct nb_board *board)
{
	uint64_t packets = 0;

	for (unsigned i = 0; i < board->counts->n; i++)
		packets += board->counts->packets[i];
	return packets;
}

/* By chance a bucket is in the right queue once in as many times as there are queues. Counted by
 * buckets, for packets of one flow are all where the first one is. */
static bool is_no_chance(const struct nb_bucket_counts *counts)
{
	unsigned n_tries = 1;

	for (unsigned i = 0; i < counts->n_agreeing && n_tries < CHANCE; i++)
		n_tries *= counts->n_rings;
	return n_tries >= CHANCE && counts->n_disagreeing * STRAYS <= counts->n_agreeing;
}

static bool is_where_the_table_sends_it(const struct nb_bucket_counts *counts, uint64_t packets)
{
	if (counts->strayed * STRAYS > packets + counts->strayed)
		return false;
	return counts->reckoned * STRAYS <= packets || is_no_chance(counts);
}

/* What these counts are good for. */
static enum nb_bucket_step assess(const struct nb_board *board, const struct nb_rss_memory *rss)
{
	const struct nb_bucket_counts *counts = board->counts;
	uint64_t packets;

	if (counts->n == 0 || !is_free_to_set(board, rss))
		return NB_BUCKETS_NOTHING;
	packets = count_packets(board);
	if (board->now_nsec < counts->since_nsec + COUNT_NSEC ||
	    (packets + counts->strayed < ENOUGH_PACKETS &&
	     board->now_nsec < counts->since_nsec + MOST_NSEC))
		return NB_BUCKETS_COUNT;
	return is_where_the_table_sends_it(counts, packets) ? NB_BUCKETS_MOVE : NB_BUCKETS_NOTHING;
}

/* In the last window, as the verifier measures it. */
static void measure(const struct nb_board *board, struct nb_rss_change *change)
{
	for (unsigned i = 0; i < board->n_queues; i++) {
		const struct nb_board_queue *queue = &board->queues[i];

		if (queue->key.ifindex != change->key.ifindex || queue->cpu == NB_NOWHERE)
			continue;
		change->hottest_before =
			MAX(change->hottest_before, board->cpus[queue->cpu].window_busy);
		change->packets_per_sec += queue->packets_per_sec;
	}
}

static void back_off(const struct nb_board *board, struct nb_memory *memory, int ifindex)
{
	struct nb_rss_memory *rss = nb_memory_get_rss(memory, ifindex);

	rss->set_nsec = board->now_nsec;
	rss->asked_nsec = 0;
	rss->failures++;
}

/* What was asked for long ago was for another load. */
static enum nb_bucket_step ask(const struct nb_board *board, struct nb_memory *memory, int ifindex)
{
	struct nb_rss_memory *rss = nb_memory_get_rss(memory, ifindex);

	if (rss->asked_nsec == 0 || board->now_nsec > rss->asked_nsec + 2 * MOST_NSEC)
		rss->asked_nsec = board->now_nsec;
	return board->now_nsec < rss->asked_nsec + MOST_NSEC ? NB_BUCKETS_COUNT
							     : NB_BUCKETS_NOTHING;
}

enum nb_bucket_step nb_buckets_begin(struct nb_board *board, struct nb_memory *memory,
				     const struct nb_domain *domain, uint32_t gain,
				     struct nb_rss_change *ret)
{
	const struct nb_board_queue *queue = culprit(board, memory, domain, gain);
	enum nb_bucket_step answer;

	if (!queue)
		return NB_BUCKETS_NOTHING;
	*ret = (struct nb_rss_change){.key.ifindex = queue->key.ifindex,
				      .reason = NB_REASON_RSS_SPREAD};
	answer = board->counts->ifindex == queue->key.ifindex
			 ? assess(board, nb_memory_find_rss(memory, queue->key.ifindex))
			 : ask(board, memory, queue->key.ifindex);
	if (answer == NB_BUCKETS_MOVE && !nb_buckets_even_out(board, gain, ret))
		answer = NB_BUCKETS_NOTHING;
	if (answer == NB_BUCKETS_NOTHING)
		back_off(board, memory, queue->key.ifindex);
	if (answer == NB_BUCKETS_MOVE)
		measure(board, ret);
	return answer;
}

/* Any one of its queues could do the work of all, be it that of the smallest CPU. */
static bool is_calm(const struct nb_board *board, int ifindex)
{
	uint32_t least = NB_WHOLE, load = 0;

	for (unsigned i = 0; i < board->n_queues; i++) {
		const struct nb_board_queue *queue = &board->queues[i];

		if (queue->key.ifindex != ifindex)
			continue;
		load += nb_board_whole_load(queue);
		if (queue->cpu != NB_NOWHERE)
			least = MIN(least, board->cpus[queue->cpu].capacity);
	}
	return nb_capacity_convert(load, NB_WHOLE, least) < board->policy->hot / 2;
}

static bool is_needed_no_more(const struct nb_board *board, const struct nb_memory *memory,
			      struct nb_rss_memory *rss)
{
	if (board->policy->rss && !is_calm(board, rss->ifindex))
		rss->calm_samples = 0;
	else if (!memory->hurried)
		rss->calm_samples++;
	return rss->calm_samples >= CALM_SAMPLES &&
	       board->now_nsec >= rss->set_nsec + board->policy->rps_dwell_nsec / 3;
}

bool nb_buckets_review(const struct nb_board *board, const struct nb_memory *memory,
		       struct nb_rss_change *ret)
{
	for (unsigned i = 0; i < memory->n_rss; i++) {
		struct nb_rss_memory *rss = &memory->rss[i];

		if (!rss->spread || !(rss->no_gain || is_needed_no_more(board, memory, rss)))
			continue;
		*ret = (struct nb_rss_change){.key.ifindex = rss->ifindex,
					      .reason = rss->no_gain ? NB_REASON_RSS_NO_GAIN
								     : NB_REASON_RSS_CALM};
		return true;
	}
	return false;
}
