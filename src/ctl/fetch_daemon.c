/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/connect.h"
#include "ctl/fetch_rows.h"
#include "nicbalance/interface.h"

#include <stddef.h>

#define PROPERTY(property, type, field)                               \
	{                                                             \
		property, type, offsetof(struct nb_daemon_row, field) \
	}

static const struct {
	const char *name;
	char type;
	size_t offset;
} properties[] = {
	PROPERTY("Version", 's', version),
	PROPERTY("Mode", 's', mode),
	PROPERTY("Paused", 'b', paused),
	PROPERTY("Grade", 's', grade),
	PROPERTY("GradeReason", 's', grade_reason),
	PROPERTY("Accounting", 's', accounting),
	PROPERTY("Verdict", 's', verdict),
	PROPERTY("VerdictText", 's', verdict_text),
	PROPERTY("Cycles", 't', cycles),
	PROPERTY("CpuTimeNSec", 't', cpu_time_nsec),
	PROPERTY("ProbeCostNSec", 't', probe_cost_nsec),
	PROPERTY("StartedUSec", 't', started_usec),
	PROPERTY("WindowNSec", 't', window_nsec),
	PROPERTY("NoisePermyriad", 'u', noise),
	PROPERTY("HotPermyriad", 'u', hot),
	PROPERTY("OnlineCPUs", 's', online),
	PROPERTY("EligibleCPUs", 's', eligible),
	PROPERTY("IsolatedCPUs", 's', isolated),
	PROPERTY("BannedCPUs", 's', banned),
};

static int read_value(sd_bus_message *reply, const char *name, struct nb_daemon_row *row)
{
	for (size_t i = 0; i < G_N_ELEMENTS(properties); i++) {
		const char type[] = {properties[i].type, '\0'};

		if (g_str_equal(properties[i].name, name))
			return sd_bus_message_read(reply, "v", type,
						   (char *)row + properties[i].offset);
	}
	/* One of a later version. */
	return sd_bus_message_skip(reply, "v");
}

/* 0 at the end of the array. */
static int read_property(sd_bus_message *reply, struct nb_daemon_row *row)
{
	const char *name;
	int r;

	r = sd_bus_message_enter_container(reply, 'e', "sv");
	if (r <= 0)
		return r;
	r = sd_bus_message_read(reply, "s", &name);
	if (r < 0)
		return r;
	r = read_value(reply, name, row);
	if (r < 0)
		return r;
	r = sd_bus_message_exit_container(reply);
	return r < 0 ? r : 1;
}

static int read_properties(sd_bus_message *reply, struct nb_daemon_row *row)
{
	int r;

	r = sd_bus_message_enter_container(reply, 'a', "{sv}");
	if (r < 0)
		return r;
	while ((r = read_property(reply, row)) > 0)
		;
	return r;
}

/* A property that an earlier version does not have yet is empty. */
static const struct nb_daemon_row unknown = {
	.version = "",
	.mode = "",
	.grade = "",
	.grade_reason = "",
	.accounting = "",
	.verdict = "",
	.verdict_text = "",
	.online = "",
	.eligible = "",
	.isolated = "",
	.banned = "",
};

int nb_fetch_daemon(sd_bus *bus, nb_rows *ret)
{
	g_auto(nb_rows) rows = {0};
	struct nb_daemon_row row = unknown;
	int r;

	r = nb_call_get_all(bus, &rows.reply);
	if (r < 0)
		return r;
	r = read_properties(rows.reply, &row);
	if (r < 0)
		return nb_answer_is_odd(r);
	rows.rows = g_array_new(FALSE, TRUE, sizeof(row));
	g_array_append_val(rows.rows, row);
	*ret = nb_rows_steal(&rows);
	return 0;
}
