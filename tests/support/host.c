/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/host.h"

#include "base/find.h"

#include "nicbalance/units.h"

#include <assert.h>
#include <stdio.h>

struct nb_policy nb_host_default_policy(void)
{
	return (struct nb_policy){
		.hot = 7000,
		.gap = 400,
		.panic = 9000,
		.arm_samples = 3,
		.minimum_gain = 350,
		.moves_per_round = 4,
		.dwell_nsec = 30 * NB_NSEC_PER_SEC,
		.cooldown_nsec = 5 * NB_NSEC_PER_SEC,
		.panic_cooldown_nsec = NB_NSEC_PER_SEC,
		.yield_nsec = 3600 * NB_NSEC_PER_SEC,
		.sibling_weight = 6500,
		.rps = true,
		.rps_dwell_nsec = 60 * NB_NSEC_PER_SEC,
		.rps_node_busy = 8500,
		.rss = true,
		.delay_max_nsec = 5 * NB_NSEC_PER_MSEC, /* off by default */
	};
}

/* The arrays may have moved, and rows may have been added. */
static void link_arrays(struct nb_host *host)
{
	host->machine.topology.cpus = (struct nb_cpu *)(void *)host->cpus->data;
	host->machine.topology.n_cpus = host->cpus->len;
	host->machine.nics = (struct nb_nic *)(void *)host->nics->data;
	host->machine.n_nics = host->nics->len;
	host->machine.queues = (struct nb_queue *)(void *)host->queues->data;
	host->machine.n_queues = host->queues->len;
	host->snapshot.queues = (struct nb_queue_state *)(void *)host->states->data;
	host->snapshot.n_queues = host->states->len;
	host->snapshot.rps = (struct nb_rps_state *)(void *)host->rps->data;
	host->snapshot.n_rps = host->rps->len;
	host->machine.device_irqs = (struct nb_device_irq *)(void *)host->device_irqs->data;
	host->machine.n_device_irqs = host->device_irqs->len;
	g_array_set_size(host->cpu_loads, host->cpus->len);
	g_array_set_size(host->queue_loads, host->queues->len);
	host->loads.cpus = (struct nb_cpu_load *)(void *)host->cpu_loads->data;
	host->loads.n_cpus = host->cpu_loads->len;
	host->loads.queues = (struct nb_queue_load *)(void *)host->queue_loads->data;
	host->loads.n_queues = host->queue_loads->len;
}

static struct nb_cpu make_cpu(unsigned id, unsigned n_cpus, unsigned n_threads, unsigned n_nodes)
{
	unsigned n_cores = n_cpus / n_threads;
	unsigned core = id % n_cores;
	unsigned cores_per_node = n_cores / n_nodes;
	unsigned node = MIN(core / cores_per_node, n_nodes - 1);

	return (struct nb_cpu){
		.id = id,
		.core = core,
		.llc = node * cores_per_node,
		.node = n_nodes > 1 ? (int)node : NB_NODE_NONE,
		.capacity = NB_WHOLE,
	};
}

struct nb_host *nb_host_new(unsigned n_cpus, unsigned n_threads, unsigned n_nodes)
{
	struct nb_host *host = g_new0(struct nb_host, 1);

	host->cpus = g_array_new(FALSE, TRUE, sizeof(struct nb_cpu));
	host->nics = g_array_new(FALSE, TRUE, sizeof(struct nb_nic));
	host->queues = g_array_new(FALSE, TRUE, sizeof(struct nb_queue));
	host->states = g_array_new(FALSE, TRUE, sizeof(struct nb_queue_state));
	host->rps = g_array_new(FALSE, TRUE, sizeof(struct nb_rps_state));
	host->device_irqs = g_array_new(FALSE, TRUE, sizeof(struct nb_device_irq));
	host->cpu_loads = g_array_new(FALSE, TRUE, sizeof(struct nb_cpu_load));
	host->queue_loads = g_array_new(FALSE, TRUE, sizeof(struct nb_queue_load));
	host->fixed = g_new0(uint32_t, n_cpus);
	host->policy = nb_host_default_policy();
	host->machine.generation = 1;
	host->machine.topology.n_possible = n_cpus;
	host->snapshot.machine = &host->machine;
	host->snapshot.complete = true;
	host->snapshot.taken_nsec = 1000 * NB_NSEC_PER_SEC;
	for (unsigned id = 0; id < n_cpus; id++) {
		struct nb_cpu cpu = make_cpu(id, n_cpus, n_threads, n_nodes);

		nb_cpumask_add(&host->machine.topology.online, id);
		g_array_append_val(host->cpus, cpu);
	}
	link_arrays(host);
	return host;
}

