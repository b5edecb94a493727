/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The list of what was ordered at run time, and what follows from it on the present machine. Pure:
 * whoever calls brings the time. */

#include "nicbalance/order.h"
#include "nicbalance/snapshot.h"

#include <glib.h>

typedef struct nb_orders {
	GArray *rows; /* struct nb_order, ascending by id */
	uint64_t last_id;
} nb_orders;

struct nb_orders *nb_orders_new(void);
struct nb_orders *nb_orders_copy(const struct nb_orders *orders);
void nb_orders_free(struct nb_orders *orders);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(nb_orders, nb_orders_free)

static inline const struct nb_order *nb_orders_get(const struct nb_orders *orders, unsigned i)
{
	return &g_array_index(orders->rows, struct nb_order, i);
}

/* The order of the same owner for the same target, of a ban: for the same CPUs; or NULL. */
const struct nb_order *nb_orders_find_same(const struct nb_orders *orders,
					   const struct nb_order *order);
/* Takes an order in; it takes the place and the id of the same one. Returns its id. */
uint64_t nb_orders_add(struct nb_orders *orders, const struct nb_order *order);
/* One of an earlier run. False: its id is taken, or 0. */
bool nb_orders_keep(struct nb_orders *orders, const struct nb_order *order);
void nb_orders_remove(struct nb_orders *orders, unsigned i);

/* Takes CPUs out of the owner's bans. Returns how many bans they were in. */
unsigned nb_orders_unban(struct nb_orders *orders, const char *owner,
			 const struct nb_cpumask *cpus);
/* Takes out what the owner ordered: what is "all", "@5" (an id), or a target. Returns 0 and how
 * many, or -EINVAL: it is none of these. */
int nb_orders_release(struct nb_orders *orders, const char *owner, const char *what,
		      unsigned *ret_n);

bool nb_order_is_ban(const struct nb_order *order);
/* A word of visible ASCII that has room in an order. */
bool nb_owner_is_valid(const char *owner);
/* "ban of CPUs 2-3 by operator", "claim of CPUs 2-3 for eth0:1 by operator"; caller frees (g_free).
 */
char *nb_order_describe(const struct nb_order *order);

/* What counts on this machine, and in each order whether its target is there. Returns whether that
 * changed for any. claims is zeroed or of the last call; nb_claims_clear() frees it. */
bool nb_orders_resolve(struct nb_orders *orders, const struct nb_machine *machine,
		       struct nb_claims *claims);
void nb_claims_clear(struct nb_claims *claims);
