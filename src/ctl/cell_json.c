/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/cell.h"
#include "ctl/field.h"

static void append_json_text(GString *out, const char *text)
{
	g_string_append_c(out, '"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			g_string_append_printf(out, "\\%c", *text);
		else if ((unsigned char)*text < ' ')
			g_string_append_printf(out, "\\u%04x", (unsigned)*text);
		else
			g_string_append_c(out, *text);
	}
	g_string_append_c(out, '"');
}

static void append_json_words(GString *out, const char *words)
{
	g_auto(GStrv) list = g_strsplit(words, ",", -1);

	g_string_append_c(out, '[');
	for (unsigned i = 0; list[i]; i++) {
		if (i > 0)
			g_string_append(out, ", ");
		append_json_text(out, list[i]);
	}
	g_string_append_c(out, ']');
}

static void append_json_irqs(GString *out, const struct nb_irq_list *list)
{
	g_string_append_c(out, '[');
	for (size_t i = 0; i < list->n_irqs; i++)
		g_string_append_printf(out, "%s%u", i ? ", " : "", list->irqs[i]);
	g_string_append_c(out, ']');
}

static void append_json_share(GString *out, uint32_t bp)
{
	if (bp == UINT32_MAX)
		g_string_append(out, "null");
	else
		g_string_append_printf(out, "%u.%02u", bp / 100, bp % 100);
}

static void append_json_id(GString *out, int32_t id)
{
	if (id < 0)
		g_string_append(out, "null");
	else
		g_string_append_printf(out, "%d", id);
}

/* Null also where there is no upper bound: a number would pass for one. */
static void append_json_bound(GString *out, const struct nb_bound *bound)
{
	if (bound->usec == 0 || bound->is_least)
		g_string_append(out, "null");
	else
		g_string_append_printf(out, "%" G_GUINT64_FORMAT, bound->usec);
}

/* RFC 3339 */
static void append_json_time(GString *out, uint64_t realtime_usec)
{
	g_autoptr(GDateTime) time =
		g_date_time_new_from_unix_utc((gint64)(realtime_usec / G_USEC_PER_SEC));
	g_autofree char *text = time ? g_date_time_format(time, "%FT%T") : NULL;

	if (text)
		g_string_append_printf(out, "\"%s.%06uZ\"", text,
				       (unsigned)(realtime_usec % G_USEC_PER_SEC));
	else
		g_string_append(out, "null");
}

/* Seconds. */
static void append_json_span(GString *out, uint64_t usec)
{
	g_string_append_printf(out, "%" G_GUINT64_FORMAT ".%03u", usec / G_USEC_PER_SEC,
			       (unsigned)(usec % G_USEC_PER_SEC / 1000));
}

void nb_cell_append_json(GString *out, const struct nb_column *column, const void *row)
{
	switch (column->cell) {
	case NB_CELL_TEXT:
		append_json_text(out, nb_field_text(column, row));
		break;
	case NB_CELL_WORDS:
		append_json_words(out, nb_field_text(column, row));
		break;
	case NB_CELL_NUMBER:
	case NB_CELL_COUNT32:
		g_string_append_printf(out, "%u", nb_field_u32(column, row));
		break;
	case NB_CELL_NUMBER64:
	case NB_CELL_COUNT64:
		g_string_append_printf(out, "%" G_GUINT64_FORMAT, nb_field_u64(column, row));
		break;
	case NB_CELL_ID:
	case NB_CELL_CPU:
		append_json_id(out, nb_field_int(column, row));
		break;
	case NB_CELL_FLAG:
		g_string_append(out, nb_field_int(column, row) ? "true" : "false");
		break;
	case NB_CELL_SHARE:
	case NB_CELL_SMALL_SHARE:
		append_json_share(out, nb_field_u32(column, row));
		break;
	case NB_CELL_IRQS:
		append_json_irqs(out, nb_field_at(column, row));
		break;
	case NB_CELL_TIME:
		append_json_time(out, nb_field_u64(column, row));
		break;
	case NB_CELL_SPAN:
		append_json_span(out, nb_field_u64(column, row));
		break;
	case NB_CELL_BOUND:
		append_json_bound(out, nb_field_at(column, row));
		break;
	case NB_CELL_BAR:
		break;
	}
}
