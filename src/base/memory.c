/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/memory.h"

#include "base/device_irq_memory.h"
#include "base/find.h"
#include "base/follow.h"
#include "base/pools.h"
#include "base/rows.h"
#include "base/written.h"

#include <string.h>

/* A queue whose moves do not help moves half as often each time, up to 64 × the dwell. */
#define MAX_DOUBLINGS 6u
#define MAX_QUADRUPLINGS 5u
#define STARTING_NSEC (15 * NB_NSEC_PER_SEC)
/* What keeps being rejected is tried every 43 min, with the cooldown of 5 s. */
#define MAX_REJECTIONS 10u

void nb_memory_clear(struct nb_memory *memory)
{
	g_free(memory->queues);
	g_free(memory->rps);
	g_free(memory->rss);
	g_free(memory->threaded);
	nb_follow_clear(&memory->xps);
	nb_follow_clear(&memory->threads);
	g_free(memory->settings);
	g_free(memory->no_vector_cpus);
	g_free(memory->delays);
	g_free(memory->full_nodes.rows);
	g_free(memory->lopsided.rows);
	g_free(memory->tunnelled.rows);
	g_free(memory->device_irqs);
	nb_pools_clear(&memory->written);
	g_free(memory->several);
	g_free(memory->nics);
	*memory = (struct nb_memory){};
}

void nb_memory_forget_moves(struct nb_memory *memory)
{
	struct nb_pools written = memory->written;
	uint64_t version = memory->written_version;

	memory->written = (struct nb_pools){};
	nb_memory_clear(memory);
	memory->written = written;
	memory->written_version = version;
}

struct nb_queue_memory *nb_memory_find_queue(const struct nb_memory *memory,
					     struct nb_queue_key key)
{
	unsigned low = 0, high = memory->n_queues;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;
		int order = nb_queue_key_compare(memory->queues[middle].key, key);

