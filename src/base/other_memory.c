/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/other_memory.h"

#include "base/find.h"
#include "base/rows.h"

#include <glib.h>
#include <string.h>

/* Where irq is, or where it would have to be put in. */
static unsigned position(const struct nb_memory *memory, uint32_t irq)
{
	unsigned low = 0, high = memory->n_others;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (memory->others[middle].irq < irq)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct nb_other_memory *nb_other_memory_find(const struct nb_memory *memory, uint32_t irq)
{
	unsigned at = position(memory, irq);

	return at < memory->n_others && memory->others[at].irq == irq ? &memory->others[at] : NULL;
}

struct nb_other_memory *nb_other_memory_get(struct nb_memory *memory, const struct nb_other *other)
{
	struct nb_other_memory *known = nb_other_memory_find(memory, other->irq);
	unsigned at = position(memory, other->irq);

	if (known)
		return known;
	memory->others =
		nb_rows_insert(memory->others, &memory->n_others, at, sizeof(*memory->others));
	memory->others[at].irq = other->irq;
	memory->others[at].expected_cpu = -1;
	memcpy(memory->others[at].handlers, other->handlers, sizeof(other->handlers));
	return &memory->others[at];
}

void nb_other_memory_adopt(struct nb_memory *memory, const struct nb_other *other, unsigned cpu)
{
	nb_other_memory_get(memory, other)->expected_cpu = (int)cpu;
}

void nb_other_memory_sync(struct nb_memory *memory, const struct nb_machine *machine)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < memory->n_others; i++) {
		const struct nb_other_memory *known = &memory->others[i];
		const struct nb_other *now = nb_machine_find_other(machine, known->irq);

		if (!now || strcmp(now->handlers, known->handlers) == 0)
			memory->others[kept++] = *known;
	}
	memory->n_others = kept;
}
