/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who wrote which setting. */
#include "ctl/bus/describe.h"
#include "ctl/ctl.h"
#include "ctl/show/columns.h"
#include "ctl/show/value.h"
#include "document/json.h"

#include <errno.h>

/* Leaves those of this interface. */
static void keep_nic(json_t *rows, const char *nic)
{
	for (size_t i = json_array_size(rows); i-- > 0;)
		if (!g_str_equal(nb_value_text(json_array_get(rows, i), "nic"), nic))
			json_array_remove(rows, i);
}

static bool is_alike(const json_t *a, const json_t *b)
{
	static const char *const fields[] = {"nic", "irq",   "setting", "value",
					     "who", "owner", "since"};

	for (size_t i = 0; i < G_N_ELEMENTS(fields); i++)
		if (!json_equal(json_object_get(a, fields[i]), json_object_get(b, fields[i])))
			return false;
	return true;
}

static json_t *range(json_int_t first, json_int_t last)
{
	if (first == last)
		return nb_json_take_text(g_strdup_printf("%lld", (long long)first));
	return nb_json_take_text(g_strdup_printf("%lld-%lld", (long long)first, (long long)last));
}

/* For people: neighbouring queues that have the same in one row. */
static void join_queues(json_t *rows)
{
	for (size_t i = 0; i < json_array_size(rows); i++) {
		json_t *row = json_array_get(rows, i);
		json_int_t first = json_integer_value(json_object_get(row, "queue")), last = first;

		if (!json_is_integer(json_object_get(row, "queue")))
			continue;
		while (i + 1 < json_array_size(rows)) {
			const json_t *next = json_array_get(rows, i + 1);
			const json_t *queue = json_object_get(next, "queue");

			if (!json_is_integer(queue) || json_integer_value(queue) != last + 1 ||
			    !is_alike(row, next))
				break;
			last++;
			json_array_remove(rows, i + 1);
		}
		nb_json_set(row, "queue", range(first, last));
	}
}

int nb_ctl_owners(struct nb_ctl *ctl)
{
	json_t *rows;
	int r;

	r = nb_describe_owners(ctl->bus, &ctl->document);
	if (r < 0)
		return r;
	rows = (json_t *)nb_form_rows(&nb_form_owners, ctl->document);
	if (ctl->argument)
		keep_nic(rows, ctl->argument);
	if (ctl->argument && json_array_size(rows) == 0) {
		g_printerr("nicbalancectl: no interface %s is balanced\n", ctl->argument);
		return -ENODEV;
	}
	if (!ctl->json)
		join_queues(rows);
	nb_ctl_print_only(ctl, &nb_form_owners, rows);
	return 0;
}
