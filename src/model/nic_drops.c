/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/nic_drops.h"

#include "base/find.h"
#include "nicbalance/units.h"

/* A CPU that was busy for so much of a window, and ran out of budget, was full. */
#define FULL_BASIS_POINTS 9000u

struct nic {
	int ifindex;
	uint64_t read_nsec; /* the last reading; 0: none */
	uint64_t missed;
	bool by_queue;
	uint64_t seen_nsec; /* of all windows since */
	struct nb_nic_load load;
};

struct queue {
	struct nb_queue_key key;
	bool read; /* at the last reading of its NIC, and so are the next two */
	uint64_t dropped;
	int cpu;
	bool full;  /* its CPU was full in a window since then */
	bool fills; /* and the queue had some of its time */
	/* Between the last two readings. */
	bool known;
	uint64_t per_sec;
	bool was_full; /* as these two */
	bool filled;
	bool stayed; /* that was always the same one */
};

/* A NIC was read: queues first to end are its. */
struct reading {
	const struct nb_snapshot *cur;
	const struct nb_loads *loads;
	const struct nb_nic_state *now;
	unsigned first, end;
	uint64_t elapsed_nsec; /* since the reading before; 0: there was none to compare with */
};

void nb_nic_drops_init(struct nb_nic_drops *drops)
{
	*drops = (struct nb_nic_drops){
		.nics = g_array_new(FALSE, TRUE, sizeof(struct nic)),
		.queues = g_array_new(FALSE, TRUE, sizeof(struct queue)),
		.loads = g_array_new(FALSE, TRUE, sizeof(struct nb_nic_load)),
	};
}

void nb_nic_drops_clear(struct nb_nic_drops *drops)
{
	g_array_unref(drops->nics);
	g_array_unref(drops->queues);
	g_array_unref(drops->loads);
}

static struct nic *nic_at(const struct nb_nic_drops *drops, unsigned i)
{
	return &g_array_index(drops->nics, struct nic, i);
}

static struct queue *queue_at(const struct nb_nic_drops *drops, unsigned i)
{
	return &g_array_index(drops->queues, struct queue, i);
}

static void adopt_nics(struct nb_nic_drops *drops, const struct nb_snapshot *cur)
{
	GArray *old = drops->nics;
	unsigned at = 0;

	drops->nics = g_array_sized_new(FALSE, TRUE, sizeof(struct nic), cur->n_nics);
	for (unsigned i = 0; i < cur->n_nics; i++) {
		struct nic nic = {.ifindex = cur->nics[i].ifindex,
				  .load.ifindex = cur->nics[i].ifindex};

		while (at < old->len && g_array_index(old, struct nic, at).ifindex < nic.ifindex)
			at++;
		if (at < old->len && g_array_index(old, struct nic, at).ifindex == nic.ifindex)
			nic = g_array_index(old, struct nic, at);
		g_array_append_val(drops->nics, nic);
	}
	g_array_unref(old);
}

static void adopt_queues(struct nb_nic_drops *drops, const struct nb_snapshot *cur)
{
	GArray *old = drops->queues;
	unsigned at = 0;

	drops->queues = g_array_sized_new(FALSE, TRUE, sizeof(struct queue), cur->n_queues);
	for (unsigned i = 0; i < cur->n_queues; i++) {
		struct queue queue = {.key = cur->queues[i].key, .cpu = -1};
		const struct queue *known = &g_array_index(old, struct queue, at);

		while (at < old->len && nb_queue_key_compare(known->key, queue.key) < 0)
			known = &g_array_index(old, struct queue, ++at);
		if (at < old->len && nb_queue_key_compare(known->key, queue.key) == 0)
			queue = *known;
		g_array_append_val(drops->queues, queue);
	}
	g_array_unref(old);
}

static void adopt_machine(struct nb_nic_drops *drops, const struct nb_snapshot *cur)
{
	adopt_nics(drops, cur);
	adopt_queues(drops, cur);
	drops->generation = cur->machine->generation;
}

/* The CPU that polls it had no time left. Saturated alone is a queue that an application polls,
 * too. */
