/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "apply/baseline_text.h"

#include "apply/table.h"
#include "apply/value.h"
#include "base/cpumask_text.h"
#include "base/lines.h"

#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#define HEADER "nicbalance baseline 1"

/* A line: this word, so many numbers, three values, and the owner's name, which extends to the end.
 */
enum { VALUES = 3, NUMBERS_MAX = 3 };
static const struct {
	const char *word;
	unsigned n_numbers;
} lines[] = {
	[NB_KNOB_IRQ] = {"irq", 1},             /* its number */
	[NB_KNOB_RPS] = {"rps", 2},             /* ifindex, receive queue */
	[NB_KNOB_XPS] = {"xps", 2},             /* ifindex, transmit queue */
	[NB_KNOB_THREAD] = {"thread", 2},       /* ifindex, pid */
	[NB_KNOB_RSS] = {"rss", 1},             /* ifindex */
	[NB_KNOB_THREADED] = {"threaded", 1},   /* ifindex */
	[NB_KNOB_NAPI] = {"threaded-queue", 2}, /* ifindex, receive queue */
	[NB_KNOB_RFS] = {"rfs", 2},             /* ifindex, receive queue */
	[NB_KNOB_RFS_HOST] = {"rfs-host", 0},
	[NB_KNOB_CHANNELS] = {"channels", 1}, /* ifindex */
	[NB_KNOB_UDP_HASH] = {"udp-hash", 2}, /* ifindex, version of IP */
	[NB_KNOB_VMBUS] = {"vmbus", 3},       /* ifindex, queue, channel */
};
G_STATIC_ASSERT(G_N_ELEMENTS(lines) == _NB_KNOB_TYPE_MAX);

static void get_numbers(const struct nb_knob *knob, uint64_t ret[NUMBERS_MAX])
{
	ret[0] = knob->type == NB_KNOB_IRQ ? knob->irq : (unsigned)knob->queue.ifindex;
	ret[1] = knob->queue.index;
	ret[2] = nb_irq_channel(knob->irq);
}

/* False: out of its range. */
static bool set_numbers(struct nb_knob *knob, const uint64_t numbers[NUMBERS_MAX])
{
	if (knob->type == NB_KNOB_IRQ) {
		knob->irq = (uint32_t)numbers[0];
		return numbers[0] <= UINT32_MAX;
	}
	knob->queue.ifindex = (int)numbers[0];
	knob->queue.index = (unsigned)numbers[1];
	if (knob->type == NB_KNOB_VMBUS)
		knob->irq = NB_IRQ_CHANNEL | (uint32_t)numbers[2];
	return numbers[0] <= INT_MAX && numbers[1] <= UINT_MAX && numbers[2] < NB_IRQ_CHANNEL;
}

static void format_value(GString *text, enum nb_knob_type type, GBytes *value)
{
	g_autofree char *formatted = NULL;
	struct nb_cpumask cpus;

	switch (nb_knob_holding(type)) {
	case NB_HOLDS_CPUS:
		nb_value_cpus(value, &cpus);
		formatted = nb_cpumask_format_mask(&cpus);
		break;
	case NB_HOLDS_NUMBER:
		formatted = g_strdup_printf("%" PRIu64, nb_value_number(value));
		break;
	case NB_HOLDS_TABLE:
		formatted = nb_table_format(value);
		break;
	}
	g_string_append_printf(text, " %s", formatted);
}

static void format_entry(GString *text, const struct nb_baseline_entry *entry)
{
	const struct nb_knob *knob = &entry->knob;
	uint64_t numbers[NUMBERS_MAX];

	g_string_append(text, lines[knob->type].word);
	get_numbers(knob, numbers);
	assert(lines[knob->type].n_numbers <= NUMBERS_MAX);
	for (unsigned i = 0; i < lines[knob->type].n_numbers; i++)
		g_string_append_printf(text, " %" PRIu64, numbers[i]);
	format_value(text, knob->type, entry->found);
	format_value(text, knob->type, entry->before);
	format_value(text, knob->type, entry->ours);
	g_string_append_printf(text, " %s", knob->name);
	if (knob->vector)
		g_string_append_printf(text, "\t%s", knob->vector);
	g_string_append_c(text, '\n');
}

char *nb_baseline_format(const struct nb_baseline *baseline)
{
	GString *text = g_string_new(HEADER "\n");

	for (unsigned i = 0; i < nb_baseline_count(baseline); i++)
		format_entry(text, nb_baseline_get(baseline, i));
	return g_string_free(text, FALSE);
}

/* net/core/dev.c dev_valid_name(): it becomes a part of a path. */
static bool is_ifname(const char *name)
{
	return *name && strlen(name) < NB_IFNAME_MAX && !strpbrk(name, "/: \t\n\v\f\r") &&
	       !g_str_equal(name, ".") && !g_str_equal(name, "..");
}

