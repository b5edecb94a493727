/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The object as org.nicbalance1 on the system bus. The bus may be missing, come later, go and come
 * back: the daemon works without it and tries to connect now and then. */
#include "publish/bus_internal.h"

#include "publish/journal.h"

#include <sys/socket.h>

enum { DBUS_PRIMARY_OWNER = 1, DBUS_ALREADY_OWNER = 4 };

static void schedule_retry(struct nb_bus *bus)
{
	(void)sd_event_source_set_time_relative(bus->system_retry, SYSTEM_BUS_RETRY_USEC);
	(void)sd_event_source_set_enabled(bus->system_retry, SD_EVENT_ONESHOT);
}

/* The process that loads the eBPF programs has a copy of each descriptor. Closed here alone, the
 * connection would stay, and the name with it, until that process ends. */
static void hang_up(sd_bus *connection)
{
	int fd = sd_bus_get_fd(connection);

	if (fd >= 0)
		(void)shutdown(fd, SHUT_RDWR);
}

static void disconnect(struct nb_bus *bus)
{
	if (bus->system)
		hang_up(bus->system);
	/* Whoever was on it is not any more. */
	g_ptr_array_set_size(bus->holders, 0);
	bus->system_object = sd_bus_slot_unref(bus->system_object);
	bus->system = sd_bus_close_unref(bus->system);
}

/* Handlers of a connection leave closing it to the retry: sd-bus goes on with it when they return,
 * and aborts the process on one that is closed (process_timeout() and dispatch_wqueue() in
 * sd-bus.c). */
static int on_disconnected(sd_bus_message *signal, void *userdata, sd_bus_error *error)
{
	struct nb_bus *bus = userdata;

	(void)signal;
	(void)error;
	/* A name that vanished just before the connection did is not told (bus_track_close() in
	 * bus-track.c). */
	g_ptr_array_set_size(bus->holders, 0);
	schedule_retry(bus);
	return 0;
}

/* D-Bus specification, RequestName: the reply says whether the name is ours. NULL when it is. */
static const char *name_refusal(sd_bus_message *reply)
{
	const sd_bus_error *error = sd_bus_message_get_error(reply);
	uint32_t answer;

	if (error)
		return error->message ? error->message : error->name;
	if (sd_bus_message_read(reply, "u", &answer) < 0)
		return "the bus gave no answer";
	if (answer == DBUS_PRIMARY_OWNER || answer == DBUS_ALREADY_OWNER)
		return NULL;
	return "another has it";
}

/* Another owner, or a policy that is not installed: said once, since it stays so for long. A bus
 * that went before it answered has refused nothing. */
static void tell_refusal(struct nb_bus *bus, sd_bus_message *reply, const char *refusal)
{
	if (sd_bus_message_is_method_error(reply, SD_BUS_ERROR_NO_REPLY) > 0 || bus->name_refused)
		return;
	nb_journal_say(LOG_WARNING, NULL, "Failed to acquire D-Bus name %s on the system bus: %s",
		       NB_BUS_NAME, refusal);
	bus->name_refused = true;
}

static int on_name(sd_bus_message *reply, void *userdata, sd_bus_error *error)
{
	struct nb_bus *bus = userdata;
	const char *refusal = name_refusal(reply);

	(void)error;
	if (!refusal) {
		bus->name_refused = false;
		return 0;
	}
	tell_refusal(bus, reply, refusal);
	schedule_retry(bus);
	return 0;
}

/* Nothing here waits for the bus daemon: what is sent is queued until it has said hello. */
static int set_up(struct nb_bus *bus)
{
	int r;

	r = sd_bus_set_method_call_timeout(bus->system, SYSTEM_BUS_CALL_USEC);
	if (r < 0)
		return r;
	/* A match on the local sender stays in this process. */
	r = sd_bus_match_signal_async(bus->system, NULL, "org.freedesktop.DBus.Local",
				      "/org/freedesktop/DBus/Local", "org.freedesktop.DBus.Local",
				      "Disconnected", on_disconnected, NULL, bus);
	if (r < 0)
		return r;
	r = nb_bus_export(bus, bus->system, &bus->system_object);
	if (r < 0)
		return r;
	r = sd_bus_request_name_async(bus->system, NULL, NB_BUS_NAME, 0, on_name, bus);
	if (r < 0)
		return r;
	return sd_bus_attach_event(bus->system, bus->event, SD_EVENT_PRIORITY_NORMAL);
}

static void try_connect(struct nb_bus *bus)
{
	if (sd_bus_open_system_with_description(&bus->system, "system") < 0 || set_up(bus) < 0) {
		disconnect(bus);
		schedule_retry(bus);
	}
}

static int on_retry(sd_event_source *source, uint64_t usec, void *userdata)
{
	(void)source;
	(void)usec;
	disconnect(userdata);
	try_connect(userdata);
	return 0;
}

int nb_bus_open_system(struct nb_bus *bus)
{
	int r;

	r = sd_event_add_time_relative(bus->event, &bus->system_retry, CLOCK_MONOTONIC,
				       SYSTEM_BUS_RETRY_USEC, G_USEC_PER_SEC, on_retry, bus);
	if (r < 0)
		return r;
	r = sd_event_source_set_enabled(bus->system_retry, SD_EVENT_OFF);
	if (r < 0)
		return r;
	try_connect(bus);
	return 0;
}

void nb_bus_close_system(struct nb_bus *bus)
{
	disconnect(bus);
	bus->system_retry = sd_event_source_disable_unref(bus->system_retry);
}
