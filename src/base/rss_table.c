/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/rss_table.h"

#include <glib.h>

uint32_t nb_table_digest(const uint32_t *entries, unsigned n)
{
	uint32_t digest = 2166136261u;

	for (unsigned i = 0; i < n; i++)
		digest = (digest ^ entries[i]) * 16777619u;
	return digest ? digest : 1;
}

bool nb_table_is_even(const uint32_t *entries, unsigned n, unsigned n_queues)
{
	g_autofree unsigned *counts = g_new0(unsigned, n_queues);
	unsigned least = UINT_MAX, most = 0;

	for (unsigned i = 0; i < n; i++) {
		if (entries[i] >= n_queues)
			return false;
		counts[entries[i]]++;
	}
	for (unsigned i = 0; i < n_queues; i++) {
		least = MIN(least, counts[i]);
		most = MAX(most, counts[i]);
	}
	return most - least <= 1;
}
