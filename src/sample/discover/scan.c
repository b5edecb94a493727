/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/discover/scan.h"
#include "base/find.h"
#include "base/pools.h"
#include "sample/discover/device_rules.h"
#include "sample/discover/nic_irqs.h"
#include "sample/discover/pools.h"
#include "sample/discover/tunnels.h"
#include "sample/topology/accounting.h"
#include "sample/topology/topology.h"

#include <stdlib.h>

static void facts_clear(void *p)
{
	nb_nic_facts_clear(p);
}

static int compare_facts(const void *a, const void *b)
{
	const struct nb_nic_facts *x = a, *y = b;

	return x->nic.ifindex < y->nic.ifindex ? -1 : x->nic.ifindex > y->nic.ifindex;
}

/* Ascending by ifindex; a device that vanishes meanwhile is left out. */
static GArray *read_facts(struct nb_sysroot *root, char *const *ifnames)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(struct nb_nic_facts));

	g_array_set_clear_func(all, facts_clear);
	for (char *const *name = ifnames; *name; name++) {
		struct nb_nic_facts facts;

		if (nb_nic_facts_read(root, *name, &facts) < 0)
			continue;
		if (facts.loopback)
			nb_nic_facts_clear(&facts);
		else
			g_array_append_val(all, facts);
	}
	g_array_sort(all, compare_facts);
	return all;
}

