/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long a plan takes, by the size of the machine: CPUs × queues. */
#include "plan/planner.h"
#include "plan/step.h"

#include "nicbalance/names.h"
#include "support/host.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define QUEUES_OF_NIC 64u
#define ROUNDS 51u

static const struct size {
	unsigned n_cpus, n_queues;
} sizes[] = {{64, 256}, {128, 512}, {256, 1024}, {512, 2048}, {1024, 4096}};

/* Loads of one queue and of what else runs on a CPU, both by position; and its CPU. */
struct picture {
	const char *name;
	const char *about;
	uint32_t (*cost)(unsigned queue);
	uint32_t (*rest)(unsigned cpu);
	unsigned (*place)(unsigned queue, unsigned n_cpus);
	bool fresh;
	enum nb_verdict verdict; /* or it does not show what it is meant to */
};

/* Knuth's multiplicative hash: numbers that look random and are the same everywhere. */
static unsigned scatter(unsigned i, unsigned bound)
{
	return (unsigned)(((uint64_t)(i * 2654435761u) * bound) >> 32);
}

static unsigned in_turn(unsigned queue, unsigned n_cpus)
{
	return queue % n_cpus;
}

static unsigned on_the_first(unsigned queue, unsigned n_cpus)
{
	(void)queue;
	(void)n_cpus;
	return 0;
}

static uint32_t little(unsigned i)
{
	return scatter(i, 200);
}

static uint32_t uneven(unsigned queue)
{
	return 200 + scatter(queue, 3000);
}

static uint32_t some(unsigned cpu)
{
	return scatter(cpu + 7, 1500);
}

/* Half of the CPUs are full. Most others have room for less than any of their queues, and no queue
 * that could be had in exchange; those of one in sixteen would do, but their CPU has no room for
 * the difference. */
static bool is_small(unsigned cpu)
{
	return cpu % 16 == 1;
}

static uint32_t alike(unsigned queue)
{
	return is_small(queue) ? 450 : 1700 + scatter(queue, 20);
}

static bool is_full(unsigned cpu)
{
	return cpu % 2 == 0;
}

static uint32_t full(unsigned cpu)
{
	return is_small(cpu) ? 6750 : is_full(cpu) ? 2700 : 800;
}

static const struct picture pictures[] = {
	{"quiet", "no CPU is hot", little, little, in_turn, false, NB_VERDICT_QUIET},
	{"uneven", "steps are found", uneven, some, in_turn, false, NB_VERDICT_BALANCING},
	{"stiff", "every hot CPU is searched, in vain", alike, full, in_turn, false,
	 NB_VERDICT_NO_GAIN},
	{"new", "all NICs are new, each on one CPU", little, little, on_the_first, true,
	 NB_VERDICT_PLACING},
};

static struct nb_host *build(const struct picture *picture, struct size size)
{
	struct nb_host *host = nb_host_new(size.n_cpus, 1, 2);

	for (unsigned i = 0; i < size.n_cpus; i++) {
		host->fixed[i] = picture->rest(i);
		host->machine.topology.cpus[i].llc = i / 16 * 16;
	}
	for (unsigned first = 0; first < size.n_queues; first += QUEUES_OF_NIC)
		nb_host_add_nic(host, (int)(first / QUEUES_OF_NIC % 2), QUEUES_OF_NIC, 0, 0);
	for (unsigned i = 0; i < size.n_queues; i++) {
		host->time[i] = picture->cost(i);
		nb_host_place(host, i, picture->place(i, size.n_cpus));
	}
	nb_memory_sync(&host->memory, &host->snapshot);
	nb_host_tick(host, NB_NSEC_PER_SEC);
	return host;
}

static double now_usec(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

/* Median of some rounds, each from the same memory: what a host that nothing helps pays each
 * second. */
static double measure(const struct picture *picture, struct nb_host *host,
		      struct nb_planner *planner, const struct nb_plan **ret)
{
	double took[ROUNDS];

	for (unsigned i = 0; i < ROUNDS; i++) {
		double began;

		for (unsigned j = 0; j < host->memory.n_queues; j++)
			host->memory.queues[j].fresh = picture->fresh;
		host->memory.armed_samples = host->policy.arm_samples;
		began = now_usec();
		*ret = nb_planner_run(planner, &host->snapshot, &host->loads, &host->policy,
				      &host->memory);
		took[i] = now_usec() - began;
	}
	qsort(took, ROUNDS, sizeof(took[0]), compare);
	return took[ROUNDS / 2];
}

/* Time grows as queues to the power of this. */
static double exponent(struct size small, double small_usec, struct size large_size,
		       double large_usec)
{
	return log(large_usec / small_usec) / log((double)large_size.n_queues / small.n_queues);
}

/* Whether no hot CPU is passed over by what is known of all targets together: it takes a look at
 * each of them. */
static bool is_searched(struct nb_host *host)
{
	struct nb_board board;
	bool all = true;

	nb_board_init(&board);
	nb_board_set_up(&board, &host->snapshot, &host->loads, &host->policy, &host->memory);
	for (unsigned i = 0; i < board.n_queues; i++) {
		const struct nb_board_queue *queue = &board.queues[i];
		struct nb_step_search search = {.board = &board,
						.domain = queue->domain,
						.gain = host->policy.minimum_gain};

		if (nb_board_load(&board, queue->cpu) <= host->policy.panic)
			continue;
		nb_step_search_begin(&search);
		nb_step_search_from(&search, queue->cpu, host->policy.moves_per_round);
		all &= search.roomy;
	}
	nb_board_clear(&board);
	return all;
}

static bool is_as_meant(const struct picture *picture, struct nb_host *host,
			const struct nb_plan *plan)
{
	return plan->verdict == picture->verdict &&
	       (plan->verdict != NB_VERDICT_NO_GAIN || is_searched(host));
}

/* False when it is not what it is meant to be, and the times mean something else. */
static bool measure_size(const struct picture *picture, struct size size, double *ret_usec)
{
	g_autoptr(nb_planner) planner = nb_planner_new();
	struct nb_host *host = build(picture, size);
	const struct nb_plan *plan;
	bool as_meant;

	*ret_usec = measure(picture, host, planner, &plan);
	as_meant = is_as_meant(picture, host, plan);
	printf("  %4u x %4u  %9.1f us  %s, %u moves%s\n", size.n_cpus, size.n_queues, *ret_usec,
	       nb_verdict_to_string(plan->verdict), nb_plan_count(plan, NB_KIND_QUEUE),
	       as_meant ? "" : ": NOT WHAT IS TO BE MEASURED");
	nb_host_free(host);
	return as_meant;
}

static bool measure_picture(const struct picture *picture)
{
	double usec[G_N_ELEMENTS(sizes)];
	bool as_meant = true;

	printf("%s: %s\n", picture->name, picture->about);
	for (unsigned i = 0; i < G_N_ELEMENTS(sizes); i++)
		as_meant &= measure_size(picture, sizes[i], &usec[i]);
	printf("  time grows as queues to the power of %.2f\n\n",
	       exponent(sizes[1], usec[1], sizes[4], usec[4]));
	return as_meant;
}

int main(void)
{
	bool as_meant = true;

	for (unsigned i = 0; i < G_N_ELEMENTS(pictures); i++)
		as_meant &= measure_picture(&pictures[i]);
	return as_meant ? EXIT_SUCCESS : EXIT_FAILURE;
}
