/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/status_head.h"

#include "ctl/cell.h"

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
static uint64_t uptime_usec(const struct nb_daemon_row *daemon, uint64_t now_usec)
{
	return now_usec > daemon->started_usec ? now_usec - daemon->started_usec : 0;
}

static void append_state(GString *text, const struct nb_daemon_row *daemon, uint64_t now_usec)
{
	g_autofree char *since = nb_time_text(daemon->started_usec);
	g_autofree char *duration = duration_text(uptime_usec(daemon, now_usec));
	bool observes = g_str_equal(daemon->mode, "observe");

	g_string_append_printf(text, "nicbalanced %s: %s since %s (%s)", daemon->version,
			       daemon->paused ? "running"
			       : observes     ? "observing"
					      : "balancing",
			       since, duration);
	if (daemon->paused)
		g_string_append(text, ", PAUSED: nothing is written until nicbalancectl resume");
	else if (observes)
		g_string_append(text, ": nothing is written");
	g_string_append_c(text, '\n');
}

static void append_grade(GString *text, const struct nb_daemon_row *daemon)
{
	if (!*daemon->grade)
		return;
	g_string_append_printf(text, "  Loads      %s", daemon->grade);
	if (*daemon->grade_reason)
		g_string_append_printf(text, ": %s", daemon->grade_reason);
	g_string_append_c(text, '\n');
}

/* NULL for a word of a later version. */
static const char *accounting_text(const struct nb_daemon_row *daemon)
{
	if (g_str_equal(daemon->accounting, "tick"))
		return g_str_equal(daemon->grade, "measured")
			       ? "tick: %si is sampled at the timer tick (coarse; not used)"
			       : "tick: %si is sampled at the timer tick (coarse)";
	if (g_str_equal(daemon->accounting, "precise"))
		return "precise: interrupt time is accounted exactly";
	if (g_str_equal(daemon->accounting, "unknown"))
		return "unknown: neither /proc/pressure nor /boot/config shows the interrupt time accounting";
	return NULL;
}

static void append_accounting(GString *text, const struct nb_daemon_row *daemon)
{
	const char *accounting = accounting_text(daemon);

	if (*daemon->grade && accounting)
		g_string_append_printf(text, "  Kernel     %s\n", accounting);
}

static double percent_of(uint64_t nsec, uint64_t usec)
{
	return (double)nsec / 10.0 / (double)usec;
}

static void append_own_cost(GString *text, const struct nb_daemon_row *daemon, uint64_t now_usec)
{
	uint64_t usec = uptime_usec(daemon, now_usec);

	if (usec == 0)
		return;
	g_string_append_printf(text,
			       "  Own cost   %.2f %% of one CPU in %" G_GUINT64_FORMAT " cycles\n",
			       percent_of(daemon->cpu_time_nsec, usec), daemon->cycles);
	if (daemon->probe_cost_nsec > 0)
		g_string_append_printf(text,
				       "  eBPF cost  %.2f %% of one CPU (estimate; all CPUs "
				       "together)\n",
				       percent_of(daemon->probe_cost_nsec, usec));
}

static void append_cpus(GString *text, const struct nb_daemon_row *daemon)
{
	if (g_str_equal(daemon->eligible, daemon->online))
		return;
	g_string_append_printf(text, "  CPUs       %s eligible of %s",
			       *daemon->eligible ? daemon->eligible : "none", daemon->online);
	if (*daemon->isolated)
		g_string_append_printf(text, "; isolated %s", daemon->isolated);
	if (*daemon->banned)
		g_string_append_printf(text, "; banned %s", daemon->banned);
	g_string_append_c(text, '\n');
}

char *nb_status_head(const struct nb_daemon_row *daemon, uint64_t now_usec)
{
	GString *text = g_string_new(NULL);

	append_state(text, daemon, now_usec);
	g_string_append_printf(text, "  Verdict    %s\n", daemon->verdict_text);
	append_grade(text, daemon);
	append_accounting(text, daemon);
	append_own_cost(text, daemon, now_usec);
	append_cpus(text, daemon);
	return g_string_free(text, FALSE);
}
