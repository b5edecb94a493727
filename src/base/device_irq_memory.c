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

struct nb_device_irq_memory *nb_device_irq_memory_find(const struct nb_memory *memory, uint32_t irq)
{
	unsigned at = position(memory, irq);

	return at < memory->n_device_irqs && memory->device_irqs[at].irq == irq
		       ? &memory->device_irqs[at]
		       : NULL;
}

struct nb_device_irq_memory *nb_device_irq_memory_get(struct nb_memory *memory,
						      const struct nb_device_irq *device_irq)
{
	struct nb_device_irq_memory *known = nb_device_irq_memory_find(memory, device_irq->irq);
	unsigned at = position(memory, device_irq->irq);

	if (known)
		return known;
	memory->device_irqs = nb_rows_insert(memory->device_irqs, &memory->n_device_irqs, at,
					     sizeof(*memory->device_irqs));
	memory->device_irqs[at].irq = device_irq->irq;
	memory->device_irqs[at].expected_cpu = -1;
	memcpy(memory->device_irqs[at].handlers, device_irq->handlers,
	       sizeof(device_irq->handlers));
	return &memory->device_irqs[at];
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