		if (order == 0)
			return &memory->queues[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* Where key is, or would be inserted. */
static unsigned rps_position(const struct nb_memory *memory, struct nb_queue_key key)
{
	unsigned low = 0, high = memory->n_rps;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (nb_queue_key_compare(memory->rps[middle].key, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct nb_rps_memory *nb_memory_find_rps(struct nb_memory *memory, struct nb_queue_key key)
{
	unsigned at = rps_position(memory, key);

	if (at == memory->n_rps || nb_queue_key_compare(memory->rps[at].key, key) != 0)
		return NULL;
	return &memory->rps[at];
}

struct nb_rps_memory *nb_memory_get_rps(struct nb_memory *memory, struct nb_queue_key key)
{
	struct nb_rps_memory *known = nb_memory_find_rps(memory, key);
	unsigned at = rps_position(memory, key);

	if (known)
		return known;
	memory->rps = nb_rows_insert(memory->rps, &memory->n_rps, at, sizeof(*memory->rps));
	memory->rps[at].key = key;
	return &memory->rps[at];
}

void nb_memory_drop_rps(struct nb_memory *memory, struct nb_queue_key key)
{
	struct nb_rps_memory *known = nb_memory_find_rps(memory, key);

	if (known)
		nb_rows_remove(memory->rps, &memory->n_rps, (unsigned)(known - memory->rps),
			       sizeof(*memory->rps));
}

/* Rows that begin with an ifindex, ascending by it: a host has a few NICs. */
static unsigned nic_position(const void *rows, unsigned n, size_t size, int ifindex)
{
	const char *row = rows;
	unsigned at = 0;

	while (at < n && *(const int *)(const void *)(row + at * size) < ifindex)
		at++;
	return at;
}

static bool is_of_nic(const void *rows, unsigned n, size_t size, unsigned at, int ifindex)
{
	const char *row = rows;

	return at < n && *(const int *)(const void *)(row + at * size) == ifindex;
}

struct nb_rss_memory *nb_memory_find_rss(const struct nb_memory *memory, int ifindex)
{
	size_t size = sizeof(*memory->rss);
	unsigned at = nic_position(memory->rss, memory->n_rss, size, ifindex);

	return is_of_nic(memory->rss, memory->n_rss, size, at, ifindex) ? &memory->rss[at] : NULL;
}

struct nb_rss_memory *nb_memory_get_rss(struct nb_memory *memory, int ifindex)
{
	struct nb_rss_memory *known = nb_memory_find_rss(memory, ifindex);
	size_t size = sizeof(*memory->rss);
	unsigned at = nic_position(memory->rss, memory->n_rss, size, ifindex);

	if (known)
		return known;
	memory->rss = nb_rows_insert(memory->rss, &memory->n_rss, at, size);
	memory->rss[at].ifindex = ifindex;
	return &memory->rss[at];
}

void nb_memory_drop_rss(struct nb_memory *memory, int ifindex)
{
	struct nb_rss_memory *known = nb_memory_find_rss(memory, ifindex);

	if (known)
		nb_rows_remove(memory->rss, &memory->n_rss, (unsigned)(known - memory->rss),
			       sizeof(*memory->rss));
}

static unsigned threaded_position(const struct nb_memory *memory, struct nb_queue_key key)
{
	unsigned at = 0;

	while (at < memory->n_threaded && nb_queue_key_compare(memory->threaded[at].key, key) < 0)
		at++;
	return at;
}

struct nb_threaded_memory *nb_memory_find_threaded(const struct nb_memory *memory,
						   struct nb_queue_key key)
{
	unsigned at = threaded_position(memory, key);

	if (at == memory->n_threaded || nb_queue_key_compare(memory->threaded[at].key, key) != 0)
		return NULL;
	return &memory->threaded[at];
}

struct nb_threaded_memory *nb_memory_get_threaded(struct nb_memory *memory, struct nb_queue_key key)
{
	struct nb_threaded_memory *known = nb_memory_find_threaded(memory, key);
	unsigned at = threaded_position(memory, key);

	if (known)
		return known;
	memory->threaded = nb_rows_insert(memory->threaded, &memory->n_threaded, at,
					  sizeof(*memory->threaded));
	memory->threaded[at].key = key;
	return &memory->threaded[at];
}

void nb_memory_drop_threaded(struct nb_memory *memory, struct nb_queue_key key)
{
	struct nb_threaded_memory *known = nb_memory_find_threaded(memory, key);

	if (known)
		nb_rows_remove(memory->threaded, &memory->n_threaded,
			       (unsigned)(known - memory->threaded), sizeof(*memory->threaded));
}

bool nb_memory_is_threaded(const struct nb_memory *memory, struct nb_queue_key queue)
{
	for (unsigned i = 0; i < memory->n_threaded; i++)
		if (memory->threaded[i].on && nb_queue_key_covers(memory->threaded[i].key, queue))
			return true;
	return false;
}

struct nb_setting_memory *nb_memory_find_setting(const struct nb_memory *memory, enum nb_kind kind,
						 int ifindex)
{
	for (unsigned i = 0; i < memory->n_settings; i++)
		if (memory->settings[i].kind == kind && memory->settings[i].ifindex == ifindex)
			return &memory->settings[i];
	return NULL;
}

struct nb_setting_memory *nb_memory_get_setting(struct nb_memory *memory, enum nb_kind kind,
						int ifindex)
{
	struct nb_setting_memory *known = nb_memory_find_setting(memory, kind, ifindex);

	if (known)
		return known;
	memory->settings =
		nb_rows_insert(memory->settings, &memory->n_settings, 0, sizeof(*memory->settings));
	memory->settings[0].kind = kind;
	memory->settings[0].ifindex = ifindex;
	return memory->settings;
}

void nb_memory_drop_setting(struct nb_memory *memory, enum nb_kind kind, int ifindex)
{
	struct nb_setting_memory *known = nb_memory_find_setting(memory, kind, ifindex);

	if (known)
		nb_rows_remove(memory->settings, &memory->n_settings,
			       (unsigned)(known - memory->settings), sizeof(*memory->settings));
}

static bool is_swap(const struct nb_move *a, const struct nb_move *b)
{
	return (a->reason == NB_REASON_SWAP) != (b->reason == NB_REASON_SWAP) &&
	       a->cpu_from == (int)b->cpu_to && b->cpu_from == (int)a->cpu_to;
}

struct nb_queue_memory *nb_memory_find_partner(const struct nb_memory *memory,
					       const struct nb_queue_memory *queue)
{
	for (unsigned i = 0; i < memory->n_queues; i++) {
		struct nb_queue_memory *other = &memory->queues[i];

		if (other->moved_nsec == queue->moved_nsec &&
		    is_swap(&other->pending.move, &queue->pending.move))
			return other;
	}
	return NULL;
}

uint64_t nb_memory_back_off(const struct nb_queue_memory *queue, uint64_t nsec)
{
	return nsec << MIN(queue->failures, MAX_DOUBLINGS);
}

uint64_t nb_memory_quadruple(uint64_t nsec, unsigned failures)
{
	return nsec << 2 * MIN(failures, MAX_QUADRUPLINGS);
}

void nb_memory_reject(struct nb_rejections *rejections, uint64_t now_nsec)
{
	rejections->in_a_row++;
	rejections->nsec = now_nsec;
}

bool nb_memory_is_rejected(const struct nb_rejections *rejections, uint64_t wait_nsec,
			   uint64_t now_nsec)
{
	unsigned n = MIN(rejections->in_a_row, MAX_REJECTIONS);

	return n > 0 && now_nsec < rejections->nsec + (wait_nsec << (n - 1));
}

void nb_memory_set_no_vector(struct nb_memory *memory, unsigned cpu, uint64_t until_nsec)
{
	unsigned at = 0;

	while (at < memory->n_no_vector_cpus && memory->no_vector_cpus[at].id < cpu)
		at++;
	if (at == memory->n_no_vector_cpus || memory->no_vector_cpus[at].id != cpu)
		memory->no_vector_cpus =
			nb_rows_insert(memory->no_vector_cpus, &memory->n_no_vector_cpus, at,
				       sizeof(*memory->no_vector_cpus));
	memory->no_vector_cpus[at] =
		(struct nb_cpu_memory){.id = cpu, .no_vector_until_nsec = until_nsec};
}

bool nb_memory_lacks_vectors(const struct nb_memory *memory, unsigned cpu, uint64_t now_nsec)
{
	for (unsigned i = 0; i < memory->n_no_vector_cpus; i++)
		if (memory->no_vector_cpus[i].id == cpu)
			return now_nsec < memory->no_vector_cpus[i].no_vector_until_nsec;
	return false;
}

static struct nb_queue_memory fresh_queue(const struct nb_queue *queue)
{
	struct nb_queue_memory fresh = {.key = queue->key, .fresh = true, .expected_cpu = -1};

	memcpy(fresh.irqs, queue->irqs, sizeof(fresh.irqs));
	return fresh;
}

void nb_memory_renew_queue(struct nb_queue_memory *queue)
{
	struct nb_queue_memory fresh = {
		.key = queue->key,
		.rx_packets = queue->rx_packets,
		.interrupts = queue->interrupts,
		.restarted_nsec = queue->restarted_nsec,
		.affinity = queue->affinity,
		.fresh = true,
		.expected_cpu = -1,
	};

	memcpy(fresh.irqs, queue->irqs, sizeof(fresh.irqs));
	*queue = fresh;
}

/* Counters of two grades have different origins; 32-bit ones wrap. */
static bool has_restarted(const struct nb_memory *memory, const struct nb_snapshot *snapshot,
			  const struct nb_queue_memory *known, const struct nb_queue_state *state)
{
	return memory->counted_grade == snapshot->grade &&
	       (state->rx_packets < known->rx_packets ||
		state->interrupts - known->interrupts > INT32_MAX);
}

static bool has_other_irqs(const struct nb_queue_memory *known, const struct nb_queue *queue)
{
	return memcmp(known->irqs, queue->irqs, sizeof(known->irqs)) != 0;
}

/* What became of its affinity is reviewed later. */
static struct nb_queue_memory sync_queue(const struct nb_memory *memory,
					 const struct nb_queue *queue)
{
	const struct nb_queue_memory *known = nb_memory_find_queue(memory, queue->key);

	return !known || has_other_irqs(known, queue) ? fresh_queue(queue) : *known;
}

/* A mask that went with its queue. */
static bool lost_mask(const struct nb_memory *memory, const struct nb_snapshot *snapshot,
		      const struct nb_rps_memory *rps)
{
	const struct nb_queue_state *state = nb_snapshot_find_queue(snapshot, rps->key);
	const struct nb_queue_memory *known = nb_memory_find_queue(memory, rps->key);

	return !state || !known ||
	       has_other_irqs(known, &snapshot->machine->queues[state - snapshot->queues]) ||
	       has_restarted(memory, snapshot, known, state) ||
	       nb_written_is_unsteady(memory, rps->key.ifindex, snapshot->taken_nsec);
}

/* Yields and failures of RPS outlive the rescan, and so does a mask that another program wrote,
 * until the verifier has found that. */
static void sync_rps(struct nb_memory *memory, const struct nb_snapshot *snapshot)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < memory->n_rps; i++) {
		struct nb_rps_memory *rps = &memory->rps[i];
		const struct nb_cpumask *now = nb_snapshot_find_rps(snapshot, rps->key);
		bool yielded = rps->yielded_until_nsec > snapshot->taken_nsec;

		if (!(now && nb_cpumask_equal(now, &rps->cpus)) && lost_mask(memory, snapshot, rps))
			nb_cpumask_clear(&rps->cpus);
		if (nb_snapshot_find_queue(snapshot, rps->key) &&
		    (!nb_cpumask_empty(&rps->cpus) || !nb_cpumask_empty(&rps->removed) || yielded ||
		     rps->failures > 0))
			memory->rps[kept++] = *rps;
	}
	memory->n_rps = kept;
}

/* Whether a table is still ours shows when it is restored: the snapshot does not have it. */
static void sync_rss(struct nb_memory *memory, const struct nb_machine *machine)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < memory->n_rss; i++)
		if (nb_machine_find_nic(machine, memory->rss[i].ifindex))
			memory->rss[kept++] = memory->rss[i];
	memory->n_rss = kept;
}

/* So does whether threaded NAPI is. */
static void sync_threaded(struct nb_memory *memory, const struct nb_machine *machine)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < memory->n_threaded; i++)
		if (nb_machine_find_nic(machine, memory->threaded[i].key.ifindex))
			memory->threaded[kept++] = memory->threaded[i];
	memory->n_threaded = kept;
}

