/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/discover/queue_map.h"

#include <stdlib.h>

void nb_queue_map_init(struct nb_queue_map *map, unsigned n_rx, unsigned n_tx)
{
	*map = (struct nb_queue_map){
		.n_rx = n_rx,
		.n_tx = n_tx,
		.rx = g_new0(uint32_t, n_rx),
		.tx = g_new0(uint32_t, n_tx),
		.rx_napis = g_new0(uint32_t, n_rx),
		.tx_napis = g_new0(uint32_t, n_tx),
		.rx_defers = g_new0(bool, n_rx),
		.rx_threads = g_new0(uint32_t, n_rx),
		.rx_threading = g_new0(enum nb_threading, n_rx),
	};
}

void nb_queue_map_clear(struct nb_queue_map *map)
{
	g_clear_pointer(&map->rx, g_free);
	g_clear_pointer(&map->tx, g_free);
	g_clear_pointer(&map->rx_napis, g_free);
	g_clear_pointer(&map->tx_napis, g_free);
	g_clear_pointer(&map->rx_defers, g_free);
	g_clear_pointer(&map->rx_threads, g_free);
	g_clear_pointer(&map->rx_threading, g_free);
}

static unsigned count_known(const uint32_t *irqs, unsigned n)
{
	unsigned known = 0;

	for (unsigned i = 0; i < n; i++)
		known += irqs[i] != 0;
	return known;
}

bool nb_queue_map_is_empty(const struct nb_queue_map *map)
{
	return count_known(map->rx, map->n_rx) == 0 && count_known(map->tx, map->n_tx) == 0;
}

bool nb_queue_map_is_complete(const struct nb_queue_map *map)
{
	return map->n_rx > 0 && count_known(map->rx, map->n_rx) == map->n_rx;
}

/* The first vector that claims a queue keeps it. */
static void set(uint32_t *irqs, unsigned n, unsigned index, uint32_t irq)
{
	if (index < n && irqs[index] == 0)
		irqs[index] = irq;
}

static int compare_vectors(const void *a, const void *b)
{
	const struct nb_vector *x = a, *y = b;

	if (x->role != y->role)
		return x->role < y->role ? -1 : 1;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->irq < y->irq ? -1 : x->irq > y->irq;
}

/* Ranks of which a number is there twice were cut off by the driver: their order is that of the
 * interrupts. */
static void sort_vectors(GArray *vectors)
{
	struct nb_vector *all = (struct nb_vector *)(void *)vectors->data;
	bool cut[NB_VECTOR_SLOW + 1] = {false};

	g_array_sort(vectors, compare_vectors);
	for (unsigned i = 1; i < vectors->len; i++)
		if (all[i].numbering == NB_NUMBERING_RANK && all[i].role == all[i - 1].role &&
		    all[i].number == all[i - 1].number)
			cut[all[i].role] = true;
	for (unsigned i = 0; i < vectors->len; i++)
		if (cut[all[i].role])
			all[i].number = 0;
	g_array_sort(vectors, compare_vectors);
}

static void assign_one(struct nb_queue_map *map, const struct nb_vector *vector, unsigned rank,
		       unsigned n_in_role)
{
	unsigned index = vector->numbering == NB_NUMBERING_INDEX ? vector->number : rank;
	bool rx = vector->role != NB_VECTOR_TX, tx = vector->role != NB_VECTOR_RX;

	if (vector->numbering == NB_NUMBERING_HALF) {
		/* gve.h gve_tx_idx_to_ntfy(), gve_rx_idx_to_ntfy() */
		rx = rank >= n_in_role / 2;
		tx = !rx;
		index = rx ? rank - n_in_role / 2 : rank;
	}
	if (rx)
		set(map->rx, map->n_rx, index, vector->irq);
	if (tx)
		set(map->tx, map->n_tx, index, vector->irq);
}