void nb_host_free(struct nb_host *host)
{
	g_array_unref(host->cpus);
	g_array_unref(host->nics);
	g_array_unref(host->queues);
	g_array_unref(host->states);
	g_array_unref(host->rps);
	g_array_unref(host->device_irqs);
	g_array_unref(host->cpu_loads);
	g_array_unref(host->queue_loads);
	g_free(host->fixed);
	g_free(host->time);
	g_free(host->stuck_on);
	g_free(host->work);
	nb_memory_clear(&host->memory);
	g_free(host);
}

unsigned nb_host_add_nic(struct nb_host *host, int node, unsigned n_queues, unsigned cpu,
			 uint32_t cost)
{
	unsigned first = host->queues->len;
	struct nb_nic nic = {
		.ifindex = (int)host->nics->len + 2,
		.node = node,
		.packets = NB_PACKETS_ETHTOOL,
		.n_rx = n_queues,
		.n_tx = n_queues,
	};

	snprintf(nic.name, sizeof(nic.name), "eth%u", host->nics->len);
	g_array_append_val(host->nics, nic);
	host->time = g_renew(uint32_t, host->time, first + n_queues);
	host->stuck_on = g_renew(int, host->stuck_on, first + n_queues);
	for (unsigned i = 0; i < n_queues; i++) {
		struct nb_queue_key key = {.ifindex = nic.ifindex, .index = i};
		struct nb_queue queue = {.key = key,
					 .has_rx = true,
					 .has_tx = true,
					 .n_irqs = 1,
					 .irqs = {100 + first + i}};
		struct nb_queue_state state = {.key = key, .n_allowed = 1, .settable = true};

		g_array_append_val(host->queues, queue);
		g_array_append_val(host->states, state);
		host->time[first + i] = cost;
		host->stuck_on[first + i] = -1;
	}
	link_arrays(host);
	host->machine.generation++;
	for (unsigned i = 0; i < n_queues; i++)
		nb_host_place(host, first + i, cpu);
	return first;
}

void nb_host_place(struct nb_host *host, unsigned queue, unsigned cpu)
{
	struct nb_queue_state *state = &host->snapshot.queues[queue];

	state->affinity_cpu = (int)cpu;
	state->effective_cpu = (int)cpu;
	state->landed_cpu = (int)cpu;
	state->n_allowed = 1;
}

void nb_host_stick(struct nb_host *host, unsigned queue, int cpu)
{
	host->stuck_on[queue] = cpu;
}

static unsigned position_of(const struct nb_host *host, unsigned cpu)
{
	if (cpu < host->cpus->len && g_array_index(host->cpus, struct nb_cpu, cpu).id == cpu)
		return cpu;
	for (unsigned i = 0; i < host->cpus->len; i++)
		if (g_array_index(host->cpus, struct nb_cpu, i).id == cpu)
			return i;
	assert(!"no such CPU");
	return 0;
}

void nb_host_set_offline(struct nb_host *host, unsigned cpu)
{
	unsigned at = position_of(host, cpu);

	g_array_remove_index(host->cpus, at);
	memmove(&host->fixed[at], &host->fixed[at + 1],
		(host->cpus->len - at) * sizeof(*host->fixed));
	nb_cpumask_del(&host->machine.topology.online, cpu);
	host->machine.generation++;
	link_arrays(host);
}

void nb_host_set_caches(struct nb_host *host, unsigned n_cores)
{
	for (unsigned i = 0; i < host->machine.topology.n_cpus; i++) {
		struct nb_cpu *cpu = &host->machine.topology.cpus[i];

		cpu->llc = cpu->core / n_cores * n_cores;
	}
}

void nb_host_set_capacity(struct nb_host *host, unsigned cpu, uint32_t capacity)
{
	host->machine.topology.cpus[position_of(host, cpu)].capacity = capacity;
}

/* What takes a large CPU so long. */
static uint32_t time_on(const struct nb_host *host, int cpu, uint32_t time)
{
	return nb_capacity_convert(time, NB_WHOLE,
				   nb_topology_capacity(&host->machine.topology, cpu));
}

