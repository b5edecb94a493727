/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sysroot/resident.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* One in /proc/self/smaps, as far as it has been read. */
struct mapping {
	unsigned long start, end;
	bool is_code;
	unsigned long own_kb; /* that no file holds */
};

/* The line that begins a mapping: start-end mode offset device inode path. */
static bool begins_mapping(const char *line, struct mapping *ret)
{
	unsigned long start, end, inode;
	char mode[5];

	if (sscanf(line, "%lx-%lx %4s %*x %*s %lu", &start, &end, mode, &inode) != 4)
		return false;
	*ret = (struct mapping){start, end, strcmp(mode, "r-xp") == 0 && inode != 0, 0};
	return true;
}

static void add_own(const char *line, struct mapping *mapping)
{
	unsigned long kb;

	if (sscanf(line, "Anonymous: %lu kB", &kb) == 1 || sscanf(line, "Swap: %lu kB", &kb) == 1)
		mapping->own_kb += kb;
}

/* VmFlags ends a mapping (fs/proc/task_mmu.c show_smap). MADV_DONTNEED would lose pages of the
 * mapping's own; this process has one thread, so none can come into being since the line was read.
 */
void nb_resident_trim(void)
{
	FILE *smaps = fopen("/proc/self/smaps", "re");
	struct mapping mapping = {};
	char *line = NULL;
	size_t size = 0;

	if (!smaps)
		return;
	while (getline(&line, &size, smaps) > 0) {
		if (begins_mapping(line, &mapping))
			continue;
		add_own(line, &mapping);
		if (mapping.is_code && mapping.own_kb == 0 && strncmp(line, "VmFlags:", 8) == 0)
			madvise((void *)mapping.start, mapping.end - mapping.start, MADV_DONTNEED);
	}
	free(line);
	fclose(smaps);
}
