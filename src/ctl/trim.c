/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/trim.h"

/* As many lines as a terminal of 50 has room for beside the other tables. */
#define CPUS_MAX 32
#define EXCLUDED_MAX 12
#define MOVES_MAX 10
/* A CPU without a queue is worth a line from here on. */
#define BUSY_PERMYRIAD 500

static unsigned remove_if(GArray *rows, bool (*is_superfluous)(const void *row))
{
	guint size = g_array_get_element_size(rows);
	unsigned n_before = rows->len;

	for (unsigned i = n_before; i-- > 0;)
		if (is_superfluous(rows->data + i * size))
			g_array_remove_index(rows, i);
	return n_before - rows->len;
}

static bool is_out_of_scope(const void *row)
{
	const struct nb_nic_row *nic = row;

	return !g_str_equal(nic->scope, "in");
}

unsigned nb_trim_nics(GArray *nics)
{
	return remove_if(nics, is_out_of_scope);
}

static bool is_idle(const void *row)
{
	const struct nb_cpu_row *cpu = row;

	return cpu->n_queues == 0 && cpu->busy <= BUSY_PERMYRIAD;
}

unsigned nb_trim_cpus(GArray *cpus)
{
	return cpus->len > CPUS_MAX ? remove_if(cpus, is_idle) : 0;
}

unsigned nb_trim_moves(GArray *moves)
{
	unsigned n_old = moves->len > MOVES_MAX ? moves->len - MOVES_MAX : 0;

	if (n_old > 0)
		g_array_remove_range(moves, 0, n_old);
	return n_old;
}

static bool is_virtual(const void *row)
{
	const struct nb_excluded_row *excluded = row;

	return g_str_equal(excluded->kind, "nic") && g_str_equal(excluded->reason, "virtual");
}

unsigned nb_trim_excluded(GArray *excluded)
{
	return excluded->len > EXCLUDED_MAX ? remove_if(excluded, is_virtual) : 0;
}
