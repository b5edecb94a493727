/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What is remembered of device interrupts, in step with the machine. Pure. */

#include "nicbalance/memory.h"
#include "nicbalance/snapshot.h"

/* NULL if not remembered. */
struct nb_device_irq_memory *nb_device_irq_memory_find(const struct nb_memory *memory,
						       uint32_t irq);
/* The entry of a device interrupt, made if missing; valid until the next call that makes or drops
 * one. */
struct nb_device_irq_memory *nb_device_irq_memory_get(struct nb_memory *memory,
						      const struct nb_device_irq *device_irq);
/* A restart found it as the previous run left it. */
void nb_device_irq_memory_adopt(struct nb_memory *memory, const struct nb_device_irq *device_irq,
				unsigned cpu);

/* Drops the entries of numbers that now belong to another device. One that does not occur keeps its
 * entry until it occurs again. */
void nb_device_irq_memory_sync(struct nb_memory *memory, const struct nb_machine *machine);
