/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Records of what happened to one knob, on hosts and in rehearsals. Pure. */

#include "nicbalance/finding.h"

/* An event of a queue of the machine, otherwise empty; the caller sets realtime_usec. */
struct nb_record nb_record_of(const struct nb_machine *machine, enum nb_event event,
			      enum nb_kind kind, struct nb_queue_key key);
/* The move and its outcome; the effect of one of a queue that was applied is pending. */
void nb_record_set_move(struct nb_record *record, const struct nb_move *move,
			enum nb_outcome outcome);
/* The event that a change of this kind is. */
enum nb_event nb_event_of(enum nb_kind kind);
/* The change and its outcome. The texts are the record's. */
void nb_record_set_change(struct nb_record *record, const struct nb_change *change);
/* A setting of a NIC was restored. Both as in struct nb_setting_change. */
void nb_record_set_setting(struct nb_record *record, unsigned from, unsigned to);
/* Another program wrote a knob of ours. The texts are the record's. */
void nb_record_set_yield(struct nb_record *record, const struct nb_finding *finding);
/* Whether both, of one kind, lead to the same CPU, mask, table or setting. */
bool nb_record_is_same_target(const struct nb_record *a, const struct nb_record *b);
/* Whether its effect is still being measured, also if it is stuck. */
bool nb_record_is_open(const struct nb_record *record);
/* Frees its texts and empties it. */
void nb_record_clear(struct nb_record *record);