/* A NIC that was removed has another ifindex when it returns. */
static void sync_settings(struct nb_memory *memory, const struct nb_machine *machine)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < memory->n_settings; i++)
		if (nb_machine_find_nic(machine, memory->settings[i].ifindex))
			memory->settings[kept++] = memory->settings[i];
	memory->n_settings = kept;
}

static void sync_queues(struct nb_memory *memory, const struct nb_machine *machine)
{
	struct nb_queue_memory *queues = g_new(struct nb_queue_memory, machine->n_queues);

	for (unsigned i = 0; i < machine->n_queues; i++)
		queues[i] = sync_queue(memory, &machine->queues[i]);
	g_free(memory->queues);
	memory->queues = queues;
	memory->n_queues = machine->n_queues;
}

static void note_counters(struct nb_memory *memory, const struct nb_snapshot *snapshot)
{
	for (unsigned i = 0; i < memory->n_queues; i++) {
		struct nb_queue_memory *queue = &memory->queues[i];

		if (has_restarted(memory, snapshot, queue, &snapshot->queues[i]))
			queue->restarted_nsec = snapshot->taken_nsec;
		queue->rx_packets = snapshot->queues[i].rx_packets;
		queue->interrupts = snapshot->queues[i].interrupts;
	}
	memory->counted_grade = snapshot->grade;
}

