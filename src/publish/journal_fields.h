/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A record as the fields of a journal entry. Pure. */

#include "nicbalance/status.h"

/* Of publish/message_ids.h: what was measured or refused comes before what was done. */
const char *nb_record_message_id(const struct nb_record *record);
/* LOG_NOTICE, or LOG_WARNING when refused, full or unsafe. */
int nb_record_priority(const struct nb_record *record);

/* "NAME=value" each, NULL at the end, without MESSAGE, MESSAGE_ID and PRIORITY. Shares are percents
 * with two decimals. Caller frees (g_strfreev). */
char **nb_record_fields(const struct nb_record *record);
