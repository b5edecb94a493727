/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/daemon.h"

#include "publish/sd_cleanup.h"

#include <stdlib.h>
#include <string.h>
#include <systemd/sd-login.h>

#define MANAGER "org.freedesktop.systemd1"

/* systemd answers root here also while the system bus is down, as it may be at shutdown. */
#define MANAGER_ADDRESS "unix:path=/run/systemd/private"

static int connect_manager(sd_bus **ret)
{
	g_autoptr(sd_bus) bus = NULL;
	int r;

	r = sd_bus_new(&bus);
	if (r < 0)
		return r;
	r = sd_bus_set_address(bus, MANAGER_ADDRESS);
	if (r < 0)
		return r;
	r = sd_bus_start(bus);
	if (r < 0)
		return r;
	*ret = g_steal_pointer(&bus);
	return 0;
}

/* The object path of the job that systemd is carrying out on a unit; "/" when there is none. */
static int unit_job(sd_bus *bus, const char *unit, char **ret)
{
	g_autoptr(sd_bus_message) reply = NULL;
	g_autofree char *path = NULL;
	const char *job;
	int r;

	r = sd_bus_path_encode("/org/freedesktop/systemd1/unit", unit, &path);
	if (r < 0)
		return r;
	r = sd_bus_get_property(bus, MANAGER, path, MANAGER ".Unit", "Job", NULL, &reply, "(uo)");
	if (r < 0)
		return r;
	r = sd_bus_message_read(reply, "(uo)", NULL, &job);
	if (r < 0)
		return r;
	*ret = g_strdup(job);
	return 0;
}

/* The job of "systemctl restart" stays a restart until its stop half is done (systemd
 * src/core/job.c job_finish_and_invalidate()), so ExecStopPost= can tell it from a stop. In doubt:
 * a stop. */
bool nb_unit_is_restarting(void)
{
	g_autoptr(sd_bus) bus = NULL;
	g_autofree char *unit = NULL;
	g_autofree char *job = NULL;
	g_autofree char *type = NULL;

	if (sd_pid_get_unit(0, &unit) < 0 || connect_manager(&bus) < 0 ||
	    unit_job(bus, unit, &job) < 0 || strcmp(job, "/") == 0)
		return false;
	if (sd_bus_get_property_string(bus, MANAGER, job, MANAGER ".Job", "JobType", NULL, &type) <
	    0)
		return false;
	return strcmp(type, "restart") == 0;
}
