/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Generated hosts of which a CPU is saturated though they could be served, with our loop. */

#include "loop/loop.h"
#include "nicbalance/names.h"
#include "nicbalance/units.h"
#include "sim/world.h"
#include "support/host.h"
#include "support/meter.h"
#include "support/support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define SEC NB_NSEC_PER_SEC

/* The load is there, then someone points interrupts elsewhere, then we begin to look. */
#define POINTED_NSEC SEC
#define BEGIN_NSEC (2 * SEC)
/* As in src/daemon/events.c. */
#define FIRST_WINDOW_NSEC (600 * NB_NSEC_PER_USEC * 1000)

/* Packets that a CPU can take in, at 200 + 600 ns. */
#define PACKETS_PER_CPU 1250000u

struct site {
	struct nb_scenario *scenario;
	struct nb_world *world;
	struct nb_policy policy;
	struct nb_loop loop;
	uint64_t now_nsec, due_nsec; /* of the next look */
	unsigned changes;            /* moves and masks */
	bool trespassed;             /* onto an isolated CPU */
};

/* What it is made of. */
struct draw {
	unsigned n_cpus, n_nodes, n_nics;
	struct nb_cpumask isolated;
	unsigned crowded[2]; /* CPUs; a start on one, or on two */
	unsigned n_crowded;  /* 0: a start anyhow */
	bool apart;          /* interrupts point elsewhere than NAPIs are polled */
	bool big;            /* a queue that is too much for a CPU */
};

static inline int node_of(const struct draw *draw, unsigned cpu)
{
	return (int)(cpu / (draw->n_cpus / draw->n_nodes));
}

static inline bool draw_allows(const struct draw *draw, int node, unsigned cpu)
{
	return !nb_cpumask_has(&draw->isolated, cpu) && (node < 0 || node_of(draw, cpu) == node);
}

static inline unsigned draw_cpu(const struct draw *draw, int node, uint64_t *state)
{
	for (;;) {
		unsigned cpu = nb_random_below(state, draw->n_cpus);

		if (draw_allows(draw, node, cpu))
			return cpu;
	}
}

static inline unsigned first_place(const struct draw *draw, int node, uint64_t *state)
{
	unsigned cpu = draw->n_crowded ? draw->crowded[nb_random_below(state, draw->n_crowded)]
				       : draw_cpu(draw, node, state);

	while (!draw_allows(draw, node, cpu))
		cpu = (cpu + 1) % draw->n_cpus;
	return cpu;
}

static inline void add_nic(GString *text, const struct draw *draw, unsigned number,
			   unsigned packets, uint64_t *state)
{
	int node = draw->n_nodes > 1 && nb_random_below(state, 2)
			   ? (int)nb_random_below(state, draw->n_nodes)
			   : NB_NODE_NONE;
	bool big = draw->big && number == 0;
	unsigned n_queues = big ? 1 : 1 + nb_random_below(state, 2 * draw->n_cpus);

	g_string_append_printf(text, "[Nic eth%u]\nQueues=%u\nInterruptCost=200ns\n", number,
			       n_queues);
	if (node >= 0)
		g_string_append_printf(text, "Node=%d\n", node);
	for (unsigned i = 0; i < n_queues; i++)
		g_string_append_printf(text, "%s%u",
				       i ? "," : "Placement=", first_place(draw, node, state));
	if (big)
		packets = PACKETS_PER_CPU / 100 * (95 + nb_random_below(state, 155));
	g_string_append_printf(text, "\n[Traffic eth%u]\nPacketsPerSec=%u\nFlows=%u\nSkew=%u%%\n",
			       number, packets, 500 + nb_random_below(state, 2000),
			       big ? 0 : nb_random_below(state, 30));
}

static inline void add_applications(GString *text, const struct draw *draw, uint64_t *state)
{
	for (unsigned n = nb_random_below(state, draw->n_cpus / 2 + 1); n > 0; n--)
		g_string_append_printf(text, "[Application]\nCPU=%u\nShare=%u%%\n",
				       nb_random_below(state, draw->n_cpus),
				       5 + nb_random_below(state, 55));
	if (nb_random_below(state, 3))
		return;
	/* Services start, and so do we. */
	for (unsigned n = 1 + nb_random_below(state, draw->n_cpus / 2); n > 0; n--)
		g_string_append_printf(text,
				       "[Application]\nCPU=%u\nShare=%u%%\nBeginSec=2s\n"
				       "EndSec=%ums\n",
				       nb_random_below(state, draw->n_cpus),
				       60 + nb_random_below(state, 41),
				       3000 + nb_random_below(state, 2001));
}

