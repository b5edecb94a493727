/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bpf/layout.h"
#include "loader/loader.h"

#include <errno.h>
#include <glib.h>
#include <string.h>

int nb_loader_count_cpu_ids(const char *possible)
{
	g_autofree char *text = g_strchomp(g_strdup(possible));
	const char *last = strrchr(text, ',');
	const char *end;
	guint64 id;

	last = last ? last + 1 : text;
	end = strchr(last, '-');
	if (!g_ascii_string_to_unsigned(end ? end + 1 : last, 10, 0, NB_PROBE_CPUS_MAX - 1, &id,
					NULL))
		return -EBADMSG;
	return (int)id + 1;
}

/* libbpf_num_possible_cpus() counts the CPUs, which are fewer than ids where some are missing in
 * between. */
int nb_loader_read_cpu_ids(void)
{
	g_autofree char *text = NULL;

	if (!g_file_get_contents("/sys/devices/system/cpu/possible", &text, NULL, NULL))
		return -ENOENT;
	return nb_loader_count_cpu_ids(text);
}
