/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Two queues of one NIC, and what is found of them. */

#include "verify/verify.h"

#include "base/written.h"
#include "support/host.h"
#include "support/plan.h"
#include "support/support.h"

struct fixture {
	struct nb_host *host;
	GArray *findings;
	bool deferred; /* a timer polls the first one */
};

/* Two queues on CPU 0 of four; the first is then moved to CPU 2. */
static inline int set_up(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);

	f->host = nb_host_new(4, 1, 1);
	nb_host_add_nic(f->host, NB_NODE_NONE, 2, 0, 4500);
	nb_host_tick(f->host, NB_NSEC_PER_SEC);
	nb_memory_sync(&f->host->memory, &f->host->snapshot);
	nb_written_review(&f->host->memory, &f->host->snapshot, &f->host->policy);
	f->findings = g_array_new(FALSE, FALSE, sizeof(struct nb_finding));
	*state = f;
	return 0;
}

static inline int tear_down(void **state)
{
	struct fixture *f = *state;

	g_array_unref(f->findings);
	nb_host_free(f->host);
	g_free(f);
	return 0;
}

static inline void note_move(struct fixture *f)
{
	struct nb_move move = {
		.key = f->host->snapshot.queues[0].key,
		.reason = NB_REASON_BALANCE,
		.cpu_from = 0,
		.cpu_to = 2,
		.load = 4500,
		.source_before = 9000,
		.source_after = 4500,
		.target_after = 4500,
	};
	struct nb_plan plan = PLAN_OF(MOVE(&move));

	plan.gain_needed = 500;
	set_outcome(&plan, NB_OUTCOME_APPLIED);
	nb_verify_note(&plan, f->host->snapshot.taken_nsec, &f->host->memory);
	nb_host_place(f->host, 0, 2);
}

static inline void judge(struct fixture *f)
{
	nb_host_tick(f->host, NB_NSEC_PER_SEC);
	f->host->loads.queues[0].deferred = f->deferred;
	nb_written_review(&f->host->memory, &f->host->snapshot, &f->host->policy);
	nb_verify_judge(&f->host->snapshot, &f->host->loads, &f->host->policy, &f->host->memory,
			f->findings);
}

static inline const struct nb_finding *only_finding(const struct fixture *f)
{
	assert_int_equal(f->findings->len, 1);
	return &g_array_index(f->findings, struct nb_finding, 0);
}

/* The measured grade: polled_cpu tells where it is. */
static inline void note_timed_move(struct fixture *f, int polled_cpu)
{
	f->host->snapshot.grade = NB_GRADE_MEASURED;
	note_move(f);
	f->host->snapshot.queues[0].polled_cpu = polled_cpu;
}
