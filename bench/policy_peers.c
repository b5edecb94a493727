/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules of others, told again. They are given exact times and costs, which none of them has. */
#include "policy.h"

#include "nicbalance/units.h"

/* --- nothing: what the driver did stays */

static void do_nothing(struct nb_bench_run *run)
{
	(void)run;
}

const struct nb_bench_rule nb_bench_static = {
	.name = "static ladder",
	.grade = NB_GRADE_MEASURED,
	.each_look = do_nothing,
};

/* --- what happened since a snapshot of the same machine */

struct loads {
	uint64_t *time;  /* of each queue, nanoseconds; owned, and so are the others */
	uint64_t *busy;  /* of each CPU */
	uint64_t *fixed; /* of it, not by queues */
	unsigned *on;    /* row of the CPU that each queue is on */
};

static void clear_loads(struct loads *loads)
{
	g_free(loads->time);
	g_free(loads->busy);
	g_free(loads->fixed);
	g_free(loads->on);
}

static uint64_t busy_nsec(const struct nb_cpu_counters *cpu)
{
	return cpu->user_nsec + cpu->softirq_nsec + cpu->irq_nsec;
}

static void read_loads(const struct nb_snapshot *now, const struct nb_snapshot *then,
		       struct loads *ret)
{
	*ret = (struct loads){
		.time = g_new0(uint64_t, now->n_queues),
		.busy = g_new0(uint64_t, now->n_cpus),
		.fixed = g_new0(uint64_t, now->n_cpus),
		.on = g_new0(unsigned, now->n_queues),
	};
	for (unsigned i = 0; i < now->n_queues; i++) {
		ret->time[i] = now->queues[i].time_nsec - then->queues[i].time_nsec;
		ret->on[i] = nb_bench_row(now, (unsigned)now->queues[i].effective_cpu);
	}
	for (unsigned i = 0; i < now->n_cpus; i++) {
		ret->busy[i] = busy_nsec(&now->cpus[i]) - busy_nsec(&then->cpus[i]);
		ret->fixed[i] = nb_growth(now->cpus[i].queues_nsec - then->cpus[i].queues_nsec,
					  ret->busy[i]);
	}
}

static bool comparable(const struct nb_bench_run *run)
{
	return run->before && run->before->machine == run->snapshot->machine;
}

/* --- longest processing time first, every five seconds, on what the last second showed */

static void pack_anew(struct nb_bench_run *run)
{
	g_autofree unsigned *place = g_new0(unsigned, run->snapshot->n_queues);
	struct loads loads;

	if (run->second % 5 != 0 || !comparable(run))
		return;
	read_loads(run->snapshot, run->before, &loads);
	nb_bench_pack(run->snapshot, loads.time, loads.fixed, place);
	for (unsigned i = 0; i < run->snapshot->n_queues; i++)
		nb_bench_move(run, i, run->snapshot->cpus[place[i]].id);
	clear_loads(&loads);
}

const struct nb_bench_rule nb_bench_lpt = {
	.name = "LPT each 5 s",
	.grade = NB_GRADE_MEASURED,
	.each_look = pack_anew,
};

/* --- RSS++ (Barbette et al., CoNEXT 2019) with a whole interrupt for a bucket: of the CPUs above
 * the mean the largest fall to those below it that they fit, with as little slack as does best; a
 * CPU that was given one rests for a round. */

#define RSSPP_THRESHOLD (NB_NSEC_PER_SEC / 50)
#define RSSPP_RUNS 10u

struct rsspp {
	bool *given; /* of each CPU's row, in the last round */
	uint64_t generation;
};

struct trial {
	unsigned *to;  /* row of each queue */
	int64_t *over; /* of each CPU: load above the mean of its node */
	uint64_t badness;
};

static int64_t mean_of(const struct nb_snapshot *snapshot, const struct loads *loads, int node)
{
	const struct nb_topology *topology = &snapshot->machine->topology;
	uint64_t sum = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < topology->n_cpus; i++) {
		if (topology->cpus[i].node != node ||
		    nb_cpumask_has(&topology->isolated, topology->cpus[i].id))
			continue;
		sum += loads->busy[i];
		n++;
	}
	return n ? (int64_t)(sum / n) : 0;
}

static unsigned queues_on(const struct nb_snapshot *snapshot, const unsigned *to, unsigned cpu)
{
	unsigned n = 0;

	for (unsigned i = 0; i < snapshot->n_queues; i++)
		n += to[i] == cpu;
	return n;
}

static int find_target(const struct nb_bench_run *run, const struct rsspp *state,
		       const struct trial *trial, unsigned queue, int64_t cost, int64_t slack)
{
	const struct nb_topology *topology = &run->snapshot->machine->topology;
	int best = -1;

	for (unsigned i = 0; i < topology->n_cpus; i++) {
		if (state->given[i] || -trial->over[i] <= (int64_t)RSSPP_THRESHOLD ||
		    !nb_bench_allows(run->snapshot, queue, &topology->cpus[i]) ||
		    cost > -trial->over[i] + slack)
			continue;
		if (best < 0 || trial->over[i] < trial->over[best])
			best = (int)i;
	}
	return best;
}

