/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/show/trim.h"

#include "ctl/show/value.h"

#include <stdbool.h>
#include <string.h>

/* As many lines as a terminal of 50 has room for beside the other tables. */
#define CPUS_MAX 32
#define EXCLUDED_MAX 12
#define MOVES_MAX 10
/* A CPU without a queue is worth a line from here on. */
#define BUSY_BASIS_POINTS 500

static size_t remove_if(json_t *rows, bool (*is_superfluous)(const json_t *row))
{
	size_t n_before = json_array_size(rows);

	for (size_t i = n_before; i-- > 0;)
		if (is_superfluous(json_array_get(rows, i)))
			json_array_remove(rows, i);
	return n_before - json_array_size(rows);
}

static bool is_out_of_scope(const json_t *nic)
{
	return strcmp(nb_value_text(nic, "scope"), "in") != 0;
}

size_t nb_trim_nics(json_t *nics)
{
	return remove_if(nics, is_out_of_scope);
}

static bool is_idle(const json_t *cpu)
{
	return nb_value_count(cpu, "queues") == 0 &&
	       nb_value_share(cpu, "busy-percent") <= BUSY_BASIS_POINTS;
}

size_t nb_trim_cpus(json_t *cpus)
{
	return json_array_size(cpus) > CPUS_MAX ? remove_if(cpus, is_idle) : 0;
}

size_t nb_trim_moves(json_t *moves)
{
	size_t n_before = json_array_size(moves);

	while (json_array_size(moves) > MOVES_MAX)
		json_array_remove(moves, 0);
	return n_before - json_array_size(moves);
}

static bool is_virtual(const json_t *excluded)
{
	return strcmp(nb_value_text(excluded, "kind"), "nic") == 0 &&
	       strcmp(nb_value_text(excluded, "reason"), "virtual") == 0;
}

size_t nb_trim_excluded(json_t *excluded)
{
	return json_array_size(excluded) > EXCLUDED_MAX ? remove_if(excluded, is_virtual) : 0;
}
