/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Eight CPUs; eth0 (ifindex 2) with two queues of an interrupt each, 40 and 41; a disk with
 * interrupt 30. */

#include "base/cpumask_text.h"
#include "claims/orders.h"
#include "claims/target.h"
#include "support/support.h"

#include <string.h>

static const struct nb_queue_key eth0 = {2, NB_EVERY_QUEUE}, first = {2, 0}, second = {2, 1},
				 disk = {0, 30};

static inline struct nb_cpumask cpus(const char *list)
{
	struct nb_cpumask mask;

	assert_int_equal(nb_cpumask_parse_list(list, strlen(list), &mask), 0);
	return mask;
}

static inline void make_machine(struct nb_machine *ret)
{
	static struct nb_nic nics[] = {{.ifindex = 2, .name = "eth0"}};
	static struct nb_queue queues[] = {
		{.key = {2, 0}, .n_irqs = 1, .irqs = {40}},
		{.key = {2, 1}, .n_irqs = 1, .irqs = {41}},
	};
	static struct nb_device_irq device_irqs[] = {{.irq = 30}};

	*ret = (struct nb_machine){
		.topology = {.n_possible = 10, .online = cpus("0-7")},
		.nics = nics,
		.n_nics = 1,
		.queues = queues,
		.n_queues = 2,
		.device_irqs = device_irqs,
		.n_device_irqs = 1,
	};
}

/* target NULL: a ban. */
static inline struct nb_order order_of(const char *owner, const char *target, const char *list)
{
	struct nb_order order = {.cpus = cpus(list)};

	g_strlcpy(order.owner, owner, sizeof(order.owner));
	if (target)
		assert_int_equal(nb_target_parse(target, &order.target), 0);
	return order;
}

static inline uint64_t add(struct nb_orders *orders, const char *owner, const char *target,
			   const char *list)
{
	struct nb_order order = order_of(owner, target, list);

	return nb_orders_add(orders, &order);
}

static inline uint64_t add_exclusive(struct nb_orders *orders, const char *owner,
				     const char *target, const char *list)
{
	struct nb_order order = order_of(owner, target, list);

	order.exclusive = true;
	return nb_orders_add(orders, &order);
}

static inline void assert_cpus(const struct nb_cpumask *mask, const char *list)
{
	g_autofree char *text = nb_cpumask_format_list(mask);

	assert_string_equal(text, list);
}
