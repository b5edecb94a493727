/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Worlds made of a scenario's text, for tests. */

#include "nicbalance/units.h"
#include "sim/world.h"
#include "support/support.h"

#define SEC NB_NSEC_PER_SEC

struct made {
	struct nb_scenario *scenario;
	struct nb_world *world;
};

static inline struct made make_world(const char *text)
{
	struct made made = {};
	char *faults;

	if (nb_scenario_parse(text, strlen(text), &made.scenario, &faults) < 0)
		fail_msg("%s", faults);
	made.world = nb_world_new(made.scenario);
	return made;
}

static inline void unmake(struct made *made)
{
	nb_world_free(made->world);
	nb_scenario_free(made->scenario);
}

static inline enum nb_outcome move_queue(struct made *made, struct nb_queue_key key, unsigned cpu)
{
	struct nb_move move = {.key = key, .cpu_to = cpu};
	struct nb_change change = nb_change_of_move(NB_KIND_QUEUE, &move);

	return nb_world_carry_out(made->world, &change);
}

static inline enum nb_outcome steer_queue(struct made *made, struct nb_queue_key key, uint64_t cpus)
{
	struct nb_rps_change rps = {.key = key, .to = {.words = {cpus}}};
	struct nb_change change = nb_change_of_rps(&rps);

	return nb_world_carry_out(made->world, &change);
}

/* Packets go to the queues of this word alone; 0: to all. */
static inline enum nb_outcome redirect(struct made *made, int ifindex, uint64_t queues)
{
	struct nb_rss_change rss = {.key.ifindex = ifindex, .queues = {.words = {queues}}};
	struct nb_change change = nb_change_of_rss(&rss);

	return nb_world_carry_out(made->world, &change);
}

/* The table as a driver sets it up: bucket i to queue i modulo n_queues. */
static inline void default_table(unsigned n_queues, uint32_t table[128])
{
	for (unsigned b = 0; b < 128; b++)
		table[b] = b % n_queues;
}

/* One table in the place of another. */
static inline enum nb_outcome spread(struct made *made, int ifindex, const uint32_t *from,
				     const uint32_t *to, unsigned n)
{
	struct nb_rss_change rss = {.key.ifindex = ifindex, .from = from, .to = to, .n_entries = n};
	struct nb_change change = nb_change_of_rss(&rss);

	return nb_world_carry_out(made->world, &change);
}

/* Asks for the packets of a NIC by RSS table entry, as a plan does; 0: of none. */
static inline void ask_for_buckets(struct made *made, int ifindex)
{
	struct nb_plan plan = {.count_buckets = ifindex};

	nb_world_obey(made->world, &plan);
}

static inline struct nb_world_cpu cpu_of(const struct made *made, unsigned cpu)
{
	unsigned n;
	const struct nb_world_cpu *cpus = nb_world_cpus(made->world, &n);

	assert_true(cpu < n);
	return cpus[cpu];
}

/* a and b are within a hundredth of b, and slack. */
static inline void assert_near(uint64_t a, uint64_t b, uint64_t slack)
{
	uint64_t distance = a > b ? a - b : b - a;

	if (distance > b / 100 + slack)
		fail_msg("%lu is not near %lu", (unsigned long)a, (unsigned long)b);
}

static const struct nb_queue_key first_queue = {.ifindex = 2, .index = 0};
static const struct nb_queue_key second_queue = {.ifindex = 2, .index = 1};
