/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/board.h"

#include "base/find.h"
#include "base/memory.h"

/* A queue that did not gain from being moved is moved half as often each time, up to 64 × the
 * dwell. */
#define MAX_DOUBLINGS 6u

void nb_board_init(struct nb_board *board)
{
	*board = (struct nb_board){
		.cpu_store = g_array_new(FALSE, TRUE, sizeof(struct nb_board_cpu)),
		.queue_store = g_array_new(FALSE, TRUE, sizeof(struct nb_board_queue)),
	};
}

void nb_board_clear(struct nb_board *board)
{
	g_clear_pointer(&board->cpu_store, g_array_unref);
	g_clear_pointer(&board->queue_store, g_array_unref);
}

unsigned nb_board_find_cpu(const struct nb_board *board, int id)
{
	unsigned low = 0, high = board->n_cpus;

	if (id < 0)
		return NB_NOWHERE;
	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (board->cpus[middle].id == (unsigned)id)
			return middle;
		if (board->cpus[middle].id < (unsigned)id)
			low = middle + 1;
		else
			high = middle;
	}
	return NB_NOWHERE;
}

uint32_t nb_board_own(const struct nb_board_cpu *cpu)
{
	return cpu->rest + cpu->queues;
}

uint32_t nb_board_load(const struct nb_board *board, unsigned cpu)
{
	uint32_t sibling = 0;

	for (unsigned i = board->cpus[cpu].next_thread; i != cpu; i = board->cpus[i].next_thread)
		sibling = MAX(sibling, nb_board_own(&board->cpus[i]));
	return nb_board_own(&board->cpus[cpu]) + sibling * board->policy->sibling_weight / NB_WHOLE;
}

bool nb_board_in_domain(const struct nb_board_cpu *cpu, int domain)
{
	return domain == NB_NODE_NONE || cpu->node == domain;
}

bool nb_board_allows(const struct nb_board *board, const struct nb_board_queue *queue, unsigned cpu)
{
	const struct nb_board_cpu *target = &board->cpus[cpu];

	return target->eligible && !target->full && nb_board_in_domain(target, queue->domain);
}

uint64_t nb_board_back_off(const struct nb_board_queue *queue, uint64_t nsec)
{
	return nsec << MIN(queue->memory->failures, MAX_DOUBLINGS);
}

bool nb_board_dwells(const struct nb_board *board, const struct nb_board_queue *queue, bool panic)
{
	const struct nb_queue_memory *memory = queue->memory;
	uint64_t dwell_nsec = nb_board_back_off(queue, board->policy->dwell_nsec);

	if (panic)
		dwell_nsec /= 3;
	return memory->moved_nsec && board->now_nsec < memory->moved_nsec + dwell_nsec;
}

void nb_board_place(struct nb_board *board, struct nb_board_queue *queue, unsigned cpu)
{
	if (queue->cpu != NB_NOWHERE) {
		board->cpus[queue->cpu].queues -= queue->cost;
		board->cpus[queue->cpu].n_queues--;
	}
	if (cpu != NB_NOWHERE) {
		board->cpus[cpu].queues += queue->cost;
		board->cpus[cpu].n_queues++;
	}
	queue->cpu = cpu;
}

/* Hardware threads of one core form a ring. */
static void link_threads(struct nb_board *board, unsigned cpu)
{
	for (unsigned i = cpu; i-- > 0;) {
		if (board->cpus[i].core != board->cpus[cpu].core)
			continue;
		board->cpus[cpu].next_thread = board->cpus[i].next_thread;
		board->cpus[i].next_thread = cpu;
		return;
	}
}

/* Loads and topology both ascend by id, but a CPU may be in one alone for a moment. */
static const struct nb_cpu *find_topology(const struct nb_topology *topology, unsigned id,
					  unsigned *at)
{
	while (*at < topology->n_cpus && topology->cpus[*at].id < id)
		(*at)++;
	return *at < topology->n_cpus && topology->cpus[*at].id == id ? &topology->cpus[*at] : NULL;
}

static void add_cpus(struct nb_board *board, const struct nb_topology *topology,
		     const struct nb_loads *loads, const struct nb_memory *memory)
{
	unsigned at = 0;

	g_array_set_size(board->cpu_store, 0);
	for (unsigned i = 0; i < loads->n_cpus; i++) {
		const struct nb_cpu_load *load = &loads->cpus[i];
		const struct nb_cpu *where = find_topology(topology, load->id, &at);
		struct nb_board_cpu cpu = {.id = load->id};

		if (!where)
			continue;
		cpu.node = where->node;
		cpu.core = where->core;
		cpu.llc = where->llc;
		cpu.eligible = nb_cpumask_has(&topology->online, load->id) &&
			       !nb_cpumask_has(&topology->isolated, load->id) &&
			       !nb_cpumask_has(&board->policy->banned, load->id);
		cpu.full = nb_memory_is_full(memory, load->id, board->now_nsec);
		cpu.dropping = load->dropped || load->squeezed;
		cpu.rest = load->rest;
		cpu.backlog = load->backlog;
		cpu.next_thread = board->cpu_store->len;
		g_array_append_val(board->cpu_store, cpu);
	}
	board->cpus = (struct nb_board_cpu *)(void *)board->cpu_store->data;
	board->n_cpus = board->cpu_store->len;
	for (unsigned i = 0; i < board->n_cpus; i++)
		link_threads(board, i);
}

