/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "claims/check.h"

#include "base/cpumask_text.h"
#include "base/refusal.h"

#include <errno.h>

static struct nb_cpumask possible(const struct nb_topology *topology)
{
	struct nb_cpumask cpus = {};

	for (unsigned cpu = 0; cpu < topology->n_possible; cpu++)
		nb_cpumask_add(&cpus, cpu);
	return cpus;
}

static int check_outside(const struct nb_order *order, const struct nb_cpumask *inside,
			 const char *what, struct nb_refusal *ret)
{
	struct nb_cpumask outside = order->cpus;
	g_autofree char *list = NULL;

	nb_cpumask_andnot(&outside, inside);
	if (nb_cpumask_empty(&outside))
		return 0;
	list = nb_cpumask_format_list(&outside);
	nb_refuse(-EBUSY, NB_REFUSAL_UNAVAILABLE, ret, "CPU %s %s.", list, what);
	ret->cpus = outside;
	return -EBUSY;
}

static int check_online(const struct nb_order *order, const struct nb_topology *topology,
			struct nb_refusal *ret)
{
	struct nb_cpumask all = possible(topology);
	int r;

	r = check_outside(order, &all, "does not exist", ret);
	if (r < 0)
		return r;
	return check_outside(order, &topology->online, "is offline", ret);
}

/* A queue of a NIC may use what its NIC has exclusively. */
static bool is_part_of(const struct nb_order *order, const struct nb_order *whole)
{
	return g_str_equal(order->owner, whole->owner) && !order->exclusive &&
	       order->target.type == NB_TARGET_QUEUE && whole->target.type == NB_TARGET_NIC &&
	       g_str_equal(order->target.nic, whole->target.nic);
}

static int check_exclusive(const struct nb_order *order, const struct nb_order *other,
			   struct nb_refusal *ret)
{
	struct nb_cpumask both = order->cpus;
	g_autofree char *list = NULL, *whose = NULL;

	nb_cpumask_and(&both, &other->cpus);
	if (!other->exclusive || nb_cpumask_empty(&both) || is_part_of(order, other))
		return 0;
	list = nb_cpumask_format_list(&both);
	whose = nb_order_describe(other);
	nb_refuse(-EBUSY, NB_REFUSAL_TAKEN, ret,
		  "CPU %s is taken by the %s (order %" G_GUINT64_FORMAT ").", list, whose,
		  other->id);
	ret->cpus = both;
	ret->other = *other;
	return -EBUSY;
}

static int check_others(const struct nb_orders *orders, const struct nb_order *order,
			const struct nb_order *same, struct nb_refusal *ret)
{
	for (unsigned i = 0; i < orders->rows->len; i++) {
		const struct nb_order *other = nb_orders_get(orders, i);
		int r = other == same ? 0 : check_exclusive(order, other, ret);

		if (r < 0)
			return r;
	}
	return 0;
}

/* A claim that has some CPU that is not banned counts with that one. */
static int check_banned(const struct nb_orders *orders, const struct nb_order *order,
			struct nb_refusal *ret)
{
	struct nb_cpumask left = order->cpus;
	g_autofree char *whose = NULL;
	const struct nb_order *last = NULL;

	for (unsigned i = 0; i < orders->rows->len && !nb_cpumask_empty(&left); i++) {
		last = nb_orders_get(orders, i);
		if (nb_order_is_ban(last))
			nb_cpumask_andnot(&left, &last->cpus);
	}
	if (nb_order_is_ban(order) || !nb_cpumask_empty(&left) || !last)
		return 0;
	whose = nb_order_describe(last);
	nb_refuse(-EBUSY, NB_REFUSAL_TAKEN, ret,
		  "No CPU of this claim is left by the %s (order %" G_GUINT64_FORMAT ").", whose,
		  last->id);
	ret->cpus = order->cpus;
	ret->other = *last;
	return -EBUSY;
}

static bool takes(const struct nb_order *order)
{
	return nb_order_is_ban(order) || order->exclusive;
}

static int check_room(const struct nb_orders *orders, const struct nb_order *order,
		      const struct nb_order *same, const struct nb_topology *topology,
		      const struct nb_cpumask *banned, struct nb_refusal *ret)
{
	struct nb_cpumask left = topology->online;

	if (!takes(order))
		return 0;
	nb_cpumask_andnot(&left, &topology->isolated);
	nb_cpumask_andnot(&left, banned);
	nb_cpumask_andnot(&left, &order->cpus);
	for (unsigned i = 0; i < orders->rows->len; i++) {
		const struct nb_order *other = nb_orders_get(orders, i);

		if (other != same && takes(other))
			nb_cpumask_andnot(&left, &other->cpus);
	}
	if (!nb_cpumask_empty(&left))
		return 0;
	return nb_refuse(-EBUSY, NB_REFUSAL_NO_CPU_LEFT, ret,
			 "This would leave no CPU for anything else: one that is online, and "
			 "neither isolated, banned nor taken, must remain.");
}

int nb_orders_check(const struct nb_orders *orders, const struct nb_order *order,
		    const struct nb_topology *topology, const struct nb_cpumask *banned,
		    struct nb_refusal *ret)
{
	const struct nb_order *same = nb_orders_find_same(orders, order);
	int r;

	r = check_online(order, topology, ret);
	if (r < 0)
		return r;
	r = check_others(orders, order, same, ret);
	if (r < 0)
		return r;
	r = check_banned(orders, order, ret);
	if (r < 0)
		return r;
	return check_room(orders, order, same, topology, banned, ret);
}
