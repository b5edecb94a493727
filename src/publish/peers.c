/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The clients of a listening socket. */
#include "publish/listener.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

static void peer_free(struct nb_peer *peer)
{
	struct nb_listener *listener = peer->listener;

	sd_event_source_disable_unref(peer->deadline);
	if (peer->connection)
		listener->protocol->close(peer->connection);
	if (peer->holds)
		listener->protocol->end_orders(listener->userdata, peer->name);
	g_free(peer);
}

void nb_peer_drop(struct nb_peer *peer)
{
	g_ptr_array_remove_fast(peer->listener->peers, peer);
	peer_free(peer);
}

void nb_peer_called(struct nb_peer *peer)
{
	(void)sd_event_source_set_time_relative(peer->deadline, PEER_IDLE_USEC);
}

void nb_peer_excuse(struct nb_peer *peer)
{
	(void)sd_event_source_set_enabled(peer->deadline, SD_EVENT_OFF);
}

void nb_peer_hold(struct nb_peer *peer)
{
	peer->holds = true;
	nb_peer_excuse(peer);
}

static int on_deadline(sd_event_source *source, uint64_t usec, void *userdata)
{
	(void)source;
	(void)usec;
	nb_peer_drop(userdata);
	return 0;
}

static bool is_welcome(const struct nb_listener *listener, uid_t uid)
{
	unsigned n_of_user = 0;

	if (listener->peers->len >= PEERS_MAX)
		return false;
	for (unsigned i = 0; i < listener->peers->len; i++)
		n_of_user += nb_listener_peer(listener, i)->uid == uid;
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

static int peer_open(struct nb_peer *peer, int fd)
{
	int r;

	r = peer->listener->protocol->open(peer, fd, &peer->connection);
	if (r < 0)
		return r;
	return sd_event_add_time_relative(peer->listener->event, &peer->deadline, CLOCK_MONOTONIC,
					  PEER_FIRST_CALL_USEC, G_USEC_PER_SEC, on_deadline, peer);
}

void nb_listener_add_peer(struct nb_listener *listener, int fd)
{
	struct nb_peer *peer;
	uid_t uid = (uid_t)-1;

	if (peer_uid(fd, &uid) < 0 || !is_welcome(listener, uid)) {
		close(fd);
		return;
	}

	peer = g_new0(struct nb_peer, 1);
	peer->listener = listener;
	peer->uid = uid;
	g_snprintf(peer->name, sizeof(peer->name), "%s:%u", listener->protocol->name,
		   ++listener->n_peers_ever);
	if (peer_open(peer, fd) < 0) {
		peer_free(peer);
		return;
	}
	g_ptr_array_add(listener->peers, peer);
}