static bool has_full_cpu(const struct nb_loads *loads, const struct nb_queue_load *queue)
{
	const struct nb_cpu_load *cpu =
		queue->cpu < 0 ? NULL : nb_loads_find_cpu(loads, (unsigned)queue->cpu);

	return cpu && cpu->squeezed > 0 &&
	       (queue->saturated || cpu->window_busy >= FULL_BASIS_POINTS);
}

static void note_full(struct nb_nic_drops *drops, const struct nb_loads *loads)
{
	for (unsigned i = 0; loads->window_nsec > 0 && i < drops->queues->len; i++) {
		bool full = has_full_cpu(loads, &loads->queues[i]);

		queue_at(drops, i)->full |= full;
		queue_at(drops, i)->fills |= full && loads->queues[i].window_time > 0;
	}
	for (unsigned i = 0; i < drops->nics->len; i++)
		nic_at(drops, i)->seen_nsec += loads->window_nsec;
}

/* Returns by how much the counter of the queue grew. */
static uint64_t take_queue(struct queue *queue, const struct reading *reading, unsigned i)
{
	uint64_t dropped = reading->cur->queues[i].dropped;
	int cpu = reading->loads->queues[i].cpu;
	uint64_t growth = 0;

	queue->known = queue->read && reading->now->by_queue && reading->elapsed_nsec > 0;
	if (queue->known)
		growth = nb_growth(queue->dropped, dropped);
	queue->per_sec = queue->known ? nb_per_second(growth, reading->elapsed_nsec) : 0;
	queue->was_full = queue->full;
	queue->filled = queue->fills;
	queue->full = false;
	queue->stayed = cpu >= 0 && queue->cpu == cpu;
	queue->fills = false;
	queue->read = true;
	queue->dropped = dropped;
	queue->cpu = cpu;
	return growth;
}

static uint64_t take_queues(struct nb_nic_drops *drops, const struct reading *reading)
{
	uint64_t growth = 0;

	for (unsigned i = reading->first; i < reading->end; i++)
		growth += take_queue(queue_at(drops, i), reading, i);
	return growth;
}

static unsigned count_filled(const struct nb_nic_drops *drops, const struct reading *reading,
			     struct queue **ret_last)
{
	unsigned n = 0;

	for (unsigned i = reading->first; i < reading->end; i++)
		if (queue_at(drops, i)->filled) {
			*ret_last = queue_at(drops, i);
			n++;
		}
	return n;
}

static bool any_was_full(const struct nb_nic_drops *drops, const struct reading *reading)
{
	for (unsigned i = reading->first; i < reading->end; i++)
		if (queue_at(drops, i)->was_full)
			return true;
	return false;
}

/* While the probe measures slices, little of the time is in any window; and on a full CPU it may
 * not know yet which queue a NAPI is of. */
static enum nb_drops_cause cause_of(const struct nb_nic_drops *drops, const struct nic *nic,
				    const struct reading *reading, unsigned n_filled)
{
	if (nic->load.dropped_per_sec == 0)
		return NB_DROPS_NONE;
	if (n_filled > 0)
		return NB_DROPS_FULL_CPU;
	if (nic->seen_nsec < reading->elapsed_nsec / 2 || any_was_full(drops, reading))
		return NB_DROPS_UNKNOWN;
	return NB_DROPS_DEVICE;
}

/* What the device dropped beyond its queues is booked to the queue that filled its CPU, if there
 * was but one. */
static void find_cause(struct nb_nic_drops *drops, const struct reading *reading, uint64_t beyond,
		       struct nic *nic)
{
	enum nb_drops_cause before = nic->load.cause;
	struct queue *filled = NULL;
	unsigned n_filled = count_filled(drops, reading, &filled);

	if (n_filled == 1 && beyond > 0) {
		filled->known = true;
		filled->per_sec += beyond;
	}
	nic->load.cause = cause_of(drops, nic, reading, n_filled);
	nic->load.read_nsec = reading->now->read_nsec;
	if (nic->load.cause != before)
		nic->load.since_nsec = nic->load.read_nsec;
}

