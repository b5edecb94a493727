/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "apply/xps_masks.h"

#include <glib.h>

bool nb_xps_are_unset(const struct nb_cpumask *masks, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!nb_cpumask_empty(&masks[i]))
			return false;
	return true;
}

static bool is_within(const struct nb_cpumask *mask, const struct nb_cpumask *of)
{
	struct nb_cpumask rest = *mask;

	nb_cpumask_andnot(&rest, of);
	return nb_cpumask_empty(&rest);
}

/* drivers/net/virtio_net.c virtnet_set_affinity() gives some queues one CPU more; others give each
 * a single one, as ixgbe_configure_tx_ring(). */
bool nb_xps_are_drivers(const struct nb_cpumask *masks, const struct nb_cpumask *affinities,
			unsigned n, const struct nb_cpumask *online)
{
	unsigned least = NB_CPUS_MAX, most = 0, sum = 0;
	struct nb_cpumask all = {};

	for (unsigned i = 0; i < n; i++) {
		unsigned size = nb_cpumask_count(&masks[i]);

		if (!is_within(&masks[i], &affinities[i]))
			return false;
		least = MIN(least, size);
		most = MAX(most, size);
		sum += size;
		nb_cpumask_or(&all, &masks[i]);
	}
	if (least == 0 || most > least + 1 || nb_cpumask_count(&all) != sum)
		return false;
	return most == 1 || is_within(online, &all);
}