/* A node without an eligible CPU cannot keep its NICs' interrupts: then any node may. */
static int domain_of(const struct nb_board *board, int node)
{
	for (unsigned i = 0; i < board->n_cpus; i++)
		if (board->cpus[i].node == node && board->cpus[i].eligible)
			return node;
	return NB_NODE_NONE;
}

static bool is_movable(const struct nb_board *board, const struct nb_queue *queue,
		       const struct nb_queue_state *state, const struct nb_queue_memory *memory)
{
	if (queue->n_irqs == 0 || !state->settable || memory->refused || memory->pending.active)
		return false;
	if (board->now_nsec < memory->yielded_until_nsec)
		return false;
	/* Not where we put it: the verifier will say whose doing that is. */
	return memory->expected_cpu < 0 || memory->expected_cpu == state->affinity_cpu;
}

static int compare_keys(const void *a, const void *b)
{
	const struct nb_board_queue *left = a, *right = b;

	return nb_queue_key_compare(left->key, right->key);
}

/* Ties go to the lower key wherever a choice is made in passing, so rows stand in that order. */
static void order_queues(GArray *queues)
{
	for (unsigned i = 1; i < queues->len; i++) {
		if (compare_keys(&g_array_index(queues, struct nb_board_queue, i - 1),
				 &g_array_index(queues, struct nb_board_queue, i)) > 0) {
			g_array_sort(queues, compare_keys);
			return;
		}
	}
}

static void add_queues(struct nb_board *board, const struct nb_snapshot *snapshot,
		       const struct nb_loads *loads, struct nb_memory *memory)
{
	const struct nb_machine *machine = snapshot->machine;
	const struct nb_nic *nic = NULL;
	int domain = NB_NODE_NONE;

	g_array_set_size(board->queue_store, 0);
	for (unsigned i = 0; i < machine->n_queues; i++) {
		const struct nb_queue *found = &machine->queues[i];
		struct nb_board_queue queue = {
			.key = found->key,
			.memory = nb_memory_find_queue(memory, found->key),
			.state = &snapshot->queues[i],
			.has_rx = found->has_rx,
			.cost = loads->queues[i].cost,
			.cpu = nb_board_find_cpu(board, loads->queues[i].cpu),
		};

		if (!nic || nic->ifindex != found->key.ifindex) {
			nic = nb_machine_find_nic(machine, found->key.ifindex);
			domain = domain_of(board, nic ? nic->node : NB_NODE_NONE);
		}
		queue.domain = domain;
		queue.n_rx = nic ? nic->n_rx : 0;
		queue.steered = nb_snapshot_find_rps(snapshot, found->key) != NULL;
		queue.movable = is_movable(board, found, queue.state, queue.memory);
		if (queue.cpu != NB_NOWHERE) {
			board->cpus[queue.cpu].queues += queue.cost;
			board->cpus[queue.cpu].n_queues++;
		}
		g_array_append_val(board->queue_store, queue);
	}
	order_queues(board->queue_store);
	board->queues = (struct nb_board_queue *)(void *)board->queue_store->data;
	board->n_queues = board->queue_store->len;
}

void nb_board_set_up(struct nb_board *board, const struct nb_snapshot *snapshot,
		     const struct nb_loads *loads, const struct nb_policy *policy,
		     struct nb_memory *memory)
{
	board->policy = policy;
	board->now_nsec = snapshot->taken_nsec;
	add_cpus(board, &snapshot->machine->topology, loads, memory);
	add_queues(board, snapshot, loads, memory);
}

static bool hotter(const struct nb_board *board, unsigned cpu, const struct nb_domain *domain)
{
	uint32_t load = nb_board_load(board, cpu);

	if (domain->hottest == NB_NOWHERE || load != domain->hottest_load)
		return domain->hottest == NB_NOWHERE || load > domain->hottest_load;
	return board->cpus[cpu].id < board->cpus[domain->hottest].id;
}

struct nb_domain nb_board_domain(const struct nb_board *board, int node)
{
	struct nb_domain domain = {.domain = node, .hottest = NB_NOWHERE};
	uint64_t load_sum = 0, busy_sum = 0;

	for (unsigned i = 0; i < board->n_cpus; i++) {
		if (!board->cpus[i].eligible || !nb_board_in_domain(&board->cpus[i], node))
			continue;
		load_sum += nb_board_load(board, i);
		busy_sum += nb_board_own(&board->cpus[i]);
		domain.n_cpus++;
	}
	if (domain.n_cpus) {
		domain.mean = (uint32_t)(load_sum / domain.n_cpus);
		domain.mean_busy = (uint32_t)(busy_sum / domain.n_cpus);
	}

	for (unsigned i = 0; i < board->n_queues; i++) {
		const struct nb_board_queue *queue = &board->queues[i];

		if (queue->domain != node || queue->cpu == NB_NOWHERE ||
		    !hotter(board, queue->cpu, &domain))
			continue;
		domain.hottest = queue->cpu;
		domain.hottest_load = nb_board_load(board, queue->cpu);
	}
	return domain;
}
