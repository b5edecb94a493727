/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Whether an order may be taken in beside those that count. Pure. */

#include "claims/orders.h"

/* 0, or -EBUSY and in *ret why not (nb_refusal_clear()): its CPUs do not exist or are offline,
 * another order has taken them, or no CPU that is online, not isolated, not banned by the
 * configuration (banned) and not taken would be left for anything else. The same order (see
 * nb_orders_find_same()) is not in its way. */
int nb_orders_check(const struct nb_orders *orders, const struct nb_order *order,
		    const struct nb_topology *topology, const struct nb_cpumask *banned,
		    struct nb_refusal *ret);
