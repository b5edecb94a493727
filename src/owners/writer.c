/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "owners/writer.h"

#include "base/device_irq_memory.h"
#include "base/memory.h"
#include "base/pools.h"
#include "nicbalance/units.h"

#include <glib.h>
#include <string.h>

/* The last thing that is known to have happened to it: NULL if that is too long ago, or never. */
static const struct nb_record *last_record(const struct nb_status *status,
					   const struct nb_owned_facts *facts)
{
	for (unsigned i = status->n_history; i-- > 0;) {
		const struct nb_record *record = &status->history[i];
		bool written =
			record->event == NB_EVENT_YIELDED || record->outcome == NB_OUTCOME_APPLIED;

		if (record->kind == facts->kind && written &&
		    nb_queue_key_compare(record->key, facts->key) == 0)
			return record;
	}
	return NULL;
}

static uint64_t yielded_until_nsec(const struct nb_memory *memory,
				   const struct nb_owned_facts *facts)
{
	const struct nb_queue_memory *queue;
	const struct nb_device_irq_memory *device_irq;

	if (facts->kind == NB_KIND_QUEUE) {
		queue = nb_memory_find_queue(memory, facts->key);
		return queue ? queue->yielded_until_nsec : 0;
	}
	device_irq = nb_device_irq_memory_find(memory, facts->key.index);
	return device_irq ? device_irq->yielded_until_nsec : 0;
}

/* What another program wrote last is not what it holds if the device was reset since. */
static bool holds_theirs(const struct nb_record *last, const struct nb_owned *row)
{
	g_autofree char *cpu = NULL;

	if (!last || last->event != NB_EVENT_YIELDED)
		return false;
	if (last->kind == NB_KIND_RPS)
		return g_strcmp0(*last->rps_to ? last->rps_to : "off", row->value) == 0;
	if (last->cpu_to < 0)
		return g_strcmp0(last->limited_to, row->value) == 0;
	cpu = g_strdup_printf("%d", last->cpu_to);
	return g_str_equal(cpu, row->value);
}

static uint64_t realtime_of(const struct nb_status *status, uint64_t realtime_usec,
			    const struct nb_pool *pool)
{
	return realtime_usec -
	       nb_growth(pool->since_nsec, status->snapshot->taken_nsec) / NB_NSEC_PER_USEC;
}

/* False: no other program is known to have written it. */
static bool judge_foreign(const struct nb_status *status, uint64_t realtime_usec,
			  const struct nb_owned_facts *facts, const struct nb_record *last,
			  struct nb_owned *ret)
{
	const struct nb_pool *pool;

	ret->writer = NB_WRITER_FOREIGN;
	if (holds_theirs(last, ret)) {
		ret->since_realtime_usec = last->realtime_usec;
		return true;
	}
	if (!status->memory || !status->snapshot ||
	    (facts->kind != NB_KIND_QUEUE && facts->kind != NB_KIND_DEVICE_IRQ))
		return false;
	pool = nb_pools_find(&status->memory->written, facts->key);
	if (pool && pool->since_nsec > 0)
		ret->since_realtime_usec = realtime_of(status, realtime_usec, pool);
	return pool || status->snapshot->taken_nsec < yielded_until_nsec(status->memory, facts);
}

static bool is_for(const struct nb_target *target, const struct nb_owned *row)
{
	switch (target->type) {
	case NB_TARGET_NONE:
		return false;
	case NB_TARGET_NIC:
		return strcmp(target->nic, row->nic) == 0;
	case NB_TARGET_QUEUE:
		return strcmp(target->nic, row->nic) == 0 && row->queue == (int)target->number;
	case NB_TARGET_IRQ:
		return row->irq == (int64_t)target->number;
	}
	return false;
}

/* The narrowest one that counts. */
static const struct nb_order *find_claim(const struct nb_status *status, const struct nb_owned *row)
{
	const struct nb_order *found = NULL;

	for (unsigned i = 0; i < status->n_orders; i++) {
		const struct nb_order *order = &status->orders[i];

		if (order->present && is_for(&order->target, row) &&
		    (!found || order->target.type > found->target.type))
			found = order;
	}
	return found;
}

static void judge_ours(const struct nb_status *status, const struct nb_record *last,
		       struct nb_owned *ret)
{
	const struct nb_order *claim = find_claim(status, ret);

	ret->writer = claim ? NB_WRITER_CLAIM : NB_WRITER_OURS;
	if (claim)
		g_strlcpy(ret->owner, claim->owner, sizeof(ret->owner));
	if (last && last->event != NB_EVENT_YIELDED && last->event != NB_EVENT_RESTORED)
		ret->since_realtime_usec = last->realtime_usec;
}

void nb_owned_judge(const struct nb_status *status, uint64_t realtime_usec,
		    const struct nb_owned_facts *facts, struct nb_owned *ret)
{
	const struct nb_record *last =
		facts->kind == _NB_KIND_INVALID ? NULL : last_record(status, facts);

	if (facts->ours)
		judge_ours(status, last, ret);
	else if (judge_foreign(status, realtime_usec, facts, last, ret))
		return;
	else if (facts->locked)
		ret->writer = NB_WRITER_KERNEL;
	else if (facts->hinted)
		ret->writer = NB_WRITER_DRIVER;
	else
		ret->writer = facts->initial ? NB_WRITER_KERNEL : NB_WRITER_FOUND;
}
