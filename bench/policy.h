/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Rules that place queues, each in turn on the same simulated hosts. */

#include "nicbalance/policy.h"
#include "sim/world.h"

/* The seconds that are told one by one. */
#define NB_BENCH_WATCHED 120u

/* What one rule made of one scenario. */
struct nb_bench_score {
	uint64_t hottest_sum; /* of every second; basis points */
	uint32_t hottest_p99;
	uint64_t hot_seconds; /* of CPUs, above 90 % */
	uint64_t dropped, received;
	unsigned n_moves, n_ping_pongs, n_rps;
	unsigned n_seconds;
	uint32_t hottest[NB_BENCH_WATCHED];        /* in each second */
	uint64_t received_until[NB_BENCH_WATCHED]; /* since the beginning */
};

/* One rule at one host. */
struct nb_bench_run {
	const struct nb_scenario *scenario;
	const struct nb_policy *policy;
	struct nb_world *world;
	const struct nb_snapshot *snapshot; /* of this second */
	const struct nb_snapshot *before;   /* and of the one before; NULL at first */
	unsigned second;
	uint64_t due_nsec;   /* when the rule looks next */
	uint64_t again_nsec; /* the rule wants to look again so soon; 0: in a second */
	void *memory;        /* the rule's own */
	struct nb_bench_score score;
	/* For ping-pongs, of each queue by key: where it was last and until when. */
	GArray *departures;
};

struct nb_bench_rule {
	const char *name;
	enum nb_grade grade; /* what it sees of the host */
	bool ours;
	bool foresees; /* is asked in the middle of each second, and its moves cost nothing */
	void (*begin)(struct nb_bench_run *run);
	void (*each_look)(struct nb_bench_run *run); /* once a second, and when it asks for it */
	void (*end)(struct nb_bench_run *run);
};

extern const struct nb_bench_rule nb_bench_static;
extern const struct nb_bench_rule nb_bench_irqbalance;
extern const struct nb_bench_rule nb_bench_rsspp;
extern const struct nb_bench_rule nb_bench_lpt;
extern const struct nb_bench_rule nb_bench_estimated;
extern const struct nb_bench_rule nb_bench_measured;
extern const struct nb_bench_rule nb_bench_oracle;

/* Runs a scenario to its end. */
struct nb_bench_score nb_bench_run(const struct nb_bench_rule *rule, struct nb_scenario *scenario,
				   const struct nb_policy *policy);

/* Writes the affinity of a queue (by its position in the machine), as a rule would. */
void nb_bench_move(struct nb_bench_run *run, unsigned queue, unsigned cpu);
/* Notes a move that was made. */
void nb_bench_note(struct nb_bench_run *run, struct nb_queue_key key, int from, unsigned to);

/* Whether a queue may be put on a CPU: of its NIC's node, and not isolated. */
bool nb_bench_allows(const struct nb_snapshot *snapshot, unsigned queue, const struct nb_cpu *cpu);
/* The position of a CPU's row in a snapshot. */
unsigned nb_bench_row(const struct nb_snapshot *snapshot, unsigned cpu);

/* Queues in descending order of cost, each to the CPU that is then the least loaded. place has a
 * position of a CPU for each queue. */
void nb_bench_pack(const struct nb_snapshot *snapshot, const uint64_t *cost, const uint64_t *rest,
		   unsigned *place);
