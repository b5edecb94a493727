/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The methods that change something: for root alone. */
#include "publish/bus_internal.h"

#include <errno.h>

/* On the private socket a message may claim any sender: the credentials of the socket count there.
 */
static int caller_creds(sd_bus_message *call, sd_bus_creds **ret)
{
	sd_bus *connection = sd_bus_message_get_bus(call);

	if (sd_bus_is_bus_client(connection) > 0)
		return sd_bus_query_sender_creds(call, SD_BUS_CREDS_EUID, ret);
	return sd_bus_get_owner_creds(connection, SD_BUS_CREDS_EUID, ret);
}

static bool is_root(sd_bus_message *call)
{
	g_autoptr(sd_bus_creds) creds = NULL;
	uid_t euid;

	return caller_creds(call, &creds) >= 0 && sd_bus_creds_get_euid(creds, &euid) >= 0 &&
	       euid == 0;
}

int nb_bus_check_caller(sd_bus_message *call, sd_bus_error *error)
{
	if (is_root(call))
		return 0;
	return sd_bus_error_setf(error, SD_BUS_ERROR_ACCESS_DENIED,
				 "Only root may call %s; status and plan are for everyone.",
				 sd_bus_message_get_member(call));
}

int nb_bus_fail(sd_bus_error *error, int r, const char *name, const char *text)
{
	if (!text)
		return sd_bus_error_set_errno(error, r);
	return sd_bus_error_set(error, name, text);
}

static int set_paused(sd_bus_message *call, struct nb_bus *bus, bool paused, sd_bus_error *error)
{
	g_autofree char *text = NULL;
	int r;

	r = nb_bus_check_caller(call, error);
	if (r < 0)
		return r;
	r = bus->handlers.set_paused(bus->userdata, paused, &text);
	if (r < 0)
		return nb_bus_fail(error, r, NB_BUS_ERROR_FAILED, text);
	nb_bus_emit_changed(bus);
	return sd_bus_reply_method_return(call, NULL);
}

int nb_bus_pause(sd_bus_message *call, void *userdata, sd_bus_error *error)
{
	return set_paused(call, userdata, true, error);
}

int nb_bus_resume(sd_bus_message *call, void *userdata, sd_bus_error *error)
{
	return set_paused(call, userdata, false, error);
}

int nb_bus_restore(sd_bus_message *call, void *userdata, sd_bus_error *error)
{
	struct nb_bus *bus = userdata;
	g_autofree char *text = NULL;
	unsigned n_restored = 0;
	int r;

	r = nb_bus_check_caller(call, error);
	if (r < 0)
		return r;
	r = bus->handlers.restore(bus->userdata, &n_restored, &text);
	/* Part of it may have been put back, and pausing counts either way. */
	nb_bus_emit_changed(bus);
	if (r < 0)
		return nb_bus_fail(error, r, NB_BUS_ERROR_FAILED, text);
	return sd_bus_reply_method_return(call, "u", (uint32_t)n_restored);
}

int nb_bus_reload(sd_bus_message *call, void *userdata, sd_bus_error *error)
{
	struct nb_bus *bus = userdata;
	g_autofree char *text = NULL;
	int r;

	r = nb_bus_check_caller(call, error);
	if (r < 0)
		return r;
	r = bus->handlers.reload(bus->userdata, &text);
	if (r < 0)
		return nb_bus_fail(error, r, NB_BUS_ERROR_CONFIGURATION, text);
	nb_bus_emit_changed(bus);
	return sd_bus_reply_method_return(call, NULL);
}

/* It changes what the kernel does: one more program runs in every raise of a softirq. */
int nb_bus_watch_delays(sd_bus_message *call, void *userdata, sd_bus_error *error)
{
	struct nb_bus *bus = userdata;
	g_autofree char *text = NULL;
	int r;

	r = nb_bus_check_caller(call, error);
	if (r < 0)
		return r;
	r = bus->handlers.watch_delays(bus->userdata, &text);
	nb_bus_forget_document(bus);
	if (r < 0)
		return nb_bus_fail(error, r, NB_BUS_ERROR_FAILED, text);
	return sd_bus_reply_method_return(call, NULL);
}
