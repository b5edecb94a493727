/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/spells.h"

#include "base/rows.h"

/* Such NICs are few. */
static unsigned position_of(const struct nb_spells *spells, int ifindex)
{
	unsigned at = 0;

	while (at < spells->n && spells->rows[at].ifindex < ifindex)
		at++;
	return at;
}

const struct nb_spell *nb_spells_find(const struct nb_spells *spells, int ifindex)
{
	unsigned at = position_of(spells, ifindex);

	return at < spells->n && spells->rows[at].ifindex == ifindex ? &spells->rows[at] : NULL;
}

const struct nb_spell *nb_spells_note(struct nb_spells *spells, int ifindex, uint64_t now_nsec)
{
	unsigned at = position_of(spells, ifindex);

	if (!nb_spells_find(spells, ifindex)) {
		spells->rows = nb_rows_insert(spells->rows, &spells->n, at, sizeof(*spells->rows));
		spells->rows[at] = (struct nb_spell){.ifindex = ifindex, .since_nsec = now_nsec};
	}
	spells->rows[at].seen_nsec = now_nsec;
	return &spells->rows[at];
}

void nb_spells_expire(struct nb_spells *spells, uint64_t now_nsec, uint64_t gap_nsec)
{
	for (unsigned i = spells->n; i-- > 0;)
		if (now_nsec > spells->rows[i].seen_nsec + gap_nsec)
			nb_rows_remove(spells->rows, &spells->n, i, sizeof(*spells->rows));
}

uint64_t nb_spells_last_nsec(const struct nb_spells *spells, int ifindex, uint64_t least_nsec)
{
	const struct nb_spell *spell = nb_spells_find(spells, ifindex);
	uint64_t nsec = spell ? spell->seen_nsec - spell->since_nsec : 0;

	return nsec >= least_nsec ? nsec : 0;
}
