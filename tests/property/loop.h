/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The loop over a host of data, of which the loads are known or metered. */

#include "loop/loop.h"
#include "support/host.h"
#include "support/meter.h"
#include "support/plan.h"
#include "support/support.h"

struct loop {
	struct nb_loop core;
	struct nb_host *host;
	struct nb_meter *meter; /* NULL: all is measured exactly */
	uint64_t step_nsec;     /* between two cycles, but that the last plan asks for another */
	unsigned yields;        /* findings of all cycles, by kind */
	unsigned worse;
};

/* Takes over the host. */
static inline struct loop loop_of(struct nb_host *host)
{
	struct loop loop = {.host = host, .step_nsec = NB_NSEC_PER_SEC};

	nb_loop_init(&loop.core);
	return loop;
}

static inline void loop_clear(struct loop *loop)
{
	nb_host_free(loop->host);
	nb_loop_clear(&loop->core);
}

static inline void loop_measure(struct loop *loop)
{
	uint64_t again_nsec = loop->core.plan ? loop->core.plan->again_nsec : 0;

	nb_host_tick(loop->host, again_nsec ? again_nsec : loop->step_nsec);
	if (loop->meter)
		nb_meter_read(loop->meter, loop->host);
	nb_memory_sync(&loop->core.memory, &loop->host->snapshot);
	loop->core.snapshot = &loop->host->snapshot;
	loop->core.loads = &loop->host->loads;
}

static inline const struct nb_plan *loop_plan(struct loop *loop)
{
	nb_loop_plan(&loop->core, &loop->host->policy);
	return loop->core.plan;
}

static inline void loop_obey(void *host, struct nb_plan *plan)
{
	nb_host_obey(host, plan);
}

static inline void loop_act(struct loop *loop)
{
	nb_loop_carry_out(&loop->core, &loop->host->policy, loop_obey, loop->host);
	for (unsigned i = 0; i < loop->core.findings->len; i++) {
		const struct nb_finding *finding =
			&g_array_index(loop->core.findings, struct nb_finding, i);

		loop->yields += finding->event == NB_EVENT_YIELDED;
		loop->worse += finding->effect == NB_EFFECT_WORSE;
	}
}

static inline const struct nb_plan *loop_cycle(struct loop *loop)
{
	loop_measure(loop);
	loop_plan(loop);
	loop_act(loop);
	return loop->core.plan;
}

/* Moves and mask changes of n cycles. */
static inline unsigned loop_run(struct loop *loop, unsigned n)
{
	unsigned changes = 0;

	for (unsigned i = 0; i < n; i++) {
		const struct nb_plan *plan = loop_cycle(loop);

		changes += n_moves(plan) + n_masks(plan);
	}
	return changes;
}
