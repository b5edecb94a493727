/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/delays.h"

#include "base/rows.h"

/* With fewer runs than this the longest of all is the p99. */
#define LEAST_RUNS 100u
/* As many samples as ArmSamples= asks for at the usual interval, less what timers are late. */
#define OVER_MSEC 2900u
/* A pause between two slices lasts a minute at most; what is older than two says nothing. */
#define FORGET_NSEC (150 * NB_NSEC_PER_SEC)

static uint32_t bound_of(unsigned bucket)
{
	return UINT32_C(1) << bucket;
}

/* The last bucket has no upper bound. */
static uint32_t within(unsigned bucket, uint64_t part, uint64_t whole)
{
	uint32_t least = bucket > 0 ? bound_of(bucket - 1) : 0;

	if (bucket == NB_DELAYS - 1)
		return least;
	return least + (uint32_t)(((bound_of(bucket) - least) * part + whole - 1) / whole);
}

bool nb_delays_p99(const uint32_t before[NB_DELAYS], const uint32_t now[NB_DELAYS],
		   uint32_t *ret_usec)
{
	uint64_t n = 0, rank;
	unsigned bucket = 0;

	for (unsigned i = 0; i < NB_DELAYS; i++)
		n += (uint32_t)(now[i] - before[i]);
	if (n < LEAST_RUNS)
		return false;
	rank = (n * 99 + 99) / 100;
	while (rank > (uint32_t)(now[bucket] - before[bucket])) {
		rank -= (uint32_t)(now[bucket] - before[bucket]);
		bucket++;
	}
	*ret_usec = within(bucket, rank, (uint32_t)(now[bucket] - before[bucket]));
	return true;
}

/* Such CPUs are few. */
static unsigned position_of(const struct nb_memory *memory, unsigned cpu)
{
	unsigned at = 0;

	while (at < memory->n_delays && memory->delays[at].id < cpu)
		at++;
	return at;
}

struct nb_delay_memory *nb_delays_find(const struct nb_memory *memory, unsigned cpu)
{
	unsigned at = position_of(memory, cpu);

	return at < memory->n_delays && memory->delays[at].id == cpu ? &memory->delays[at] : NULL;
}

static struct nb_delay_memory *get(struct nb_memory *memory, unsigned cpu)
{
	struct nb_delay_memory *known = nb_delays_find(memory, cpu);
	unsigned at = position_of(memory, cpu);

	if (known)
		return known;
	memory->delays =
		nb_rows_insert(memory->delays, &memory->n_delays, at, sizeof(*memory->delays));
	memory->delays[at].id = cpu;
	return &memory->delays[at];
}

static void drop(struct nb_memory *memory, unsigned at)
{
	nb_rows_remove(memory->delays, &memory->n_delays, at, sizeof(*memory->delays));
}

static void note_over(struct nb_delay_memory *delay, uint64_t msec)
{
	delay->calm_msec = 0;
	delay->over_msec += msec;
	delay->delayed |= delay->over_msec >= OVER_MSEC;
}

/* Whether there is nothing left to remember. */
static bool note_below(struct nb_delay_memory *delay, uint64_t msec, bool calm)
{
	delay->over_msec = 0;
	delay->calm_msec = calm ? delay->calm_msec + msec : 0;
	return !delay->delayed || delay->calm_msec >= OVER_MSEC;
}

static void look_at(struct nb_memory *memory, const struct nb_cpu_load *load, uint64_t now_nsec,
		    uint64_t max_nsec)
{
	uint64_t nsec = load->delay_usec * NB_NSEC_PER_USEC;
	struct nb_delay_memory *delay = nb_delays_find(memory, load->id);

	if (!load->delay_known || (!delay && nsec <= max_nsec))
		return;
	delay = get(memory, load->id);
	delay->seen_nsec = now_nsec;
	delay->usec = load->delay_usec;
	if (nsec > max_nsec)
		note_over(delay, load->delay_msec);
	else if (note_below(delay, load->delay_msec, nsec < max_nsec / 2))
		drop(memory, (unsigned)(delay - memory->delays));
}

void nb_delays_look(struct nb_memory *memory, const struct nb_loads *loads,
		    const struct nb_policy *policy)
{
	for (unsigned i = memory->n_delays; i-- > 0;)
		if (policy->delay_max_nsec == 0 ||
		    loads->taken_nsec > memory->delays[i].seen_nsec + FORGET_NSEC)
			drop(memory, i);
	for (unsigned i = 0; policy->delay_max_nsec > 0 && i < loads->n_cpus; i++)
		look_at(memory, &loads->cpus[i], loads->taken_nsec, policy->delay_max_nsec);
}

bool nb_delays_acts(const struct nb_delay_memory *delay)
{
	return delay->delayed && delay->over_msec >= OVER_MSEC;
}

bool nb_delays_are_deciding(const struct nb_memory *memory)
{
	for (unsigned i = 0; i < memory->n_delays; i++)
		if (memory->delays[i].over_msec > 0 && memory->delays[i].over_msec < OVER_MSEC)
			return true;
	return false;
}
