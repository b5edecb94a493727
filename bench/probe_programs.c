/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe.h"

#include <bpf/bpf.h>
#include <unistd.h>

GArray *nb_bench_programs(void)
{
	GArray *programs = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	uint32_t id = 0;

	while (bpf_prog_get_next_id(id, &id) == 0)
		g_array_append_val(programs, id);
	return programs;
}

static gboolean has(const GArray *programs, uint32_t id)
{
	for (unsigned i = 0; i < programs->len; i++)
		if (g_array_index(programs, uint32_t, i) == id)
			return TRUE;
	return FALSE;
}

GArray *nb_bench_programs_since(const GArray *before)
{
	GArray *programs = nb_bench_programs();

	for (unsigned i = programs->len; i-- > 0;)
		if (has(before, g_array_index(programs, uint32_t, i)))
			g_array_remove_index(programs, i);
	return programs;
}

struct nb_bench_cost nb_bench_cost(const GArray *programs, const char *prefix)
{
	struct nb_bench_cost cost = {0};

	for (unsigned i = 0; i < programs->len; i++) {
		int fd = bpf_prog_get_fd_by_id(g_array_index(programs, uint32_t, i));
		struct bpf_prog_info info = {0};
		uint32_t size = sizeof(info);

		if (fd >= 0 && bpf_obj_get_info_by_fd(fd, &info, &size) == 0 &&
		    g_str_has_prefix(info.name, prefix)) {
			cost.nsec += info.run_time_ns;
			cost.runs += info.run_cnt;
		}
		if (fd >= 0)
			close(fd);
	}
	return cost;
}