void nb_host_reset_nic(struct nb_host *host, int ifindex, unsigned cpu)
{
	for (unsigned i = 0; i < host->machine.n_queues; i++) {
		if (host->machine.queues[i].key.ifindex != ifindex)
			continue;
		host->machine.queues[i].irqs[0] += 10000;
		nb_host_place(host, i, cpu);
	}
	host->machine.generation++;
}

void nb_host_isolate(struct nb_host *host, unsigned cpu)
{
	nb_cpumask_add(&host->machine.topology.isolated, cpu);
}

static int compare_rps(const void *a, const void *b)
{
	const struct nb_rps_state *left = a, *right = b;

	return nb_queue_key_compare(left->key, right->key);
}

void nb_host_set_rps(struct nb_host *host, unsigned queue, const struct nb_cpumask *mask)
{
	struct nb_rps_state rps = {.key = host->snapshot.queues[queue].key, .cpus = *mask};

	for (unsigned i = 0; i < host->rps->len; i++)
		if (nb_queue_key_compare(host->snapshot.rps[i].key, rps.key) == 0)
			g_array_remove_index(host->rps, i--);
	if (!nb_cpumask_empty(mask))
		g_array_append_val(host->rps, rps);
	g_array_sort(host->rps, compare_rps);
	link_arrays(host);
}

unsigned nb_host_add_device_irq(struct nb_host *host, int node, const char *device, unsigned cpu,
				uint32_t per_sec)
{
	unsigned at = host->device_irqs->len;
	struct nb_device_irq other = {
		.irq = 500 + at,
		.per_sec = per_sec,
		.node = node,
		.cpu = (int)cpu,
		.n_allowed = 1,
		.settable = true,
	};

	snprintf(other.handlers, sizeof(other.handlers), "disk%u", at);
	snprintf(other.device, sizeof(other.device), "%s", device);
	g_array_append_val(host->device_irqs, other);
	link_arrays(host);
	return at;
}

/* Of several: the first. */
static void set_allowed(struct nb_device_irq *device_irq)
{
	nb_cpumask_clear(&device_irq->allowed);
	if (device_irq->n_allowed == 1)
		nb_cpumask_add(&device_irq->allowed, (unsigned)device_irq->cpu);
	for (unsigned cpu = 0; device_irq->n_allowed > 1 && cpu < device_irq->n_allowed; cpu++)
		nb_cpumask_add(&device_irq->allowed, cpu);
}

void nb_host_look(struct nb_host *host)
{
	for (unsigned i = 0; i < host->machine.n_device_irqs; i++)
		set_allowed(&host->machine.device_irqs[i]);
	host->machine.generation++;
	host->machine.device_irqs_version++;
}

/* Of each CPU the position of the other thread of its core, or its own. There are two at most. */
static unsigned *find_twins(const struct nb_host *host)
{
	unsigned n = host->loads.n_cpus;
	unsigned *twins = g_new(unsigned, n);
	g_autofree unsigned *first = /* by core; plus one */
		g_new0(unsigned, host->machine.topology.n_possible);

	for (unsigned i = 0; i < n; i++) {
		unsigned core = host->machine.topology.cpus[i].core;

		twins[i] = i;
		if (first[core] > 0) {
			twins[i] = first[core] - 1;
			twins[twins[i]] = i;
		}
		first[core] = i + 1;
	}
	return twins;
}

static uint32_t stretch(const struct nb_host *host, const unsigned *twins, unsigned position,
			uint32_t work)
{
	uint32_t its = twins[position] == position
			       ? 0
			       : MIN(host->loads.cpus[twins[position]].busy, NB_WHOLE);

	return work +
	       (uint32_t)((uint64_t)work * its * host->policy.sibling_weight / NB_WHOLE / NB_WHOLE);
}

/* How long each thread is busy depends on how long the other is. */
static void slow_siblings(struct nb_host *host)
{
	g_autofree unsigned *twins = find_twins(host);

	for (unsigned round = 0; round < 40; round++)
		for (unsigned i = 0; i < host->loads.n_cpus; i++)
			host->loads.cpus[i].busy = stretch(host, twins, i, host->work[i]);
	for (unsigned i = 0; i < host->loads.n_cpus; i++) {
		host->loads.cpus[i].fixed = stretch(host, twins, i, host->fixed[i]);
		host->loads.cpus[i].queues = 0;
	}
	for (unsigned i = 0; i < host->loads.n_queues; i++) {
		struct nb_queue_load *queue = &host->loads.queues[i];
		unsigned position;

		if (!nb_cpumask_has(&host->machine.topology.online, (unsigned)queue->cpu))
			continue;
		position = position_of(host, (unsigned)queue->cpu);
		queue->time = stretch(host, twins, position, queue->time);
		host->loads.cpus[position].queues += queue->time;
	}
}

