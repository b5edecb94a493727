/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is watched: all else is in the document. */
#include "base/describe.h"
#include "nicbalance/names.h"
#include "publish/bus_internal.h"
#include "version.h"

int nb_bus_property_text(sd_bus *connection, const char *path, const char *interface,
			 const char *property, sd_bus_message *reply, void *userdata,
			 sd_bus_error *error)
{
	g_autofree char *text = NULL;
	struct nb_status status;

	(void)connection;
	(void)path;
	(void)interface;
	(void)error;
	nb_bus_get_status(userdata, &status);
	if (g_str_equal(property, "Version"))
		text = g_strdup(NB_VERSION);
	else if (g_str_equal(property, "Mode"))
		text = g_strdup(nb_mode_to_string(status.mode));
	else if (g_str_equal(property, "VerdictText"))
		text = nb_plan_describe(status.plan);
	else
		text = g_strdup(nb_verdict_to_string(status.plan ? status.plan->verdict
								 : NB_VERDICT_UNKNOWN));
	return sd_bus_message_append(reply, "s", text);
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
