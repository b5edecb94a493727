/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Why a request was not carried out: as data, and as a sentence. Pure. */

#include "nicbalance/order.h"

#include <glib.h>

typedef struct nb_refusal nb_refusal;

/* Fills *ret but for what belongs to the cause alone, and returns error. The format makes the
 * sentence. */
int nb_refuse(int error, enum nb_refusal_cause cause, struct nb_refusal *ret, const char *format,
	      ...) G_GNUC_PRINTF(4, 5);
void nb_refusal_clear(struct nb_refusal *refusal);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(nb_refusal, nb_refusal_clear)
