/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Pools by their key. Pure. Pools that are zeroed are empty ones. */

#include "nicbalance/rules.h"

void nb_pools_clear(struct nb_pools *pools);
/* Index of the first row of key or above it. */
unsigned nb_pools_first(const struct nb_pools *pools, struct nb_queue_key key);
/* The first row of this very key; NULL: none. */
const struct nb_pool *nb_pools_find(const struct nb_pools *pools, struct nb_queue_key key);

/* Where each key has one row at most: puts this one in, in place of that of the same key. */
void nb_pools_set(struct nb_pools *pools, const struct nb_pool *pool);
/* False: there is none. */
bool nb_pools_drop(struct nb_pools *pools, struct nb_queue_key key);
