/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/show/status_head.h"

#include "base/cpumask_text.h"
#include "ctl/show/cell.h"
#include "ctl/show/value.h"
#include "nicbalance/names.h"

#define MINUTE UINT64_C(60)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)

static char *duration_text(uint64_t usec)
{
	uint64_t sec = usec / G_USEC_PER_SEC;

	if (sec < MINUTE)
		return g_strdup_printf("%" G_GUINT64_FORMAT " s", sec);
	if (sec < HOUR)
		return g_strdup_printf("%" G_GUINT64_FORMAT " min", sec / MINUTE);
	if (sec < DAY)
		return g_strdup_printf("%" G_GUINT64_FORMAT " h %" G_GUINT64_FORMAT " min",
				       sec / HOUR, sec % HOUR / MINUTE);
	return g_strdup_printf("%" G_GUINT64_FORMAT " d %" G_GUINT64_FORMAT " h", sec / DAY,
			       sec % DAY / HOUR);
}

/* The clock may have been set back since the start. */
static uint64_t uptime_usec(const json_t *daemon, uint64_t now_usec)
{
	uint64_t started_usec = nb_time_parse(nb_value_text(daemon, "started"));

	return now_usec > started_usec ? now_usec - started_usec : 0;
}

static void append_state(GString *text, const json_t *daemon, uint64_t now_usec)
{
	g_autofree char *since = nb_time_text(nb_time_parse(nb_value_text(daemon, "started")));
	g_autofree char *duration = duration_text(uptime_usec(daemon, now_usec));
	bool paused = json_is_true(json_object_get(daemon, "paused"));
	bool observes = g_str_equal(nb_value_text(daemon, "mode"), "observe");

	g_string_append_printf(text, "nicbalanced %s: %s since %s (%s)",
			       nb_value_text(daemon, "version"),
			       paused     ? "running"
			       : observes ? "observing"
					  : "balancing",
			       since, duration);
	if (paused)
		g_string_append(text, ", PAUSED: nothing is written until nicbalancectl resume");
	else if (observes)
		g_string_append(text, ": nothing is written");
	g_string_append_c(text, '\n');
}

static void append_grade(GString *text, const json_t *daemon)
{
	const char *grade = nb_value_text(daemon, "grade");
	const char *reason = nb_value_text(daemon, "grade-reason");

	if (!*grade)
		return;
	g_string_append_printf(text, "  Loads      %s", grade);
	if (*reason)
		g_string_append_printf(text, ": %s", reason);
	g_string_append_c(text, '\n');
}

/* NULL for a word of a later version. */
static const char *accounting_text(const json_t *daemon)
{
	const char *accounting = nb_value_text(daemon, "accounting");

	if (g_str_equal(accounting, "tick"))
		return g_str_equal(nb_value_text(daemon, "grade"), "measured")
			       ? "tick: %si is sampled at the timer tick (coarse; not used)"
			       : "tick: %si is sampled at the timer tick (coarse)";
	if (g_str_equal(accounting, "precise"))
		return "precise: interrupt time is accounted exactly";
	if (g_str_equal(accounting, "unknown"))
		return "unknown: neither /proc/pressure nor /boot/config shows the interrupt time accounting";
	return NULL;
}

static void append_accounting(GString *text, const json_t *daemon)
{
	const char *accounting = accounting_text(daemon);

	if (*nb_value_text(daemon, "grade") && accounting)
		g_string_append_printf(text, "  Kernel     %s\n", accounting);
}

static double percent_of(uint64_t nsec, uint64_t usec)
{
	return (double)nsec / 10.0 / (double)usec;
}

static void append_own_cost(GString *text, const json_t *daemon)
{
	uint64_t recent_usec = nb_value_count(daemon, "recent-nsec") / 1000;

	g_string_append(text, "  Own cost   ");
	if (recent_usec > 0)
		g_string_append_printf(
			text, "%.2f %% of one CPU",
			percent_of(nb_value_count(daemon, "recent-cpu-time-nsec"), recent_usec));
	else
		g_string_append_c(text, '-');
	g_string_append_printf(
		text, " in the last minute, %.2f s at the start; %" G_GUINT64_FORMAT " cycles\n",
		(double)nb_value_count(daemon, "start-cpu-time-nsec") / 1e9,
		nb_value_count(daemon, "cycles"));
}

static void append_probe_cost(GString *text, const json_t *daemon, uint64_t now_usec)
{
	uint64_t usec = uptime_usec(daemon, now_usec);
	uint64_t cost_nsec = nb_value_count(daemon, "probe-cost-nsec");

	if (usec > 0 && cost_nsec > 0)
		g_string_append_printf(text,
				       "  eBPF cost  %.2f %% of one CPU (estimate; all CPUs "
				       "together)\n",
				       percent_of(cost_nsec, usec));
}

