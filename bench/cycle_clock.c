/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The daemon's loop asks clock_gettime() for the monotonic time; the linker hands those calls to
 * __wrap_clock_gettime(), so that its windows and dwells pass without waiting. */
#include "cycle.h"

#include <time.h>

#define NSEC_PER_SEC UINT64_C(1000000000)

int __real_clock_gettime(clockid_t clock, struct timespec *ret);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ret);

static uint64_t virtual_nsec;

void nb_bench_set_virtual(uint64_t nsec)
{
	virtual_nsec = nsec;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret)
{
	if (clock != CLOCK_MONOTONIC || virtual_nsec == 0)
		return __real_clock_gettime(clock, ret);
	ret->tv_sec = (time_t)(virtual_nsec / NSEC_PER_SEC);
	ret->tv_nsec = (long)(virtual_nsec % NSEC_PER_SEC);
	return 0;
}

static uint64_t read_clock(clockid_t clock)
{
	struct timespec now;

	__real_clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

uint64_t nb_bench_cpu_nsec(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t nb_bench_now_nsec(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

void nb_bench_sleep(uint64_t nsec)
{
	struct timespec span = {(time_t)(nsec / NSEC_PER_SEC), (long)(nsec % NSEC_PER_SEC)};

	(void)nanosleep(&span, NULL);
}
