/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/written.h"

#include "base/device_irq_memory.h"
#include "base/find.h"
#include "base/memory.h"
#include "base/pools.h"

#include <string.h>

/* From taking its carrier away until it has opened its device a driver takes seconds; and what it
 * did shows in the next complete sample only. */
#define UNSTEADY_NSEC (15 * NB_NSEC_PER_SEC)
/* Long enough to see whether the other program goes on. */
#define REST_NSEC (30 * NB_NSEC_PER_SEC)
#define REST_DOUBLINGS_MAX 16u

/* A queue or device interrupt, with what its affinity is now. */
struct subject {
	struct nb_queue_key key;
	struct nb_affinity_memory *affinity; /* as last seen */
	int expected_cpu;
	int cpu; /* the only one of its mask; -1: several */
	unsigned n_allowed;
	bool settable;
	bool hinted;
	bool pin;
	struct nb_cpumask cpus; /* of its mask; empty: all, or the default */
};

/* What an affinity that changed is due to. */
enum cause {
	CAUSE_OURS,
	CAUSE_NEW, /* it was not known before */
	CAUSE_RESET,
	CAUSE_FOREIGN,
};

struct review {
	struct nb_memory *memory;
	const struct nb_snapshot *snapshot;
	const struct nb_policy *policy;
	unsigned before, now; /* rows of several: of memory and snapshot, the next to come */
};

static struct nb_nic_memory nic_memory(const struct nb_snapshot *snapshot,
				       const struct nb_nic_state *state)
{
	const struct nb_nic *nic = nb_machine_find_nic(snapshot->machine, state->ifindex);

	return (struct nb_nic_memory){
		.ifindex = state->ifindex,
		.n_queues = nic ? nic->n_rx + nic->n_tx : 0,
		.carrier_changes = state->carrier_changes,
	};
}

static void note_nic(const struct nb_snapshot *snapshot, unsigned at, struct nb_nic_memory *known)
{
	struct nb_nic_memory now = nic_memory(snapshot, &snapshot->nics[at]);

	now.unsteady_until_nsec =
		known->carrier_changes == now.carrier_changes && known->n_queues == now.n_queues
			? known->unsteady_until_nsec
			: snapshot->taken_nsec + UNSTEADY_NSEC;
	*known = now;
}

static struct nb_nic_memory *find_nic(const struct nb_memory *memory, int ifindex)
{
	for (unsigned i = 0; i < memory->n_nics; i++)
		if (memory->nics[i].ifindex == ifindex)
			return &memory->nics[i];
	return NULL;
}

static bool has_same_nics(const struct nb_memory *memory, const struct nb_snapshot *snapshot)
{
	for (unsigned i = 0; i < MIN(memory->n_nics, snapshot->n_nics); i++)
		if (memory->nics[i].ifindex != snapshot->nics[i].ifindex)
			return false;
	return memory->n_nics == snapshot->n_nics;
}

static void pair_nics(struct nb_memory *memory, const struct nb_snapshot *snapshot)
{
	struct nb_nic_memory *nics = g_new(struct nb_nic_memory, snapshot->n_nics);

	for (unsigned i = 0; i < snapshot->n_nics; i++) {
		const struct nb_nic_memory *known = find_nic(memory, snapshot->nics[i].ifindex);

		nics[i] = known ? *known : nic_memory(snapshot, &snapshot->nics[i]);
	}
	g_free(memory->nics);
	memory->nics = nics;
	memory->n_nics = snapshot->n_nics;
}

static void note_nics(struct nb_memory *memory, const struct nb_snapshot *snapshot)
{
	if (!has_same_nics(memory, snapshot))
		pair_nics(memory, snapshot);
	for (unsigned i = 0; i < memory->n_nics; i++)
		note_nic(snapshot, i, &memory->nics[i]);
}

void nb_written_note_resets(struct nb_memory *memory, const struct nb_snapshot *snapshot)
{
	const struct nb_cpumask *online = &snapshot->machine->topology.online;

	if (!snapshot->complete)
		return;
	note_nics(memory, snapshot);
	if (nb_cpumask_equal(&memory->online, online))
		return;
	if (!nb_cpumask_empty(&memory->online))
		memory->cpus_unsteady_until_nsec = snapshot->taken_nsec + UNSTEADY_NSEC;
	memory->online = *online;
}

bool nb_written_is_unsteady(const struct nb_memory *memory, int ifindex, uint64_t now_nsec)
{
	const struct nb_nic_memory *nic = find_nic(memory, ifindex);

	return now_nsec < memory->cpus_unsteady_until_nsec ||
	       (nic && now_nsec < nic->unsteady_until_nsec);
}

