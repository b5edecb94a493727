/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/undo.h"

#include "base/memory.h"
#include "plan/step.h"

/* The move to revert: its last one, whose verification is over. */
static const struct nb_move *last_move(const struct nb_board_queue *queue)
{
	return &queue->memory->pending.move;
}

/* Where it came from; NB_NOWHERE when it is not where it was moved to, or may not go back. */
static unsigned way_back(const struct nb_board *board, const struct nb_board_queue *queue)
{
	unsigned home = nb_board_find_cpu(board, last_move(queue)->cpu_from);

	if (!queue->movable || queue->steered || home == NB_NOWHERE || queue->cpu == NB_NOWHERE ||
	    board->cpus[queue->cpu].id != last_move(queue)->cpu_to ||
	    !nb_board_allows(board, queue, home))
		return NB_NOWHERE;
	return home;
}

/* The gain of a swap is that from the hotter of its two CPUs. */
static uint32_t gain_of(struct nb_board *board, struct nb_board_queue *queue,
			struct nb_board_queue *partner)
{
	struct nb_step step = {.queue = queue, .back = partner, .target = way_back(board, queue)};

	if (partner && nb_board_load(board, partner->cpu) > nb_board_load(board, queue->cpu))
		step = (struct nb_step){
			.queue = partner, .back = queue, .target = way_back(board, partner)};
	nb_step_weigh(board, &step);
	return step.gain;
}

/* Half of a swap is not reverted alone: that would leave both queues on one CPU. */
static void take_back(struct nb_board *board, const struct nb_memory *memory,
		      struct nb_board_queue *queue, GArray *moves)
{
	const struct nb_queue_memory *other = nb_memory_find_partner(memory, queue->memory);
	struct nb_board_queue *partner = other ? nb_board_find_queue(board, other->key) : NULL;
	unsigned home = way_back(board, queue), partners_home = NB_NOWHERE;

	queue->memory->undo = false;
	if (partner) {
		partner->memory->undo = false;
		partners_home = way_back(board, partner);
	}
	if (home == NB_NOWHERE || (partner && partners_home == NB_NOWHERE) ||
	    gain_of(board, queue, partner) == 0)
		return;
	nb_moves_add(moves, board, queue, home, NB_REASON_UNDO);
	if (partner)
		nb_moves_add(moves, board, partner, partners_home, NB_REASON_UNDO);
}

bool nb_undo(struct nb_board *board, const struct nb_memory *memory, GArray *moves)
{
	unsigned before = moves->len;

	for (unsigned i = 0; i < board->n_queues; i++)
		if (board->queues[i].memory->undo)
			take_back(board, memory, &board->queues[i], moves);
	return moves->len > before;
}
