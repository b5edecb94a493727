/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Everything the checks forbid, so that the self-test can see them refuse it. Linked to nothing. */

#include <stdint.h>
#include <time.h>

uint64_t nb_impure_now(void);

static uint64_t last_nsec;

uint64_t nb_impure_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	last_nsec += (uint64_t)now.tv_nsec;
	return last_nsec;
}
