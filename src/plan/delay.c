/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/delay.h"

#include "base/delays.h"
#include "plan/step.h"

/* Bursts meet by chance: who still waits after two queues have left waits for something else. */
#define MOST_MOVES 2u

/* Bursts can only wait for each other where there are two; and what applications or interrupts of
 * other devices hold up no move of a queue helps. */
static bool is_shared(const struct nb_board *board, unsigned cpu)
{
	unsigned n = 0;

	NB_BOARD_FOREACH_QUEUE(i, board, cpu)
	n += board->queues[i].load >= board->policy->minimum_gain;
	return n >= 2 && board->cpus[cpu].queues >= board->cpus[cpu].fixed;
}

static struct nb_step best_step(struct nb_board *board, unsigned cpu, uint32_t gain)
{
	struct nb_step best = {};

	for (unsigned i = 0; i < board->n_domains; i++) {
		struct nb_step_search search = {
			.board = board,
			.domain = i,
			.gain = MAX(gain, 1),
		};
		struct nb_step step;

		nb_step_search_begin(&search);
		step = nb_step_search_from(&search, cpu, 1);
		if (step.queue && (!best.queue || step.gain > best.gain))
			best = step;
	}
	return best;
}

static bool relieve(struct nb_board *board, unsigned cpu, const struct nb_delay_memory *delay,
		    uint32_t gain, GArray *moves)
{
	struct nb_step step;

	if (delay->moves >= MOST_MOVES || !is_shared(board, cpu))
		return false;
	step = best_step(board, cpu, gain);
	if (!step.queue)
		return false;
	nb_moves_add(moves, board, step.queue, step.target, NB_REASON_DELAY);
	g_array_index(moves, struct nb_move, moves->len - 1).delay_usec = delay->usec;
	return true;
}

/* Balancing cares for a CPU that is hot, and one that serves no queue has none to give. */
enum nb_delay_answer nb_delay_relieve(struct nb_board *board, const struct nb_memory *memory,
				      uint32_t gain, GArray *moves)
{
	enum nb_delay_answer answer = NB_DELAY_NONE;

	for (unsigned i = 0; i < memory->n_delays; i++) {
		const struct nb_delay_memory *delay = &memory->delays[i];
		unsigned cpu = nb_board_find_cpu(board, (int)delay->id);

		if (cpu == NB_NOWHERE || board->cpus[cpu].first_queue == NB_NOWHERE ||
		    !nb_delays_acts(delay) || nb_board_load(board, cpu) > board->policy->hot)
			continue;
		if (relieve(board, cpu, delay, gain, moves))
			return NB_DELAY_MOVED;
		answer = NB_DELAY_HELPLESS;
	}
	return answer;
}