static inline struct draw draw_shape(bool big, uint64_t *state)
{
	static const unsigned cpu_counts[] = {2, 4, 6, 8, 12, 16};
	struct draw draw = {
		.n_cpus = cpu_counts[big ? 1 + nb_random_below(state, 5)
					 : nb_random_below(state, G_N_ELEMENTS(cpu_counts))],
		.n_nics = 1 + nb_random_below(state, 3),
		.big = big,
	};

	draw.n_nodes = draw.n_cpus >= 8 && nb_random_below(state, 2) ? 2 : 1;
	if (draw.n_cpus >= 4 && nb_random_below(state, 3) == 0)
		for (unsigned n = 1 + nb_random_below(state, draw.n_cpus / 4); n > 0; n--)
			nb_cpumask_add(&draw.isolated, nb_random_below(state, draw.n_cpus));
	draw.n_crowded = nb_random_below(state, 3);
	for (unsigned i = 0; i < draw.n_crowded; i++)
		draw.crowded[i] = draw_cpu(&draw, NB_NODE_NONE, state);
	draw.apart = nb_random_below(state, 3) == 0;
	return draw;
}

static inline char *draw_text(const struct draw *draw, uint64_t seed, uint64_t *state)
{
	static const char *const grades[] = {"measured", "estimated\nAccounting=tick",
					     "estimated\nAccounting=precise"};
	GString *text = g_string_new(NULL);
	unsigned n_eligible = draw->n_cpus - nb_cpumask_count(&draw->isolated);
	unsigned percent = 25 + nb_random_below(state, 45);
	unsigned packets = PACKETS_PER_CPU / 100 * percent * n_eligible;

	g_string_append_printf(text,
			       "[Host]\nSeed=%" PRIu64 "\nLengthSec=5min\nCPUs=%u\nNodes=%u\n"
			       "Grade=%s\nInterruptRemapping=%s\nFairSoftirqs=%s\n",
			       seed, draw->n_cpus, draw->n_nodes,
			       grades[nb_random_below(state, G_N_ELEMENTS(grades))],
			       nb_random_below(state, 2) ? "yes" : "no",
			       nb_random_below(state, 2) ? "yes" : "no");
	NB_CPUMASK_FOREACH (cpu, &draw->isolated)
		g_string_append_printf(text, "%s%u",
				       strstr(text->str, "Isolated=") ? "," : "Isolated=", cpu);
	g_string_append(text, "\n");
	for (unsigned i = 0; i < draw->n_nics; i++)
		add_nic(text, draw, i, packets / draw->n_nics, state);
	add_applications(text, draw, state);
	return g_string_free(text, FALSE);
}

/* --- the loop */

static inline void begin_site(struct site *site, const char *text)
{
	g_autofree char *faults = NULL;

	*site = (struct site){.policy = nb_host_default_policy()};
	nb_loop_init(&site->loop);
	if (nb_scenario_parse(text, strlen(text), &site->scenario, &faults) < 0)
		fail_msg("%s%s", text, faults);
	site->world = nb_world_new(site->scenario);
	site->due_nsec = BEGIN_NSEC;
}

static inline void end_site(struct site *site)
{
	nb_loop_clear(&site->loop);
	nb_world_free(site->world);
	nb_scenario_free(site->scenario);
}

static inline void pass(struct site *site, uint64_t until_nsec)
{
	nb_world_step(site->world, until_nsec - site->now_nsec);
	site->now_nsec = until_nsec;
}

static inline void watch_isolated(struct site *site)
{
	const struct nb_cpumask *isolated = &site->scenario->isolated;

	for (unsigned i = 0; i < site->loop.snapshot->n_queues; i++) {
		int pointed = site->loop.snapshot->queues[i].affinity_cpu;

		site->trespassed |= nb_cpumask_has(isolated, nb_world_queue_cpu(site->world, i)) ||
				    (pointed >= 0 && nb_cpumask_has(isolated, (unsigned)pointed));
	}
	for (unsigned i = 0; i < site->loop.snapshot->n_rps; i++)
		NB_CPUMASK_FOREACH (cpu, &site->loop.snapshot->rps[i].cpus)
			site->trespassed |= nb_cpumask_has(isolated, cpu);
}