bool nb_written_lost_move(const struct nb_queue_memory *queue, const struct nb_queue_state *state)
{
	return queue->pending.active && state->affinity_cpu == queue->pending.move.cpu_from;
}

/* Keys are asked for in ascending order. */
static const struct nb_several *find_several(const struct nb_several *rows, unsigned n,
					     unsigned *next, struct nb_queue_key key)
{
	while (*next < n && nb_queue_key_compare(rows[*next].key, key) < 0)
		(*next)++;
	return *next < n && nb_queue_key_compare(rows[*next].key, key) == 0 ? &rows[*next] : NULL;
}

static bool narrows(const struct review *review, const struct subject *subject)
{
	const struct nb_cpumask *online = &review->snapshot->machine->topology.online;
	struct nb_cpumask left = subject->cpus, outside = *online;

	nb_cpumask_and(&left, online);
	nb_cpumask_andnot(&outside, &subject->cpus);
	return !nb_cpumask_empty(&left) && !nb_cpumask_empty(&outside) &&
	       !nb_cpumask_equal(&subject->cpus, &review->snapshot->default_affinity);
}

/* It is the mask of the row, or we have chosen one of its CPUs. */
static bool stands(const struct nb_pool *pool, const struct subject *subject)
{
	return nb_cpumask_equal(&pool->cpus, &subject->cpus) ||
	       (subject->cpu >= 0 && nb_cpumask_has(&pool->cpus, (unsigned)subject->cpu));
}

static void drop(struct nb_memory *memory, struct nb_queue_key key)
{
	if (nb_pools_drop(&memory->written, key))
		memory->written_version++;
}

static void drop_unless_stands(const struct review *review, const struct subject *subject)
{
	const struct nb_pool *pool = nb_pools_find(&review->memory->written, subject->key);

	if (pool && !stands(pool, subject))
		drop(review->memory, subject->key);
}

static void limit(const struct review *review, const struct subject *subject)
{
	struct nb_pool pool = {
		.key = subject->key,
		.rule = NB_RULE_WRITTEN,
		.pin = subject->pin,
		.since_nsec = review->snapshot->taken_nsec,
		.cpus = subject->cpus,
	};

	nb_pools_set(&review->memory->written, &pool);
	review->memory->written_version++;
}

/* What is there is taken for a default. */
static void meet(const struct review *review, const struct subject *subject)
{
	drop_unless_stands(review, subject);
	if (review->policy->keep_found && narrows(review, subject) && subject->settable &&
	    !subject->hinted && !nb_pools_find(&review->memory->written, subject->key))
		limit(review, subject);
}

/* A mask that loses its last CPU becomes that of all online ones (kernel/irq/cpuhotplug.c
 * migrate_one_irq()). */
static bool lost_its_cpu(const struct review *review, const struct subject *subject)
{
	int cpu = subject->expected_cpu >= 0 ? subject->expected_cpu : subject->affinity->cpu;

	return cpu >= 0 &&
	       !nb_cpumask_has(&review->snapshot->machine->topology.online, (unsigned)cpu);
}

/* A program may write what drivers ask for, too, and then writes it again: it counts as the driver
 * once in the time that a writer is yielded. */
static bool is_hinted(const struct review *review, const struct subject *subject)
{
	uint64_t now_nsec = review->snapshot->taken_nsec;
	uint64_t last_nsec = subject->affinity->hinted_nsec;

	if (!subject->hinted || (last_nsec && now_nsec < last_nsec + review->policy->yield_nsec))
		return false;
	subject->affinity->hinted_nsec = now_nsec;
	return true;
}

static bool was_reset(const struct review *review, const struct subject *subject)
{
	return nb_written_is_unsteady(review->memory, subject->key.ifindex,
				      review->snapshot->taken_nsec) ||
	       lost_its_cpu(review, subject) || is_hinted(review, subject);
}

static void note_foreign(const struct review *review, const struct subject *subject)
{
	struct nb_affinity_memory *affinity = subject->affinity;
	uint64_t now_nsec = review->snapshot->taken_nsec;

	if (now_nsec >= affinity->foreign_nsec + review->policy->yield_nsec)
		affinity->in_a_row = 0;
	affinity->unjudged = true;
	affinity->cpu_before = affinity->cpu;
	affinity->in_a_row++;
	affinity->foreign_nsec = now_nsec;
	if (narrows(review, subject))
		limit(review, subject);
	else
		drop(review->memory, subject->key);
}

