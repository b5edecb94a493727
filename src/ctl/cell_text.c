/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/cell.h"

#include "ctl/field.h"

#define BAR_CELLS 10

uint32_t nb_cell_share(const struct nb_column *column, const void *row)
{
	return nb_field_u32(column, row);
}

bool nb_cell_is_right_aligned(enum nb_cell cell)
{
	switch (cell) {
	case NB_CELL_NUMBER:
	case NB_CELL_NUMBER64:
	case NB_CELL_COUNT32:
	case NB_CELL_COUNT64:
	case NB_CELL_ID:
	case NB_CELL_CPU:
	case NB_CELL_SHARE:
	case NB_CELL_SMALL_SHARE:
	case NB_CELL_SPAN:
	case NB_CELL_BOUND:
		return true;
	case NB_CELL_TEXT:
	case NB_CELL_WORDS:
	case NB_CELL_FLAG:
	case NB_CELL_IRQS:
	case NB_CELL_TIME:
	case NB_CELL_BAR:
		return false;
	}
	return false;
}

static uint64_t divide_rounded(uint64_t count, uint64_t by)
{
	return count / by + (count % by >= by / 2);
}

/* Three digits are what one takes in at a glance. */
static char *count_text(uint64_t count)
{
	const char *prefix = "kMGTPE";
	uint64_t unit = 1000, tenths;

	if (count < 1000)
		return g_strdup_printf("%" G_GUINT64_FORMAT, count);
	for (; divide_rounded(count, unit) >= 1000; unit *= 1000)
		prefix++;
	tenths = divide_rounded(count, unit / 10);
	if (tenths < 1000)
		return g_strdup_printf("%" G_GUINT64_FORMAT ".%" G_GUINT64_FORMAT "%c", tenths / 10,
				       tenths % 10, *prefix);
	return g_strdup_printf("%" G_GUINT64_FORMAT "%c", divide_rounded(count, unit), *prefix);
}

static char *share_text(uint32_t bp)
{
	if (bp == UINT32_MAX)
		return g_strdup("-");
	return g_strdup_printf("%u", (bp + 50) / 100);
}

static char *cost_text(uint32_t bp)
{
	if (bp == 0 || bp >= 995)
		return share_text(bp);
	return g_strdup_printf("%u.%u", (bp + 5) / 100, (bp + 5) / 10 % 10);
}

static char *irqs_text(const struct nb_irq_list *list)
{
	GString *text = g_string_new(NULL);

	for (size_t i = 0; i < list->n_irqs; i++)
		g_string_append_printf(text, "%s%u", i ? "," : "", list->irqs[i]);
	return g_string_free(text, FALSE);
}

static char *id_text(int32_t id, const char *without)
{
	return id < 0 ? g_strdup(without) : g_strdup_printf("%d", id);
}

static char *bound_text(const struct nb_bound *bound)
{
	if (bound->usec == 0)
		return g_strdup("-");
	return g_strdup_printf("%s%" G_GUINT64_FORMAT, bound->is_least ? ">=" : "<", bound->usec);
}

static bool is_today(GDateTime *time)
{
	g_autoptr(GDateTime) now = g_date_time_new_now_local();

	return g_date_time_get_year(time) == g_date_time_get_year(now) &&
	       g_date_time_get_day_of_year(time) == g_date_time_get_day_of_year(now);
}

char *nb_time_text(uint64_t realtime_usec)
{
	g_autoptr(GDateTime) time =
		g_date_time_new_from_unix_local((gint64)(realtime_usec / G_USEC_PER_SEC));

	if (!time)
		return g_strdup("-");
	return g_date_time_format(time, is_today(time) ? "%T" : "%F %T");
}

char *nb_span_text(uint64_t usec)
{
	uint64_t sec = usec / G_USEC_PER_SEC;

	return g_strdup_printf("%" G_GUINT64_FORMAT ":%02u:%02u", sec / 3600,
			       (unsigned)(sec / 60 % 60), (unsigned)(sec % 60));
}

/* Rounded so that both parts together are as long as the sum. */
static char *bar_text(const struct nb_bar *bar)
{
	unsigned total = (bar->queues + bar->fixed + 500) / 1000;
	unsigned queues = (bar->queues + 500) / 1000;
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < BAR_CELLS; i++)
		g_string_append(text, i < queues ? "█" : i < total ? "▒" : "·");
	return g_string_free(text, FALSE);
}

static const char *dash_when_empty(const char *text)
{
	return *text ? text : "-";
}

char *nb_cell_text(const struct nb_column *column, const void *row)
{
	switch (column->cell) {
	case NB_CELL_TEXT:
		return g_strdup(dash_when_empty(nb_field_text(column, row)));
	case NB_CELL_WORDS:
		return g_strdup(nb_field_text(column, row));
	case NB_CELL_NUMBER:
		return g_strdup_printf("%u", nb_field_u32(column, row));
	case NB_CELL_NUMBER64:
		return g_strdup_printf("%" G_GUINT64_FORMAT, nb_field_u64(column, row));
	case NB_CELL_COUNT32:
		return count_text(nb_field_u32(column, row));
	case NB_CELL_COUNT64:
		return count_text(nb_field_u64(column, row));
	case NB_CELL_ID:
		return id_text(nb_field_int(column, row), "-");
	case NB_CELL_CPU:
		return id_text(nb_field_int(column, row), "ALL");
	case NB_CELL_FLAG:
		return g_strdup(nb_field_int(column, row) ? "yes" : "no");
	case NB_CELL_SHARE:
		return share_text(nb_field_u32(column, row));
	case NB_CELL_SMALL_SHARE:
		return cost_text(nb_field_u32(column, row));
	case NB_CELL_IRQS: {
		g_autofree char *irqs = irqs_text(nb_field_at(column, row));

		return g_strdup(dash_when_empty(irqs));
	}
	case NB_CELL_TIME:
		return nb_time_text(nb_field_u64(column, row));
	case NB_CELL_SPAN:
		return nb_span_text(nb_field_u64(column, row));
	case NB_CELL_BOUND:
		return bound_text(nb_field_at(column, row));
	case NB_CELL_BAR:
		return bar_text(nb_field_at(column, row));
	}
	g_assert_not_reached();
}
