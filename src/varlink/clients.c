/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Varlink on a client's socket. */
#include "varlink/internal.h"

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

static void client_free(void *data)
{
	struct nb_varlink_client *client = data;

	/* Or its end would be told to a client that is gone. */
	sd_varlink_set_userdata(client->link, NULL);
	sd_varlink_close_unref(client->link);
	g_free(client);
}

/* sd-varlink owns the link until it is closed. It closes one that ends by itself, also for what is
 * no Varlink. */
void nb_varlink_on_disconnect(sd_varlink_server *server, sd_varlink *link, void *userdata)
{
	struct nb_varlink_client *client = sd_varlink_get_userdata(link);

	(void)server;
	(void)userdata;
	if (client)
		nb_peer_drop(client->peer);
}

static int open_client(struct nb_peer *peer, int fd, void **ret_connection)
{
	struct nb_varlink *owner = peer->listener->userdata;
	struct nb_varlink_client *client;
	sd_varlink *link;
	int r;

	r = sd_varlink_server_add_connection(owner->server, fd, &link);
	if (r < 0) {
		close(fd);
		return r;
	}
	r = sd_varlink_attach_event(link, peer->listener->event, SD_EVENT_PRIORITY_NORMAL);
	if (r < 0) {
		sd_varlink_close(link);
		return r;
	}
	client = g_new0(struct nb_varlink_client, 1);
	*client = (struct nb_varlink_client){
		.owner = owner, .peer = peer, .link = sd_varlink_ref(link)};
	sd_varlink_set_userdata(link, client);
	*ret_connection = client;
	return 0;
}

static void end_orders(void *userdata, const char *connection)
{
	struct nb_varlink *varlink = userdata;

	varlink->handlers.end_orders(varlink->userdata, connection);
}

const struct nb_protocol nb_varlink_protocol = {
	.name = "varlink",
	.open = open_client,
	.close = client_free,
	.end_orders = end_orders,
};

int nb_varlink_client_serve(struct nb_varlink_client *client)
{
	bool unread = sd_varlink_get_events(client->link) & EPOLLOUT;

	client->n_unread = unread ? client->n_unread + 1 : 0;
	if (client->n_unread <= ANSWERS_MAX)
		return 0;
	nb_peer_drop(client->peer);
	return -ENOBUFS;
}
