/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/threads.h"

#include "base/memory.h"
#include "plan/follow.h"

/* Where the thread is to be: where the interrupt goes, if the queue may be there. An interrupt that
 * the kernel holds elsewhere takes no thread with it. -1: where it was found. */
static int cpu_of(const struct nb_board *board, const struct nb_board_queue *queue)
{
	int cpu = queue->state->affinity_cpu;
	unsigned at = cpu < 0 ? NB_NOWHERE : nb_board_find_cpu(board, cpu);

	return at != NB_NOWHERE && nb_board_allows(board, queue, at) ? cpu : -1;
}

/* That we switched threaded NAPI on was for the scheduler to take a thread off a CPU. */
static bool is_to_follow(const struct nb_follow_view *view, const struct nb_board_queue *queue)
{
	return queue->key.ifindex == view->nic->ifindex && queue->thread != 0 &&
	       !nb_memory_is_threaded(view->memory, queue->key);
}

/* The threads of the NIC and their places. 0: there is none that is, or is to be, bound. */
static uint64_t lay_out(const struct nb_follow_view *view, GArray *masks, GArray *pids)
{
	uint64_t digest = NB_FOLLOW_BEGIN;
	bool any = view->row && view->row->ours;

	g_array_set_size(masks, 0);
	g_array_set_size(pids, 0);
	for (unsigned i = 0; i < view->board->n_queues; i++) {
		const struct nb_board_queue *queue = &view->board->queues[i];
		struct nb_cpumask mask = {};
		int cpu;

		if (!is_to_follow(view, queue))
			continue;
		cpu = cpu_of(view->board, queue);
		if (cpu >= 0)
			nb_cpumask_add(&mask, (unsigned)cpu);
		any |= cpu >= 0;
		digest = nb_follow_add(nb_follow_add(digest, queue->thread), (uint64_t)cpu);
		g_array_append_val(masks, mask);
		g_array_append_val(pids, queue->thread);
	}
	return any && pids->len > 0 ? nb_follow_end(digest) : 0;
}

static bool follow(const struct nb_follow_view *view, GArray *masks, GArray *pids,
		   struct nb_follow_change *ret)
{
	uint64_t places;

	if (!view->wanted || view->nic->scope != NB_SCOPE_IN)
		return false;
	places = lay_out(view, masks, pids);
	if (places == 0 || !nb_follow_may_be_tried(view, pids->len) ||
	    nb_follow_is_done(view, places, pids->len))
		return false;
	*ret = (struct nb_follow_change){
		.key.ifindex = view->nic->ifindex,
		.reason = NB_REASON_THREAD_FOLLOW,
		.to = (const struct nb_cpumask *)(const void *)masks->data,
		.threads = (const uint32_t *)(const void *)pids->data,
		.n = pids->len,
		.places = places,
		.carrier_changes = nb_follow_carrier_changes(view),
	};
	return true;
}

bool nb_threads_follow(const struct nb_board *board, const struct nb_machine *machine,
		       const struct nb_memory *memory, GArray *masks, GArray *pids,
		       struct nb_follow_change *ret)
{
	struct nb_follow_view view = {board, machine, memory, &memory->threads,
				      .wanted = board->policy->threads};

	if (!board->policy->threads && memory->threads.n == 0)
		return false;
	for (unsigned i = 0; nb_follow_look_at(&view, i); i++) {
		if (nb_follow_is_to_return(&view)) {
			*ret = (struct nb_follow_change){.key.ifindex = view.nic->ifindex,
							 .reason = NB_REASON_THREAD_BACK};
			return true;
		}
		if (follow(&view, masks, pids, ret))
			return true;
	}
	return false;
}
