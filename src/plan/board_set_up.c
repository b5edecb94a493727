/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/find.h"
#include "base/follow.h"
#include "base/memory.h"
#include "base/pools.h"
#include "base/written.h"
#include "plan/board.h"

#include <assert.h>

/* An application that has run for so long goes on. */
#define LASTS_NSEC (3 * NB_NSEC_PER_SEC)

/* Hardware threads of one core form a ring, behind the one that names the core. */
static void link_thread(struct nb_board *board, unsigned cpu)
{
	unsigned first = nb_board_find_cpu(board, (int)board->cpus[cpu].core);

	if (first == cpu || first == NB_NOWHERE)
		return;
	board->cpus[cpu].next_thread = board->cpus[first].next_thread;
	board->cpus[first].next_thread = cpu;
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

	g_array_set_size(board->cpu_store, loads->n_cpus);
	board->cpus = (struct nb_board_cpu *)(void *)board->cpu_store->data;
	board->n_cpus = 0;
	board->hybrid = false;
	for (unsigned i = 0; i < loads->n_cpus; i++) {
		const struct nb_cpu_load *load = &loads->cpus[i];
		const struct nb_cpu *where = find_topology(topology, load->id, &at);
		unsigned position = board->n_cpus;

		if (!where)
			continue;
		board->cpus[board->n_cpus++] = (struct nb_board_cpu){
			.id = load->id,
			.node = where->node,
			.core = where->core,
			.llc = where->llc,
			.capacity = where->capacity,
			.no_vector = nb_memory_lacks_vectors(memory, load->id, board->now_nsec),
			.panics = nb_cpu_load_lost(load) > 0,
			.squeezed = load->squeezed > 0,
			.fixed = load->fixed,
			.backlog = load->backlog,
			.applications = nb_cpu_load_applications(load),
			.starved = load->starved,
			.wanted = load->starved,
			.steady_nsec = load->steady_nsec,
			.stretch = NB_WHOLE,
			.busy = load->fixed,
			.window_busy = load->window_busy,
			.first_queue = NB_NOWHERE,
			.next_thread = position,
		};
		assert(where->capacity > 0);
		board->hybrid |= where->capacity != NB_WHOLE;
	}
	for (unsigned i = 0; i < board->n_cpus; i++)
		link_thread(board, i);
}

/* The CPUs near to the node, or if there is none of those any node. */
static struct nb_cpumask near(const struct nb_board *board, const struct nb_cpumask *allowed,
			      int node)
{
	struct nb_cpumask cpus = {};

	for (unsigned i = 0; i < board->n_cpus; i++)
		if (board->cpus[i].node == node && nb_cpumask_has(allowed, board->cpus[i].id))
			nb_cpumask_add(&cpus, board->cpus[i].id);
	return nb_cpumask_empty(&cpus) ? *allowed : cpus;
}

static unsigned get_domain(struct nb_board *board, const struct nb_cpumask *allowed, int node)
{
	struct nb_domain domain = {
		.allowed = *allowed,
		.cpus = near(board, allowed, node),
		.hottest = NB_NOWHERE,
	};

	for (unsigned i = 0; i < board->n_domains; i++) {
		const struct nb_domain *known = &board->domains[i];

		if (nb_cpumask_equal(&known->cpus, &domain.cpus) &&
		    nb_cpumask_equal(&known->allowed, &domain.allowed))
			return i;
	}
	domain.far = !nb_cpumask_equal(&domain.cpus, allowed);
	g_array_append_val(board->domain_store, domain);
	board->domains = (struct nb_domain *)(void *)board->domain_store->data;
	return board->n_domains++;
}

/* A host has few nodes, and many NICs and queues of each. */
static unsigned get_home(struct nb_board *board, int node)
{
	struct nb_board_home home = {.node = node};

	for (unsigned i = 0; i < board->home_store->len; i++) {
		const struct nb_board_home *known =
			&g_array_index(board->home_store, struct nb_board_home, i);

		if (known->node == node)
			return known->domain;
	}
	home.domain = get_domain(board, &board->common.cpus, node);
	g_array_append_val(board->home_store, home);
	return home.domain;
}

unsigned nb_board_find_domain(struct nb_board *board, struct nb_queue_key key, int node)
{
	struct nb_allowed allowed;

	if (!nb_rules_has_pool(&board->rules, key))
		return get_home(board, node);
	nb_rules_allow(&board->rules, key, &allowed);
	return get_domain(board, &allowed.cpus, node);
}

