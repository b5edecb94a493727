/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/allocator/allocator.h"

#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__)
#define COUNTED 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define COUNTED 0
#endif
#endif
#ifndef COUNTED
#define COUNTED 1
#endif

static uint64_t allocations;

#if COUNTED
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);

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
#endif

uint64_t nb_allocations(void)
{
	return allocations;
}

bool nb_allocations_are_counted(void)
{
	return COUNTED;
}
