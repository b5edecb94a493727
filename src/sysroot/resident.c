/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sysroot/resident.h"

#include <glib.h>
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
	char *at;
	unsigned long start = strtoul(line, &at, 16), end;

	if (at == line || *at != '-')
		return false;
	end = strtoul(at + 1, &at, 16);
	*ret = (struct mapping){
		.start = start,
		.end = end,
		.is_code = g_str_has_prefix(at, " r-xp ") && strchr(at, '/'),
	};
	return true;
}

/* The kB of such a line; 0 of any other. */
static unsigned long kb_of(const char *line, const char *name)
{
	return g_str_has_prefix(line, name) ? strtoul(line + strlen(name), NULL, 10) : 0;
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
		mapping.own_kb += kb_of(line, "Anonymous:") + kb_of(line, "Swap:");
		if (mapping.is_code && mapping.own_kb == 0 && g_str_has_prefix(line, "VmFlags:"))
			madvise((void *)mapping.start, mapping.end - mapping.start, MADV_DONTNEED);
	}
	free(line);
	fclose(smaps);
}
