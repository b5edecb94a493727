/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* run/nicbalance/claims: the list over restarts of the daemon, not of the host. */

#include "claims/orders.h"
#include "sysroot/sysroot.h"

#define NB_CLAIMS_PATH "run/nicbalance/claims"

/* What an earlier run kept; an empty list if it kept nothing. -EBADMSG: lines of it are damaged;
 * *ret is what could be read, and *ret_damaged their numbers ("3, 7"; g_free). The file stays as it
 * is until the next nb_orders_save(). */
int nb_orders_load(struct nb_sysroot *root, struct nb_orders **ret, char **ret_damaged);
/* Writes it, atomically; without orders to keep there is no file. */
int nb_orders_save(struct nb_sysroot *root, const struct nb_orders *orders);
