/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/discover/nic_irqs.h"
#include "sample/discover/device_rules.h"
#include "sample/discover/vmbus.h"

#include <fnmatch.h>

/* A vector that was never requested has no directory, and one that serves another device (they
 * share a PCI function) is that one's. */
static bool is_free(const struct nb_nic_irqs_context *context, uint32_t irq)
{
	g_autofree char *path = g_strdup_printf("proc/irq/%u/smp_affinity", irq);

	return !g_hash_table_contains(context->taken, GUINT_TO_POINTER(irq)) &&
	       nb_sysroot_exists(context->root, path);
}

static bool find_by_netlink(const struct nb_nic_irqs_context *context,
			    const struct nb_nic_facts *facts, struct nb_queue_map *map)
{
	g_autoptr(GArray) queues = g_array_new(FALSE, FALSE, sizeof(struct nb_netlink_queue));

	if (!context->netlink ||
	    nb_netlink_get_queues(context->netlink, facts->nic.ifindex, queues) < 0)
		return false;
	for (unsigned i = 0; i < queues->len; i++) {
		const struct nb_netlink_queue *queue =
			&g_array_index(queues, struct nb_netlink_queue, i);
		bool rx = queue->direction == NB_QUEUE_RX;

		if (queue->index >= (rx ? map->n_rx : map->n_tx))
			continue;
		(rx ? map->rx_napis : map->tx_napis)[queue->index] = queue->napi_id;
		if (rx) {
			map->rx_threads[queue->index] = queue->thread;
			map->rx_threading[queue->index] = queue->threading;
		}
		if (rx && queue->deferral != NB_DEFERRAL_UNKNOWN)
			map->rx_defers[queue->index] = queue->deferral == NB_DEFERRAL_ON;
		if (queue->irq != 0 && is_free(context, queue->irq))
			(rx ? map->rx : map->tx)[queue->index] = queue->irq;
	}
	if (nb_queue_map_is_complete(map))
		return true;
	memset(map->rx, 0, map->n_rx * sizeof(*map->rx));
	memset(map->tx, 0, map->n_tx * sizeof(*map->tx));
	return false;
}

static char **names_without(char *const *names, const char *name)
{
	GPtrArray *others = g_ptr_array_new();

	for (char *const *other = names; *other; other++)
		if (!g_str_equal(*other, name))
			g_ptr_array_add(others, *other);
	g_ptr_array_add(others, NULL);
	return (char **)g_ptr_array_free(others, FALSE);
}

static void add_if_known(const struct nb_nic_irqs_context *context,
			 const struct nb_vector_device *device, uint32_t irq, char *const *names,
			 GArray *vectors)
{
	struct nb_vector vector = {.irq = irq};

	for (; names && *names; names++)
		if (nb_vector_classify(device, *names, &vector)) {
			if (is_free(context, irq))
				g_array_append_val(vectors, vector);
			return;
		}
}

/* Among the vectors of the device itself. */
static void collect_own(const struct nb_nic_irqs_context *context, const struct nb_nic_facts *facts,
			const struct nb_vector_device *device, GArray *vectors)
{
	for (unsigned i = 0; i < facts->own_irqs->len; i++) {
		uint32_t irq = g_array_index(facts->own_irqs, uint32_t, i);
		g_auto(GStrv) names = nb_handlers_of(context->handlers, irq);

		add_if_known(context, device, irq, names, vectors);
	}
}

static void collect_any(const struct nb_nic_irqs_context *context,
			const struct nb_vector_device *device, GArray *vectors)
{
	const GArray *all = nb_handlers_all(context->handlers);

	for (unsigned i = 0; i < all->len; i++) {
		const struct nb_handler *handler = &g_array_index(all, struct nb_handler, i);

		add_if_known(context, device, handler->irq, handler->names, vectors);
	}
}

