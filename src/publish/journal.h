/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Notices in the journal: one for each thing that happened, with MESSAGE_ID and fields. Where
 * stderr is not the journal (a foreground run), the same sentence goes to stderr as a plain line.
 */

#include "nicbalance/status.h"

#include <syslog.h>

/* Fields NB_IRQ NB_NETDEV NB_QUEUE NB_CPU_FROM NB_CPU_TO NB_RPS NB_REASON NB_OUTCOME NB_EFFECT
 * NB_PREDICTED NB_MEASURED. notice; warning when refused, full or unsafe. */
void nb_journal_record(const struct nb_record *record);

/* Any other sentence. message_id is NULL or 32 hex digits; priority as in syslog(3). */
void nb_journal_say(int priority, const char *message_id, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Lines above this priority are dropped (LOG_INFO unless set). */
void nb_journal_set_max_priority(int priority);