/* What nobody may set the kernel sets. reset: something tells of it that is known of this subject
 * alone. */
static enum cause cause_of(const struct review *review, const struct subject *subject, bool reset)
{
	if (subject->expected_cpu >= 0 && subject->cpu == subject->expected_cpu)
		return CAUSE_OURS;
	if (subject->affinity->n_allowed == 0)
		return CAUSE_NEW;
	return !subject->settable || reset || was_reset(review, subject) ? CAUSE_RESET
									 : CAUSE_FOREIGN;
}

static enum cause judge_change(const struct review *review, const struct subject *subject,
			       bool reset)
{
	enum cause cause = cause_of(review, subject, reset);

	switch (cause) {
	case CAUSE_OURS:
		drop_unless_stands(review, subject);
		break;
	case CAUSE_RESET:
		subject->affinity->unjudged = false;
		drop_unless_stands(review, subject);
		break;
	case CAUSE_NEW:
		meet(review, subject);
		break;
	case CAUSE_FOREIGN:
		note_foreign(review, subject);
		break;
	}
	subject->affinity->cpu = subject->cpu;
	subject->affinity->n_allowed = subject->n_allowed;
	return cause;
}

static bool has_restarted(const struct review *review, const struct nb_queue_memory *known)
{
	return known->restarted_nsec &&
	       review->snapshot->taken_nsec < known->restarted_nsec + UNSTEADY_NSEC;
}

static bool is_same(const struct nb_several *before, const struct nb_several *now)
{
	if (!before || !now)
		return before == now;
	return before->apart == now->apart && nb_cpumask_equal(&before->cpus, &now->cpus);
}

static struct subject subject_of_queue(struct nb_queue_memory *known,
				       const struct nb_queue_state *state,
				       const struct nb_several *several)
{
	struct subject subject = {
		.key = known->key,
		.affinity = &known->affinity,
		.expected_cpu = known->expected_cpu,
		.cpu = state->affinity_cpu,
		.n_allowed = state->n_allowed,
		.settable = state->settable,
		.hinted = state->hinted,
		.pin = several ? several->apart : state->affinity_cpu >= 0,
	};

	if (several)
		subject.cpus = several->cpus;
	else if (subject.pin)
		nb_cpumask_add(&subject.cpus, (unsigned)state->affinity_cpu);
	return subject;
}

/* What is as it was before we wrote it was written since. */
static bool is_settled(const struct subject *subject, bool as_seen)
{
	return as_seen && (subject->expected_cpu < 0 || subject->expected_cpu == subject->cpu);
}

/* Unreadable is as before. */
static void review_queue(struct review *review, unsigned at)
{
	struct nb_memory *memory = review->memory;
	const struct nb_snapshot *snapshot = review->snapshot;
	struct nb_queue_memory *known = &memory->queues[at];
	const struct nb_several *before =
		find_several(memory->several, memory->n_several, &review->before, known->key);
	const struct nb_several *now =
		find_several(snapshot->several, snapshot->n_several, &review->now, known->key);
	struct subject subject = subject_of_queue(known, &snapshot->queues[at], now);
	bool as_seen = known->affinity.cpu == subject.cpu &&
		       known->affinity.n_allowed == subject.n_allowed && is_same(before, now);

	if (subject.n_allowed == 0 || is_settled(&subject, as_seen) ||
	    nb_written_lost_move(known, &snapshot->queues[at]))
		return;
	if (judge_change(review, &subject, has_restarted(review, known)) == CAUSE_RESET)
		nb_memory_renew_queue(known);
}

static void review_device_irq(const struct review *review, const struct nb_device_irq *device_irq)
{
	struct nb_device_irq_memory *known = nb_device_irq_memory_get(review->memory, device_irq);
	struct subject subject = {
		.key = nb_device_irq_key(device_irq->irq),
		.affinity = &known->affinity,
		.expected_cpu = known->expected_cpu,
		.cpu = nb_cpumask_only(&device_irq->allowed),
		.n_allowed = device_irq->n_allowed,
		.settable = device_irq->settable,
		.hinted = device_irq->hinted,
		.pin = device_irq->n_allowed == 1,
		.cpus = device_irq->allowed,
	};
	bool as_seen = known->affinity.n_allowed > 0 &&
		       nb_cpumask_equal(&known->allowed, &device_irq->allowed);

	if (is_settled(&subject, as_seen))
		return;
	known->allowed = device_irq->allowed;
	if (judge_change(review, &subject, false) == CAUSE_RESET) {
		known->expected_cpu = -1;
		known->moved_nsec = 0;
	}
}

