/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/show/cell.h"

#include "ctl/show/value.h"
#include "nicbalance/status.h"

#include <inttypes.h>

#define BAR_CELLS 10

bool nb_column_is_right_aligned(const struct nb_column *column)
{
	switch (column->cell) {
	case NB_CELL_NUMBER:
	case NB_CELL_COUNT:
	case NB_CELL_CPU:
	case NB_CELL_SHARE:
	case NB_CELL_SMALL_SHARE:
	case NB_CELL_SPAN:
	case NB_CELL_BOUND:
		return true;
	case NB_CELL_TEXT:
	case NB_CELL_WORDS:
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

static char *small_share_text(uint32_t bp)
{
	if (bp == 0 || bp >= 995)
		return share_text(bp);
	return g_strdup_printf("%u.%u", (bp + 5) / 100, (bp + 5) / 10 % 10);
}

static bool is_today(GDateTime *time)
{
	g_autoptr(GDateTime) now = g_date_time_new_now_local();

	return g_date_time_get_year(time) == g_date_time_get_year(now) &&
	       g_date_time_get_day_of_year(time) == g_date_time_get_day_of_year(now);
}

uint64_t nb_time_parse(const char *text)
{
	g_autoptr(GDateTime) time = text ? g_date_time_new_from_iso8601(text, NULL) : NULL;

	if (!time || g_date_time_to_unix(time) < 0)
		return 0;
	return (uint64_t)g_date_time_to_unix(time) * G_USEC_PER_SEC +
	       (uint64_t)g_date_time_get_microsecond(time);
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

/* Of a time that is no time, too: what a document holds may be anything. */
static char *seconds_text(double seconds)
{
	return nb_span_text((uint64_t)(CLAMP(seconds, 0, 1e12) * G_USEC_PER_SEC));
}

/* Rounded so that both parts together are as long as the sum. */
static char *bar_text(const json_t *row)
{
	uint32_t of_queues = nb_value_share(row, "queues-percent");
	uint32_t of_all = of_queues + nb_value_share(row, "fixed-percent");
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < BAR_CELLS; i++)
		g_string_append(text, i < (of_queues + 500) / 1000 ? "█"
				      : i < (of_all + 500) / 1000  ? "▒"
								   : "·");
	return g_string_free(text, FALSE);
}

/* The last of all is no upper bound. */
static char *bound_text(const json_t *value, const json_t *row)
{
	if (json_is_integer(value))
		return g_strdup_printf("<%" JSON_INTEGER_FORMAT, json_integer_value(value));
	if (nb_value_count(row, "runs") == 0)
		return g_strdup("-");
	return g_strdup_printf(">=%" PRIu64, UINT64_C(1) << (NB_DELAYS - 2));
}

static char *plain_text(const json_t *value)
{
	if (json_is_boolean(value))
		return g_strdup(json_is_true(value) ? "yes" : "no");
	if (json_is_integer(value))
		return g_strdup_printf("%" JSON_INTEGER_FORMAT, json_integer_value(value));
	return g_strdup(json_string_length(value) ? json_string_value(value) : "-");
}

static char *array_text(const json_t *array)
{
	GString *text = g_string_new(NULL);

	for (size_t i = 0; i < json_array_size(array); i++) {
		g_autofree char *item = plain_text(json_array_get(array, i));

		g_string_append_printf(text, "%s%s", i ? "," : "", item);
	}
	return g_string_free(text, FALSE);
}

char *nb_cell_text(const struct nb_column *column, const json_t *row)
{
	const json_t *value = json_object_get(row, column->field);

	switch (column->cell) {
	case NB_CELL_TEXT:
		return json_array_size(value) ? array_text(value) : plain_text(value);
	case NB_CELL_WORDS:
		return array_text(value);
	case NB_CELL_NUMBER:
		return plain_text(value);
	case NB_CELL_COUNT:
		return json_is_integer(value) ? count_text(nb_value_count(row, column->field))
					      : g_strdup("-");
	case NB_CELL_CPU:
		return json_is_null(value) ? g_strdup("ALL") : plain_text(value);
	case NB_CELL_SHARE:
		return share_text(nb_value_share(row, column->field));
	case NB_CELL_SMALL_SHARE:
		return small_share_text(nb_value_share(row, column->field));
	case NB_CELL_TIME:
		return json_is_string(value) ? nb_time_text(nb_time_parse(json_string_value(value)))
					     : g_strdup("-");
	case NB_CELL_SPAN:
		return seconds_text(json_number_value(value));
	case NB_CELL_BOUND:
		return bound_text(value, row);
	case NB_CELL_BAR:
		return bar_text(row);
	}
	g_assert_not_reached();
}
