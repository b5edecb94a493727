/* SPDX-License-Identifier: GPL-2.0-or-later */
/* D-Bus on the private socket, without a bus in between. */
#include "publish/bus_internal.h"

#include <errno.h>
#include <unistd.h>

struct connection {
	sd_bus *bus;
	sd_bus_slot *object;
	sd_bus_slot *filter;
};

static void connection_free(void *data)
{
	struct connection *connection = data;

	sd_bus_slot_unref(connection->filter);
	sd_bus_slot_unref(connection->object);
	sd_bus_close_unref(connection->bus);
	g_free(connection);
}

sd_bus *nb_bus_of_peer(const struct nb_peer *peer)
{
	const struct connection *connection = peer->connection;

	return connection->bus;
}

static bool is_gone(sd_bus_message *message)
{
	return sd_bus_message_is_signal(message, "org.freedesktop.DBus.Local", "Disconnected") > 0;
}

bool nb_bus_leaves_unread(sd_bus *connection)
{
	uint64_t n_waiting = 0;

	return sd_bus_get_n_queued_write(connection, &n_waiting) < 0 || n_waiting > PEER_QUEUE_MAX;
}

/* Sees every message of a client before the object does, also the one that sd-bus makes when the
 * connection ends. */
static int on_message(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct nb_peer *peer = userdata;

	(void)error;
	if (is_gone(message) || nb_bus_leaves_unread(nb_bus_of_peer(peer))) {
		nb_peer_drop(peer);
		return 1;
	}
	nb_peer_called(peer);
	return 0;
}

/* Takes over fd, also on failure. */
static int bus_new(int fd, sd_bus **ret)
{
	g_autoptr(sd_bus) bus = NULL;
	int r;

	r = sd_bus_new(&bus);
	if (r >= 0)
		r = sd_bus_set_fd(bus, fd, fd);
	if (r < 0) {
		close(fd);
		return r;
	}
	*ret = g_steal_pointer(&bus);
	return 0;
}

/* sd-bus authenticates the client by SO_PEERCRED (mechanism EXTERNAL). It is neither anonymous nor
 * trusted: both are off unless set. */
static int start(sd_bus *bus)
{
	sd_id128_t id;
	int r;

	r = sd_id128_randomize(&id);
	if (r < 0)
		return r;
	r = sd_bus_set_server(bus, true, id);
	if (r < 0)
		return r;
	r = sd_bus_set_description(bus, "private");
	if (r < 0)
		return r;
	return sd_bus_start(bus);
}

static int attach(struct connection *connection, struct nb_peer *peer)
{
	struct nb_bus *owner = peer->listener->userdata;
	int r;

	r = sd_bus_add_filter(connection->bus, &connection->filter, on_message, peer);
	if (r < 0)
		return r;
	r = nb_bus_export(owner, connection->bus, &connection->object);
	if (r < 0)
		return r;
	return sd_bus_attach_event(connection->bus, owner->event, SD_EVENT_PRIORITY_NORMAL);
}

static int open_connection(struct nb_peer *peer, int fd, void **ret_connection)
{
	struct connection *connection = g_new0(struct connection, 1);
	int r;

	r = bus_new(fd, &connection->bus);
	if (r >= 0)
		r = start(connection->bus);
	if (r >= 0)
		r = attach(connection, peer);
	if (r < 0) {
		connection_free(connection);
		return r;
	}
	*ret_connection = connection;
	return 0;
}

static void end_orders(void *userdata, const char *connection)
{
	nb_bus_end_orders(userdata, connection);
}

const struct nb_protocol nb_bus_protocol = {
	.name = "socket",
	.open = open_connection,
	.close = connection_free,
	.end_orders = end_orders,
};