static void sum_loads(struct nb_host *host)
{
	for (unsigned i = 0; i < host->loads.n_cpus; i++) {
		struct nb_cpu_load *cpu = &host->loads.cpus[i];

		cpu->busy = cpu->fixed + cpu->queues;
		cpu->window_busy = cpu->busy;
		cpu->window_fixed = cpu->fixed;
	}
}

void nb_host_tick(struct nb_host *host, uint64_t nsec)
{
	host->snapshot.taken_nsec += nsec;
	host->loads.taken_nsec = host->snapshot.taken_nsec;
	host->loads.window_nsec = nsec;
	for (unsigned i = 0; i < host->loads.n_cpus; i++) {
		struct nb_cpu_load *cpu = &host->loads.cpus[i];

		*cpu = (struct nb_cpu_load){
			.id = host->machine.topology.cpus[i].id,
			.fixed = host->fixed[i],
			.steady_nsec = nsec + (cpu->fixed == host->fixed[i] ? cpu->steady_nsec : 0),
		};
	}
	for (unsigned i = 0; i < host->loads.n_queues; i++) {
		const struct nb_queue_state *state = &host->snapshot.queues[i];
		struct nb_queue_load *load = &host->loads.queues[i];
		bool stuck = host->stuck_on[i] >= 0;

		*load = (struct nb_queue_load){
			.key = state->key,
			.cpu = stuck ? host->stuck_on[i] : state->effective_cpu,
			.time = time_on(host, stuck ? host->stuck_on[i] : state->effective_cpu,
					host->time[i]),
			.saturated = stuck,
			.rx_packets_per_sec = host->time[i],
		};
		if (nb_cpumask_has(&host->machine.topology.online, (unsigned)load->cpu)) {
			struct nb_cpu_load *cpu =
				&host->loads.cpus[position_of(host, (unsigned)load->cpu)];

			cpu->queues += load->time;
			cpu->squeezed += stuck;
		}
	}
	sum_loads(host);
	host->work = g_renew(uint32_t, host->work, host->loads.n_cpus);
	for (unsigned i = 0; i < host->loads.n_cpus; i++)
		host->work[i] = host->loads.cpus[i].busy;
	if (!host->siblings_slow)
		return;
	slow_siblings(host);
	sum_loads(host);
}

static void obey(struct nb_host *host, const struct nb_change *change)
{
	if (change->kind == NB_KIND_DEVICE_IRQ) {
		struct nb_device_irq *other = &host->machine.device_irqs[change->key.index - 500];

		other->cpu = (int)change->move->cpu_to;
		other->n_allowed = 1;
		return;
	}
	for (unsigned i = 0; i < host->snapshot.n_queues; i++) {
		if (nb_queue_key_compare(host->snapshot.queues[i].key, change->key) != 0)
			continue;
		if (change->kind == NB_KIND_QUEUE)
			nb_host_place(host, i, change->move->cpu_to);
		else if (change->kind == NB_KIND_RPS)
			nb_host_set_rps(host, i, &change->rps->to);
	}
}

void nb_host_obey(struct nb_host *host, struct nb_plan *plan)
{
	for (unsigned i = 0; i < plan->n_changes; i++) {
		obey(host, &plan->changes[i]);
		plan->changes[i].outcome = NB_OUTCOME_APPLIED;
	}
}

uint32_t nb_host_busy(const struct nb_host *host, unsigned cpu)
{
	return host->loads.cpus[position_of(host, cpu)].busy;
}

unsigned nb_host_cpu_of(const struct nb_host *host, unsigned queue)
{
	return (unsigned)host->snapshot.queues[queue].effective_cpu;
}

unsigned nb_host_queues_on(const struct nb_host *host, unsigned cpu)
{
	unsigned n = 0;

	for (unsigned i = 0; i < host->snapshot.n_queues; i++)
		n += nb_host_cpu_of(host, i) == cpu;
	return n;
}
