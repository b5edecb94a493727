/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "claims/orders_text.h"

#include "base/cpumask_text.h"
#include "base/lines.h"
#include "claims/target.h"

#include <inttypes.h>

#define HEADER "nicbalance claims 1"

enum field { WORD, ID, CPUS, SINCE, ENDS, ENDS_NSEC, OWNER, TARGET, N_FIELDS };

static const char *word_of(const struct nb_order *order)
{
	if (nb_order_is_ban(order))
		return "ban";
	return order->exclusive ? "exclusive" : "claim";
}

static void format_order(GString *text, const struct nb_order *order)
{
	g_autofree char *cpus = nb_cpumask_format_list(&order->cpus);
	g_autofree char *target = nb_target_format(&order->target);

	g_string_append_printf(text,
			       "%s %" PRIu64 " %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %s%s%s\n",
			       word_of(order), order->id, cpus, order->since_realtime_usec,
			       order->ends_realtime_usec, order->ends_nsec, order->owner,
			       target ? " " : "", target ? target : "");
}

char *nb_orders_format(const struct nb_orders *orders)
{
	GString *text = g_string_new(HEADER "\n");

	for (unsigned i = 0; i < orders->rows->len; i++)
		if (!*nb_orders_get(orders, i)->connection)
			format_order(text, nb_orders_get(orders, i));
	return g_string_free(text, FALSE);
}

static bool parse_number(const char *text, uint64_t *ret)
{
	return g_ascii_string_to_unsigned(text, 10, 0, UINT64_MAX, ret, NULL);
}

/* What all kinds have. */
static bool parse_fields(char **fields, struct nb_order *order)
{
	if (!parse_number(fields[ID], &order->id) ||
	    nb_cpumask_parse_list(fields[CPUS], strlen(fields[CPUS]), &order->cpus) < 0 ||
	    nb_cpumask_empty(&order->cpus) ||
	    !parse_number(fields[SINCE], &order->since_realtime_usec) ||
	    !parse_number(fields[ENDS], &order->ends_realtime_usec) ||
	    !parse_number(fields[ENDS_NSEC], &order->ends_nsec) ||
	    !nb_owner_is_valid(fields[OWNER]))
		return false;
	g_strlcpy(order->owner, fields[OWNER], sizeof(order->owner));
	return true;
}

static bool parse_line(const char *line, void *orders)
{
	g_auto(GStrv) fields = g_strsplit(line, " ", N_FIELDS + 1);
	unsigned n = g_strv_length(fields);
	struct nb_order order = {};
	bool ban;

	if (n < TARGET)
		return false;
	ban = g_str_equal(fields[WORD], "ban");
	order.exclusive = g_str_equal(fields[WORD], "exclusive");
	if (!ban && !order.exclusive && !g_str_equal(fields[WORD], "claim"))
		return false;
	if (n != (ban ? TARGET : N_FIELDS) || !parse_fields(fields, &order))
		return false;
	return (ban || nb_target_parse(fields[TARGET], &order.target) == 0) &&
	       nb_orders_keep(orders, &order);
}

struct nb_orders *nb_orders_parse(const char *text, size_t len, GArray *damaged)
{
	struct nb_orders *orders = nb_orders_new();

	nb_lines_each(text, len, HEADER, parse_line, orders, damaged);
	return orders;
}