/* Handlers that fit: among the device's own vectors, or among all. */
static void collect(const struct nb_nic_irqs_context *context, const struct nb_nic_facts *facts,
		    bool own, GArray *vectors)
{
	/* Borrows the strings. */
	g_autofree char **others = names_without(context->ifnames, facts->nic.name);
	struct nb_pattern_names names = {facts->nic.name, facts->pci, facts->device,
					 own ? (const char *const *)others : NULL};
	struct nb_vector_device device;

	nb_vector_device_init(&device, facts->nic.driver, &names, own);
	if (own)
		collect_own(context, facts, &device, vectors);
	else
		collect_any(context, &device, vectors);
	nb_vector_device_clear(&device);
}

static bool find_by_names(const struct nb_nic_irqs_context *context, struct nb_nic_facts *facts,
			  struct nb_queue_map *map)
{
	g_autoptr(GArray) vectors = g_array_new(FALSE, FALSE, sizeof(struct nb_vector));

	for (int own = facts->own_irqs->len > 0; own >= 0; own--) {
		g_array_set_size(vectors, 0);
		collect(context, facts, own, vectors);
		facts->nic.n_slow_path = nb_queue_map_assign(map, vectors);
		if (!nb_queue_map_is_empty(map))
			return true;
	}
	return false;
}

static bool handler_fits(const struct nb_handler *handler, const char *glob, bool *ret_fixed)
{
	for (char **name = handler->names; *name; name++) {
		if (fnmatch(glob, *name, 0) != 0)
			continue;
		*ret_fixed = nb_vector_handler_is_fixed(*name);
		return true;
	}
	return false;
}

/* The handlers a [Device] section names, in the order of their numbers. */
static bool find_by_rule(const struct nb_nic_irqs_context *context, struct nb_nic_facts *facts,
			 const char *glob, struct nb_queue_map *map)
{
	g_autoptr(GArray) vectors = g_array_new(FALSE, FALSE, sizeof(struct nb_vector));
	const GArray *all = nb_handlers_all(context->handlers);
	bool fixed = false;

	for (unsigned i = 0; i < all->len; i++) {
		const struct nb_handler *handler = &g_array_index(all, struct nb_handler, i);
		struct nb_vector vector = {handler->irq, NB_VECTOR_PAIR, NB_NUMBERING_RANK, 0};

		if (!handler_fits(handler, glob, &fixed) || !is_free(context, handler->irq))
			continue;
		if (fixed) {
			facts->nic.scope = NB_SCOPE_FIXED;
			return false;
		}
		g_array_append_val(vectors, vector);
	}
	(void)nb_queue_map_assign(map, vectors);
	return !nb_queue_map_is_empty(map);
}

static void take(const struct nb_nic_irqs_context *context, const struct nb_queue_map *map)
{
	for (unsigned i = 0; i < map->n_rx; i++)
		if (map->rx[i])
			g_hash_table_add(context->taken, GUINT_TO_POINTER(map->rx[i]));
	for (unsigned i = 0; i < map->n_tx; i++)
		if (map->tx[i])
			g_hash_table_add(context->taken, GUINT_TO_POINTER(map->tx[i]));
}

void nb_nic_irqs_find(const struct nb_nic_irqs_context *context, struct nb_nic_facts *facts,
		      struct nb_queue_map *map)
{
	const struct nb_device_rule *rule = nb_device_rules_find(context->rules, facts);
	struct nb_nic *nic = &facts->nic;

	if (nb_vector_driver_is_fixed(nic->driver)) {
		nic->scope = NB_SCOPE_FIXED;
		return;
	}

	for (unsigned i = 0; i < map->n_rx; i++)
		map->rx_defers[i] = facts->defers;
	if (find_by_netlink(context, facts, map))
		nic->mapping = NB_MAPPING_NETLINK;
	else if (facts->vmbus && nb_vmbus_find_channels(context->root, nic->name, map))
		nic->mapping = NB_MAPPING_VMBUS;
	else if (find_by_names(context, facts, map))
		nic->mapping = NB_MAPPING_NAMES;
	else if (rule && rule->interrupts && find_by_rule(context, facts, rule->interrupts, map))
		nic->mapping = NB_MAPPING_CONFIG;
	else if (nic->scope == NB_SCOPE_IN)
		nic->scope = NB_SCOPE_NO_INTERRUPTS;
	take(context, map);
}
