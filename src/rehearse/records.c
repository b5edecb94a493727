/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rehearse/records.h"

#include "base/advice.h"
#include "base/record.h"

#include <string.h>

/* So soon back is back too soon. */
#define PING_PONG_USEC UINT64_C(60000000)

static struct nb_record *at(const struct nb_rehearsal *rehearsal, unsigned i)
{
	return &g_array_index(rehearsal->records, struct nb_record, i);
}

/* A trace does not hold the numbers of queues' interrupts: what stands for them is not shown. */
static struct nb_record new_record(const struct nb_scene *scene, enum nb_event event,
				   enum nb_kind kind, struct nb_queue_key key)
{
	struct nb_record record = nb_record_of(scene->machine, event, kind, key);

	record.realtime_usec = scene->at_nsec / NB_NSEC_PER_USEC;
	if (scene->from_trace && kind != NB_KIND_DEVICE_IRQ) {
		record.n_irqs = 0;
		memset(record.irqs, 0, sizeof(record.irqs));
	}
	return record;
}

static bool is_same_queue(const struct nb_record *a, struct nb_queue_key key)
{
	return nb_queue_key_compare(a->key, key) == 0;
}

static struct nb_record *last_of(const struct nb_rehearsal *rehearsal, enum nb_event event,
				 enum nb_kind kind, struct nb_queue_key key)
{
	for (unsigned i = rehearsal->records->len; i-- > 0;)
		if (at(rehearsal, i)->event == event && at(rehearsal, i)->kind == kind &&
		    is_same_queue(at(rehearsal, i), key))
			return at(rehearsal, i);
	return NULL;
}

struct nb_record *nb_records_last_move(const struct nb_rehearsal *rehearsal,
				       struct nb_queue_key key)
{
	return last_of(rehearsal, NB_EVENT_MOVED, NB_KIND_QUEUE, key);
}

/* Those of other devices are not counted: only what a rehearsal plans can be compared. */
static bool was_written(const struct nb_record *record)
{
	return record->event == NB_EVENT_MOVED && record->outcome == NB_OUTCOME_APPLIED &&
	       record->kind == NB_KIND_QUEUE;
}

static bool is_ping_pong(const struct nb_rehearsal *rehearsal, const struct nb_record *record)
{
	for (unsigned i = rehearsal->records->len; i-- > 0;) {
		const struct nb_record *earlier = at(rehearsal, i);

		if (earlier->realtime_usec + PING_PONG_USEC < record->realtime_usec)
			return false;
		if (was_written(earlier) && is_same_queue(earlier, record->key) &&
		    earlier->cpu_from != earlier->cpu_to && earlier->cpu_from == record->cpu_to)
			return true;
	}
	return false;
}

/* Takes the record over. */
static void add(struct nb_rehearsal *rehearsal, const struct nb_record *record)
{
	if (was_written(record)) {
		rehearsal->n_moves++;
		rehearsal->n_ping_pongs += is_ping_pong(rehearsal, record);
	}
	g_array_append_vals(rehearsal->records, record, 1);
}

void nb_records_add_move(struct nb_rehearsal *rehearsal, const struct nb_scene *scene,
			 const struct nb_move *move, enum nb_outcome outcome, enum nb_effect effect)
{
	struct nb_record record = new_record(scene, NB_EVENT_MOVED, NB_KIND_QUEUE, move->key);

	nb_record_set_move(&record, move, outcome);
	record.effect = effect;
	add(rehearsal, &record);
}

void nb_records_add_device_irqs(struct nb_rehearsal *rehearsal, const struct nb_trace_frame *frame)
{
	struct nb_scene scene = {
		.at_nsec = frame->taken_nsec, .machine = frame->machine, .from_trace = true};

	for (unsigned i = 0; i < frame->n_device_irqs; i++) {
		const struct nb_trace_device_irq *other = &frame->device_irqs[i];
		struct nb_record record = new_record(&scene, other->event, NB_KIND_DEVICE_IRQ,
						     nb_device_irq_key(other->irq));

		record.reason = other->reason;
		record.cpu_from = other->cpu_from;
		record.cpu_to = other->cpu_to;
		add(rehearsal, &record);
	}
}