/* Those of a NIC without an interface here, and of portals, are the choice of whoever has it. */
static void review_device_irqs(const struct review *review)
{
	const struct nb_machine *machine = review->snapshot->machine;

	if (review->memory->device_irqs_reviewed == machine->device_irqs_version)
		return;
	review->memory->device_irqs_reviewed = machine->device_irqs_version;
	for (unsigned i = 0; i < machine->n_device_irqs; i++)
		if (!machine->device_irqs[i].foreign && !machine->device_irqs[i].portal)
			review_device_irq(review, &machine->device_irqs[i]);
}

/* While its device is closed, a NIC may have no queues; most drivers and the kernel bring the
 * affinities back when it is opened (kernel/irq/manage.c irq_setup_affinity()). */
static bool is_closed(const struct nb_memory *memory, const struct nb_machine *machine, int ifindex)
{
	return nb_machine_find_nic(machine, ifindex) && !find_nic(memory, ifindex);
}

/* A device interrupt may be silent. */
static bool is_gone(const struct nb_memory *memory, const struct nb_machine *machine,
		    struct nb_queue_key key)
{
	if (nb_key_is_device_irq(key))
		return !nb_device_irq_memory_find(memory, key.index);
	return !nb_memory_find_queue(memory, key) && !is_closed(memory, machine, key.ifindex);
}

static void drop_gone(struct nb_memory *memory, const struct nb_machine *machine)
{
	for (unsigned i = memory->written.n; i > 0; i--) {
		struct nb_queue_key key = memory->written.rows[i - 1].key;

		if (is_gone(memory, machine, key))
			drop(memory, key);
	}
}

static void keep_several(struct nb_memory *memory, const struct nb_snapshot *snapshot)
{
	if (memory->n_several != snapshot->n_several)
		memory->several = g_renew(struct nb_several, memory->several, snapshot->n_several);
	memory->n_several = snapshot->n_several;
	if (snapshot->n_several > 0)
		memcpy(memory->several, snapshot->several,
		       snapshot->n_several * sizeof(*snapshot->several));
}

void nb_written_review(struct nb_memory *memory, const struct nb_snapshot *snapshot,
		       const struct nb_policy *policy)
{
	struct review review = {.memory = memory, .snapshot = snapshot, .policy = policy};

	if (!snapshot->complete)
		return;
	for (unsigned i = 0; i < memory->n_queues; i++)
		review_queue(&review, i);
	review_device_irqs(&review);
	drop_gone(memory, snapshot->machine);
	keep_several(memory, snapshot);
}

void nb_written_adopt(struct nb_memory *memory, const struct nb_pool *pool)
{
	nb_pools_set(&memory->written, pool);
	memory->written_version++;
}

static void set_free(struct nb_memory *memory, struct nb_queue_key key)
{
	struct nb_device_irq_memory *device_irq = nb_device_irq_memory_find(memory, key.index);
	struct nb_queue_memory *queue = nb_memory_find_queue(memory, key);

	drop(memory, key);
	if (queue) {
		queue->fresh = true;
		queue->yielded_until_nsec = 0;
		queue->affinity.in_a_row = 0;
	} else if (nb_key_is_device_irq(key) && device_irq) {
		device_irq->yielded_until_nsec = 0;
		device_irq->affinity.in_a_row = 0;
	}
}

unsigned nb_written_release(struct nb_memory *memory, struct nb_queue_key key)
{
	unsigned n = 0;

	for (unsigned i = memory->written.n; i > 0; i--) {
		struct nb_queue_key found = memory->written.rows[i - 1].key;

		if (!nb_queue_key_covers(key, found))
			continue;
		set_free(memory, found);
		n++;
	}
	return n;
}

bool nb_written_holds(const struct nb_pools *written, struct nb_queue_key key,
		      const struct nb_cpumask *allowed)
{
	const struct nb_pool *pool = written->n > 0 ? nb_pools_find(written, key) : NULL;
	struct nb_cpumask outside;

	if (!pool || !pool->pin)
		return false;
	outside = pool->cpus;
	nb_cpumask_andnot(&outside, allowed);
	return nb_cpumask_empty(&outside);
}

uint64_t nb_written_rest_nsec(const struct nb_affinity_memory *affinity,
			      const struct nb_policy *policy)
{
	unsigned doublings = affinity->in_a_row > 0 ? affinity->in_a_row - 1 : 0;

	return MIN(REST_NSEC << MIN(doublings, REST_DOUBLINGS_MAX), policy->yield_nsec);
}