static void set_rules(struct nb_board *board, const struct nb_snapshot *snapshot,
		      struct nb_memory *memory)
{
	nb_rules_init(&board->rules, snapshot, board->policy, memory);
	nb_rules_allow_common(&board->rules, &board->common);
	board->common_changed = !nb_cpumask_empty(&memory->common) &&
				!nb_cpumask_equal(&board->common.cpus, &memory->common);
	memory->common = board->common.cpus;
	g_array_set_size(board->domain_store, 0);
	board->domains = NULL;
	board->n_domains = 0;
	g_array_set_size(board->home_store, 0);
}

static const struct nb_cpumask *steerable(const struct nb_machine *machine, struct nb_queue_key key)
{
	const struct nb_pool *pool =
		machine->rps_pools.n > 0
			? nb_pools_find(&machine->rps_pools, nb_rules_every_queue(key))
			: NULL;

	return pool ? &pool->cpus : NULL;
}

static bool is_pinned(const struct nb_queue *queue, const struct nb_queue_state *state,
		      const struct nb_queue_memory *memory)
{
	return queue->n_irqs == 0 || !state->settable || memory->refused;
}

static bool is_removable(const struct nb_board *board, const struct nb_queue_state *state,
			 const struct nb_queue_memory *memory)
{
	if (memory->affinity.unjudged || board->now_nsec < memory->yielded_until_nsec ||
	    nb_board_is_rejected(board, memory))
		return false;
	/* Not where we put it: the verifier finds out who moved it. */
	return memory->expected_cpu < 0 || memory->expected_cpu == state->affinity_cpu;
}

/* Where nothing may be any more, another program's write does not protect. */
static void end_overruled_rest(const struct nb_board *board, const struct nb_board_queue *queue)
{
	if (board->common_changed && queue->state->affinity_cpu >= 0 &&
	    !nb_cpumask_has(&board->domains[queue->domain].allowed,
			    (unsigned)queue->state->affinity_cpu))
		queue->memory->yielded_until_nsec = 0;
}

/* A queue that is polled elsewhere than its interrupt goes will follow it if it was just moved, has
 * no traffic, or is saturated; with other traffic it would have. What applications poll is where
 * they are, and what a timer polls stays. */
static bool will_follow(const struct nb_board_queue *queue, const struct nb_loads *loads)
{
	const struct nb_queue_load *load = nb_loads_find_queue(loads, queue->key);
	const struct nb_pending *pending = &queue->memory->pending;
	bool moved = pending->active && load->cpu == pending->move.cpu_from;

	return queue->memory->unstick_tries < NB_BOARD_BELIEVED_TRIES &&
	       (queue->saturated || load->rx_packets_per_sec == 0 || (moved && !queue->deferred));
}

static unsigned destination(const struct nb_board *board, const struct nb_board_queue *queue)
{
	unsigned cpu = queue->state->n_allowed == 1
			       ? nb_board_find_cpu(board, queue->state->affinity_cpu)
			       : NB_NOWHERE;

	return cpu == NB_NOWHERE || queue->polled_on == NB_NOWHERE ? queue->polled_on : cpu;
}

/* Counts a queue on both CPUs: the one that it has yet to leave, and the one where it goes. */
static void let_leave(struct nb_board *board, struct nb_board_queue *queue)
{
	struct nb_board_cpu *from = &board->cpus[queue->polled_on];
	uint32_t time = queue->time, load = queue->load;

	nb_board_place(board, queue, queue->destination);
	from->leaving += load;
	from->busy += time;
}

/* Another interrupt would change nothing. One that is deferred and new is put in its place all the
 * same, where it goes when there are no packets for a moment. */
static bool would_not_follow(const struct nb_board_queue *queue)
{
	if (queue->destination == queue->polled_on)
		return queue->deferred && !queue->memory->fresh;
	return queue->deferred || queue->saturated;
}

static void follow_interrupts(struct nb_board *board, const struct nb_loads *loads)
{
	for (unsigned i = 0; i < board->n_queues; i++) {
		struct nb_board_queue *queue = &board->queues[i];

		if (queue->destination == NB_NOWHERE)
			continue;
		if (would_not_follow(queue) &&
		    nb_board_may_stay(board, queue->destination, queue->domain))
			queue->movable = false;
		if (queue->destination != queue->polled_on && will_follow(queue, loads))
			let_leave(board, queue);
	}
}

