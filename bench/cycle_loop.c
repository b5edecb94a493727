/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cycle.h"

#include "daemon/daemon.h"
#include "support/allocator/allocator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SEC UINT64_C(1000000000)
/* Placing, the smoothing of the first windows. */
#define SETTLE 30u

/* What is measured. */
struct load {
	const char *word;
	enum nb_grade grade;
	uint64_t poll_nsec; /* of each queue in a second */
};

static const struct load loads[] = {
	{"estimated", NB_GRADE_ESTIMATED, 0},
	{"calm", NB_GRADE_MEASURED, 5000000},
	{"busy", NB_GRADE_MEASURED, 100000000},
	{"hot", NB_GRADE_MEASURED, 300000000},
};

enum kind { STEADY, COMPLETE, RESCAN, N_KINDS };

struct run {
	struct nb_daemon *daemon;
	struct nb_bench_counters *counters;
	const struct load *load;
	uint64_t now_nsec;
	bool rest;              /* a real second before each cycle */
	bool mark;              /* each cycle, for strace */
	GArray *costs[N_KINDS]; /* uint64_t: nanoseconds of each cycle */
	uint64_t allocations;   /* of all steady cycles */
};

/* A system call of no effect, seen by strace before and behind each cycle. */
static void mark(const struct run *run)
{
	if (run->mark)
		syscall(SYS_sched_yield);
}

static uint64_t generation_of(const struct nb_daemon *daemon)
{
	return daemon->loop.snapshot ? daemon->loop.snapshot->machine->generation : 0;
}

static void note(struct run *run, uint64_t generation, uint64_t cost, uint64_t allocations)
{
	enum kind kind = STEADY;

	if (run->daemon->idle)
		kind = STEADY;
	else if (generation != generation_of(run->daemon))
		kind = RESCAN;
	else if (run->daemon->loop.snapshot->complete)
		kind = COMPLETE;
	g_array_append_val(run->costs[kind], cost);
	if (kind == STEADY)
		run->allocations += allocations;
}

/* One second of the machine, and the daemon's cycle at its end. */
static void run_cycle(struct run *run, bool counts)
{
	uint64_t generation = generation_of(run->daemon), cost, allocations;

	nb_bench_counters_turn(run->counters);
	if (run->daemon->loop.snapshot)
		nb_bench_probe_turn(run->daemon->loop.snapshot, run->load->poll_nsec);
	run->now_nsec += SEC;
	nb_bench_set_virtual(run->now_nsec);
	if (run->rest)
		nb_bench_sleep(SEC);

	allocations = nb_allocations();
	cost = nb_bench_cpu_nsec();
	mark(run);
	nb_daemon_tick(run->daemon, run->now_nsec);
	mark(run);
	cost = nb_bench_cpu_nsec() - cost;
	allocations = nb_allocations() - allocations;
	if (counts && run->daemon->loop.snapshot)
		note(run, generation, cost, allocations);
}

static uint64_t median(const GArray *costs)
{
	return costs->len ? nb_bench_median((uint64_t *)(void *)costs->data, costs->len) : 0;
}

static int report(const struct run *run)
{
	const struct nb_daemon *daemon = run->daemon;
	uint64_t sum = 0;
	unsigned n = 0;

	if (run->costs[STEADY]->len == 0 || daemon->loop.snapshot->grade != run->load->grade) {
		fprintf(stderr, "bench-cycle: no steady cycle in the grade wanted; grade %d, %s\n",
			daemon->loop.snapshot ? daemon->loop.snapshot->grade : -1,
			daemon->prober.reason);
		return EXIT_FAILURE;
	}
	for (unsigned i = 0; i < N_KINDS; i++) {
		n += run->costs[i]->len;
		for (unsigned j = 0; j < run->costs[i]->len; j++)
			sum += g_array_index(run->costs[i], uint64_t, j);
	}
	printf("grade=%d queues=%u verdict=%d steady_nsec=%" G_GUINT64_FORMAT
	       " complete_sample_nsec=%" G_GUINT64_FORMAT " rescan_nsec=%" G_GUINT64_FORMAT
	       " mean_nsec=%" G_GUINT64_FORMAT " allocations=%" G_GUINT64_FORMAT "\n",
	       daemon->loop.snapshot->grade, daemon->loop.snapshot->n_queues,
	       daemon->loop.plan->verdict, median(run->costs[STEADY]), median(run->costs[COMPLETE]),
	       median(run->costs[RESCAN]), sum / n, run->allocations / run->costs[STEADY]->len);
	return EXIT_SUCCESS;
}

static int run_all(struct run *run, unsigned n)
{
	for (unsigned i = 0; i < SETTLE + n; i++) {
		run_cycle(run, i >= SETTLE);
		/* The daemon asks for its probe in the cycle after the first. */
		if (i == 0 && run->load->grade == NB_GRADE_MEASURED && run->daemon->loop.snapshot)
			nb_bench_probe_prepare(run->daemon->loop.snapshot->machine);
	}
	return report(run);
}

static const struct load *find_load(const char *word)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(loads); i++)
		if (strcmp(loads[i].word, word) == 0)
			return &loads[i];
	return NULL;
}

int nb_bench_loop(int argc, char **argv)
{
	char no_settings[] = "/dev/null";
	struct nb_options options = {.config_file = no_settings, .no_system_bus = true};
	g_autoptr(nb_daemon) daemon = NULL;
	struct run run = {.now_nsec = nb_bench_now_nsec()};
	unsigned n = argc == 3 ? (unsigned)atoi(argv[1]) : 0;
	int r = EXIT_FAILURE;

	if (n == 0 || nb_daemon_new(&options, &daemon) < 0)
		return EXIT_FAILURE;
	run.load = find_load(argv[0]);
	run.daemon = daemon;
	/* Or a calm machine would not be measured. */
	if (run.load && run.load->grade == NB_GRADE_MEASURED)
		daemon->prober.delays_until_nsec = UINT64_MAX;
	run.rest = strcmp(argv[2], "rest") == 0;
	run.mark = strcmp(argv[2], "mark") == 0;
	for (unsigned i = 0; i < N_KINDS; i++)
		run.costs[i] = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	run.counters = nb_bench_counters_open("/");
	if (run.counters && run.load)
		r = run_all(&run, n);
	nb_bench_counters_close(run.counters);
	for (unsigned i = 0; i < N_KINDS; i++)
		g_array_unref(run.costs[i]);
	return r;
}
