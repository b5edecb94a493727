/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What is remembered of interrupts that are no queue's, in step with the machine. Pure. */

#include "nicbalance/memory.h"
#include "nicbalance/snapshot.h"

/* NULL when not remembered. */
struct nb_device_irq_memory *nb_device_irq_memory_find(const struct nb_memory *memory,
						       uint32_t irq);
/* The entry of other, made when missing; valid until the next call that makes or drops one. */
struct nb_device_irq_memory *nb_device_irq_memory_get(struct nb_memory *memory,
						      const struct nb_device_irq *device_irq);
/* A restart found it as the run before left it. */
void nb_device_irq_memory_adopt(struct nb_memory *memory, const struct nb_device_irq *device_irq,
				unsigned cpu);

/* Drops the entries of numbers that another device has got since. One that is silent now keeps its
 * entry: who it is shows when it comes again. */
void nb_device_irq_memory_sync(struct nb_memory *memory, const struct nb_machine *machine);
