/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Plans made by hand, and what is in those of the planner. */

#include "nicbalance/plan.h"

/* An initializer of a struct nb_plan; it lives as long as the block it is in. */
#define PLAN_OF(...)                                                                               \
	{                                                                                          \
		.changes = (struct nb_change[]){__VA_ARGS__},                                      \
		.n_changes = sizeof((struct nb_change[]){__VA_ARGS__}) / sizeof(struct nb_change), \
	}
#define MOVE(move) nb_change_of_move(NB_KIND_QUEUE, move)
#define MOVE_IRQ(move) nb_change_of_move(NB_KIND_DEVICE_IRQ, move)
#define STEER(rps) nb_change_of_rps(rps)
#define REDIRECT(rss) nb_change_of_rss(rss)
#define SWITCH(threaded) nb_change_of_threaded(threaded)
#define FOLLOW(kind, follow) nb_change_of_follow(kind, follow)
#define SET(kind, setting) nb_change_of_setting(kind, setting)

static inline unsigned n_moves(const struct nb_plan *plan)
{
	return nb_plan_count(plan, NB_KIND_QUEUE);
}

static inline unsigned n_masks(const struct nb_plan *plan)
{
	return nb_plan_count(plan, NB_KIND_RPS);
}

static inline unsigned n_irqs(const struct nb_plan *plan)
{
	return nb_plan_count(plan, NB_KIND_DEVICE_IRQ);
}

/* What became of all that is in it. */
static inline void set_outcome(struct nb_plan *plan, enum nb_outcome outcome)
{
	for (unsigned i = 0; i < plan->n_changes; i++)
		plan->changes[i].outcome = outcome;
}
