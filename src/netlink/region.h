/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Memory with an inaccessible page behind it, for system calls that write without knowing how much
 * room there is: too much is EFAULT then, instead of a corrupted heap. */

#include <stddef.h>

struct nb_region {
	void *memory; /* NULL until something was reserved */
	size_t size;  /* whole pages */
};

/* Makes room for size bytes at least. Keeps the memory that is there when it is enough; its
 * contents are lost when it is not. */
int nb_region_reserve(struct nb_region *region, size_t size);
void nb_region_release(struct nb_region *region);
