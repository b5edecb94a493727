/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/fetch_rows.h"

#include "ctl/connect.h"

#include <string.h>

void nb_rows_clear(nb_rows *rows)
{
	g_clear_pointer(&rows->rows, g_array_unref);
	rows->reply = sd_bus_message_unref(rows->reply);
}

nb_rows nb_rows_steal(nb_rows *rows)
{
	nb_rows stolen = *rows;

	*rows = (nb_rows){0};
	return stolen;
}

int nb_answer_is_odd(int r)
{
	g_printerr("nicbalancectl: nicbalanced gave an answer of another version: %s\n",
		   strerror(-r));
	return r;
}

int nb_irqs_read(sd_bus_message *reply, struct nb_irq_list *ret)
{
	const void *irqs;
	size_t size;
	int r;

	r = sd_bus_message_read_array(reply, 'u', &irqs, &size);
	if (r < 0)
		return r;
	ret->irqs = irqs;
	ret->n_irqs = size / sizeof(ret->irqs[0]);
	return 0;
}

int nb_rows_read(sd_bus_message *reply, const char *signature, size_t row_size, nb_read_row read,
		 GArray **ret)
{
	g_autofree char *contents = g_strdup_printf("(%s)", signature);
	g_autoptr(GArray) rows = g_array_new(FALSE, TRUE, (guint)row_size);
	g_autofree void *row = g_malloc0(row_size);
	int r;

	r = sd_bus_message_enter_container(reply, 'a', contents);
	if (r < 0)
		return r;
	while ((r = read(reply, row)) > 0)
		g_array_append_vals(rows, row, 1);
	if (r < 0)
		return r;
	r = sd_bus_message_exit_container(reply);
	if (r < 0)
		return r;
	*ret = g_steal_pointer(&rows);
	return 0;
}

int nb_fetch_rows(sd_bus *bus, const char *method, const char *signature, size_t row_size,
		  nb_read_row read, nb_rows *ret)
{
	g_auto(nb_rows) rows = {0};
	int r;

	r = nb_call(bus, method, &rows.reply);
	if (r < 0)
		return r;
	r = nb_rows_read(rows.reply, signature, row_size, read, &rows.rows);
	if (r < 0)
		return nb_answer_is_odd(r);
	*ret = nb_rows_steal(&rows);
	return 0;
}