unsigned nb_queue_map_assign(struct nb_queue_map *map, GArray *vectors)
{
	const struct nb_vector *all = (const struct nb_vector *)(void *)vectors->data;
	unsigned n_in_role[NB_VECTOR_SLOW + 1] = {0}, rank[NB_VECTOR_SLOW + 1] = {0};
	bool named;

	sort_vectors(vectors);
	for (unsigned i = 0; i < vectors->len; i++)
		n_in_role[all[i].role]++;
	named = n_in_role[NB_VECTOR_RX] || n_in_role[NB_VECTOR_TX] || n_in_role[NB_VECTOR_PAIR];

	for (unsigned i = 0; i < vectors->len; i++) {
		enum nb_vector_role role = all[i].role;

		if (role == NB_VECTOR_SLOW || (role == NB_VECTOR_BARE && named))
			continue;
		assign_one(map, &all[i], rank[role]++, n_in_role[role]);
	}

	/* A single vector serves all queues there are. */
	if (!named && n_in_role[NB_VECTOR_BARE] == 1) {
		for (unsigned i = 1; i < map->n_rx; i++)
			map->rx[i] = map->rx[0];
		for (unsigned i = 1; i < map->n_tx; i++)
			map->tx[i] = map->tx[0];
	}
	return n_in_role[NB_VECTOR_SLOW] + (named ? n_in_role[NB_VECTOR_BARE] : 0);
}

static int find_unit(const GArray *queues, unsigned from, uint32_t irq)
{
	for (unsigned i = from; i < queues->len; i++) {
		const struct nb_queue *queue = &g_array_index(queues, struct nb_queue, i);

		for (unsigned k = 0; k < queue->n_irqs; k++)
			if (queue->irqs[k] == irq)
				return (int)i;
	}
	return -1;
}

/* The unit of this index: always the last one, for they are made in order. */
static int find_index(const GArray *queues, unsigned from, unsigned index)
{
	if (queues->len == from ||
	    g_array_index(queues, struct nb_queue, queues->len - 1).key.index != index)
		return -1;
	return (int)queues->len - 1;
}

/* Puts one interrupt into the unit that has it, else into that of its index, else into a new one.
 */
static int add_irq(GArray *queues, unsigned from, int ifindex, unsigned index, uint32_t irq)
{
	struct nb_queue *queue;
	int position = find_unit(queues, from, irq);

	if (position >= 0)
		return position;
	position = find_index(queues, from, index);
	if (position < 0) {
		struct nb_queue unit = {.key = {ifindex, index}};

		g_array_append_val(queues, unit);
		position = (int)queues->len - 1;
	}
	queue = &g_array_index(queues, struct nb_queue, position);
	queue->irqs[queue->n_irqs++] = irq;
	return position;
}

/* A NAPI that only sends never defers: its polls do no work (net/core/dev.c napi_complete_done()).
 */
static void add_receiving(const struct nb_queue_map *map, unsigned i, struct nb_queue *queue)
{
	queue->has_rx = true;
	queue->defers |= map->rx_defers[i];
	if (queue->thread == 0)
		queue->thread = map->rx_threads[i];
	if (queue->key.index == i)
		queue->threading = map->rx_threading[i];
}

void nb_queue_map_units(const struct nb_queue_map *map, int ifindex, GArray *queues, int *ret_rx,
			int *ret_tx)
{
	bool sends_from_rx = count_known(map->tx, map->n_tx) == 0;
	unsigned from = queues->len;

	for (unsigned i = 0; i < MAX(map->n_rx, map->n_tx); i++) {
		uint32_t rx = i < map->n_rx ? map->rx[i] : 0;
		uint32_t tx = i < map->n_tx ? map->tx[i] : 0;

		if (sends_from_rx && i < map->n_tx)
			tx = rx;
		if (i < map->n_rx)
			ret_rx[i] = rx ? add_irq(queues, from, ifindex, i, rx) : -1;
		if (i < map->n_tx)
			ret_tx[i] = tx ? add_irq(queues, from, ifindex, i, tx) : -1;
		if (rx)
			add_receiving(map, i, &g_array_index(queues, struct nb_queue, ret_rx[i]));
		if (tx)
			g_array_index(queues, struct nb_queue, ret_tx[i]).has_tx = true;
	}
}
