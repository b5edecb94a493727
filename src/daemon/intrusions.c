/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interrupts and softirqs on CPUs that are excluded: counted, and told. */
#include "daemon/daemon.h"

#include "base/describe.h"
#include "base/rules.h"
#include "nicbalance/names.h"
#include "publish/journal.h"
#include "publish/message_ids.h"

#include <inttypes.h>

/* More are in the status. */
#define SOURCES_MAX 4u

static int busier_first(const void *a, const void *b)
{
	const struct nb_intrusion *x = a, *y = b;

	return (x->count < y->count) - (x->count > y->count);
}

static void append_source(GString *text, const struct nb_intrusion *row)
{
	g_autofree char *what = nb_intrusion_describe(row);

	g_string_append_printf(text, "%s%" PRIu64 " %s%s", text->len > 0 ? ", " : "", row->count,
			       row->source == NB_SOURCE_IRQ ? "of " : "", what);
}

/* "12 of IRQ 41 (eth0-rx-1), 2 NET_RX": the most frequent ones. Caller frees (g_free). */
static char *describe_sources(const struct nb_intrusions *intrusions, unsigned cpu)
{
	g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(struct nb_intrusion));
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < intrusions->rows->len; i++) {
		const struct nb_intrusion *row =
			&g_array_index(intrusions->rows, struct nb_intrusion, i);

		if (row->cpu == cpu && row->count > 0)
			g_array_append_val(rows, *row);
	}
	g_array_sort(rows, busier_first);
	for (unsigned i = 0; i < MIN(rows->len, SOURCES_MAX); i++)
		append_source(text, &g_array_index(rows, struct nb_intrusion, i));
	if (rows->len > SOURCES_MAX)
		g_string_append(text, " and others");
	return g_string_free(text, FALSE);
}

static void tell(struct nb_daemon *daemon, const struct nb_rules *rules, uint64_t now_nsec)
{
	struct nb_excluded_cpu cpu;
	struct nb_allowed common;

	nb_rules_allow_common(rules, &common);
	while (nb_intrusions_tell(&daemon->intrusions, now_nsec, &cpu)) {
		g_autofree char *sources = describe_sources(&daemon->intrusions, cpu.cpu);
		enum nb_rule rule =
			nb_rules_excluded_by(rules, nb_rules_common_key(), &common, cpu.cpu);

		nb_journal_say(LOG_WARNING, NB_MESSAGE_INTRUSIONS,
			       "%" PRIu64 " interrupts and softirqs on CPU %u, which is %s; since "
			       "they are counted: %s",
			       cpu.untold, cpu.cpu, nb_rule_explain(rule), sources);
	}
}

static uint64_t realtime_usec(void)
{
	return (uint64_t)g_get_real_time();
}

/* A file that cannot be read now is read later: nothing is lost by that. */
static void read_arrivals(struct nb_daemon *daemon, const struct nb_rules *rules, uint64_t now_nsec)
{
	struct nb_arrivals arrivals;

	if (nb_sampler_read_arrivals(daemon->sampler, &daemon->intrusions.excluded, now_nsec,
				     &arrivals) < 0)
		return;
	nb_intrusions_add(&daemon->intrusions, daemon->loop.snapshot->machine, rules, &arrivals,
			  realtime_usec());
	tell(daemon, rules, now_nsec);
}

void nb_daemon_count_intrusions(struct nb_daemon *daemon, uint64_t now_nsec)
{
	struct nb_rules rules;

	if (!daemon->loop.snapshot)
		return;
	nb_rules_init(&rules, daemon->loop.snapshot, &daemon->config->policy, &daemon->loop.memory);
	nb_intrusions_watch(&daemon->intrusions, &rules, now_nsec, realtime_usec());
	if (nb_intrusions_are_due(&daemon->intrusions, now_nsec))
		read_arrivals(daemon, &rules, now_nsec);
}
