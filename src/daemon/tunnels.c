/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/find.h"
#include "base/spells.h"
#include "daemon/daemon.h"

#define COUNTED_NSEC NB_NSEC_PER_SEC
/* Of the NIC's bytes, so much are of the tunnel: its headers and those below it are the larger part
 * of the smallest packets. Bytes, as packets are joined (GRO) before the tunnel counts them. */
#define LEAST_PART 3u

static uint64_t read_rx_bytes(struct nb_daemon *daemon, const char *name)
{
	g_autofree char *path = g_strdup_printf("sys/class/net/%s/statistics/rx_bytes", name);
	uint64_t bytes;

	return nb_sysroot_read_number(daemon->root, path, UINT64_MAX, &bytes) < 0 ? 0 : bytes;
}

static struct nb_tunnel_count *find_count(GArray *counts, int ifindex)
{
	for (unsigned i = 0; i < counts->len; i++) {
		struct nb_tunnel_count *count = &g_array_index(counts, struct nb_tunnel_count, i);

		if (count->ifindex == ifindex)
			return count;
	}
	return NULL;
}

static bool is_mostly_tunnel(const struct nb_tunnel_count *before,
			     const struct nb_tunnel_count *now)
{
	uint64_t nic = now->nic_bytes - before->nic_bytes;
	uint64_t tunnel = now->tunnel_bytes - before->tunnel_bytes;

	/* One that carries more than the NIC receives comes over another one, too. */
	return now->nic_bytes > before->nic_bytes && now->tunnel_bytes > before->tunnel_bytes &&
	       tunnel >= nic / LEAST_PART && tunnel <= nic &&
	       strcmp(before->tunnel, now->tunnel) == 0;
}

static void watch(struct nb_daemon *daemon, const struct nb_nic *nic)
{
	uint64_t now_nsec = daemon->loop.snapshot->taken_nsec;
	struct nb_tunnel_count *before = find_count(daemon->tunnel_counts, nic->ifindex);
	struct nb_tunnel_count now = {.ifindex = nic->ifindex, .nsec = now_nsec};

	if (before && now_nsec < before->nsec + COUNTED_NSEC)
		return;
	g_strlcpy(now.tunnel, nic->tunnel, sizeof(now.tunnel));
	now.nic_bytes = read_rx_bytes(daemon, nic->name);
	now.tunnel_bytes = read_rx_bytes(daemon, nic->tunnel);
	if (!before) {
		g_array_append_val(daemon->tunnel_counts, now);
		return;
	}
	if (is_mostly_tunnel(before, &now))
		nb_advice_note_tunnel(&daemon->loop.memory, nic->ifindex, now_nsec);
	*before = now;
}

void nb_daemon_watch_tunnels(struct nb_daemon *daemon)
{
	const struct nb_machine *machine = daemon->loop.snapshot->machine;
	const struct nb_spells *lopsided = &daemon->loop.memory.lopsided;

	if (lopsided->n == 0)
		g_array_set_size(daemon->tunnel_counts, 0);
	for (unsigned i = 0; i < lopsided->n; i++) {
		const struct nb_nic *nic = nb_machine_find_nic(machine, lopsided->rows[i].ifindex);

		if (nic && *nic->tunnel)
			watch(daemon, nic);
	}
}
