/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cpumask_text.h"
#include "base/describe.h"
#include "nicbalance/names.h"
#include "publish/bus_internal.h"
#include "publish/lookup.h"
#include "version.h"

#include <errno.h>

static char *version(const struct nb_status *status)
{
	(void)status;
	return g_strdup(NB_VERSION);
}

static char *mode(const struct nb_status *status)
{
	return g_strdup(nb_mode_to_string(status->mode));
}

/* "" before the first cycle, which alone can tell. */
static char *grade(const struct nb_status *status)
{
	return g_strdup(status->snapshot ? nb_grade_to_string(status->snapshot->grade) : "");
}

static char *grade_reason(const struct nb_status *status)
{
	return g_strdup(status->grade_reason ? status->grade_reason : "");
}

static char *accounting(const struct nb_status *status)
{
	const struct nb_machine *machine = nb_status_machine(status);

	return g_strdup(
		nb_accounting_to_string(machine ? machine->accounting : NB_ACCOUNTING_UNKNOWN));
}

static char *verdict(const struct nb_status *status)
{
	return g_strdup(
		nb_verdict_to_string(status->plan ? status->plan->verdict : NB_VERDICT_UNKNOWN));
}

static char *verdict_text(const struct nb_status *status)
{
	return nb_plan_describe(status->plan);
}

static char *online_cpus(const struct nb_status *status)
{
	const struct nb_machine *machine = nb_status_machine(status);

	return machine ? nb_cpumask_format_list(&machine->topology.online) : g_strdup("");
}

static char *eligible_cpus(const struct nb_status *status)
{
	struct nb_cpumask eligible;

	nb_status_eligible(status, &eligible);
	return nb_cpumask_format_list(&eligible);
}

static char *isolated_cpus(const struct nb_status *status)
{
	const struct nb_machine *machine = nb_status_machine(status);

	return machine ? nb_cpumask_format_list(&machine->topology.isolated) : g_strdup("");
}

static char *banned_cpus(const struct nb_status *status)
{
	return nb_cpumask_format_list(&status->policy->banned);
}

static const struct {
	const char *name;
	char *(*render)(const struct nb_status *status);
} texts[] = {
	{"Version", version},
	{"Mode", mode},
	{"Grade", grade},
	{"GradeReason", grade_reason},
	{"Accounting", accounting},
	{"Verdict", verdict},
	{"VerdictText", verdict_text},
	{"OnlineCPUs", online_cpus},
	{"EligibleCPUs", eligible_cpus},
	{"IsolatedCPUs", isolated_cpus},
	{"BannedCPUs", banned_cpus},
};

int nb_bus_property_text(sd_bus *connection, const char *path, const char *interface,
			 const char *property, sd_bus_message *reply, void *userdata,
			 sd_bus_error *error)
{
	struct nb_status status;

	(void)connection;
	(void)path;
	(void)interface;
	(void)error;
	nb_bus_get_status(userdata, &status);
	for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++) {
		if (g_str_equal(texts[i].name, property)) {
			g_autofree char *text = texts[i].render(&status);

			return sd_bus_message_append(reply, "s", text);
		}
	}
	return -ENOENT;
}

int nb_bus_property_u64(sd_bus *connection, const char *path, const char *interface,
			const char *property, sd_bus_message *reply, void *userdata,
			sd_bus_error *error)
{
	struct nb_status status;
	uint64_t value;

	(void)connection;
	(void)path;
	(void)interface;
	(void)error;
	nb_bus_get_status(userdata, &status);
	if (g_str_equal(property, "Cycles"))
		value = status.cycles;
	else if (g_str_equal(property, "CpuTimeNSec"))
		value = status.cpu_time_nsec;
	else if (g_str_equal(property, "ProbeCostNSec"))
		value = status.probe_cost_nsec;
	else if (g_str_equal(property, "StartedUSec"))
		value = status.started_realtime_usec;
	else
		value = status.loads ? status.loads->window_nsec : 0;
	return sd_bus_message_append(reply, "t", value);
}

int nb_bus_property_u32(sd_bus *connection, const char *path, const char *interface,
			const char *property, sd_bus_message *reply, void *userdata,
			sd_bus_error *error)
{
	struct nb_status status;
	uint32_t value;

	(void)connection;
	(void)path;
	(void)interface;
	(void)error;
	nb_bus_get_status(userdata, &status);
	if (g_str_equal(property, "HotPermyriad"))
		value = status.policy->hot;
	else
		value = status.loads ? status.loads->noise : 0;
	return sd_bus_message_append(reply, "u", value);
}

int nb_bus_property_paused(sd_bus *connection, const char *path, const char *interface,
			   const char *property, sd_bus_message *reply, void *userdata,
			   sd_bus_error *error)
{
	struct nb_status status;

	(void)connection;
	(void)path;
	(void)interface;
	(void)property;
	(void)error;
	nb_bus_get_status(userdata, &status);
	return sd_bus_message_append(reply, "b", (int)status.paused);
}
