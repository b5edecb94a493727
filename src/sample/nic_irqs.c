/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/nic_irqs.h"

#include <fnmatch.h>

static bool is_own(const struct nb_nic_facts *facts, uint32_t irq)
{
	for (unsigned i = 0; i < facts->own_irqs->len; i++)
		if (g_array_index(facts->own_irqs, uint32_t, i) == irq)
			return true;
	return false;
}

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
		uint32_t *irqs = queue->direction == NB_QUEUE_RX ? map->rx : map->tx;
		unsigned n = queue->direction == NB_QUEUE_RX ? map->n_rx : map->n_tx;

		if (queue->index < n && queue->irq != 0 && is_free(context, queue->irq))
			irqs[queue->index] = queue->irq;
	}
	if (nb_queue_map_is_complete(map))
		return true;
	memset(map->rx, 0, map->n_rx * sizeof(*map->rx));
	memset(map->tx, 0, map->n_tx * sizeof(*map->tx));
	return false;
}

static bool classify(const struct nb_vector_device *device, const struct nb_handler *handler,
		     struct nb_vector *ret)
{
	for (char **name = handler->names; *name; name++)
		if (nb_vector_classify(device, *name, ret))
			return true;
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

/* Handlers that fit: among the device's own vectors, or among all. */
static void collect(const struct nb_nic_irqs_context *context, const struct nb_nic_facts *facts,
		    bool own, GArray *vectors)
{
	/* Borrows the strings. */
	g_autofree char **others = names_without(context->ifnames, facts->nic.name);
	struct nb_vector_device device = {
		.driver = facts->nic.driver,
		.names = {facts->nic.name, facts->pci, facts->device,
			  own ? (const char *const *)others : NULL},
		.is_own = own,
	};

	for (unsigned i = 0; i < context->handlers->rows->len; i++) {
		const struct nb_handler *handler = nb_handlers_get(context->handlers, i);
		struct nb_vector vector;

		if ((own && !is_own(facts, handler->irq)) || !is_free(context, handler->irq) ||
		    !classify(&device, handler, &vector))
			continue;
		vector.irq = handler->irq;
		g_array_append_val(vectors, vector);
	}
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
	bool fixed = false;

	for (unsigned i = 0; i < context->handlers->rows->len; i++) {
		const struct nb_handler *handler = nb_handlers_get(context->handlers, i);
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
	const struct nb_device_rule *rule = nb_device_rules_find(context->rules, facts->nic.name);
	struct nb_nic *nic = &facts->nic;

	if (nb_vector_driver_is_fixed(nic->driver)) {
		nic->scope = NB_SCOPE_FIXED;
		return;
	}

	if (find_by_netlink(context, facts, map))
		nic->mapping = NB_MAPPING_NETLINK;
	else if (find_by_names(context, facts, map))
		nic->mapping = NB_MAPPING_NAMES;
	else if (rule && rule->interrupts && find_by_rule(context, facts, rule->interrupts, map))
		nic->mapping = NB_MAPPING_CONFIG;
	else if (nic->scope == NB_SCOPE_IN)
		nic->scope = NB_SCOPE_NO_INTERRUPTS;
	take(context, map);
}
