/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/state.h"

#include <string.h>

/* How long the link of most NICs is down when their channels change. */
#define FLAP_NSEC NB_NSEC_PER_SEC

static bool has_default_table(const struct nb_world *world, unsigned nic)
{
	static const struct nb_cpumask all;
	uint8_t table[NB_SIM_BUCKETS];

	nb_sim_fill_table(world->n_channels[nic], &all, table);
	return memcmp(world->tables[nic], table, sizeof(table)) == 0;
}

/* A table that somebody set names a queue that would be gone (net/ethtool/channels.c
 * ethnl_set_channels()). */
static bool is_held_by_table(const struct nb_world *world, unsigned nic, unsigned n_channels)
{
	if (has_default_table(world, nic))
		return false;
	for (unsigned b = 0; b < NB_SIM_BUCKETS; b++)
		if (world->tables[nic][b] >= n_channels)
			return true;
	return false;
}

/* The device is closed and opened, with other interrupts; a table that somebody set stays, as
 * drivers ask netif_is_rxfh_configured(). */
static void open_with(struct nb_world *world, unsigned nic, unsigned n_channels)
{
	static const struct nb_cpumask all;

	if (has_default_table(world, nic))
		nb_sim_fill_table(n_channels, &all, world->tables[nic]);
	for (unsigned i = n_channels; i < nb_sim_nic(world, nic)->n_queues; i++)
		nb_cpumask_clear(&world->queues[world->first_queue[nic] + i].xps);
	world->n_channels[nic] = n_channels;
	world->down_until_nsec[nic] = world->now_nsec + FLAP_NSEC;
	nb_sim_place_nic(world, nic);
	nb_sim_rescan(world);
}

enum nb_outcome nb_sim_set_channels(struct nb_world *world, const struct nb_setting_change *change)
{
	const struct nb_sim_queue *first = nb_sim_find_queue(world, change->key);
	unsigned nic, n;

	if (!first)
		return NB_OUTCOME_GONE;
	nic = first->nic;
	n = change->to ? change->to : nb_sim_nic(world, nic)->n_in_use;
	if (n == world->n_channels[nic])
		return NB_OUTCOME_UNCHANGED;
	if (n > nb_sim_nic(world, nic)->n_queues || is_held_by_table(world, nic, n))
		return NB_OUTCOME_REFUSED;
	if (nb_sim_refuses(world))
		return NB_OUTCOME_BUSY;
	open_with(world, nic, n);
	return NB_OUTCOME_APPLIED;
}

enum nb_outcome nb_sim_set_udp_hash(struct nb_world *world, const struct nb_setting_change *change)
{
	const struct nb_sim_queue *first = nb_sim_find_queue(world, change->key);
	const GArray *traffic = world->scenario->traffic;
	bool ports = change->to == NB_UDP_HASH_PORTS;

	if (!first)
		return NB_OUTCOME_GONE;
	if (change->to == NB_UDP_HASH_UNKNOWN)
		ports = nb_sim_hashes_ports(world->scenario, first->nic);
	if (ports == world->hashes_ports[first->nic])
		return NB_OUTCOME_UNCHANGED;
	if (nb_sim_refuses(world))
		return NB_OUTCOME_BUSY;
	world->hashes_ports[first->nic] = ports;
	for (unsigned i = 0; i < traffic->len; i++)
		if (g_array_index(traffic, struct nb_sim_traffic, i).nic == first->nic)
			nb_sim_spread_flows(world, i);
	nb_sim_rescan(world);
	return NB_OUTCOME_APPLIED;
}
