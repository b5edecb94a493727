/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The allocator, counted: what is defined in the program goes before what is in the C library. */
#include "cycle.h"

#include <stdlib.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);

static uint64_t allocations;

void *malloc(size_t size)
{
	allocations++;
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	allocations++;
	return __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	allocations++;
	return __libc_realloc(p, size);
}

uint64_t nb_bench_allocations(void)
{
	return allocations;
}
