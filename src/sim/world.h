/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A host that is made of data, with NICs, flows and applications. It obeys plans. Pure: its random
 * numbers come from the scenario's seed, and the same calls give the same host on any machine.
 *
 * What it models: flows are hashed into the 128 entries of the RSS table and so to queues; a packet
 * costs time in the driver's poll and time in the protocols, the latter elsewhere with RPS and then
 * more of it; a CPU does hard interrupts before softirqs before applications; what exceeds it is
 * dropped; a NAPI that always has more to do stays where it is when its interrupt moves, unless the
 * driver looks; interrupts become fewer as polls become longer. The daemon sees a snapshot: in the
 * measured grade exact times, in the estimated grade what the tick saw. */

#include "nicbalance/outcome.h"
#include "nicbalance/plan.h"
#include "sim/scenario.h"

typedef struct nb_world nb_world;

/* scenario is borrowed. */
struct nb_world *nb_world_new(const struct nb_scenario *scenario);
void nb_world_free(struct nb_world *world);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(nb_world, nb_world_free)

/* Lets time pass (in steps of its own of 100 ms at most). */
void nb_world_step(struct nb_world *world, uint64_t nsec);

/* What a sampler would have read now; always a complete sample. Valid until the call after the
 * next. */
const struct nb_snapshot *nb_world_snapshot(struct nb_world *world);

/* Carries out one change, of its own outcome nothing is noted. There are no interrupts but those of
 * queues. */
enum nb_outcome nb_world_carry_out(struct nb_world *world, const struct nb_change *change);
/* Carries out a plan and notes the outcomes in it. Counting of packets by RSS table entry, if it
 * asks for that, begins with the next snapshot and goes on until a plan asks for none, or for
 * another NIC. */
void nb_world_obey(struct nb_world *world, struct nb_plan *plan);

/* The truth about the last step. */
struct nb_world_cpu {
	uint32_t demand; /* of all that wanted to run, basis points; may exceed a whole */
	uint32_t queues; /* of it, by queues served here */
};
/* CPUs that are online, ascending by id. */
const struct nb_world_cpu *nb_world_cpus(const struct nb_world *world, unsigned *ret_n);
uint64_t nb_world_dropped(const struct nb_world *world); /* packets since the beginning */
uint64_t nb_world_received(const struct nb_world *world);

/* A queue is named by its position in the machine, a CPU by its id.
 * For rules other than ours, and for an oracle: what each queue demanded in the last step wherever
 * it would be, what each CPU did beside queues, and a way to put a queue on a CPU at once. */
uint32_t nb_world_queue_demand(const struct nb_world *world, unsigned queue);
uint32_t nb_world_fixed(const struct nb_world *world, unsigned cpu);
/* The XPS mask of its transmit queue. */
const struct nb_cpumask *nb_world_xps(const struct nb_world *world, unsigned queue);
unsigned nb_world_queue_cpu(const struct nb_world *world, unsigned queue);
void nb_world_place(struct nb_world *world, unsigned queue, unsigned cpu);
