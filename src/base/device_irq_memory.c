/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/device_irq_memory.h"

#include "base/find.h"
#include "base/rows.h"

#include <glib.h>
#include <string.h>

/* Where irq is, or would be inserted. */
static unsigned position(const struct nb_memory *memory, uint32_t irq)
{
	unsigned low = 0, high = memory->n_device_irqs;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (memory->device_irqs[middle].irq < irq)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_at(const struct nb_memory *memory, unsigned at, uint32_t irq)
{
	return at < memory->n_device_irqs && memory->device_irqs[at].irq == irq;
}

struct nb_device_irq_memory *nb_device_irq_memory_find(const struct nb_memory *memory, uint32_t irq)
{
	unsigned at = position(memory, irq);

	return is_at(memory, at, irq) ? &memory->device_irqs[at] : NULL;
}

struct nb_device_irq_memory *nb_device_irq_memory_get(struct nb_memory *memory,
						      const struct nb_device_irq *device_irq)
{
	unsigned at = position(memory, device_irq->irq);
	struct nb_device_irq_memory *entry;

	if (is_at(memory, at, device_irq->irq))
		return &memory->device_irqs[at];
	memory->device_irqs = nb_rows_insert(memory->device_irqs, &memory->n_device_irqs, at,
					     sizeof(*memory->device_irqs));
	entry = &memory->device_irqs[at];
	entry->irq = device_irq->irq;
	entry->expected_cpu = -1;
	memcpy(entry->handlers, device_irq->handlers, sizeof(device_irq->handlers));
	return entry;
}

void nb_device_irq_memory_adopt(struct nb_memory *memory, const struct nb_device_irq *device_irq,
				unsigned cpu)
{
	nb_device_irq_memory_get(memory, device_irq)->expected_cpu = (int)cpu;
}

void nb_device_irq_memory_sync(struct nb_memory *memory, const struct nb_machine *machine)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < memory->n_device_irqs; i++) {
		const struct nb_device_irq_memory *known = &memory->device_irqs[i];
		const struct nb_device_irq *now = nb_machine_find_device_irq(machine, known->irq);

		if (!now || strcmp(now->handlers, known->handlers) == 0)
			memory->device_irqs[kept++] = *known;
	}
	memory->n_device_irqs = kept;
}