static int compare_napis(const void *a, const void *b)
{
	const struct nb_scan_napi *x = a, *y = b;

	if (x->ifindex != y->ifindex)
		return x->ifindex < y->ifindex ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* A NAPI that serves both directions is listed twice, for the same unit: it has one interrupt. */
static void add_napis(int ifindex, const uint32_t *ids, const int *queues, unsigned n,
		      GArray *napis)
{
	for (unsigned i = 0; i < n; i++) {
		struct nb_scan_napi napi = {ifindex, ids[i], (unsigned)queues[i]};

		if (ids[i] != 0 && queues[i] >= 0)
			g_array_append_val(napis, napi);
	}
}

/* What is told of, and set if the configuration asks for it. */
static void ask_device(struct nb_netlink *netlink, struct nb_nic *nic)
{
	struct nb_channels channels;
	bool ports;

	if (!netlink)
		return;
	if (nb_netlink_get_channels(netlink, nic->name, &channels) == 0) {
		nic->combines_channels = nb_channels_combine(&channels);
		nic->n_channels = nb_channels_in_use(&channels);
		nic->most_channels =
			nic->combines_channels ? channels.most_combined : channels.most_rx;
	}
	if (nic->n_rx > 1 && nb_netlink_get_udp_hash(netlink, nic->name, &ports) == 0)
		nic->udp_hash = ports ? NB_UDP_HASH_PORTS : NB_UDP_HASH_ADDRESSES;
}

/* The queues of one NIC, and where its packets are counted. */
static void add_queues(const struct nb_nic_irqs_context *context, struct nb_nic_facts *facts,
		       GArray *queues, GArray *packets, GArray *napis)
{
	struct nb_nic *nic = &facts->nic;
	struct nb_queue_map map;

	nb_queue_map_init(&map, nic->n_rx, nic->n_tx);
	nb_nic_irqs_find(context, facts, &map);
	if (nic->scope == NB_SCOPE_IN) {
		struct nb_packets source = {
			.ifindex = nic->ifindex,
			.first_queue = queues->len,
			.n_rx = nic->n_rx,
			.n_tx = nic->n_tx,
			.rx_queues = g_new(int, nic->n_rx),
			.tx_queues = g_new(int, nic->n_tx),
		};

		g_strlcpy(source.ifname, nic->name, sizeof(source.ifname));
		nb_queue_map_units(&map, nic->ifindex, queues, source.rx_queues, source.tx_queues);
		source.n_queues = queues->len - source.first_queue;
		add_napis(nic->ifindex, map.rx_napis, source.rx_queues, nic->n_rx, napis);
		add_napis(nic->ifindex, map.tx_napis, source.tx_queues, nic->n_tx, napis);
		nb_packets_probe(&source, context->netlink, nic->driver);
		nic->packets = source.source;
		ask_device(context->netlink, nic);
		g_array_append_val(packets, source);
	}
	nb_queue_map_clear(&map);
}

/* A mask of one queue would steer a part of the packets. */
static void take_in_virtual(struct nb_nic *nic, const struct nb_virtual_slots *virtuals,
			    struct nb_scan *scan, GArray *queues)
{
	struct nb_queue queue = {.key.ifindex = nic->ifindex, .has_rx = true};

	for (unsigned i = 0; virtuals && i < NB_VIRTUALS_MAX; i++) {
		if (virtuals->ifindexes[i] != nic->ifindex || nic->n_rx != 1)
			continue;
		scan->virtuals.ifindexes[i] = nic->ifindex;
		nic->scope = NB_SCOPE_STEERED;
		g_array_append_val(queues, queue);
	}
}

static void read_nic(const struct nb_nic_irqs_context *context, struct nb_nic_facts *facts,
		     const struct nb_virtual_slots *virtuals, struct nb_scan *scan, GArray *queues,
		     GArray *packets)
{
	const struct nb_device_rule *rule = nb_device_rules_find(context->rules, facts);
	struct nb_nic *nic = &facts->nic;
	unsigned first = queues->len;

	if (rule && rule->node != NB_NODE_UNSET)
		nic->node = rule->node;
	if (rule) {
		nic->spill = rule->spill;
		nic->channels_asked = rule->channels;
		nic->udp_hash_asked = rule->udp_hash;
		nic->threaded_allowed = rule->threaded;
	}
	nic->node = nb_topology_nearest_node(context->root, &scan->machine.topology, nic->node);
	if (rule && rule->ignore)
		nic->scope = NB_SCOPE_IGNORED;
	if (nic->scope == NB_SCOPE_IN) {
		add_queues(context, facts, queues, packets, scan->napis);
		nb_pools_add_nic(&scan->machine.pools, context->rules, facts, context->handlers,
				 (struct nb_queue *)(void *)queues->data + first,
				 queues->len - first);
		nb_pools_add_link_file(&scan->machine, context->rules, facts, context->root,
				       scan->faults);
	}
	if (nic->scope == NB_SCOPE_VIRTUAL)
		take_in_virtual(nic, virtuals, scan, queues);
	scan->machine.nics[scan->machine.n_nics++] = *nic;
}

static void probe_drops(struct nb_sysroot *root, struct nb_netlink *netlink, struct nb_scan *scan)
{
	scan->drops = g_new(struct nb_drops, scan->n_packets);
	for (unsigned i = 0; i < scan->n_packets; i++)
		nb_drops_probe(
			&scan->drops[i], &scan->packets[i], root, netlink,
			nb_machine_find_nic(&scan->machine, scan->packets[i].ifindex)->driver);
}

static void add_own_irqs(const struct nb_nic_facts *facts, GHashTable *irqs)
{
	for (unsigned i = 0; i < facts->own_irqs->len; i++)
		g_hash_table_add(irqs,
				 GUINT_TO_POINTER(g_array_index(facts->own_irqs, uint32_t, i)));
}

static void add_tunnels(const GArray *facts, GArray *tunnels)
{
	for (unsigned i = 0; i < facts->len; i++) {
		const struct nb_nic_facts *one = &g_array_index(facts, struct nb_nic_facts, i);

		if (one->tunnel || one->overlay)
			g_array_append_val(tunnels, one->nic.ifindex);
	}
}

static void set_tunnel(const struct nb_tunnels *tunnels, struct nb_nic *nic)
{
	if (nic->scope == NB_SCOPE_IN)
		g_strlcpy(nic->tunnel, nb_tunnels_over(tunnels, nic->ifindex), sizeof(nic->tunnel));
}

static int read_nics(struct nb_sysroot *root, struct nb_netlink *netlink,
		     const struct nb_device_rules *rules, const struct nb_virtual_slots *virtuals,
		     struct nb_scan *scan)
{
	g_autoptr(nb_handlers) handlers = NULL;
	g_autoptr(nb_tunnels) tunnels = NULL;
	g_autoptr(GHashTable) taken = g_hash_table_new(NULL, NULL);
	g_autoptr(GArray) facts = NULL;
	g_auto(GStrv) ifnames = NULL;
	GArray *queues, *packets;
	int r;

	r = nb_sysroot_list(root, "sys/class/net", &ifnames);
	if (r < 0)
		return r;
	r = nb_handlers_open(root, &handlers);
	if (r < 0)
		return r;

	facts = read_facts(root, ifnames);
	queues = g_array_new(FALSE, FALSE, sizeof(struct nb_queue));
	packets = g_array_new(FALSE, FALSE, sizeof(struct nb_packets));
	scan->machine.nics = g_new0(struct nb_nic, facts->len);
	for (unsigned i = 0; i < facts->len; i++)
		read_nic(&(struct nb_nic_irqs_context){root, netlink, handlers, rules, ifnames,
						       taken},
			 &g_array_index(facts, struct nb_nic_facts, i), virtuals, scan, queues,
			 packets);

	tunnels = nb_tunnels_read(root, facts);
	for (unsigned i = 0; i < scan->machine.n_nics; i++)
		set_tunnel(tunnels, &scan->machine.nics[i]);
	add_tunnels(facts, scan->tunnels);
	for (unsigned i = 0; i < facts->len; i++)
		add_own_irqs(&g_array_index(facts, struct nb_nic_facts, i), taken);
	scan->network_irqs = g_steal_pointer(&taken);
	g_array_sort(scan->napis, compare_napis);
	nb_pools_sort(&scan->machine.pools);
	scan->machine.n_queues = queues->len;
	scan->machine.queues = (struct nb_queue *)(void *)g_array_free(queues, FALSE);
	scan->n_packets = packets->len;
	scan->packets = (struct nb_packets *)(void *)g_array_free(packets, FALSE);
	probe_drops(root, netlink, scan);
	return 0;
}

int nb_scan_new(struct nb_sysroot *root, struct nb_netlink *netlink,
		const struct nb_device_rules *rules, const struct nb_virtual_slots *virtuals,
		uint64_t generation, struct nb_scan **ret)
{
	g_autoptr(nb_scan) scan = g_rc_box_new0(nb_scan);
	int r;

	scan->faults = g_ptr_array_new_with_free_func(g_free);
	scan->napis = g_array_new(FALSE, FALSE, sizeof(struct nb_scan_napi));
	scan->tunnels = g_array_new(FALSE, FALSE, sizeof(int));
	scan->machine.generation = generation;
	scan->machine.accounting = nb_accounting_read(root);
	r = nb_topology_read(root, &scan->machine.topology, &scan->possible);
	if (r < 0)
		return r;
	r = read_nics(root, netlink, rules, virtuals, scan);
	if (r < 0)
		return r;

	*ret = g_steal_pointer(&scan);
	return 0;
}

struct nb_scan *nb_scan_ref(struct nb_scan *scan)
{
	return g_rc_box_acquire(scan);
}

int nb_scan_find_napi(const struct nb_scan *scan, int ifindex, uint32_t id)
{
	struct nb_scan_napi key = {.ifindex = ifindex, .id = id};
	const struct nb_scan_napi *found;

	if (scan->napis->len == 0)
		return -1;
	found = bsearch(&key, scan->napis->data, scan->napis->len, sizeof(key), compare_napis);
	return found ? (int)found->queue : -1;
}

static void scan_clear(void *p)
{
	struct nb_scan *scan = p;

	for (unsigned i = 0; i < scan->n_packets; i++) {
		nb_packets_clear(&scan->packets[i]);
		nb_drops_clear(&scan->drops[i]);
	}
	g_free(scan->packets);
	g_free(scan->drops);
	g_clear_pointer(&scan->faults, g_ptr_array_unref);
	g_clear_pointer(&scan->napis, g_array_unref);
	g_clear_pointer(&scan->tunnels, g_array_unref);
	g_clear_pointer(&scan->network_irqs, g_hash_table_unref);
	nb_pools_clear(&scan->machine.pools);
	nb_pools_clear(&scan->machine.rps_pools);
	g_free(scan->machine.device_irqs);
	g_free(scan->machine.queues);
	g_free(scan->machine.nics);
	g_free(scan->machine.topology.cpus);
}

void nb_scan_unref(struct nb_scan *scan)
{
	if (scan)
		g_rc_box_release_full(scan, scan_clear);
}
