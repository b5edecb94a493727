/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/pools.h"

#include "base/rows.h"

#include <glib.h>

void nb_pools_clear(struct nb_pools *pools)
{
	g_clear_pointer(&pools->rows, g_free);
	pools->n = 0;
}

unsigned nb_pools_first(const struct nb_pools *pools, struct nb_queue_key key)
{
	unsigned low = 0, high = pools->n;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (nb_queue_key_compare(pools->rows[middle].key, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_at(const struct nb_pools *pools, unsigned at, struct nb_queue_key key)
{
	return at < pools->n && nb_queue_key_compare(pools->rows[at].key, key) == 0;
}

const struct nb_pool *nb_pools_find(const struct nb_pools *pools, struct nb_queue_key key)
{
	unsigned at = nb_pools_first(pools, key);

	return is_at(pools, at, key) ? &pools->rows[at] : NULL;
}

void nb_pools_set(struct nb_pools *pools, const struct nb_pool *pool)
{
	unsigned at = nb_pools_first(pools, pool->key);

	if (!is_at(pools, at, pool->key))
		pools->rows = nb_rows_insert(pools->rows, &pools->n, at, sizeof(*pools->rows));
	pools->rows[at] = *pool;
}

bool nb_pools_drop(struct nb_pools *pools, struct nb_queue_key key)
{
	unsigned at = nb_pools_first(pools, key);

	if (!is_at(pools, at, key))
		return false;
	nb_rows_remove(pools->rows, &pools->n, at, sizeof(*pools->rows));
	return true;
}
