/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "publish/bus_internal.h"

int nb_bus_new(sd_event *event, const char *socket_path, bool system_bus,
	       const struct nb_bus_handlers *handlers, void *userdata, struct nb_bus **ret)
{
	g_autoptr(nb_bus) bus = g_new0(struct nb_bus, 1);
	int r;

	bus->event = sd_event_ref(event);
	bus->handlers = *handlers;
	bus->userdata = userdata;
	bus->listen_fd = -1;

	r = nb_bus_open_socket(bus, socket_path);
	if (r < 0)
		return r;
	if (system_bus) {
		r = nb_bus_open_system(bus);
		if (r < 0)
			return r;
	}

	*ret = g_steal_pointer(&bus);
	return 0;
}

void nb_bus_free(struct nb_bus *bus)
{
	if (!bus)
		return;
	nb_bus_close_system(bus);
	nb_bus_close_socket(bus);
	sd_event_unref(bus->event);
	g_free(bus);
}

static int send_record(sd_bus *connection, const struct nb_record *record)
{
	g_autoptr(sd_bus_message) signal = NULL;
	int r;

	r = sd_bus_message_new_signal(connection, &signal, NB_BUS_PATH, NB_BUS_INTERFACE,
				      "Recorded");
	if (r < 0)
		return r;
	r = nb_bus_append_record(signal, record);
	if (r < 0)
		return r;
	return sd_bus_send(connection, signal, NULL);
}

static int send_changed(sd_bus *connection)
{
	return sd_bus_emit_properties_changed(connection, NB_BUS_PATH, NB_BUS_INTERFACE, "Mode",
					      "Paused", "Verdict", "VerdictText", NULL);
}

/* Nobody can be told that telling failed: a connection that broke says so to its own handler. */
static void tell(sd_bus *connection, const struct nb_record *record)
{
	if (!sd_bus_is_ready(connection))
		return;
	if (record)
		(void)send_record(connection, record);
	(void)send_changed(connection);
}

static void tell_everyone(struct nb_bus *bus, const struct nb_record *record)
{
	if (bus->system)
		tell(bus->system, record);

	for (unsigned i = bus->peers->len; i > 0; i--) {
		sd_bus *peer = nb_bus_peer(bus, i - 1);
		uint64_t n_waiting = 0;

		tell(peer, record);
		if (sd_bus_get_n_queued_write(peer, &n_waiting) >= 0 && n_waiting > PEER_QUEUE_MAX)
			nb_bus_drop_peer(bus, i - 1);
	}
}

void nb_bus_emit_record(struct nb_bus *bus, const struct nb_record *record)
{
	tell_everyone(bus, record);
}

void nb_bus_emit_changed(struct nb_bus *bus)
{
	tell_everyone(bus, NULL);
}
