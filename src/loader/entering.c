/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "loader/loader.h"

#include "nicbalance/units.h"

#include <bpf/bpf.h>
#include <glib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define CALLS 64u
/* The shortest of so many: in the others something came between. */
#define BATCHES 16u
#define TURNS 8u

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

/* In turn, since what else the core does changes from one to the next. */
uint32_t nb_loader_time_entering(int program)
{
	uint64_t without_nsec = UINT64_MAX, with_nsec = UINT64_MAX;

	for (unsigned turn = 0; turn < TURNS; turn++) {
		int link;

		without_nsec = MIN(without_nsec, time_calls());
		link = bpf_raw_tracepoint_open("itimer_state", program);
		if (link < 0)
			return 0;
		with_nsec = MIN(with_nsec, time_calls());
		close(link);
	}
	return with_nsec > without_nsec ? (uint32_t)((with_nsec - without_nsec) / CALLS) : 0;
}
