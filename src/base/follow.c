/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/follow.h"

#include "base/find.h"
#include "base/rows.h"

#include <glib.h>

static unsigned position(const struct nb_follow_rows *rows, int ifindex)
{
	unsigned at = 0;

	while (at < rows->n && rows->rows[at].ifindex < ifindex)
		at++;
	return at;
}

struct nb_follow_memory *nb_follow_find(const struct nb_follow_rows *rows, int ifindex)
{
	unsigned at = position(rows, ifindex);

	return at < rows->n && rows->rows[at].ifindex == ifindex ? &rows->rows[at] : NULL;
}

struct nb_follow_memory *nb_follow_get(struct nb_follow_rows *rows, int ifindex)
{
	struct nb_follow_memory *known = nb_follow_find(rows, ifindex);
	unsigned at = position(rows, ifindex);

	if (known)
		return known;
	rows->rows = nb_rows_insert(rows->rows, &rows->n, at, sizeof(*rows->rows));
	rows->rows[at].ifindex = ifindex;
	return &rows->rows[at];
}

void nb_follow_drop(struct nb_follow_rows *rows, int ifindex)
{
	struct nb_follow_memory *known = nb_follow_find(rows, ifindex);

	if (known)
		nb_rows_remove(rows->rows, &rows->n, (unsigned)(known - rows->rows),
			       sizeof(*rows->rows));
}

bool nb_follow_any(const struct nb_follow_rows *rows)
{
	for (unsigned i = 0; i < rows->n; i++)
		if (rows->rows[i].ours && rows->rows[i].yielded_nsec == 0)
			return true;
	return false;
}

void nb_follow_sync(struct nb_follow_rows *rows, const struct nb_machine *machine)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < rows->n; i++)
		if (nb_machine_find_nic(machine, rows->rows[i].ifindex))
			rows->rows[kept++] = rows->rows[i];
	rows->n = kept;
}

void nb_follow_refresh(struct nb_follow_rows *rows)
{
	for (unsigned i = 0; i < rows->n; i++)
		rows->rows[i].rehearsed = 0;
}

void nb_follow_clear(struct nb_follow_rows *rows)
{
	g_clear_pointer(&rows->rows, g_free);
	rows->n = 0;
}
