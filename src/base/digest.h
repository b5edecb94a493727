/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Tells RSS tables apart without keeping them: FNV-1a over the entries (Fowler, Noll, Vo; RFC
 * 9923). Never 0. */

#include <stdint.h>

static inline uint32_t nb_table_digest(const uint32_t *entries, unsigned n)
{
	uint32_t digest = 2166136261u;

	for (unsigned i = 0; i < n; i++)
		digest = (digest ^ entries[i]) * 16777619u;
	return digest ? digest : 1;
}
