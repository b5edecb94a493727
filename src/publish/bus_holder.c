/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Clients that orders hang on: those of the private socket are known, those of the system bus are
 * watched. */
#include "publish/bus_internal.h"

#include <errno.h>

void nb_bus_end_orders(struct nb_bus *bus, const char *connection)
{
	bus->handlers.end_orders(bus->userdata, connection);
	nb_bus_forget_document(bus);
}

/* Its orders end with it, whatever it is freed for. */
void nb_bus_holder_free(void *data)
{
	struct nb_bus_holder *holder = data;

	sd_bus_track_unref(holder->track);
	nb_bus_end_orders(holder->owner, holder->name);
	g_free(holder->name);
	g_free(holder);
}

static struct nb_peer *find_peer(const struct nb_bus *bus, sd_bus_message *call)
{
	for (unsigned i = 0; i < bus->listener->peers->len; i++) {
		struct nb_peer *peer = nb_listener_peer(bus->listener, i);

		if (nb_bus_of_peer(peer) == sd_bus_message_get_bus(call))
			return peer;
	}
	return NULL;
}

static struct nb_bus_holder *find_holder(const struct nb_bus *bus, const char *name)
{
	for (unsigned i = 0; i < bus->holders->len; i++) {
		struct nb_bus_holder *holder = bus->holders->pdata[i];

		if (g_str_equal(holder->name, name))
			return holder;
	}
	return NULL;
}

char *nb_bus_connection_name(struct nb_bus *bus, sd_bus_message *call)
{
	const struct nb_peer *peer = find_peer(bus, call);

	return g_strdup(peer ? peer->name : sd_bus_message_get_sender(call));
}

/* Called when the one name in it is gone. sd-bus holds a reference meanwhile. */
static int on_gone(sd_bus_track *track, void *userdata)
{
	struct nb_bus_holder *holder = userdata;

	(void)track;
	g_ptr_array_remove_fast(holder->owner->holders, holder);
	return 0;
}

static int watch_sender(struct nb_bus *bus, sd_bus_message *call)
{
	struct nb_bus_holder *holder;
	int r;

	if (find_holder(bus, sd_bus_message_get_sender(call)))
		return 0;
	holder = g_new0(struct nb_bus_holder, 1);
	holder->owner = bus;
	holder->name = g_strdup(sd_bus_message_get_sender(call));
	g_ptr_array_add(bus->holders, holder);
	r = sd_bus_track_new(bus->system, &holder->track, on_gone, holder);
	if (r >= 0)
		r = sd_bus_track_add_sender(holder->track, call);
	if (r < 0)
		g_ptr_array_remove_fast(bus->holders, holder);
	return r < 0 ? r : 0;
}

int nb_bus_hold(struct nb_bus *bus, sd_bus_message *call)
{
	struct nb_peer *peer = find_peer(bus, call);

	/* What the order told may have been too much for a peer that does not read. */
	if (!peer)
		return sd_bus_message_get_bus(call) == bus->system ? watch_sender(bus, call)
								   : -ECONNRESET;
	nb_peer_hold(peer);
	return 0;
}
