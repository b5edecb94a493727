/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "claims/orders.h"

#include "base/cpumask_text.h"
#include "claims/target.h"

#include <errno.h>

struct nb_orders *nb_orders_new(void)
{
	struct nb_orders *orders = g_new0(struct nb_orders, 1);

	orders->rows = g_array_new(FALSE, FALSE, sizeof(struct nb_order));
	return orders;
}

struct nb_orders *nb_orders_copy(const struct nb_orders *orders)
{
	struct nb_orders *copy = g_new0(struct nb_orders, 1);

	copy->rows = g_array_copy(orders->rows);
	copy->last_id = orders->last_id;
	return copy;
}

void nb_orders_free(struct nb_orders *orders)
{
	if (!orders)
		return;
	g_array_unref(orders->rows);
	g_free(orders);
}

bool nb_order_is_ban(const struct nb_order *order)
{
	return order->target.type == NB_TARGET_NONE;
}

static bool is_same(const struct nb_order *a, const struct nb_order *b)
{
	return g_str_equal(a->owner, b->owner) && nb_target_equal(&a->target, &b->target) &&
	       (!nb_order_is_ban(a) || nb_cpumask_equal(&a->cpus, &b->cpus));
}

static struct nb_order *find_same(const struct nb_orders *orders, const struct nb_order *order)
{
	for (unsigned i = 0; i < orders->rows->len; i++) {
		struct nb_order *row = &g_array_index(orders->rows, struct nb_order, i);

		if (is_same(row, order))
			return row;
	}
	return NULL;
}

const struct nb_order *nb_orders_find_same(const struct nb_orders *orders,
					   const struct nb_order *order)
{
	return find_same(orders, order);
}

uint64_t nb_orders_add(struct nb_orders *orders, const struct nb_order *order)
{
	struct nb_order *same = find_same(orders, order), added = *order;

	added.id = same ? same->id : ++orders->last_id;
	if (same)
		*same = added;
	else
		g_array_append_val(orders->rows, added);
	return added.id;
}

bool nb_orders_keep(struct nb_orders *orders, const struct nb_order *order)
{
	unsigned at = orders->rows->len;

	if (order->id == 0)
		return false;
	while (at > 0 && nb_orders_get(orders, at - 1)->id > order->id)
		at--;
	if (at > 0 && nb_orders_get(orders, at - 1)->id == order->id)
		return false;
	g_array_insert_val(orders->rows, at, *order);
	orders->last_id = MAX(orders->last_id, order->id);
	return true;
}

void nb_orders_remove(struct nb_orders *orders, unsigned i)
{
	g_array_remove_index(orders->rows, i);
}

static bool intersect(const struct nb_cpumask *a, const struct nb_cpumask *b)
{
	struct nb_cpumask both = *a;

	nb_cpumask_and(&both, b);
	return !nb_cpumask_empty(&both);
}

unsigned nb_orders_unban(struct nb_orders *orders, const char *owner, const struct nb_cpumask *cpus)
{
	unsigned n = 0;

	for (unsigned i = orders->rows->len; i > 0; i--) {
		struct nb_order *row = &g_array_index(orders->rows, struct nb_order, i - 1);

		if (!nb_order_is_ban(row) || !g_str_equal(row->owner, owner) ||
		    !intersect(&row->cpus, cpus))
			continue;
		n++;
		nb_cpumask_andnot(&row->cpus, cpus);
		if (nb_cpumask_empty(&row->cpus))
			nb_orders_remove(orders, i - 1);
	}
	return n;
}

/* What is released: by id, by target, or all. */
struct choice {
	bool all;
	uint64_t id; /* 0: none */
	struct nb_target target;
};

static bool parse_choice(const char *what, struct choice *ret)
{
	*ret = (struct choice){.all = g_str_equal(what, "all")};
	if (ret->all)
		return true;
	if (*what == '@')
		return g_ascii_string_to_unsigned(what + 1, 10, 1, UINT64_MAX, &ret->id, NULL);
	return nb_target_parse(what, &ret->target) == 0;
}

static bool is_chosen(const struct choice *choice, const struct nb_order *order)
{
	if (choice->all)
		return true;
	if (choice->id)
		return order->id == choice->id;
	return nb_target_equal(&choice->target, &order->target);
}

int nb_orders_release(struct nb_orders *orders, const char *owner, const char *what,
		      unsigned *ret_n)
{
	struct choice choice;
	unsigned n = 0;

	if (!parse_choice(what, &choice))
		return -EINVAL;
	for (unsigned i = orders->rows->len; i > 0; i--) {
		const struct nb_order *row = nb_orders_get(orders, i - 1);

		if (!g_str_equal(row->owner, owner) || !is_chosen(&choice, row))
			continue;
		nb_orders_remove(orders, i - 1);
		n++;
	}
	*ret_n = n;
	return 0;
}

bool nb_owner_is_valid(const char *owner)
{
	if (!*owner || strlen(owner) >= NB_OWNER_MAX)
		return false;
	for (; *owner; owner++)
		if (!g_ascii_isgraph(*owner))
			return false;
	return true;
}

char *nb_order_describe(const struct nb_order *order)
{
	g_autofree char *cpus = nb_cpumask_format_list(&order->cpus);
	g_autofree char *target = nb_target_format(&order->target);

	if (!target)
		return g_strdup_printf("ban of CPUs %s by %s", cpus, order->owner);
	return g_strdup_printf("%s of CPUs %s for %s by %s",
			       order->exclusive ? "exclusive claim" : "claim", cpus, target,
			       order->owner);
}

static gint compare_pools(gconstpointer a, gconstpointer b)
{
	const struct nb_pool *x = a, *y = b;

	return nb_queue_key_compare(x->key, y->key);
}

/* Returns whether its target came or went. */
static bool add_pool(struct nb_order *order, const struct nb_machine *machine, GArray *pools)
{
	bool was_present = order->present;
	struct nb_pool pool = {
		.rule = NB_RULE_CLAIM, .exclusive = order->exclusive, .cpus = order->cpus};

	order->present = nb_target_find(&order->target, machine, &pool.key);
	if (order->present)
		g_array_append_val(pools, pool);
	return order->present != was_present;
}

/* Of several rows with one key the earlier order comes first: g_array_sort() is stable. */
bool nb_orders_resolve(struct nb_orders *orders, const struct nb_machine *machine,
		       struct nb_claims *claims)
{
	GArray *pools = g_array_new(FALSE, FALSE, sizeof(struct nb_pool));
	bool changed = false;

	nb_claims_clear(claims);
	for (unsigned i = 0; i < orders->rows->len; i++) {
		struct nb_order *order = &g_array_index(orders->rows, struct nb_order, i);

		if (nb_order_is_ban(order))
			nb_cpumask_or(&claims->banned, &order->cpus);
		else
			changed |= add_pool(order, machine, pools);
	}
	g_array_sort(pools, compare_pools);
	claims->pools.n = pools->len;
	claims->pools.rows = (struct nb_pool *)(void *)g_array_free(pools, FALSE);
	return changed;
}

void nb_claims_clear(struct nb_claims *claims)
{
	g_free(claims->pools.rows);
	*claims = (struct nb_claims){};
}
