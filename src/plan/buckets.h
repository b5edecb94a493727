/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Entries of the RSS indirection table (buckets), moved when no placement evens out the queues of a
 * NIC: some buckets of a hot queue get another one, as few as reach the goal. That costs nothing
 * for each packet, and reorders those of the flows that move once; so it comes before RPS. It
 * needs packets counted by bucket (struct nb_bucket_counts). The idea is that of Barbette,
 * Katsikas, Maguire and Kostić: RSS++ (CoNEXT 2019). Pure. */

#include "nicbalance/plan.h"
#include "plan/board.h"

enum nb_bucket_step {
	NB_BUCKETS_NOTHING, /* they cannot help */
	NB_BUCKETS_COUNT,   /* their packets are to be counted */
	NB_BUCKETS_MOVE,
};

/* Relieves the queue that makes the hottest CPU of the domain hot. ret is set unless it is NOTHING:
 * its key names the NIC. A table that is neither even nor ours is an administrator's, and left
 * alone. Notes in memory what was in vain. */
enum nb_bucket_step nb_buckets_begin(struct nb_board *board, struct nb_memory *memory,
				     const struct nb_domain *domain, uint32_t gain,
				     struct nb_rss_change *ret);

/* Buckets of the NIC whose queue makes the hottest CPU of the domain hot have just moved, and
 * whether that helps is not known yet: a queue that was full takes a moment to do what waits in its
 * ring. */
bool nb_buckets_on_trial(const struct nb_board *board, const struct nb_memory *memory,
			 const struct nb_domain *domain);

/* Reviews the tables in which we moved buckets: the original one returns if that did not help, or
 * is no longer needed. At most one change; false if there is none. Counts calm samples in memory.
 */
bool nb_buckets_review(const struct nb_board *board, const struct nb_memory *memory,
		       struct nb_rss_change *ret);

/* Which buckets move where, by what was counted, if the hottest CPU of the NIC's queues gets cooler
 * by gain. ret: from, to, n_entries, n_moved. */
bool nb_buckets_even_out(struct nb_board *board, uint32_t gain, struct nb_rss_change *ret);

/* Whether the queue takes part: its buckets may leave it, and others come. */
bool nb_buckets_may_move(const struct nb_board *board, const struct nb_board_queue *queue);
