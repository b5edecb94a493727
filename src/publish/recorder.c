/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "publish/recorder.h"

#include "base/record.h"
#include "nicbalance/interface.h"
#include "nicbalance/units.h"
#include "trace/trace.h"

/* Half of it is what 10 s of a host with 1024 CPUs and 4096 queues take, with all that describes it
 * (some 60 KB a second, and 20 KB). */
#define HELD_MAX ((size_t)2 << 20)

struct nb_recorder {
	struct nb_trace_writer *writer; /* NULL: a trace begins with the next window */
	GString *text;
	uint64_t begin; /* the cursor of its first byte */
	uint64_t until_nsec;
};

struct nb_recorder *nb_recorder_new(void)
{
	struct nb_recorder *recorder = g_new0(struct nb_recorder, 1);

	recorder->text = g_string_new(NULL);
	return recorder;
}

void nb_recorder_free(struct nb_recorder *recorder)
{
	if (!recorder)
		return;
	nb_trace_writer_free(recorder->writer);
	g_string_free(recorder->text, TRUE);
	g_free(recorder);
}

static uint64_t end(const struct nb_recorder *recorder)
{
	return recorder->begin + recorder->text->len;
}

static void begin_again(struct nb_recorder *recorder)
{
	g_clear_pointer(&recorder->writer, nb_trace_writer_free);
}

/* Gives the memory back. */
static void stop(struct nb_recorder *recorder)
{
	begin_again(recorder);
	g_string_free(recorder->text, TRUE);
	recorder->text = g_string_new(NULL);
	recorder->until_nsec = 0;
}

/* Cursors begin at the clock, which outruns the bytes. So none of an earlier recording, be it of an
 * earlier daemon, is taken for one of this. */
static void start(struct nb_recorder *recorder, uint64_t now_nsec)
{
	stop(recorder);
	recorder->begin = MAX(now_nsec, 1);
}

static void forget_oldest(struct nb_recorder *recorder)
{
	size_t n = recorder->text->len - HELD_MAX / 2;

	g_string_erase(recorder->text, 0, (gssize)n);
	recorder->begin += n;
}

bool nb_recorder_is_on(const struct nb_recorder *recorder)
{
	return recorder->until_nsec > 0;
}

static struct nb_trace_writer *writer_of(struct nb_recorder *recorder)
{
	if (!recorder->writer)
		recorder->writer = nb_trace_writer_new();
	return recorder->writer;
}

void nb_recorder_tell(struct nb_recorder *recorder, const struct nb_record *record)
{
	if (!nb_recorder_is_on(recorder) || record->kind != NB_KIND_DEVICE_IRQ ||
	    record->outcome != NB_OUTCOME_APPLIED)
		return;
	nb_trace_note_device_irq(writer_of(recorder), record);
}

void nb_recorder_add(struct nb_recorder *recorder, const struct nb_snapshot *snapshot,
		     const struct nb_rules *rules, const struct nb_loads *loads,
		     const struct nb_plan *plan)
{
	if (!nb_recorder_is_on(recorder))
		return;
	if (loads->taken_nsec > recorder->until_nsec) {
		stop(recorder);
		return;
	}
	nb_trace_write(writer_of(recorder), snapshot, rules, loads, plan, recorder->text);
	if (recorder->text->len > HELD_MAX)
		forget_oldest(recorder);
}

void nb_recorder_read(struct nb_recorder *recorder, uint64_t cursor, uint64_t now_nsec,
		      struct nb_recorded *ret)
{
	bool held;

	if (now_nsec > recorder->until_nsec)
		start(recorder, now_nsec);
	recorder->until_nsec = now_nsec + NB_BUS_WATCH_SEC * NB_NSEC_PER_SEC;

	held = cursor >= recorder->begin && cursor <= end(recorder);
	if (!held)
		begin_again(recorder);
	*ret = (struct nb_recorded){
		.cursor = end(recorder),
		.lost = !held && cursor != 0,
		.text = held ? recorder->text->str + (cursor - recorder->begin) : "",
	};
}