void nb_memory_sync(struct nb_memory *memory, const struct nb_snapshot *snapshot)
{
	const struct nb_machine *machine = snapshot->machine;

	nb_written_note_resets(memory, snapshot);
	if (memory->generation != machine->generation) {
		sync_rps(memory, snapshot);
		sync_queues(memory, machine);
		sync_rss(memory, machine);
		sync_threaded(memory, machine);
		nb_follow_sync(&memory->xps, machine);
		nb_follow_sync(&memory->threads, machine);
		sync_settings(memory, machine);
		nb_device_irq_memory_sync(memory, machine);
		memory->generation = machine->generation;
	}
	note_counters(memory, snapshot);
}

bool nb_memory_is_starting(const struct nb_memory *memory, uint64_t now_nsec)
{
	return now_nsec < memory->begun_nsec + STARTING_NSEC;
}

bool nb_memory_is_measuring(const struct nb_memory *memory)
{
	for (unsigned i = 0; i < memory->n_queues; i++)
		if (memory->queues[i].pending.active)
			return true;
	return false;
}

bool nb_memory_is_settled(const struct nb_memory *memory, uint64_t now_nsec)
{
	if (nb_memory_is_measuring(memory))
		return false;
	for (unsigned i = 0; i < memory->n_queues; i++)
		if (now_nsec < memory->queues[i].provisional_until_nsec)
			return false;
	for (unsigned i = 0; i < memory->n_rps; i++)
		if (memory->rps[i].calm_samples > 0)
			return false;
	for (unsigned i = 0; i < memory->n_threaded; i++)
		if (memory->threaded[i].trial.active || memory->threaded[i].calm_samples > 0)
			return false;
	return true;
}

