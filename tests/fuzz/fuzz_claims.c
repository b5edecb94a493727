/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is kept of damaged orders is written as sound ones; and the target of one, alone. */

#include "claims/orders_text.h"
#include "claims/target.h"
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

static void check_order(const struct nb_order *order)
{
	FUZZ_CLAIM(order->id > 0 && !nb_cpumask_empty(&order->cpus));
	FUZZ_CLAIM(nb_owner_is_valid(order->owner) && !*order->connection);
	FUZZ_CLAIM(!strchr(order->target.nic, '/') && !strchr(order->target.nic, ' '));
}

static void check_target(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup((const char *)data, size), *again = NULL;
	struct nb_target target, same;

	if (nb_target_parse(text, &target) < 0)
		return;
	again = nb_target_format(&target);
	FUZZ_CLAIM(nb_target_parse(again, &same) == 0 && nb_target_equal(&target, &same));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GArray) damaged = g_array_new(FALSE, FALSE, sizeof(unsigned));
	g_autoptr(GArray) damaged_again = g_array_new(FALSE, FALSE, sizeof(unsigned));
	g_autoptr(nb_orders) orders = nb_orders_parse((const char *)data, size, damaged);
	g_autofree char *text = nb_orders_format(orders);
	g_autoptr(nb_orders) again = nb_orders_parse(text, strlen(text), damaged_again);
	g_autofree char *text_again = nb_orders_format(again);

	for (unsigned i = 0; i < orders->rows->len; i++)
		check_order(nb_orders_get(orders, i));
	FUZZ_CLAIM(damaged_again->len == 0);
	FUZZ_CLAIM(strcmp(text, text_again) == 0);
	check_target(data, size);
	return 0;
}
