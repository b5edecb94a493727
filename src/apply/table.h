/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* RSS indirection tables. As a value (value.h): the queue of each entry, or nothing for the table
 * that the kernel makes by itself, which any device size and number of queues can be set back to.
 * Else arrays of uint32_t. Pure. */

#include "nicbalance/cpumask.h"

#include <glib.h>

/* Caller unrefs. */
GBytes *nb_table_value(const GArray *entries, unsigned n_rings);
/* Replaces the contents of entries: by none for the default. */
void nb_table_entries(GBytes *value, GArray *entries);

/* "0,2,0,2", or "default". Caller frees (g_free). */
char *nb_table_format(GBytes *value);
/* -EINVAL: it is no table. Caller unrefs. */
int nb_table_parse(const char *text, GBytes **ret);

/* What ethtool_rxfh_indir_default() makes of a table of as many entries as there are. */
void nb_table_fill_default(GArray *entries, unsigned n_rings);

/* Replaces the contents of entries by the table of a value, for a device that has as many entries
 * as there are, and so many receive queues. False, and all as it was: the table has another size.
 */
bool nb_table_expand(GBytes *value, GArray *entries, unsigned n_rings);

/* Gives the entries of queues that are not among these to those that are, in turn; entries of these
 * stay. Queues that the table leaves out are not taken in. False, and all as it was: none of these
 * is in the table. */
bool nb_table_keep(GArray *entries, const struct nb_cpumask *queues);
/* Whether nb_table_keep() makes these entries of the table of a value, for some queues. */
bool nb_table_is_limited(const GArray *entries, GBytes *value, unsigned n_rings);
/* How many entries have another queue than in the table of a value; all if that has another size.
 */
unsigned nb_table_count_moved(const GArray *entries, GBytes *value, unsigned n_rings);
/* The queues that have an entry. */
void nb_table_queues(const GArray *entries, struct nb_cpumask *ret);
