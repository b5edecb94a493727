/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A host to be recorded: four CPUs of two cores, one of them isolated, and two NICs, one of which
 * has a bond above it that is out of scope. */

#include "trace/trace.h"

#include "support/support.h"

#define HOST_CPUS 4u
#define HOST_QUEUES 4u

struct host {
	struct nb_cpu topology_cpus[HOST_CPUS];
	struct nb_nic nics[3];
	struct nb_queue queues[HOST_QUEUES];
	struct nb_machine machine;
	struct nb_queue_state states[HOST_QUEUES];
	struct nb_rps_state rps[2];
	struct nb_snapshot snapshot;
	struct nb_cpu_load cpu_loads[HOST_CPUS];
	struct nb_queue_load queue_loads[HOST_QUEUES];
	struct nb_loads loads;
	struct nb_move moves[2];
	struct nb_change changes[2];
	struct nb_plan plan;
	struct nb_trace_writer *writer;
	GString *text;
};

static inline void host_set_cpus(struct host *host)
{
	for (unsigned i = 0; i < HOST_CPUS; i++) {
		host->topology_cpus[i] =
			(struct nb_cpu){.id = i, .core = i & ~1u, .capacity = NB_WHOLE};
		nb_cpumask_add(&host->machine.topology.online, i);
		host->cpu_loads[i].id = i;
	}
	host->machine.topology.n_possible = 8;
	host->machine.topology.cpus = host->topology_cpus;
	host->machine.topology.n_cpus = HOST_CPUS;
	nb_cpumask_add(&host->machine.topology.isolated_by[NB_ISOLATION_NOHZ_FULL], 3);
	nb_cpumask_add(&host->machine.topology.isolated, 3);
}

static inline void host_set_queues(struct host *host)
{
	host->nics[0] = (struct nb_nic){
		.ifindex = 2, .driver = "igb", .n_rx = 3, .n_tx = 3, .n_slow_path = 1};
	host->nics[1] = (struct nb_nic){.ifindex = 5, .scope = NB_SCOPE_STACKED};
	host->nics[2] = (struct nb_nic){.ifindex = 7, .node = NB_NODE_NONE, .n_rx = 1, .n_tx = 0};
	for (unsigned i = 0; i < HOST_QUEUES; i++) {
		struct nb_queue *queue = &host->queues[i];

		queue->key = i < 3 ? (struct nb_queue_key){.ifindex = 2, .index = i}
				   : (struct nb_queue_key){.ifindex = 7, .index = 0};
		queue->has_rx = true;
		queue->has_tx = i < 3;
		queue->n_irqs = i < 3 ? 1 : 2;
		host->queue_loads[i].key = host->states[i].key = queue->key;
		host->states[i].settable = true;
	}
	host->machine.generation = 1;
	host->machine.nics = host->nics;
	host->machine.n_nics = 3;
	host->machine.queues = host->queues;
	host->machine.n_queues = HOST_QUEUES;
}

static inline int host_set_up(void **state)
{
	struct host *host = g_new0(struct host, 1);

	host_set_cpus(host);
	host_set_queues(host);
	host->snapshot = (struct nb_snapshot){
		.grade = NB_GRADE_MEASURED,
		.machine = &host->machine,
		.queues = host->states,
		.n_queues = HOST_QUEUES,
		.rps = host->rps,
	};
	host->loads = (struct nb_loads){
		.taken_nsec = 1000 * NB_NSEC_PER_SEC,
		.cpus = host->cpu_loads,
		.n_cpus = HOST_CPUS,
		.queues = host->queue_loads,
		.n_queues = HOST_QUEUES,
	};
	host->plan = (struct nb_plan){.changes = host->changes};
	host->writer = nb_trace_writer_new();
	host->text = g_string_new(NULL);
	*state = host;
	return 0;
}

static inline int host_tear_down(void **state)
{
	struct host *host = *state;

	nb_trace_writer_free(host->writer);
	g_string_free(host->text, TRUE);
	g_free(host);
	return 0;
}

/* Lets a window of so many nanoseconds pass. What it adds to the text; valid until the next one. */
static inline const char *host_window(struct host *host, uint64_t nsec)
{
	size_t at = host->text->len;
	struct nb_rules rules;

	host->loads.taken_nsec += nsec;
	host->loads.window_nsec = nsec;
	nb_rules_init(&rules, &host->snapshot, NULL, NULL);
	nb_trace_write(host->writer, &host->snapshot, &rules, &host->loads, &host->plan,
		       host->text);
	return host->text->str + at;
}

static inline const char *host_second(struct host *host)
{
	return host_window(host, NB_NSEC_PER_SEC);
}