static void append_cpus(GString *text, const json_t *daemon)
{
	const char *online = nb_value_text(daemon, "online-cpus");
	const char *eligible = nb_value_text(daemon, "eligible-cpus");
	const char *isolated = nb_value_text(daemon, "isolated-cpus");
	const char *banned = nb_value_text(daemon, "banned-cpus");

	if (g_str_equal(eligible, online))
		return;
	g_string_append_printf(text, "  CPUs       %s eligible of %s",
			       *eligible ? eligible : "none", online);
	if (*isolated)
		g_string_append_printf(text, "; isolated %s", isolated);
	if (*banned)
		g_string_append_printf(text, "; banned %s", banned);
	if (!*eligible)
		g_string_append(text, "; only what a section or claim names CPUs for is moved");
	g_string_append_c(text, '\n');
}

/* A word of a later version is told as it is. */
static const char *cause_text(const json_t *nic)
{
	const char *word = nb_value_text(nic, "drops-cause");
	enum nb_drops_cause cause = nb_drops_cause_from_string(word);

	return cause == _NB_DROPS_CAUSE_INVALID ? word : nb_drops_cause_explain(cause);
}

static void append_drops(GString *text, const json_t *nics)
{
	for (size_t i = 0; i < json_array_size(nics); i++) {
		const json_t *nic = json_array_get(nics, i);
		uint64_t dropped = nb_value_count(nic, "dropped-per-second");

		if (dropped > 0)
			g_string_append_printf(
				text, "  Drops      %s: %" G_GUINT64_FORMAT " packets/s; %s\n",
				nb_value_text(nic, "nic"), dropped, cause_text(nic));
	}
}

static void append_full_nodes(GString *text, const json_t *nics)
{
	for (size_t i = 0; i < json_array_size(nics); i++) {
		const json_t *nic = json_array_get(nics, i);
		const char *name = nb_value_text(nic, "nic");
		uint64_t minutes = nb_value_count(nic, "full-node-seconds") / MINUTE;

		if (minutes == 0)
			continue;
		g_string_append_printf(text,
				       "  Full node  %s: for %" G_GUINT64_FORMAT
				       " min, another one has time; ",
				       name, minutes);
		if (json_is_true(json_object_get(nic, "spill")))
			g_string_append(text, "its queues cannot go there now\n");
		else
			g_string_append_printf(text, "Spill=yes in [Device %s] allows it\n", name);
	}
}

static void append_advice(GString *text, const json_t *nics)
{
	for (size_t i = 0; i < json_array_size(nics); i++) {
		const json_t *nic = json_array_get(nics, i);
		const json_t *advice = json_object_get(nic, "advice");

		for (size_t k = 0; k < json_array_size(advice); k++)
			g_string_append_printf(text, "  Advice     %s: %s\n",
					       nb_value_text(nic, "nic"),
					       nb_value_text(json_array_get(advice, k), "text"));
	}
}

struct excluded {
	struct nb_cpumask counted;
	struct nb_cpumask fresh; /* not counted yet */
	uint64_t since_usec;     /* all of counted */
	uint64_t intrusions;
};

static void add_excluded(const json_t *row, struct excluded *excluded)
{
	uint64_t cpu = nb_value_count(row, "cpu");
	uint64_t since_usec = nb_time_parse(nb_value_text(row, "counted-since"));

	if (!*nb_value_text(row, "excluded-since") || cpu >= NB_CPUS_MAX)
		return;
	nb_cpumask_add(since_usec ? &excluded->counted : &excluded->fresh, (unsigned)cpu);
	excluded->since_usec = MAX(excluded->since_usec, since_usec);
	excluded->intrusions += nb_value_count(row, "intrusions");
}

static void append_counted(GString *text, const struct excluded *excluded)
{
	g_autofree char *cpus = nb_cpumask_format_list(&excluded->counted);
	g_autofree char *since = nb_time_text(excluded->since_usec);

	if (nb_cpumask_empty(&excluded->counted))
		return;
	g_string_append_printf(text, "  Excluded   CPUs %s: ", cpus);
	if (excluded->intrusions > 0)
		g_string_append_printf(text,
				       "%" G_GUINT64_FORMAT " interrupts and softirqs that should "
				       "not be there\n",
				       excluded->intrusions);
	else
		g_string_append_printf(text, "no interrupt, no softirq since %s\n", since);
}

static void append_excluded(GString *text, const json_t *cpus)
{
	struct excluded excluded = {};
	g_autofree char *fresh = NULL;

	for (size_t i = 0; i < json_array_size(cpus); i++)
		add_excluded(json_array_get(cpus, i), &excluded);
	append_counted(text, &excluded);
	fresh = nb_cpumask_format_list(&excluded.fresh);
	if (*fresh)
		g_string_append_printf(text, "  Excluded   CPUs %s: not counted yet\n", fresh);
}

char *nb_status_head(const json_t *daemon, const json_t *nics, const json_t *cpus,
		     uint64_t now_usec)
{
	GString *text = g_string_new(NULL);

	append_state(text, daemon, now_usec);
	g_string_append_printf(text, "  Verdict    %s\n", nb_value_text(daemon, "verdict-text"));
	append_grade(text, daemon);
	append_accounting(text, daemon);
	append_own_cost(text, daemon);
	append_probe_cost(text, daemon, now_usec);
	append_cpus(text, daemon);
	append_drops(text, nics);
	append_full_nodes(text, nics);
	append_advice(text, nics);
	append_excluded(text, cpus);
	return g_string_free(text, FALSE);
}
