/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Units. All reckoning is in integers: time in nanoseconds, shares in basis points. Pure. */

#include <stdint.h>

#define NB_NSEC_PER_SEC UINT64_C(1000000000)
#define NB_NSEC_PER_MSEC UINT64_C(1000000)
#define NB_NSEC_PER_USEC UINT64_C(1000)

/* One whole CPU (or one whole of anything), in basis points: 1 % is 100. */
#define NB_WHOLE UINT32_C(10000)

/* By how much a counter or clock grew; one that went back stands still. */
static inline uint64_t nb_growth(uint64_t prev, uint64_t cur)
{
	return cur > prev ? cur - prev : 0;
}

/* Of two numbers, whichever is the larger. */
static inline uint64_t nb_distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* part of whole, in basis points, rounded down; 0 when whole is 0. part may exceed whole. */
static inline uint32_t nb_basis_points(uint64_t part, uint64_t whole)
{
	if (whole == 0)
		return 0;
	/* A division of 128 bits costs ten times as much, and three weeks fit in 64. */
	if (part <= UINT64_MAX / NB_WHOLE)
		return (uint32_t)(part * NB_WHOLE / whole);
	return (uint32_t)((unsigned __int128)part * NB_WHOLE / whole);
}

/* How many a second, rounded down, if there were count in so long. nsec is not 0. */
static inline uint64_t nb_per_second(uint64_t count, uint64_t nsec)
{
	if (count <= UINT64_MAX / NB_NSEC_PER_SEC)
		return count * NB_NSEC_PER_SEC / nsec;
	return (uint64_t)((unsigned __int128)count * NB_NSEC_PER_SEC / nsec);
}
