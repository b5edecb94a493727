/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/moves.h"

static uint32_t busy_or_zero(const struct nb_board *board, unsigned cpu)
{
	return cpu == NB_NOWHERE ? 0 : board->cpus[cpu].busy;
}

static uint32_t fixed_or_zero(const struct nb_board *board, unsigned cpu)
{
	return cpu == NB_NOWHERE ? 0 : nb_board_time(&board->cpus[cpu], board->cpus[cpu].fixed);
}

/* What its queues want beyond what they got is not known, also of one that lives on what the others
 * leave it and completes. */
static bool is_squeezed(const struct nb_board *board, unsigned cpu)
{
	return cpu != NB_NOWHERE && board->cpus[cpu].squeezed;
}

void nb_moves_add(GArray *moves, struct nb_board *board, struct nb_board_queue *queue, unsigned cpu,
		  enum nb_reason reason)
{
	unsigned source = queue->cpu;
	struct nb_move move = {
		.key = queue->key,
		.reason = reason,
		.cpu_from = source == NB_NOWHERE ? -1 : (int)board->cpus[source].id,
		.cpu_to = board->cpus[cpu].id,
		.saturated = queue->saturated || is_squeezed(board, source),
		.load = queue->time,
		.source_applications =
			source == NB_NOWHERE ? 0 : board->cpus[source].applications.least,
		.source_before = busy_or_zero(board, source),
		.target_before = board->cpus[cpu].busy,
		.source_fixed = fixed_or_zero(board, source),
		.target_fixed = fixed_or_zero(board, cpu),
	};

	nb_board_place(board, queue, cpu);
	move.source_after = busy_or_zero(board, source);
	move.target_after = board->cpus[cpu].busy;
	g_array_append_val(moves, move);
}
