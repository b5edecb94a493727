/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The loop over a host of data: measure, plan, verify, obey. */

#include "plan/planner.h"
#include "support/host.h"
#include "support/meter.h"
#include "support/support.h"
#include "verify/verify.h"

struct loop {
	struct nb_host *host;
	struct nb_planner *planner;
	struct nb_meter *meter; /* NULL: all is measured exactly */
	uint64_t step_nsec;     /* between two cycles, … */
	uint64_t again_nsec;    /* … but that the last plan asked for; 0: for none */
	GArray *findings;       /* of the last cycle: struct nb_finding */
	GArray *outcomes;
	unsigned yields; /* findings of all cycles, by kind */
	unsigned worse;
};

/* Takes over the host. */
static inline struct loop loop_of(struct nb_host *host)
{
	return (struct loop){
		.host = host,
		.planner = nb_planner_new(),
		.step_nsec = NB_NSEC_PER_SEC,
		.findings = g_array_new(FALSE, FALSE, sizeof(struct nb_finding)),
		.outcomes = g_array_new(FALSE, TRUE, sizeof(enum nb_outcome)),
	};
}

static inline void loop_clear(struct loop *loop)
{
	nb_host_free(loop->host);
	nb_planner_free(loop->planner);
	g_array_unref(loop->findings);
	g_array_unref(loop->outcomes);
}

static inline void loop_measure(struct loop *loop)
{
	nb_host_tick(loop->host, loop->again_nsec ? loop->again_nsec : loop->step_nsec);
	if (loop->meter)
		nb_meter_read(loop->meter, loop->host);
	nb_memory_sync(&loop->host->memory, &loop->host->snapshot);
}

static inline const struct nb_plan *loop_plan(struct loop *loop)
{
	struct nb_host *host = loop->host;

	return nb_planner_run(loop->planner, &host->snapshot, &host->loads, &host->policy,
			      &host->memory);
}

static inline void loop_act(struct loop *loop, const struct nb_plan *plan)
{
	struct nb_host *host = loop->host;
	enum nb_outcome *outcomes;

	g_array_set_size(loop->findings, 0);
	nb_verify_judge(&host->snapshot, &host->loads, &host->policy, &host->memory,
			loop->findings);
	for (unsigned i = 0; i < loop->findings->len; i++) {
		const struct nb_finding *finding =
			&g_array_index(loop->findings, struct nb_finding, i);

		loop->yields += finding->event == NB_EVENT_YIELDED;
		loop->worse += finding->effect == NB_EFFECT_WORSE;
	}
	g_array_set_size(loop->outcomes, nb_plan_n_changes(plan) + 1);
	outcomes = (enum nb_outcome *)(void *)loop->outcomes->data;
	nb_host_obey(host, plan, outcomes);
	nb_verify_note(plan, outcomes, host->snapshot.taken_nsec, &host->memory);
	loop->again_nsec = plan->again_nsec;
}

static inline const struct nb_plan *loop_cycle(struct loop *loop)
{
	const struct nb_plan *plan;

	loop_measure(loop);
	plan = loop_plan(loop);
	loop_act(loop, plan);
	return plan;
}

/* Moves and mask changes of n cycles. */
static inline unsigned loop_run(struct loop *loop, unsigned n)
{
	unsigned changes = 0;

	for (unsigned i = 0; i < n; i++) {
		const struct nb_plan *plan = loop_cycle(loop);

		changes += plan->n_moves + plan->n_rps;
	}
	return changes;
}
