/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A trace (nicbalance-trace(5)) as it grows, for those who ask for it piece by piece. While nobody
 * does, nothing is written or kept. */

#include "base/rules.h"
#include "nicbalance/status.h"

#include <glib.h>

typedef struct nb_recorder nb_recorder;

struct nb_recorder *nb_recorder_new(void);
void nb_recorder_free(struct nb_recorder *recorder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(nb_recorder, nb_recorder_free)

/* Whether someone wants each window. */
bool nb_recorder_is_on(const struct nb_recorder *recorder);

/* After each cycle. rules as for nb_trace_write(). */
void nb_recorder_add(struct nb_recorder *recorder, const struct nb_snapshot *snapshot,
		     const struct nb_rules *rules, const struct nb_loads *loads,
		     const struct nb_plan *plan);

/* What happened to a device interrupt, written with the window of the next nb_recorder_add(). Of
 * queues the windows say it themselves. */
void nb_recorder_tell(struct nb_recorder *recorder, const struct nb_record *record);

struct nb_recorded {
	uint64_t cursor;  /* for the next call */
	bool lost;        /* text since the cursor given is no longer there */
	const char *text; /* "" when nothing is new; valid until the next nb_recorder_… call */
};

/* What was added since the call before, which gave this cursor. For cursor 0, and for one whose
 * text is lost, nothing: a trace begins with the window after. What is added is kept for
 * NB_BUS_WATCH_SEC after now_nsec (CLOCK_MONOTONIC), or longer if someone asks again. */
void nb_recorder_read(struct nb_recorder *recorder, uint64_t cursor, uint64_t now_nsec,
		      struct nb_recorded *ret);