/* A plan that is only rehearsed comes up again and again. */
static bool was_rehearsed(const struct nb_rehearsal *rehearsal, const struct nb_record *record)
{
	for (unsigned i = rehearsal->records->len; i-- > 0;) {
		const struct nb_record *earlier = at(rehearsal, i);

		if (earlier->kind == record->kind && is_same_queue(earlier, record->key))
			return earlier->outcome == NB_OUTCOME_REHEARSED &&
			       nb_record_is_same_target(earlier, record);
	}
	return false;
}

/* Takes the record over. */
static void add_steered(struct nb_rehearsal *rehearsal, struct nb_record *record)
{
	if (record->outcome == NB_OUTCOME_REHEARSED && was_rehearsed(rehearsal, record))
		nb_record_clear(record);
	else
		add(rehearsal, record);
}

static void add_change(struct nb_rehearsal *rehearsal, const struct nb_scene *scene,
		       const struct nb_change *change)
{
	struct nb_record record =
		new_record(scene, nb_event_of(change->kind), change->kind, change->key);

	nb_record_set_change(&record, change);
	if (change->kind == NB_KIND_QUEUE)
		add(rehearsal, &record);
	else
		add_steered(rehearsal, &record);
}

void nb_records_add_outcomes(struct nb_rehearsal *rehearsal, const struct nb_scene *scene,
			     const struct nb_plan *plan)
{
	for (unsigned i = 0; i < plan->n_changes; i++)
		add_change(rehearsal, scene, &plan->changes[i]);
}

static void complete(struct nb_rehearsal *rehearsal, const struct nb_finding *finding)
{
	struct nb_record *record = last_of(rehearsal, finding->event, finding->kind, finding->key);

	if (!record || !nb_record_is_open(record))
		return;
	record->effect = finding->effect;
	record->measured = finding->measured;
}

static void add_yield(struct nb_rehearsal *rehearsal, const struct nb_scene *scene,
		      const struct nb_finding *finding)
{
	struct nb_record record = new_record(scene, NB_EVENT_YIELDED, finding->kind, finding->key);

	nb_record_set_yield(&record, finding);
	add(rehearsal, &record);
}

void nb_records_add_findings(struct nb_rehearsal *rehearsal, const struct nb_scene *scene,
			     const GArray *findings)
{
	for (unsigned i = 0; i < findings->len; i++) {
		const struct nb_finding *finding = &g_array_index(findings, struct nb_finding, i);

		if (finding->event == NB_EVENT_YIELDED)
			add_yield(rehearsal, scene, finding);
		else
			complete(rehearsal, finding);
	}
}

static bool was_said(const struct nb_rehearsal *rehearsal, const struct nb_nic *nic,
		     enum nb_advice advice)
{
	for (unsigned i = 0; i < rehearsal->advice->len; i++) {
		const struct nb_rehearsed_advice *said =
			&g_array_index(rehearsal->advice, struct nb_rehearsed_advice, i);

		if (said->advice == advice && strcmp(said->nic, nic->name) == 0)
			return true;
	}
	return false;
}

static void say(void *data, const struct nb_nic *nic, unsigned n_allowed_cpus,
		enum nb_advice advice)
{
	struct nb_rehearsal *rehearsal = data;
	struct nb_rehearsed_advice said = {.advice = advice};

	if (was_said(rehearsal, nic, advice))
		return;
	memcpy(said.nic, nic->name, sizeof(said.nic));
	said.text = nb_advice_text(advice, nic, n_allowed_cpus);
	g_array_append_val(rehearsal->advice, said);
}

void nb_records_add_advice(struct nb_rehearsal *rehearsal, const struct nb_snapshot *snapshot,
			   const struct nb_policy *policy, const struct nb_memory *memory)
{
	nb_advice_foreach(snapshot, policy, memory, say, rehearsal);
}