static void take_nic(struct nb_nic_drops *drops, struct nic *nic, const struct reading *reading)
{
	const struct nb_nic_state *now = reading->now;
	uint64_t of_queues = take_queues(drops, reading), all = 0, beyond = 0;

	nic->load.known = reading->elapsed_nsec > 0;
	if (nic->load.known) {
		all = MAX(of_queues, nb_growth(nic->missed, now->missed));
		beyond = nb_per_second(all - of_queues, reading->elapsed_nsec);
		all = nb_per_second(all, reading->elapsed_nsec);
	}
	nic->load.dropped_per_sec = all;
	find_cause(drops, reading, beyond, nic);
	nic->seen_nsec = 0;
	nic->read_nsec = now->read_nsec;
	nic->missed = now->missed;
	nic->by_queue = now->by_queue;
}

/* Counters of another kind began elsewhere. */
static uint64_t elapsed_nsec(const struct nic *nic, const struct nb_nic_state *now)
{
	if (nic->read_nsec == 0 || nic->by_queue != now->by_queue)
		return 0;
	return nb_growth(nic->read_nsec, now->read_nsec);
}

/* NICs and queues both ascend by ifindex. */
static void take_nics(struct nb_nic_drops *drops, const struct nb_snapshot *cur,
		      const struct nb_loads *loads)
{
	struct reading reading = {.cur = cur, .loads = loads};

	for (unsigned i = 0; i < cur->n_nics; i++) {
		struct nic *nic = nic_at(drops, i);
		unsigned end = reading.end;

		while (end < cur->n_queues && cur->queues[end].key.ifindex < nic->ifindex)
			end++;
		reading.first = end;
		while (end < cur->n_queues && cur->queues[end].key.ifindex == nic->ifindex)
			end++;
		reading.end = end;
		reading.now = &cur->nics[i];
		reading.elapsed_nsec = elapsed_nsec(nic, reading.now);
		if (reading.now->read_nsec > nic->read_nsec)
			take_nic(drops, nic, &reading);
	}
}

/* Of a queue that has left the full CPU since, nothing is known on its new one; and a CPU that runs
 * out of budget no longer keeps up by now. */
static void add_to_cpu(const struct queue *queue, struct nb_loads *loads,
		       const struct nb_queue_load *load)
{
	uint64_t packets = queue->per_sec * loads->window_nsec / NB_NSEC_PER_SEC;
	const struct nb_cpu_load *found;
	struct nb_cpu_load *cpu;

	if (!queue->filled || !queue->stayed || queue->per_sec == 0 || load->cpu != queue->cpu)
		return;
	found = nb_loads_find_cpu(loads, (unsigned)load->cpu);
	if (!found || found->squeezed == 0)
		return;
	cpu = &loads->cpus[found - loads->cpus];
	cpu->nic_dropped = (uint32_t)MIN(cpu->nic_dropped + MAX(packets, 1), UINT32_MAX);
}

static void show(const struct nb_nic_drops *drops, struct nb_loads *loads)
{
	g_array_set_size(drops->loads, 0);
	for (unsigned i = 0; i < drops->nics->len; i++)
		g_array_append_val(drops->loads, nic_at(drops, i)->load);
	loads->nics = (const struct nb_nic_load *)(const void *)drops->loads->data;
	loads->n_nics = drops->loads->len;
	for (unsigned i = 0; i < loads->n_cpus; i++)
		loads->cpus[i].nic_dropped = 0;
	for (unsigned i = 0; i < drops->queues->len; i++) {
		struct nb_queue_load *load = &loads->queues[i];
		const struct queue *queue = queue_at(drops, i);

		load->drops_known = queue->known;
		load->dropped_per_sec = queue->per_sec;
		if (loads->window_nsec > 0)
			add_to_cpu(queue, loads, load);
	}
}

void nb_nic_drops_update(struct nb_nic_drops *drops, const struct nb_snapshot *cur,
			 struct nb_loads *loads)
{
	if (drops->generation != cur->machine->generation || drops->nics->len != cur->n_nics ||
	    drops->queues->len != cur->n_queues)
		adopt_machine(drops, cur);
	note_full(drops, loads);
	take_nics(drops, cur, loads);
	show(drops, loads);
}
