/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/rps.h"

#include "base/find.h"
#include "sysroot/cpus.h"

#include <stdio.h>

/* False where it is empty, or cannot be read. */
static bool read_one(struct nb_sysroot *root, const char *ifname, struct nb_rps_state *rps)
{
	char path[96];

	snprintf(path, sizeof(path), "sys/class/net/%s/queues/rx-%u/rps_cpus", ifname,
		 rps->key.index);
	return nb_sysroot_read_cpumask(root, path, &rps->cpus) == 0 &&
	       !nb_cpumask_empty(&rps->cpus);
}

void nb_rps_find_all(struct nb_sysroot *root, const struct nb_machine *machine, GArray *rps)
{
	g_array_set_size(rps, 0);
	for (unsigned i = 0; i < machine->n_nics; i++) {
		const struct nb_nic *nic = &machine->nics[i];

		for (unsigned k = 0; nb_scope_has_queues(nic->scope) && k < nic->n_rx; k++) {
			struct nb_rps_state state = {.key = {nic->ifindex, k}};

			if (read_one(root, nic->name, &state))
				g_array_append_val(rps, state);
		}
	}
}

void nb_rps_review(struct nb_sysroot *root, const struct nb_machine *machine, GArray *rps)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < rps->len; i++) {
		struct nb_rps_state state = g_array_index(rps, struct nb_rps_state, i);

		if (read_one(root, nb_machine_netdev(machine, state.key.ifindex), &state))
			g_array_index(rps, struct nb_rps_state, kept++) = state;
	}
	g_array_set_size(rps, kept);
}
