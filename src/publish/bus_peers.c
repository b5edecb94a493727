/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Clients of the private socket. Anyone may connect, so each is bounded: how many there are, how
 * long one may stay silent, and how much it may leave unread. */
#include "publish/bus_internal.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <sys/socket.h>
#include <unistd.h>

void nb_bus_peer_free(void *data)
{
	struct nb_bus_peer *peer = data;

	sd_event_source_disable_unref(peer->deadline);
	sd_bus_slot_unref(peer->filter);
	sd_bus_slot_unref(peer->object);
	sd_bus_close_unref(peer->connection);
	if (peer->holds)
		nb_bus_end_orders(peer->owner, peer->name);
	g_free(peer);
}

sd_bus *nb_bus_peer(const struct nb_bus *bus, unsigned i)
{
	const struct nb_bus_peer *peer = bus->peers->pdata[i];

	return peer->connection;
}

void nb_bus_drop_peer(struct nb_bus *bus, unsigned i)
{
	g_ptr_array_remove_index_fast(bus->peers, i);
}

static bool is_gone(sd_bus_message *message)
{
	return sd_bus_message_is_signal(message, "org.freedesktop.DBus.Local", "Disconnected") > 0;
}

static bool leaves_unread(sd_bus *connection)
{
	uint64_t n_waiting = 0;

	return sd_bus_get_n_queued_write(connection, &n_waiting) < 0 || n_waiting > PEER_QUEUE_MAX;
}

/* Sees every message of a client before the object does, also the one that sd-bus makes when the
 * connection ends. */
static int on_message(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct nb_bus_peer *peer = userdata;

	(void)error;
	if (is_gone(message) || leaves_unread(peer->connection)) {
		g_ptr_array_remove_fast(peer->owner->peers, peer);
		return 1;
	}
	(void)sd_event_source_set_time_relative(peer->deadline, PEER_IDLE_USEC);
	return 0;
}

static int on_deadline(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct nb_bus_peer *peer = userdata;

	(void)source;
	(void)usec;
	g_ptr_array_remove_fast(peer->owner->peers, peer);
	return 0;
}

/* Takes over fd, also on failure. */
static int connection_new(int fd, sd_bus **ret)
{
	g_autoptr(sd_bus) connection = NULL;
	int r;

	r = sd_bus_new(&connection);
	if (r >= 0)
		r = sd_bus_set_fd(connection, fd, fd);
	if (r < 0) {
		close(fd);
		return r;
	}
	*ret = g_steal_pointer(&connection);
	return 0;
}

/* sd-bus authenticates the client by SO_PEERCRED (mechanism EXTERNAL). It is neither anonymous nor
 * trusted: both are off unless set. */
static int peer_start(struct nb_bus_peer *peer)
{
	sd_id128_t id;
	int r;

	r = sd_id128_randomize(&id);
	if (r < 0)
		return r;
	r = sd_bus_set_server(peer->connection, true, id);
	if (r < 0)
		return r;
	r = sd_bus_set_description(peer->connection, "private");
	if (r < 0)
		return r;
	return sd_bus_start(peer->connection);
}

static int peer_attach(struct nb_bus_peer *peer)
{
	int r;

	r = sd_event_add_time_relative(peer->owner->event, &peer->deadline, CLOCK_MONOTONIC,
				       PEER_FIRST_CALL_USEC, G_USEC_PER_SEC, on_deadline, peer);
	if (r < 0)
		return r;
	r = sd_bus_add_filter(peer->connection, &peer->filter, on_message, peer);
	if (r < 0)
		return r;
	r = nb_bus_export(peer->owner, peer->connection, &peer->object);
	if (r < 0)
		return r;
	return sd_bus_attach_event(peer->connection, peer->owner->event, SD_EVENT_PRIORITY_NORMAL);
}

static bool is_welcome(const struct nb_bus *bus, uid_t uid)
{
	unsigned n_of_user = 0;

	if (bus->peers->len >= PEERS_MAX)
		return false;
	for (unsigned i = 0; i < bus->peers->len; i++) {
		const struct nb_bus_peer *peer = bus->peers->pdata[i];

		n_of_user += peer->uid == uid;
	}
	return uid == 0 || n_of_user < PEERS_PER_USER_MAX;
}

static int peer_uid(int fd, uid_t *ret)
{
	struct ucred creds;
	socklen_t len = sizeof(creds);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &creds, &len) < 0)
		return -errno;
	*ret = creds.uid;
	return 0;
}

void nb_bus_add_peer(struct nb_bus *bus, int fd)
{
	struct nb_bus_peer *peer;
	uid_t uid = (uid_t)-1;

	if (peer_uid(fd, &uid) < 0 || !is_welcome(bus, uid)) {
		close(fd);
		return;
	}

	peer = g_new0(struct nb_bus_peer, 1);
	peer->owner = bus;
	peer->uid = uid;
	/* No unique name of D-Bus looks so. */
	g_snprintf(peer->name, sizeof(peer->name), "socket:%u", ++bus->n_peers_ever);
	if (connection_new(fd, &peer->connection) < 0 || peer_start(peer) < 0 ||
	    peer_attach(peer) < 0) {
		nb_bus_peer_free(peer);
		return;
	}
	g_ptr_array_add(bus->peers, peer);
}
