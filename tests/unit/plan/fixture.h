/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A host, its board, and what comes of it: the fixture of what works on a board. The host is made
 * by set_up() of each test program. */

#include "plan/board.h"
#include "support/host.h"
#include "support/support.h"

struct fixture {
	struct nb_host *host;
	struct nb_board board;
	GArray *moves;   /* struct nb_move */
	GArray *changes; /* struct nb_rps_change */
	struct nb_rps_change change;
	struct nb_cpumask keep, mask; /* of a spread */
};

/* Takes over the host. */
static inline int begin_with(void **state, struct nb_host *host)
{
	struct fixture *f = g_new0(struct fixture, 1);

	f->host = host;
	nb_board_init(&f->board);
	f->moves = g_array_new(FALSE, FALSE, sizeof(struct nb_move));
	f->changes = g_array_new(FALSE, FALSE, sizeof(struct nb_rps_change));
	*state = f;
	return 0;
}

static inline int tear_down(void **state)
{
	struct fixture *f = *state;

	g_array_unref(f->moves);
	g_array_unref(f->changes);
	nb_board_clear(&f->board);
	nb_host_free(f->host);
	g_free(f);
	return 0;
}

static inline void lay_out(struct fixture *f)
{
	nb_board_set_up(&f->board, &f->host->snapshot, &f->host->loads, &f->host->policy,
			&f->host->memory);
}

/* A second passes, and the board is laid out. What came of the last one is forgotten. */
static inline void look(struct fixture *f)
{
	nb_memory_sync(&f->host->memory, &f->host->snapshot);
	nb_host_tick(f->host, NB_NSEC_PER_SEC);
	lay_out(f);
	g_array_set_size(f->moves, 0);
	g_array_set_size(f->changes, 0);
}

/* The domain of a queue. */
static inline const struct nb_domain *domain_of(const struct fixture *f, unsigned queue)
{
	return &f->board.domains[f->board.queues[queue].domain];
}

static inline const struct nb_move *move(const struct fixture *f, unsigned i)
{
	assert_true(i < f->moves->len);
	return &g_array_index(f->moves, struct nb_move, i);
}

#define WITH_HOST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
