/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What happened to one knob, as a record: made on hosts and in rehearsals alike. Pure. */

#include "nicbalance/finding.h"

/* An event of a queue of the machine, with nothing known of it yet; realtime_usec is the caller's.
 */
struct nb_record nb_record_of(const struct nb_machine *machine, enum nb_event event,
			      struct nb_queue_key key);
/* What the kernel answered to a move: one of a queue that was applied is to be measured. */
void nb_record_set_move(struct nb_record *record, const struct nb_move *move,
			enum nb_outcome outcome);
/* What a change of this kind is told as. */
enum nb_event nb_event_of(enum nb_kind kind);
/* What became of a change. The texts are the record's. */
void nb_record_set_change(struct nb_record *record, const struct nb_change *change);
/* Someone else wrote a knob of ours. The texts are the record's. */
void nb_record_set_yield(struct nb_record *record, const struct nb_finding *finding);
bool nb_record_is_rps(const struct nb_record *record);
bool nb_record_is_rss(const struct nb_record *record);
/* Of an interrupt of no queue: RPS and RSS are for queues alone, be it that the device is gone. */
bool nb_record_is_device_irq(const struct nb_record *record);
/* Whether its effect is still being measured: a stuck one goes on. */
bool nb_record_is_open(const struct nb_record *record);
/* Frees its texts; nothing is known of it then. */
void nb_record_clear(struct nb_record *record);
