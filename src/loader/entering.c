/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "loader/loader.h"

#include "nicbalance/units.h"

#include <bpf/bpf.h>
#include <glib.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define CALLS 64u
/* The shortest of so many: in the others something came between. */
#define BATCHES 16u
/* Odd, for one in the middle. A turn takes 12 ms, most of it to attach and detach. */
#define TURNS 9u

static uint64_t now_nsec(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NB_NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

/* A timer that nobody uses is cleared: that passes the tracepoint itimer_state and changes nothing
 * (kernel/time/itimer.c set_cpu_itimer()). */
static uint64_t time_calls(void)
{
	static const struct itimerval off;
	uint64_t shortest = UINT64_MAX;

	for (unsigned batch = 0; batch < BATCHES; batch++) {
		uint64_t begun_nsec = now_nsec();

		for (unsigned i = 0; i < CALLS; i++)
			setitimer(ITIMER_VIRTUAL, &off, NULL);
		shortest = MIN(shortest, now_nsec() - begun_nsec);
	}
	return shortest;
}

static int compare_nsec(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* In turn, and what the turn in the middle tells: a core that is faster or slower for a while, by
 * its clock or by what another thread of it does, spoils some of them. */
uint32_t nb_loader_time_entering(int program)
{
	int64_t entering_nsec[TURNS];

	for (unsigned turn = 0; turn < TURNS; turn++) {
		uint64_t without_nsec = time_calls();
		int link = bpf_raw_tracepoint_open("itimer_state", program);

		if (link < 0)
			return 0;
		entering_nsec[turn] = (int64_t)time_calls() - (int64_t)without_nsec;
		close(link);
	}
	qsort(entering_nsec, TURNS, sizeof(*entering_nsec), compare_nsec);
	return (uint32_t)(MAX(entering_nsec[TURNS / 2], 0) / CALLS);
}