/* The largest queue of a CPU that fits somewhere. */
static bool move_largest(const struct nb_bench_run *run, const struct rsspp *state,
			 const struct loads *loads, struct trial *trial, unsigned cpu,
			 int64_t slack)
{
	int best = -1, target = -1;

	for (unsigned i = 0; i < run->snapshot->n_queues; i++) {
		int64_t cost = (int64_t)loads->time[i];
		int to;

		if (trial->to[i] != cpu || cost == 0 || cost > trial->over[cpu] + slack ||
		    (best >= 0 && loads->time[i] <= loads->time[best]))
			continue;
		to = find_target(run, state, trial, i, cost, slack);
		if (to < 0)
			continue;
		best = (int)i;
		target = to;
	}
	if (best < 0)
		return false;
	trial->to[best] = (unsigned)target;
	trial->over[cpu] -= (int64_t)loads->time[best];
	trial->over[target] += (int64_t)loads->time[best];
	return true;
}

static void empty_one(const struct nb_bench_run *run, const struct rsspp *state,
		      const struct loads *loads, struct trial *trial, unsigned cpu, int64_t slack)
{
	while (trial->over[cpu] > (int64_t)RSSPP_THRESHOLD &&
	       queues_on(run->snapshot, trial->to, cpu) > 1)
		if (!move_largest(run, state, loads, trial, cpu, slack))
			return;
}

static void try_slack(const struct nb_bench_run *run, const struct rsspp *state,
		      const struct loads *loads, struct trial *trial, int64_t slack)
{
	const struct nb_topology *topology = &run->snapshot->machine->topology;

	for (unsigned i = 0; i < run->snapshot->n_queues; i++)
		trial->to[i] = loads->on[i];
	for (unsigned i = 0; i < topology->n_cpus; i++)
		trial->over[i] = (int64_t)loads->busy[i] -
				 mean_of(run->snapshot, loads, topology->cpus[i].node);
	for (unsigned i = 0; i < topology->n_cpus; i++)
		if (!state->given[i])
			empty_one(run, state, loads, trial, i, slack);
	trial->badness = 0;
	for (unsigned i = 0; i < topology->n_cpus; i++) {
		int64_t share = trial->over[i] / 1000; /* squares of all CPUs must fit */

		trial->badness += (uint64_t)(share * share);
	}
}

static void carry_out(struct nb_bench_run *run, struct rsspp *state, const struct loads *loads,
		      const unsigned *to)
{
	for (unsigned i = 0; i < run->snapshot->n_cpus; i++)
		state->given[i] = false;
	for (unsigned i = 0; i < run->snapshot->n_queues; i++) {
		if (to[i] == loads->on[i])
			continue;
		state->given[to[i]] = true;
		nb_bench_move(run, i, run->snapshot->cpus[to[i]].id);
	}
}

static void solve(struct nb_bench_run *run, struct rsspp *state, const struct loads *loads)
{
	g_autofree unsigned *best = g_new0(unsigned, run->snapshot->n_queues);
	struct trial trial = {
		.to = g_new0(unsigned, run->snapshot->n_queues),
		.over = g_new0(int64_t, run->snapshot->n_cpus),
	};
	uint64_t least = UINT64_MAX;
	int64_t slack = 0;

	for (unsigned i = 0; i < RSSPP_RUNS; i++) {
		try_slack(run, state, loads, &trial, slack);
		if (trial.badness < least) {
			least = trial.badness;
			memcpy(best, trial.to, run->snapshot->n_queues * sizeof(*best));
		}
		slack = slack ? slack * 3 / 2 : (int64_t)RSSPP_THRESHOLD / 2;
	}
	carry_out(run, state, loads, best);
	g_free(trial.to);
	g_free(trial.over);
}

static void begin_rsspp(struct nb_bench_run *run)
{
	run->memory = g_new0(struct rsspp, 1);
}

static void end_rsspp(struct nb_bench_run *run)
{
	struct rsspp *state = run->memory;

	g_free(state->given);
	g_free(state);
}

static void run_rsspp(struct nb_bench_run *run)
{
	struct rsspp *state = run->memory;
	struct loads loads;

	if (state->generation != run->snapshot->machine->generation) {
		g_free(state->given);
		state->given = g_new0(bool, run->snapshot->n_cpus);
		state->generation = run->snapshot->machine->generation;
	}
	if (!comparable(run))
		return;
	read_loads(run->snapshot, run->before, &loads);
	solve(run, state, &loads);
	clear_loads(&loads);
}

const struct nb_bench_rule nb_bench_rsspp = {
	.name = "RSS++'s, on queues",
	.grade = NB_GRADE_MEASURED,
	.begin = begin_rsspp,
	.each_look = run_rsspp,
	.end = end_rsspp,
};
