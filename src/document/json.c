/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "document/json.h"

#include "base/cpumask_text.h"
#include "nicbalance/netdev.h"

void nb_json_set(json_t *object, const char *name, json_t *value)
{
	if (json_object_set_new_nocheck(object, name, value) < 0)
		g_error("no memory for JSON");
}

void nb_json_append(json_t *array, json_t *value)
{
	if (json_array_append_new(array, value) < 0)
		g_error("no memory for JSON");
}

json_t *nb_json_text(const char *text)
{
	g_autofree char *valid = NULL;
	json_t *value;

	if (!text)
		return json_null();
	value = json_string(text);
	if (value)
		return value;
	valid = g_utf8_make_valid(text, -1);
	return json_string_nocheck(valid);
}

json_t *nb_json_take_text(char *text)
{
	g_autofree char *taken = text;

	return nb_json_text(taken);
}

json_t *nb_json_count(uint64_t count)
{
	return json_integer((json_int_t)MIN(count, INT64_MAX));
}

json_t *nb_json_id(int id)
{
	return id < 0 ? json_null() : json_integer(id);
}

json_t *nb_json_percent(uint32_t share)
{
	return share == UINT32_MAX ? json_null() : json_real(share / 100.0);
}

json_t *nb_json_time(uint64_t realtime_usec)
{
	g_autoptr(GDateTime) time =
		g_date_time_new_from_unix_utc((gint64)(realtime_usec / G_USEC_PER_SEC));
	g_autofree char *text = time ? g_date_time_format(time, "%FT%T") : NULL;

	if (!text)
		return json_null();
	return nb_json_take_text(
		g_strdup_printf("%s.%06uZ", text, (unsigned)(realtime_usec % G_USEC_PER_SEC)));
}

json_t *nb_json_seconds(uint64_t usec)
{
	uint64_t msec = usec / 1000;

	return json_real((double)msec / 1000.0);
}

json_t *nb_json_cpus(const struct nb_cpumask *cpus)
{
	return nb_json_take_text(nb_cpumask_format_list(cpus));
}

json_t *nb_json_numbers(const uint32_t *numbers, size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		nb_json_append(array, json_integer(numbers[i]));
	return array;
}

void nb_json_set_irqs(json_t *object, const uint32_t *irqs, size_t n)
{
	bool is_channel = n > 0 && nb_irq_is_channel(irqs[0]);

	nb_json_set(object, "irqs", nb_json_numbers(irqs, is_channel ? 0 : n));
	nb_json_set(object, "channel",
		    is_channel ? json_integer(nb_irq_channel(irqs[0])) : json_null());
}
