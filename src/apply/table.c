/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "apply/table.h"

#include <errno.h>
#include <string.h>

#define DEFAULT_TEXT "default"
/* Queues are kept as sets, and more entries than this no device has (ice: 2048). */
#define MOST_ENTRIES 65536u

static uint32_t *at(const GArray *entries, unsigned i)
{
	return &g_array_index(entries, uint32_t, i);
}

/* include/linux/ethtool.h ethtool_rxfh_indir_default() */
static uint32_t default_entry(unsigned i, unsigned n_rings)
{
	return i % n_rings;
}

static bool is_default(const GArray *entries, unsigned n_rings)
{
	for (unsigned i = 0; i < entries->len; i++)
		if (*at(entries, i) != default_entry(i, n_rings))
			return false;
	return true;
}

GBytes *nb_table_value(const GArray *entries, unsigned n_rings)
{
	if (is_default(entries, n_rings))
		return g_bytes_new(NULL, 0);
	return g_bytes_new(entries->data, entries->len * sizeof(uint32_t));
}

void nb_table_entries(GBytes *value, GArray *entries)
{
	gsize size;
	const void *data = g_bytes_get_data(value, &size);

	g_array_set_size(entries, 0);
	if (size > 0)
		g_array_append_vals(entries, data, (guint)(size / sizeof(uint32_t)));
}

char *nb_table_format(GBytes *value)
{
	g_autoptr(GArray) entries = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	GString *text;

	nb_table_entries(value, entries);
	if (entries->len == 0)
		return g_strdup(DEFAULT_TEXT);

	text = g_string_new(NULL);
	for (unsigned i = 0; i < entries->len; i++)
		g_string_append_printf(text, i > 0 ? ",%u" : "%u", *at(entries, i));
	return g_string_free(text, FALSE);
}

/* A queue is at most as many digits as the last there can be, without a zero in front. */
static bool parse_queue(const char **text, uint32_t *ret)
{
	const char *begin = *text;
	uint32_t queue = 0;

	while (g_ascii_isdigit(**text) && queue < NB_CPUS_MAX)
		queue = queue * 10 + (uint32_t)(*(*text)++ - '0');
	if (*text == begin || queue >= NB_CPUS_MAX || (*begin == '0' && *text != begin + 1))
		return false;
	*ret = queue;
	return true;
}

int nb_table_parse(const char *text, GBytes **ret)
{
	g_autoptr(GArray) entries = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	bool more = !g_str_equal(text, DEFAULT_TEXT);

	while (more) {
		uint32_t queue;

		if (entries->len == MOST_ENTRIES || !parse_queue(&text, &queue))
			return -EINVAL;
		g_array_append_val(entries, queue);
		more = *text == ',';
		if (more)
			text++;
		else if (*text != '\0')
			return -EINVAL;
	}
	*ret = g_bytes_new(entries->data, entries->len * sizeof(uint32_t));
	return 0;
}

void nb_table_fill_default(GArray *entries, unsigned n_rings)
{
	for (unsigned i = 0; i < entries->len; i++)
		*at(entries, i) = default_entry(i, n_rings);
}

bool nb_table_expand(GBytes *value, GArray *entries, unsigned n_rings)
{
	gsize size = g_bytes_get_size(value);

	if (size == 0) {
		nb_table_fill_default(entries, n_rings);
		return true;
	}
	if (size != entries->len * sizeof(uint32_t))
		return false;
	nb_table_entries(value, entries);
	return true;
}

/* The table of a value, where entries are known. NULL: it has another size. Caller unrefs. */
static GArray *expand_like(const GArray *entries, GBytes *value, unsigned n_rings)
{
	g_autoptr(GArray) table = g_array_new(FALSE, FALSE, sizeof(uint32_t));

	g_array_set_size(table, entries->len);
	return nb_table_expand(value, table, n_rings) ? g_steal_pointer(&table) : NULL;
}

unsigned nb_table_count_moved(const GArray *entries, GBytes *value, unsigned n_rings)
{
	g_autoptr(GArray) table = expand_like(entries, value, n_rings);
	unsigned n = 0;

	if (!table)
		return entries->len;
	for (unsigned i = 0; i < entries->len; i++)
		n += *at(entries, i) != *at(table, i);
	return n;
}

void nb_table_queues(const GArray *entries, struct nb_cpumask *ret)
{
	nb_cpumask_clear(ret);
	for (unsigned i = 0; i < entries->len; i++)
		if (*at(entries, i) < NB_CPUS_MAX)
			nb_cpumask_add(ret, *at(entries, i));
}

bool nb_table_keep(GArray *entries, const struct nb_cpumask *queues)
{
	struct nb_cpumask kept;
	unsigned next = NB_CPUS_MAX;

	nb_table_queues(entries, &kept);
	nb_cpumask_and(&kept, queues);
	if (nb_cpumask_empty(&kept))
		return false;
	for (unsigned i = 0; i < entries->len; i++) {
		uint32_t *entry = at(entries, i);

		if (nb_cpumask_has(&kept, *entry))
			continue;
		next = nb_cpumask_next(&kept, next + 1);
		if (next >= NB_CPUS_MAX)
			next = nb_cpumask_next(&kept, 0);
		*entry = next;
	}
	return true;
}

bool nb_table_is_limited(const GArray *entries, GBytes *value, unsigned n_rings)
{
	g_autoptr(GArray) table = expand_like(entries, value, n_rings);
	struct nb_cpumask queues;

	nb_table_queues(entries, &queues);
	return table && nb_table_keep(table, &queues) &&
	       memcmp(table->data, entries->data, entries->len * sizeof(uint32_t)) == 0;
}
