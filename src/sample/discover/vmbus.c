/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/discover/vmbus.h"

#include "nicbalance/netdev.h"

/* The channel with subchannel index N is in the driver's table at N, with the NAPI of receive queue
 * N and the completions of transmit queue N (drivers/net/hyperv/rndis_filter.c netvsc_sc_open(),
 * netvsc.c netvsc_receive()). Its directory is added before its files, and outlives them. */
static void add_channel(struct nb_sysroot *root, const char *channels, const char *name,
			struct nb_queue_map *map)
{
	g_autofree char *index_path = g_strdup_printf("%s/%s/subchannel_id", channels, name);
	g_autofree char *cpu_path = g_strdup_printf("%s/%s/cpu", channels, name);
	uint64_t id, index;

	if (!g_ascii_string_to_unsigned(name, 10, 1, NB_IRQ_CHANNEL - 1, &id, NULL) ||
	    nb_sysroot_read_number(root, index_path, UINT16_MAX, &index) < 0 ||
	    !nb_sysroot_exists(root, cpu_path))
		return;
	if (index < map->n_rx)
		map->rx[index] = NB_IRQ_CHANNEL | (uint32_t)id;
	if (index < map->n_tx)
		map->tx[index] = NB_IRQ_CHANNEL | (uint32_t)id;
}

bool nb_vmbus_find_channels(struct nb_sysroot *root, const char *ifname, struct nb_queue_map *map)
{
	g_autofree char *channels = g_strdup_printf("sys/class/net/%s/device/channels", ifname);
	g_auto(GStrv) names = NULL;

	if (nb_sysroot_list(root, channels, &names) < 0)
		return false;
	for (char **name = names; *name; name++)
		add_channel(root, channels, *name, map);
	return !nb_queue_map_is_empty(map);
}