/* Both are in the order of the machine's queues. */
static struct nb_queue_memory *memory_of(struct nb_memory *memory, struct nb_queue_key key,
					 unsigned position)
{
	if (position < memory->n_queues &&
	    nb_queue_key_compare(memory->queues[position].key, key) == 0)
		return &memory->queues[position];
	return nb_memory_find_queue(memory, key);
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

static void place_queues(struct nb_board *board)
{
	for (unsigned i = 0; i < board->n_queues; i++) {
		unsigned polled_on = board->queues[i].polled_on;

		board->queues[i].cpu = NB_NOWHERE;
		nb_board_place(board, &board->queues[i], polled_on);
	}
}

/* What applications or kernel threads poll may use its whole budget at every poll, too, but not in
 * softirqs that run out of theirs. */
static bool is_saturated(const struct nb_board *board, const struct nb_board_queue *queue,
			 const struct nb_queue_load *load)
{
	return load->saturated && !queue->threaded && queue->polled_on != NB_NOWHERE &&
	       board->cpus[queue->polled_on].squeezed;
}

/* Packets keep its NAPI from enabling its interrupt: a timer polls it on the CPU where it was (net/
 * core/dev.c napi_complete_done(), napi_watchdog()). Interrupts that come all the same may be those
 * of its transmit queue; then it shows by what it did not follow. */
static bool is_deferred(const struct nb_board_queue *queue, const struct nb_queue_load *load)
{
	return load->deferred ||
	       (queue->state->defers && load->rx_packets_per_sec > 0 &&
		!queue->memory->pending.active && queue->destination != queue->polled_on);
}

/* Its thread is bound to the CPU that its interrupt goes to, and follows it; unless it is there for
 * the scheduler to place it. */
static bool is_bound(const struct nb_board_queue *queue, const struct nb_memory *memory)
{
	const struct nb_follow_memory *row =
		queue->thread ? nb_follow_find(&memory->threads, queue->key.ifindex) : NULL;

	return row && row->ours && row->places && row->yielded_nsec == 0 &&
	       queue->state->affinity_cpu >= 0 && !nb_memory_is_threaded(memory, queue->key);
}

/* What a bound thread takes is load of its queue, and goes where its interrupt goes. The model,
 * which knows of no threads, counts it as fixed load. */
static void carry_thread(struct nb_board *board, struct nb_board_queue *queue, uint32_t threaded)
{
	struct nb_board_cpu *cpu = &board->cpus[queue->polled_on];

	threaded = MIN(threaded, nb_growth(cpu->backlog, cpu->fixed));
	queue->measured += threaded;
	cpu->fixed -= threaded;
	cpu->busy -= threaded;
	queue->threaded = false;
	queue->thread_load = 0;
}

/* As the model has it. */
static void set_load(const struct nb_board *board, const struct nb_loads *loads, unsigned i,
		     struct nb_board_queue *queue)
{
	const struct nb_queue_load *load = &loads->queues[i];

	queue->measured = MAX(load->time, load->wanted);
	queue->known = load->wanted > 0;
	queue->packets_per_sec = load->rx_packets_per_sec;
	queue->packets = load->rx_packets_per_sec * loads->window_nsec / NB_NSEC_PER_SEC;
	queue->polled_on = nb_board_find_cpu(board, load->cpu);
	queue->capacity =
		queue->polled_on == NB_NOWHERE ? NB_WHOLE : board->cpus[queue->polled_on].capacity;
	queue->threaded = load->threaded > load->time;
	queue->thread_load = load->threaded;
	queue->never_done = load->never_done;
	queue->saturated = is_saturated(board, queue, load);
}

static void set_nic(const struct nb_nic *nic, const struct nb_queue *found,
		    struct nb_board_queue *queue)
{
	queue->n_rx = nic ? nic->n_rx : 0;
	queue->spills = nic && nic->spill;
	queue->has_own_switch = found->threading != NB_THREADING_UNKNOWN;
	queue->may_be_threaded = nic && nic->threaded_allowed && nic->scope == NB_SCOPE_IN;
	queue->is_virtual = nic && nic->scope == NB_SCOPE_STEERED;
	queue->rss = !queue->is_virtual && !nb_queue_has_channel(found);
}

/* Its domain is known. */
static void set_freedom(const struct nb_board *board, const struct nb_queue *found,
			struct nb_board_queue *queue)
{
	end_overruled_rest(board, queue);
	queue->pinned = is_pinned(found, queue->state, queue->memory) ||
			nb_written_holds(board->rules.written, queue->key,
					 &board->domains[queue->domain].allowed);
	queue->removable = !queue->pinned && is_removable(board, queue->state, queue->memory);
	queue->movable = queue->removable && !queue->memory->pending.active;
}

/* A NIC, and the domain of those of its queues that have no pool of their own. */
struct home {
	const struct nb_nic *nic;
	unsigned domain;
};

static void find_home(struct nb_board *board, const struct nb_machine *machine,
		      struct nb_queue_key key, struct home *home)
{
	if (home->nic && home->nic->ifindex == key.ifindex)
		return;
	home->nic = nb_machine_find_nic(machine, key.ifindex);
	home->domain = nb_board_find_domain(board, nb_rules_every_queue(key),
					    home->nic ? home->nic->node : NB_NODE_NONE);
}

static unsigned domain_of(struct nb_board *board, struct nb_queue_key key, const struct home *home)
{
	if (!nb_rules_has_pool(&board->rules, key))
		return home->domain;
	return nb_board_find_domain(board, key, home->nic ? home->nic->node : NB_NODE_NONE);
}

static void add_handed(struct nb_board *board, struct nb_board_queue *queue)
{
	queue->handed_per_sec = queue->packets_per_sec / nb_cpumask_count(queue->steered);
	NB_CPUMASK_FOREACH (id, queue->steered) {
		unsigned cpu = nb_board_find_cpu(board, (int)id);

		if (cpu != NB_NOWHERE)
			board->cpus[cpu].handed_per_sec += queue->handed_per_sec;
	}
}

static void add_queues(struct nb_board *board, const struct nb_snapshot *snapshot,
		       const struct nb_loads *loads, struct nb_memory *memory)
{
	const struct nb_machine *machine = snapshot->machine;
	struct home home = {.nic = NULL};

	g_array_set_size(board->queue_store, machine->n_queues);
	for (unsigned i = 0; i < machine->n_queues; i++) {
		const struct nb_queue *found = &machine->queues[i];
		struct nb_board_queue queue = {
			.key = found->key,
			.memory = memory_of(memory, found->key, i),
			.state = &snapshot->queues[i],
			.has_rx = found->has_rx,
			.thread = nb_snapshot_thread(snapshot, i),
			.steerable = steerable(machine, found->key),
			.steered = nb_snapshot_find_rps(snapshot, found->key),
		};

		find_home(board, machine, found->key, &home);
		set_nic(home.nic, found, &queue);
		set_load(board, loads, i, &queue);
		if (queue.polled_on != NB_NOWHERE && is_bound(&queue, memory))
			carry_thread(board, &queue, loads->queues[i].threaded);
		queue.load = queue.measured;
		queue.destination = destination(board, &queue);
		queue.deferred = is_deferred(&queue, &loads->queues[i]);
		queue.domain = domain_of(board, found->key, &home);
		set_freedom(board, found, &queue);
		g_array_index(board->queue_store, struct nb_board_queue, i) = queue;
	}
	order_queues(board->queue_store);
	board->queues = (struct nb_board_queue *)(void *)board->queue_store->data;
	board->n_queues = board->queue_store->len;
	place_queues(board);
	for (unsigned i = 0; i < board->n_queues; i++)
		if (board->queues[i].steered)
			add_handed(board, &board->queues[i]);
}

static uint32_t work_of(const struct nb_board_cpu *cpu, uint32_t time)
{
	return (uint32_t)((uint64_t)time * NB_WHOLE / cpu->stretch);
}

/* Beside a thread that is always busy, work takes 1 + its weight as long. */
static void stretch_cpu(struct nb_board *board, unsigned cpu)
{
	uint32_t sibling = 0;

	for (unsigned i = board->cpus[cpu].next_thread; i != cpu; i = board->cpus[i].next_thread)
		sibling = MAX(sibling, board->cpus[i].busy);
	board->cpus[cpu].stretch =
		NB_WHOLE + MIN(sibling, NB_WHOLE) * board->policy->sibling_weight / NB_WHOLE;
}

/* Turns times into loads: without what the other threads of the core add. */
static void take_out_siblings(struct nb_board *board)
{
	for (unsigned i = 0; i < board->n_cpus; i++)
		if (board->cpus[i].next_thread != i)
			stretch_cpu(board, i);
	for (unsigned i = 0; i < board->n_cpus; i++) {
		struct nb_board_cpu *cpu = &board->cpus[i];

		if (cpu->stretch == NB_WHOLE)
			continue;
		cpu->fixed = work_of(cpu, cpu->fixed);
		cpu->backlog = work_of(cpu, cpu->backlog);
		cpu->starved = work_of(cpu, cpu->starved);
		cpu->wanted = cpu->starved;
		cpu->queues = 0;
		NB_BOARD_FOREACH_QUEUE(q, board, i)
		{
			board->queues[q].load = work_of(cpu, board->queues[q].time);
			board->queues[q].measured = board->queues[q].load;
			cpu->queues += board->queues[q].load;
		}
	}
}

/* Without an application that may end before a queue has left. */
static uint32_t lasting(const struct nb_board_cpu *cpu)
{
	uint32_t passing =
		cpu->steady_nsec < LASTS_NSEC ? work_of(cpu, cpu->applications.least) : 0;

	return (uint32_t)nb_growth(passing, cpu->busy);
}

/* Until here, panics says that packets are lost because the CPU does not keep up. On a CPU that is
 * not hot drops and squeezes move nothing: no other would have received those packets. Busy is the
 * CPU itself, not its core: beside a busy sibling its own work takes longer already. What
 * starts beside the daemon, its probe among it, makes CPUs run out of budget, too: that is no
 * reason to hurry. */
static void find_panics(struct nb_board *board, const struct nb_memory *memory)
{
	bool starting = nb_memory_is_starting(memory, board->now_nsec);

	for (unsigned i = 0; i < board->n_cpus; i++) {
		struct nb_board_cpu *cpu = &board->cpus[i];
		bool hot = nb_board_load(board, i) > board->policy->hot;

		cpu->panics = lasting(cpu) > board->policy->panic || (cpu->panics && hot);
		cpu->squeezed = cpu->squeezed && hot && (cpu->panics || !starting);
	}
}

/* Of equally hot CPUs that of the lowest id. */
static void note_serving(const struct nb_board *board, struct nb_domain *domain, unsigned cpu)
{
	uint32_t load = nb_board_load(board, cpu);

	domain->urgent |= board->cpus[cpu].panics || board->cpus[cpu].squeezed;
	if (domain->hottest != NB_NOWHERE &&
	    (load < domain->hottest_load ||
	     (load == domain->hottest_load && cpu > domain->hottest)))
		return;
	domain->hottest = cpu;
	domain->hottest_load = load;
}

static void find_hottest(struct nb_board *board)
{
	for (unsigned i = 0; i < board->n_queues; i++) {
		const struct nb_board_queue *queue = &board->queues[i];

		if (queue->cpu != NB_NOWHERE)
			note_serving(board, &board->domains[queue->domain], queue->cpu);
	}
}

static void find_mean(const struct nb_board *board, struct nb_domain *domain)
{
	uint64_t load_sum = 0, busy_sum = 0, window_sum = 0;

	for (unsigned i = 0; i < board->n_cpus; i++) {
		const struct nb_board_cpu *cpu = &board->cpus[i];

		if (!nb_cpumask_has(&domain->cpus, cpu->id))
			continue;
		domain->awaits |= cpu->leaving > 0;
		load_sum += (uint64_t)nb_board_load(board, i) * cpu->capacity;
		busy_sum += (uint64_t)cpu->busy * cpu->capacity;
		window_sum += (uint64_t)cpu->window_busy * cpu->capacity;
		domain->capacities += cpu->capacity;
		domain->capacity = MAX(domain->capacity, cpu->capacity);
		domain->n_cpus++;
	}
	if (domain->n_cpus) {
		domain->mean = (uint32_t)(load_sum / domain->capacities);
		domain->mean_busy = (uint32_t)(busy_sum / domain->capacities);
		domain->mean_window = (uint32_t)(window_sum / domain->capacities);
	} else {
		domain->capacity = NB_WHOLE;
	}
}

static void measure_domains(struct nb_board *board)
{
	find_hottest(board);
	for (unsigned i = 0; i < board->n_domains; i++)
		find_mean(board, &board->domains[i]);
}

void nb_board_set_up(struct nb_board *board, const struct nb_snapshot *snapshot,
		     const struct nb_loads *loads, const struct nb_policy *policy,
		     struct nb_memory *memory)
{
	board->policy = policy;
	board->now_nsec = snapshot->taken_nsec;
	board->timed = nb_grade_is_timed(snapshot->grade);
	board->counts = &snapshot->buckets;
	set_rules(board, snapshot, memory);
	add_cpus(board, &snapshot->machine->topology, loads, memory);
	add_queues(board, snapshot, loads, memory);
	take_out_siblings(board);
	find_panics(board, memory);
	follow_interrupts(board, loads);
	measure_domains(board);
}
