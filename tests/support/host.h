/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A host made of data, for tests of what only thinks: CPUs with loads of their own, NICs whose
 * queues cost something, and a clock. It obeys plans. */

#include "base/memory.h"
#include "nicbalance/load.h"
#include "nicbalance/memory.h"
#include "nicbalance/outcome.h"
#include "nicbalance/plan.h"
#include "nicbalance/policy.h"
#include "nicbalance/snapshot.h"

#include <glib.h>

struct nb_host {
	struct nb_machine machine;
	struct nb_snapshot snapshot;
	struct nb_loads loads;
	struct nb_policy policy;
	struct nb_memory memory;
	uint32_t *fixed;    /* basis points, by CPU position: what cannot be moved */
	uint32_t *time;     /* basis points, by queue position */
	int *stuck_on;      /* by queue position: as nb_host_stick() says; -1: nowhere */
	uint32_t *work;     /* basis points, by CPU position: both, as of the last tick */
	bool siblings_slow; /* work takes longer beside a busy thread of its core, and that is what
			       is measured */
	GArray *cpus, *queues, *states, *nics, *rps, *device_irqs, *cpu_loads, *queue_loads;
};

struct nb_policy nb_host_default_policy(void);

/* CPUs 0 … n_cpus − 1, n_threads hardware threads a core (siblings n_cpus ÷ n_threads apart), nodes
 * of equal size in turn by block of cores. All idle and online. */
struct nb_host *nb_host_new(unsigned n_cpus, unsigned n_threads, unsigned n_nodes);
void nb_host_free(struct nb_host *host);

/* A NIC with n_queues queues, each with one interrupt on CPU cpu and costing cost. Returns the
 * position of its first queue. */
unsigned nb_host_add_nic(struct nb_host *host, int node, unsigned n_queues, unsigned cpu,
			 uint32_t cost);
void nb_host_place(struct nb_host *host, unsigned queue, unsigned cpu);
/* Its NAPI is never done: polled on cpu, wherever its interrupt goes. -1: it follows again. */
void nb_host_stick(struct nb_host *host, unsigned queue, int cpu);
/* CPUs leave the machine (offline), as a rescan would see it. */
void nb_host_set_offline(struct nb_host *host, unsigned cpu);
/* From now on so many cores share a last-level cache, and not a whole node. */
void nb_host_set_caches(struct nb_host *host, unsigned n_cores);
/* A CPU of another size: loads of queues are what they take of the largest, and twice as much of
 * one of half the capacity. */
void nb_host_set_capacity(struct nb_host *host, unsigned cpu, uint32_t capacity);
/* The device comes back with other interrupts, all on one CPU, as a rescan would see it. */
void nb_host_reset_nic(struct nb_host *host, int ifindex, unsigned cpu);
void nb_host_isolate(struct nb_host *host, unsigned cpu);
void nb_host_set_rps(struct nb_host *host, unsigned queue, const struct nb_cpumask *mask);

/* An interrupt that is no NIC's, pinned to cpu; device "" for one that is on no bus. Returns its
 * position. Seen with the next look. */
unsigned nb_host_add_device_irq(struct nb_host *host, int node, const char *device, unsigned cpu,
				uint32_t per_sec);
/* A rescan that looks at them. */
void nb_host_look(struct nb_host *host);

/* Lets nsec pass and computes the loads again from fixed, time and places. */
void nb_host_tick(struct nb_host *host, uint64_t nsec);
/* Does what the plan says, but for RSS tables; all of it is APPLIED. */
void nb_host_obey(struct nb_host *host, struct nb_plan *plan);

/* Busy share of a CPU, by id, as of the last tick. */
uint32_t nb_host_busy(const struct nb_host *host, unsigned cpu);
unsigned nb_host_cpu_of(const struct nb_host *host, unsigned queue);
unsigned nb_host_queues_on(const struct nb_host *host, unsigned cpu);