static bool parse_number(const char *text, GBytes **ret)
{
	uint64_t number;

	if (!g_ascii_string_to_unsigned(text, 10, 0, UINT64_MAX, &number, NULL))
		return false;
	*ret = nb_value_of_number(number);
	return true;
}

static bool parse_cpus(const char *text, enum nb_knob_type type, GBytes **ret)
{
	struct nb_cpumask cpus;

	if (nb_cpumask_parse_mask(text, strlen(text), &cpus) < 0)
		return false;
	/* An interrupt or a thread is never without a CPU (kernel/irq/proc.c,
	 * kernel/sched/core.c), so neither is what we found or wrote; a channel has one. */
	if (((type == NB_KNOB_IRQ || type == NB_KNOB_THREAD) && nb_cpumask_empty(&cpus)) ||
	    (type == NB_KNOB_VMBUS && nb_cpumask_only(&cpus) < 0))
		return false;
	*ret = nb_value_of_cpus(&cpus);
	return true;
}

static bool parse_value(const char *text, enum nb_knob_type type, GBytes **ret)
{
	switch (nb_knob_holding(type)) {
	case NB_HOLDS_CPUS:
		return parse_cpus(text, type, ret);
	case NB_HOLDS_NUMBER:
		return parse_number(text, ret);
	case NB_HOLDS_TABLE:
		return nb_table_parse(text, ret) == 0;
	}
	return false;
}

static bool add_entry(struct nb_baseline *baseline, const struct nb_knob *knob, char **values)
{
	g_autoptr(GBytes) found = NULL, before = NULL, ours = NULL;

	return parse_value(values[0], knob->type, &found) &&
	       parse_value(values[1], knob->type, &before) &&
	       parse_value(values[2], knob->type, &ours) &&
	       nb_baseline_add(baseline, &(struct nb_baseline_entry){*knob, found, before, ours});
}

/* Names of handlers and threads contain no tab. Files of earlier versions have no vector. */
static void split_vector(struct nb_knob *knob)
{
	char *tab = strchr(knob->name, '\t');

	if (!tab)
		return;
	*tab = '\0';
	knob->vector = tab[1] ? tab + 1 : NULL;
}

/* It becomes a part of no path. */
static bool is_thread(const struct nb_knob *knob)
{
	uint64_t began;

	return g_str_has_prefix(knob->name, "napi/") && knob->vector &&
	       g_ascii_string_to_unsigned(knob->vector, 10, 0, UINT64_MAX, &began, NULL);
}

static bool is_named(const struct nb_knob *knob)
{
	switch (knob->type) {
	case NB_KNOB_IRQ:
		return true;
	case NB_KNOB_THREAD:
		return is_thread(knob);
	case NB_KNOB_RPS:
	case NB_KNOB_XPS:
	case NB_KNOB_RSS:
	case NB_KNOB_THREADED:
	case NB_KNOB_NAPI:
	case NB_KNOB_RFS:
	case NB_KNOB_RFS_HOST:
	case NB_KNOB_CHANNELS:
	case NB_KNOB_UDP_HASH:
	case NB_KNOB_VMBUS:
		return is_ifname(knob->name);
	case _NB_KNOB_TYPE_MAX:
	case _NB_KNOB_TYPE_INVALID:
		break;
	}
	return false;
}

/* The fields of a line of this type, after its word. */
static bool parse_fields(enum nb_knob_type type, const char *line, struct nb_baseline *baseline)
{
	unsigned n = lines[type].n_numbers;
	g_auto(GStrv) fields = g_strsplit(line, " ", (int)n + VALUES + 1);
	struct nb_knob knob = {.type = type};
	uint64_t numbers[NUMBERS_MAX] = {};

	if (g_strv_length(fields) != n + VALUES + 1)
		return false;
	for (unsigned i = 0; i < n; i++)
		if (!g_ascii_string_to_unsigned(fields[i], 10, 0, UINT64_MAX, &numbers[i], NULL))
			return false;
	knob.name = fields[n + VALUES];
	if (type == NB_KNOB_IRQ || type == NB_KNOB_THREAD)
		split_vector(&knob);
	return set_numbers(&knob, numbers) && is_named(&knob) &&
	       add_entry(baseline, &knob, fields + n);
}

static bool parse_line(const char *line, void *baseline)
{
	for (unsigned i = 0; i < _NB_KNOB_TYPE_MAX; i++) {
		size_t len = strlen(lines[i].word);

		if (g_str_has_prefix(line, lines[i].word) && line[len] == ' ')
			return parse_fields((enum nb_knob_type)i, line + len + 1, baseline);
	}
	return false;
}

struct nb_baseline *nb_baseline_parse(const char *text, size_t len, GArray *damaged)
{
	struct nb_baseline *baseline = nb_baseline_new();

	nb_lines_each(text, len, HEADER, parse_line, baseline, damaged);
	return baseline;
}
