/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What a daemon saw, second by second, as lines of text: nicbalance-trace(5). Without what a
 * customer would mind: no addresses, no host name, interfaces by number. Pure. */

#include "base/rules.h"
#include "nicbalance/load.h"
#include "nicbalance/outcome.h"
#include "nicbalance/plan.h"
#include "nicbalance/snapshot.h"
#include "nicbalance/status.h"

#include <glib.h>

/* --- writing */

typedef struct nb_trace_writer nb_trace_writer;

struct nb_trace_writer *nb_trace_writer_new(void);
void nb_trace_writer_free(struct nb_trace_writer *writer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(nb_trace_writer, nb_trace_writer_free)

/* Appends to text what is new after a cycle: the machine where it changed, then the window of
 * loads: each CPU's share outside queues, each queue's cost and place, drops, RPS masks; then those
 * moves of the plan that were applied, and what was noted. rules say what others than the
 * configuration order: what it bans is not in them. Nothing for a window of no length. The
 * first text of a writer begins a trace; one after another make a trace, too. */
void nb_trace_write(struct nb_trace_writer *writer, const struct nb_snapshot *snapshot,
		    const struct nb_rules *rules, const struct nb_loads *loads,
		    const struct nb_plan *plan, GString *text);

/* Notes what happened to an interrupt of no queue, for the next window that is written. The record
 * is of such a one, and MOVED, YIELDED or RESTORED; its handlers stay out. */
void nb_trace_note_device_irq(struct nb_trace_writer *writer, const struct nb_record *record);

/* --- reading */

/* What happened to an interrupt of another device. */
struct nb_trace_device_irq {
	uint32_t irq; /* as the kernel numbered it */
	enum nb_event event;
	enum nb_reason reason; /* of MOVED */
	int cpu_from;          /* -1: several, or unknown */
	int cpu_to;
};

/* One window of a trace. All of the machine's NICs are in scope; their ifindexes are the numbers of
 * the trace and their names nic1, nic2, …; interrupt numbers are made up, always the same ones for
 * one queue. */
struct nb_trace_frame {
	uint64_t taken_nsec; /* since the beginning */
	uint64_t window_nsec;
	const struct nb_machine *machine;
	enum nb_grade grade;     /* in which times were measured */
	const uint32_t *fixed;   /* of each CPU of the machine, basis points, unsmoothed */
	const uint32_t *backlog; /* of rest, likewise */
	const uint32_t *time;    /* of each queue, likewise */
	const int *cpus;         /* where each queue was served; -1 unknown */
	const uint32_t
		*threaded; /* of each queue: its kernel threads, in the fixed load of other CPUs */
	const uint32_t *pinned;   /* 1: nobody may move the queue's interrupts */
	const uint32_t *deferred; /* 1: packets kept its interrupt masked */
	const uint32_t *dropped;  /* packets of each CPU, by its backlog or by NICs */
	const struct nb_rps_state *rps;
	unsigned n_rps;
	const struct nb_move *moves; /* made at the end of this window */
	unsigned n_moves;
	const struct nb_trace_device_irq *device_irqs; /* by the end of this window */
	unsigned n_device_irqs;
};

typedef struct nb_trace nb_trace;

/* Reads a whole trace; text is borrowed. What follows the last whole window is left out: that is
 * how a recording looks that was interrupted. On failure *ret_error is "line: what is wrong"
 * (caller frees) and -EBADMSG is returned. */
int nb_trace_parse(const char *text, size_t len, struct nb_trace **ret, char **ret_error);
void nb_trace_free(struct nb_trace *trace);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(nb_trace, nb_trace_free)
unsigned nb_trace_n_frames(const struct nb_trace *trace);
/* Valid as long as the trace. */
void nb_trace_frame(const struct nb_trace *trace, unsigned i, struct nb_trace_frame *ret);
