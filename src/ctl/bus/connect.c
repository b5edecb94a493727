/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/bus/connect.h"

#include "nicbalance/interface.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* The daemon answers between two cycles, each of which takes milliseconds. Putting back thousands
 * of interrupts is the longest thing it does. */
#define ANSWER_USEC (5 * G_USEC_PER_SEC)

static int say(int r, const char *text)
{
	g_printerr("nicbalancectl: %s\n", text);
	return r;
}

static int not_running(void)
{
	g_printerr("nicbalanced is not running; start it with: systemctl start nicbalanced\n");
	return -ECONNREFUSED;
}

static bool means_not_running(int r)
{
	return r == -ENOENT || r == -ECONNREFUSED || r == -ENOTDIR;
}

static int open_private(const char *path, sd_bus **ret)
{
	g_autofree char *escaped = g_uri_escape_string(path, "/", FALSE);
	g_autofree char *address = g_strconcat("unix:path=", escaped, NULL);
	g_autoptr(sd_bus) bus = NULL;
	int r;

	r = sd_bus_new(&bus);
	if (r < 0)
		return r;
	r = sd_bus_set_address(bus, address);
	if (r < 0)
		return r;
	r = sd_bus_set_method_call_timeout(bus, ANSWER_USEC);
	if (r < 0)
		return r;
	r = sd_bus_start(bus);
	if (r < 0)
		return r;
	*ret = g_steal_pointer(&bus);
	return 0;
}

static int open_system(sd_bus **ret)
{
	g_autoptr(sd_bus) bus = NULL;
	int r;

	r = sd_bus_open_system(&bus);
	if (r < 0)
		return r;
	r = sd_bus_set_method_call_timeout(bus, ANSWER_USEC);
	if (r < 0)
		return r;
	*ret = g_steal_pointer(&bus);
	return 0;
}

int nb_connect(const char *path, sd_bus **ret)
{
	g_autofree char *text = NULL;
	int r;

	r = open_private(path ? path : NB_BUS_SOCKET, ret);
	if (r >= 0)
		return 0;
	if (!means_not_running(r)) {
		text = g_strdup_printf("cannot connect to %s: %s", path ? path : NB_BUS_SOCKET,
				       strerror(-r));
		return say(r, text);
	}
	/* Whoever names a socket has started that daemon otherwise than by its unit. */
	if (path) {
		text = g_strdup_printf("no nicbalanced listens on %s", path);
		return say(-ECONNREFUSED, text);
	}
	return open_system(ret) >= 0 ? 0 : not_running();
}

static bool means_nobody_has_the_name(const sd_bus_error *error)
{
	return sd_bus_error_has_name(error, SD_BUS_ERROR_SERVICE_UNKNOWN) ||
	       sd_bus_error_has_name(error, SD_BUS_ERROR_NAME_HAS_NO_OWNER);
}

/* The faults of a configuration stand as they come: each is a line with a path of its own. */
static int explain(int r, const sd_bus_error *error)
{
	if (means_nobody_has_the_name(error))
		return not_running();
	if (sd_bus_error_has_name(error, SD_BUS_ERROR_UNKNOWN_METHOD))
		return say(r, "nicbalanced is of another version and does not understand; if it is "
			      "older, restart it: systemctl restart nicbalanced");
	if (sd_bus_error_has_name(error, NB_BUS_ERROR_CONFIGURATION)) {
		g_printerr("%s\n", error->message);
		return -EINVAL;
	}
	if (sd_bus_error_has_name(error, SD_BUS_ERROR_ACCESS_DENIED))
		r = -EACCES;
	if (r == -ETIMEDOUT || sd_bus_error_has_name(error, SD_BUS_ERROR_NO_REPLY))
		return say(-ETIMEDOUT, "nicbalanced does not answer");
	if (r == -ECONNRESET || r == -ENOTCONN || r == -EPIPE)
		return say(r, "nicbalanced closed the connection");
	return say(r, error->message && *error->message ? error->message : strerror(-r));
}

/* Asking must not start the daemon, so activation by the bus is off. */
static int send(sd_bus *bus, sd_bus_message *call, sd_bus_message **ret)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	int r;

	r = sd_bus_message_set_auto_start(call, false);
	if (r >= 0)
		r = sd_bus_call(bus, call, 0, &error, ret);
	if (r < 0)
		r = explain(r, &error);
	sd_bus_error_free(&error);
	return r < 0 ? r : 0;
}

int nb_answer_is_odd(int r)
{
	g_printerr("nicbalancectl: nicbalanced gave an answer of another version: %s\n",
		   strerror(-r));
	return r;
}

/* On the private socket the name has no meaning and does no harm. */
static int new_call(sd_bus *bus, const char *method, sd_bus_message **ret)
{
	return sd_bus_message_new_method_call(bus, ret, NB_BUS_NAME, NB_BUS_PATH, NB_BUS_INTERFACE,
					      method);
}

int nb_call(sd_bus *bus, const char *method, sd_bus_message **ret)
{
	g_autoptr(sd_bus_message) call = NULL;
	int r = new_call(bus, method, &call);

	return r < 0 ? say(r, strerror(-r)) : send(bus, call, ret);
}

int nb_call_with(sd_bus *bus, const char *method, sd_bus_message **ret, const char *types, ...)
{
	g_autoptr(sd_bus_message) call = NULL;
	va_list values;
	int r;

	r = new_call(bus, method, &call);
	va_start(values, types);
	if (r >= 0)
		r = sd_bus_message_appendv(call, types, values);
	va_end(values);
	return r < 0 ? say(r, strerror(-r)) : send(bus, call, ret);
}
