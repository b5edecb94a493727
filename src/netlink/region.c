/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netlink/region.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

int nb_region_reserve(struct nb_region *region, size_t size)
{
	size_t page = page_size();
	size_t rounded = (size + page - 1) / page * page;
	void *memory;

	if (size <= region->size)
		return 0;

	memory = mmap(NULL, rounded + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return -errno;
	if (mprotect(memory, rounded, PROT_READ | PROT_WRITE) < 0) {
		int r = -errno;

		munmap(memory, rounded + page);
		return r;
	}

	nb_region_release(region);
	*region = (struct nb_region){.memory = memory, .size = rounded};
	return 0;
}

void nb_region_release(struct nb_region *region)
{
	if (region->memory)
		munmap(region->memory, region->size + page_size());
	*region = (struct nb_region){0};
}