static inline void tell_change(const struct nb_change *change)
{
	print_message("; %d-%u", change->key.ifindex, change->key.index);
	if (change->kind == NB_KIND_QUEUE)
		print_message(" %d>%u", change->move->cpu_from, change->move->cpu_to);
	else if (change->kind == NB_KIND_RPS)
		print_message(" rps %" PRIx64, change->rps->to.words[0]);
	print_message(" (%s)", nb_reason_to_string(change->reason));
}

/* NB_TEXT=1 shows each look. */
static inline void tell_look(const struct site *site, const struct nb_plan *plan)
{
	unsigned n;
	const struct nb_world_cpu *cpus = nb_world_cpus(site->world, &n);

	if (!getenv("NB_TEXT"))
		return;
	print_message("%.1f s: %s, demand", (double)(site->now_nsec - BEGIN_NSEC) / (double)SEC,
		      nb_verdict_to_string(plan->verdict));
	for (unsigned i = 0; i < n; i++)
		print_message(" %u", cpus[i].demand / 100);
	for (unsigned i = 0; i < plan->n_changes; i++)
		tell_change(&plan->changes[i]);
	print_message("; gain needed %u; lost %" PRIu64 "\n", plan->gain_needed,
		      nb_world_dropped(site->world));
}

/* NB_TEXT=2 shows what the model takes it for, beside the truth. */
static inline void tell_loads(const struct site *site, const struct nb_loads *loads)
{
	const char *text = getenv("NB_TEXT");

	if (!text || strcmp(text, "2") != 0)
		return;
	for (unsigned i = 0; i < loads->n_cpus; i++)
		print_message("  CPU %u: busy %u, of it queues %u; squeezed %u\n",
			      loads->cpus[i].id, loads->cpus[i].busy, loads->cpus[i].queues,
			      loads->cpus[i].squeezed);
	for (unsigned i = 0; i < loads->n_queues; i++) {
		const struct nb_queue_load *queue = &loads->queues[i];

		print_message("  %d-%u: on %d (polled on %u, landed on %d, allowed on %d), cost %u "
			      "(%u)%s\n",
			      queue->key.ifindex, queue->key.index, queue->cpu,
			      nb_world_queue_cpu(site->world, i),
			      site->loop.snapshot->queues[i].landed_cpu,
			      site->loop.snapshot->queues[i].affinity_cpu, queue->time,
			      nb_world_queue_demand(site->world, i),
			      queue->saturated ? ", saturated" : "");
	}
}

static inline void obey(void *host, struct nb_plan *plan)
{
	nb_world_obey(host, plan);
}

static inline const struct nb_plan *look(struct site *site)
{
	const struct nb_plan *plan;

	nb_loop_see(&site->loop, nb_world_snapshot(site->world), false);
	watch_isolated(site);
	nb_loop_plan(&site->loop, &site->policy);
	nb_loop_carry_out(&site->loop, &site->policy, obey, site->world);
	plan = site->loop.plan;
	site->changes += nb_plan_count(plan, NB_KIND_QUEUE) + nb_plan_count(plan, NB_KIND_RPS);
	tell_look(site, plan);
	tell_loads(site, site->loop.loads);
	return plan;
}

/* To a time since the first look. */
static inline void run_to(struct site *site, uint64_t since_nsec)
{
	uint64_t until_nsec = BEGIN_NSEC + since_nsec;

	while (site->due_nsec <= until_nsec) {
		bool first = site->loop.snapshot == NULL;
		const struct nb_plan *plan;

		pass(site, site->due_nsec);
		plan = look(site);
		if (plan->again_nsec)
			site->due_nsec += plan->again_nsec;
		else
			site->due_nsec += first ? FIRST_WINDOW_NSEC : SEC;
	}
	pass(site, until_nsec);
}

/* Of the CPUs that serve queues. */
static inline uint32_t hottest_of(const struct site *site)
{
	unsigned n;
	const struct nb_world_cpu *cpus = nb_world_cpus(site->world, &n);
	uint32_t hottest = 0;

	for (unsigned i = 0; i < n; i++)
		if (cpus[i].queues > 0)
			hottest = MAX(hottest, cpus[i].demand);
	return hottest;
}
