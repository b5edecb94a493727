/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Random numbers without a state: what is drawn depends on the seed and on what it is drawn for,
 * never on what was drawn before. So a host meets the same traffic whatever is done to it. Pure. */

#include <stdint.h>

/* What is drawn for. */
enum nb_sim_stream {
	NB_SIM_STREAM_FLOW,
	NB_SIM_STREAM_ELEPHANT,
	NB_SIM_STREAM_NOISE,
	NB_SIM_STREAM_TICK,
	NB_SIM_STREAM_WRITE,
};

/* The mixing step of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
 * generators, OOPSLA 2014). */
static inline uint64_t nb_sim_mix(uint64_t z)
{
	z += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static inline uint64_t nb_sim_draw(uint64_t seed, enum nb_sim_stream stream, uint64_t a, uint64_t b)
{
	return nb_sim_mix(nb_sim_mix(nb_sim_mix(seed ^ (uint64_t)stream << 56) + a) + b);
}

/* Normally distributed, mean 0, standard deviation deviation: the sum of four even 16-bit numbers,
 * which never goes beyond 3.5 deviations. */
static inline int64_t nb_sim_normal(uint64_t draw, uint64_t deviation)
{
	int64_t sum = (int64_t)((draw & 0xffff) + (draw >> 16 & 0xffff) + (draw >> 32 & 0xffff) +
				(draw >> 48));

	/* mean 4 × 65535 ÷ 2; deviation 65536 × √(4 ÷ 12) */
	return (sum - 131070) * (int64_t)deviation / 37837;
}
