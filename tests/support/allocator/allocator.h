/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The allocator, counted: what is defined in a program goes before what is in the C library. */

#include <stdbool.h>
#include <stdint.h>

/* Since the start. */
uint64_t nb_allocations(void);
/* False where the allocator is the sanitizer's. */
bool nb_allocations_are_counted(void);