void nb_memory_adopt_queue(struct nb_memory *memory, struct nb_queue_key key, unsigned cpu)
{
	struct nb_queue_memory *queue = nb_memory_find_queue(memory, key);

	if (!queue)
		return;
	queue->fresh = false;
	queue->expected_cpu = (int)cpu;
}

/* Only a mask that helps a queue to follow contains the CPU of its interrupt. */
static bool unsticks_itself(const struct nb_memory *memory, const struct nb_rps_memory *rps)
{
	const struct nb_queue_memory *queue = nb_memory_find_queue(memory, rps->key);

	return queue && queue->expected_cpu >= 0 &&
	       nb_cpumask_has(&rps->cpus, (unsigned)queue->expected_cpu);
}

/* The queues that stay have the masks of those that move. */
static void adopt_help(struct nb_memory *memory, const struct nb_rps_memory *rps)
{
	bool unsticks = unsticks_itself(memory, rps);

	for (unsigned i = 0; i < memory->n_rps; i++)
		unsticks |= memory->rps[i].unsticks &&
			    nb_cpumask_equal(&memory->rps[i].cpus, &rps->cpus);
	for (unsigned i = 0; unsticks && i < memory->n_rps; i++)
		memory->rps[i].unsticks |= nb_cpumask_equal(&memory->rps[i].cpus, &rps->cpus);
}

void nb_memory_adopt_rps(struct nb_memory *memory, struct nb_queue_key key,
			 const struct nb_cpumask *cpus, uint64_t now_nsec)
{
	struct nb_rps_memory *rps = nb_memory_get_rps(memory, key);

	rps->cpus = *cpus;
	rps->set_nsec = now_nsec;
	adopt_help(memory, rps);
}

void nb_memory_adopt_setting(struct nb_memory *memory, enum nb_kind kind, int ifindex,
			     unsigned ours)
{
	nb_memory_get_setting(memory, kind, ifindex)->ours = ours;
}

void nb_memory_adopt_rss(struct nb_memory *memory, int ifindex, const struct nb_cpumask *queues,
			 uint32_t spread)
{
	struct nb_rss_memory *rss = nb_memory_get_rss(memory, ifindex);

	rss->spread = spread;
	if (!spread)
		rss->queues = *queues;
}

void nb_memory_adopt_threaded(struct nb_memory *memory, struct nb_queue_key key)
{
	nb_memory_get_threaded(memory, key)->on = true;
}

static void forget_undone_settings(struct nb_memory *memory)
{
	for (unsigned i = 0; i < memory->n_settings; i++) {
		struct nb_setting_memory *setting = &memory->settings[i];

		if (setting->ours == 0 || setting->rehearsed)
			setting->asked = 0;
		setting->rehearsed = false;
	}
}

void nb_memory_refresh(struct nb_memory *memory)
{
	for (unsigned i = 0; i < memory->n_queues; i++) {
		memory->queues[i].ordered_nsec = 0;
		if (memory->queues[i].expected_cpu >= 0)
			continue;
		memory->queues[i].fresh = true;
		memory->queues[i].moved_nsec = 0;
	}
	memory->device_irqs_planned = 0;
	nb_follow_refresh(&memory->xps);
	nb_follow_refresh(&memory->threads);
	forget_undone_settings(memory);
}
