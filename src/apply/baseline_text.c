/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "apply/baseline_text.h"

#include "apply/table.h"
#include "apply/value.h"
#include "base/cpumask_text.h"

#include <limits.h>
#include <string.h>

#define HEADER "nicbalance baseline 1"

/* Fields of a line; the last one extends to its end. */
enum { IRQ_NUMBER = 1, IRQ_MASKS, IRQ_NAME = IRQ_MASKS + 3, IRQ_FIELDS };
enum { RPS_IFINDEX = 1, RPS_QUEUE, RPS_MASKS, RPS_NAME = RPS_MASKS + 3, RPS_FIELDS };
enum { RSS_IFINDEX = 1, RSS_TABLES, RSS_NAME = RSS_TABLES + 3, RSS_FIELDS };

static void format_knob(GString *text, const struct nb_knob *knob)
{
	switch (knob->type) {
	case NB_KNOB_IRQ:
		g_string_append_printf(text, "irq %u", knob->irq);
		return;
	case NB_KNOB_RPS:
		g_string_append_printf(text, "rps %d %u", knob->queue.ifindex, knob->queue.index);
		return;
	case NB_KNOB_RSS:
		g_string_append_printf(text, "rss %d", knob->queue.ifindex);
		return;
	case _NB_KNOB_TYPE_MAX:
	case _NB_KNOB_TYPE_INVALID:
		break;
	}
	g_assert_not_reached();
}

static void format_value(GString *text, enum nb_knob_type type, GBytes *value)
{
	g_autofree char *formatted = NULL;
	struct nb_cpumask cpus;

	if (type == NB_KNOB_RSS) {
		formatted = nb_table_format(value);
	} else {
		nb_value_cpus(value, &cpus);
		formatted = nb_cpumask_format_mask(&cpus);
	}
	g_string_append_printf(text, " %s", formatted);
}

static void format_entry(GString *text, const struct nb_baseline_entry *entry)
{
	const struct nb_knob *knob = &entry->knob;

	format_knob(text, knob);
	format_value(text, knob->type, entry->found);
	format_value(text, knob->type, entry->before);
	format_value(text, knob->type, entry->ours);
	g_string_append_printf(text, " %s\n", knob->name);
}

char *nb_baseline_format(const struct nb_baseline *baseline)
{
	GString *text = g_string_new(HEADER "\n");

	for (unsigned i = 0; i < nb_baseline_count(baseline); i++)
		format_entry(text, nb_baseline_get(baseline, i));
	return g_string_free(text, FALSE);
}

static bool parse_number(const char *text, uint64_t max, uint64_t *ret)
{
	return g_ascii_string_to_unsigned(text, 10, 0, max, ret, NULL);
}

/* net/core/dev.c dev_valid_name(): it becomes a part of a path. */
static bool is_ifname(const char *name)
{
	return *name && strlen(name) < NB_IFNAME_MAX && !strpbrk(name, "/: \t\n\v\f\r") &&
	       !g_str_equal(name, ".") && !g_str_equal(name, "..");
}

static bool parse_value(const char *text, enum nb_knob_type type, GBytes **ret)
{
	struct nb_cpumask cpus;

	if (type == NB_KNOB_RSS)
		return nb_table_parse(text, ret) == 0;
	if (nb_cpumask_parse_mask(text, strlen(text), &cpus) < 0)
		return false;
	/* An interrupt is never without a CPU (kernel/irq/proc.c), so neither is what we found or
	 * wrote. */
	if (type == NB_KNOB_IRQ && nb_cpumask_empty(&cpus))
		return false;
	*ret = nb_value_of_cpus(&cpus);
	return true;
}

static bool add_entry(struct nb_baseline *baseline, const struct nb_knob *knob, char **values)
{
	g_autoptr(GBytes) found = NULL, before = NULL, ours = NULL;

	return parse_value(values[0], knob->type, &found) &&
	       parse_value(values[1], knob->type, &before) &&
	       parse_value(values[2], knob->type, &ours) &&
	       nb_baseline_add(baseline, &(struct nb_baseline_entry){*knob, found, before, ours});
}

static bool parse_irq(const char *line, struct nb_baseline *baseline)
{
	g_auto(GStrv) fields = g_strsplit(line, " ", IRQ_FIELDS);
	uint64_t irq;

	if (g_strv_length(fields) != IRQ_FIELDS ||
	    !parse_number(fields[IRQ_NUMBER], UINT32_MAX, &irq))
		return false;

	return add_entry(baseline,
			 &(struct nb_knob){.type = NB_KNOB_IRQ,
					   .irq = (uint32_t)irq,
					   .name = fields[IRQ_NAME]},
			 fields + IRQ_MASKS);
}

static bool parse_rps(const char *line, struct nb_baseline *baseline)
{
	g_auto(GStrv) fields = g_strsplit(line, " ", RPS_FIELDS);
	uint64_t ifindex, queue;

	if (g_strv_length(fields) != RPS_FIELDS ||
	    !parse_number(fields[RPS_IFINDEX], INT_MAX, &ifindex) ||
	    !parse_number(fields[RPS_QUEUE], UINT_MAX, &queue) || !is_ifname(fields[RPS_NAME]))
		return false;

	return add_entry(
		baseline,
		&(struct nb_knob){.type = NB_KNOB_RPS,
				  .queue = {.ifindex = (int)ifindex, .index = (unsigned)queue},
				  .name = fields[RPS_NAME]},
		fields + RPS_MASKS);
}

static bool parse_rss(const char *line, struct nb_baseline *baseline)
{
	g_auto(GStrv) fields = g_strsplit(line, " ", RSS_FIELDS);
	uint64_t ifindex;

	if (g_strv_length(fields) != RSS_FIELDS ||
	    !parse_number(fields[RSS_IFINDEX], INT_MAX, &ifindex) || !is_ifname(fields[RSS_NAME]))
		return false;

	return add_entry(baseline,
			 &(struct nb_knob){.type = NB_KNOB_RSS,
					   .queue = {.ifindex = (int)ifindex},
					   .name = fields[RSS_NAME]},
			 fields + RSS_TABLES);
}

static bool parse_line(const char *line, struct nb_baseline *baseline)
{
	if (g_str_has_prefix(line, "irq "))
		return parse_irq(line, baseline);
	if (g_str_has_prefix(line, "rps "))
		return parse_rps(line, baseline);
	if (g_str_has_prefix(line, "rss "))
		return parse_rss(line, baseline);
	return false;
}

struct nb_baseline *nb_baseline_parse(const char *text, size_t len, GArray *damaged)
{
	g_autoptr(nb_baseline) baseline = nb_baseline_new();
	const char *end = text + len;
	unsigned number = 1;
	bool known = false;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t n = newline ? (size_t)(newline - text) : (size_t)(end - text);
		g_autofree char *line = g_strndup(text, n);
		bool whole = newline && strlen(line) == n;

		if (number == 1)
			known = whole && g_str_equal(line, HEADER);
		if (number == 1 ? !known : !whole || !known || !parse_line(line, baseline))
			g_array_append_val(damaged, number);
		text += n + (newline ? 1 : 0);
		number++;
	}
	/* An empty file was truncated before its first line. */
	if (len == 0)
		g_array_append_val(damaged, number);
	return g_steal_pointer(&baseline);
}
