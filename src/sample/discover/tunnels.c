/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/discover/tunnels.h"

#include <limits.h>

struct tunnel {
	const char *name;  /* of the facts */
	int nic;           /* in scope, that it is bound to; 0: to none, or what is made of NICs */
	uint64_t rx_bytes; /* so far */
};

struct nb_tunnels {
	GArray *rows; /* struct tunnel */
};

static uint64_t read_number(struct nb_sysroot *root, const char *name, const char *file,
			    uint64_t most)
{
	g_autofree char *path = g_strdup_printf("sys/class/net/%s/%s", name, file);
	uint64_t value;

	return nb_sysroot_read_number(root, path, most, &value) < 0 ? 0 : value;
}

/* A tunnel without a device below has 0, or itself (net/core/dev.c dev_get_iflink()). */
static int bound_to(struct nb_sysroot *root, const char *name, const GArray *facts)
{
	int lower = (int)read_number(root, name, "iflink", INT_MAX);

	for (unsigned i = 0; i < facts->len; i++) {
		const struct nb_nic *nic = &g_array_index(facts, struct nb_nic_facts, i).nic;

		if (nic->ifindex == lower && nic->scope == NB_SCOPE_IN)
			return lower;
	}
	return 0;
}

struct nb_tunnels *nb_tunnels_read(struct nb_sysroot *root, const GArray *facts)
{
	struct nb_tunnels *tunnels = g_new(struct nb_tunnels, 1);

	tunnels->rows = g_array_new(FALSE, FALSE, sizeof(struct tunnel));
	for (unsigned i = 0; i < facts->len; i++) {
		const struct nb_nic_facts *one = &g_array_index(facts, struct nb_nic_facts, i);
		struct tunnel tunnel = {.name = one->nic.name};

		if (!one->tunnel)
			continue;
		tunnel.nic = bound_to(root, tunnel.name, facts);
		tunnel.rx_bytes = read_number(root, tunnel.name, "statistics/rx_bytes", UINT64_MAX);
		g_array_append_val(tunnels->rows, tunnel);
	}
	return tunnels;
}

void nb_tunnels_free(struct nb_tunnels *tunnels)
{
	if (!tunnels)
		return;
	g_array_unref(tunnels->rows);
	g_free(tunnels);
}

const char *nb_tunnels_over(const struct nb_tunnels *tunnels, int ifindex)
{
	const struct tunnel *busiest = NULL;

	for (unsigned i = 0; i < tunnels->rows->len; i++) {
		const struct tunnel *tunnel = &g_array_index(tunnels->rows, struct tunnel, i);

		if ((tunnel->nic == 0 || tunnel->nic == ifindex) &&
		    (!busiest || tunnel->rx_bytes > busiest->rx_bytes))
			busiest = tunnel;
	}
	return busiest ? busiest->name : "";
}
