/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A set of CPUs, by value. Pure. Text forms are in base/cpumask_text.h. */

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The largest NR_CPUS of any architecture (x86 MAXSMP, arch/x86/Kconfig NR_CPUS_RANGE_END). */
#define NB_CPUS_MAX 8192u
#define NB_CPUMASK_WORDS (NB_CPUS_MAX / 64)

struct nb_cpumask {
	uint64_t words[NB_CPUMASK_WORDS];
};

static inline void nb_cpumask_clear(struct nb_cpumask *mask)
{
	memset(mask, 0, sizeof(*mask));
}

static inline bool nb_cpumask_has(const struct nb_cpumask *mask, unsigned cpu)
{
	return cpu < NB_CPUS_MAX && (mask->words[cpu / 64] >> (cpu % 64) & 1);
}

/* cpu must be below NB_CPUS_MAX. */
static inline void nb_cpumask_add(struct nb_cpumask *mask, unsigned cpu)
{
	assert(cpu < NB_CPUS_MAX);
	mask->words[cpu / 64] |= UINT64_C(1) << (cpu % 64);
}

static inline void nb_cpumask_del(struct nb_cpumask *mask, unsigned cpu)
{
	assert(cpu < NB_CPUS_MAX);
	mask->words[cpu / 64] &= ~(UINT64_C(1) << (cpu % 64));
}

static inline void nb_cpumask_or(struct nb_cpumask *mask, const struct nb_cpumask *other)
{
	for (unsigned i = 0; i < NB_CPUMASK_WORDS; i++)
		mask->words[i] |= other->words[i];
}

static inline void nb_cpumask_and(struct nb_cpumask *mask, const struct nb_cpumask *other)
{
	for (unsigned i = 0; i < NB_CPUMASK_WORDS; i++)
		mask->words[i] &= other->words[i];
}

static inline void nb_cpumask_andnot(struct nb_cpumask *mask, const struct nb_cpumask *other)
{
	for (unsigned i = 0; i < NB_CPUMASK_WORDS; i++)
		mask->words[i] &= ~other->words[i];
}

static inline bool nb_cpumask_equal(const struct nb_cpumask *a, const struct nb_cpumask *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

static inline unsigned nb_cpumask_count(const struct nb_cpumask *mask)
{
	unsigned n = 0;

	/* Without a machine option popcount is a call, and nearly all words are empty. */
	for (unsigned i = 0; i < NB_CPUMASK_WORDS; i++)
		if (mask->words[i])
			n += (unsigned)__builtin_popcountll(mask->words[i]);
	return n;
}

/* The first CPU of the set that is not below from; NB_CPUS_MAX when there is none. */
static inline unsigned nb_cpumask_next(const struct nb_cpumask *mask, unsigned from)
{
	unsigned i = from / 64;
	uint64_t word;

	if (from >= NB_CPUS_MAX)
		return NB_CPUS_MAX;
	word = mask->words[i] & ~UINT64_C(0) << (from % 64);
	while (!word && ++i < NB_CPUMASK_WORDS)
		word = mask->words[i];
	return word ? i * 64 + (unsigned)__builtin_ctzll(word) : NB_CPUS_MAX;
}

static inline bool nb_cpumask_empty(const struct nb_cpumask *mask)
{
	return nb_cpumask_next(mask, 0) == NB_CPUS_MAX;
}

/* The only CPU of the set; -1 when there are several, or none. */
static inline int nb_cpumask_only(const struct nb_cpumask *mask)
{
	unsigned first = nb_cpumask_next(mask, 0);

	return first < NB_CPUS_MAX && nb_cpumask_next(mask, first + 1) == NB_CPUS_MAX ? (int)first
										      : -1;
}

#define NB_CPUMASK_FOREACH(cpu, mask)                                      \
	for (unsigned cpu = nb_cpumask_next((mask), 0); cpu < NB_CPUS_MAX; \
	     cpu = nb_cpumask_next((mask), cpu + 1))
