/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A socket that anyone may connect to, and its clients. Each is bounded: how many there are and how
 * long one may stay silent. What they speak, and how much one may leave unread, is the protocol's.
 */

#include "nicbalance/order.h"

#include <glib.h>
#include <sys/types.h>
#include <systemd/sd-event.h>

/* One client costs a descriptor and a buffer. nicbalancectl needs one for a moment. */
#define PEERS_MAX 32u
/* Of these, for one user other than root: nobody can lock root out alone. */
#define PEERS_PER_USER_MAX 8u
/* From connecting to the first call. */
#define PEER_FIRST_CALL_USEC (10 * G_USEC_PER_SEC)
/* Between two calls. */
#define PEER_IDLE_USEC (300 * G_USEC_PER_SEC)
/* When accept() fails for want of descriptors, the listening socket stays readable. */
#define ACCEPT_PAUSE_USEC (1 * G_USEC_PER_SEC)

struct nb_peer {
	struct nb_listener *listener;
	void *connection; /* of the protocol */
	uid_t uid;
	sd_event_source *deadline;    /* of its next call */
	char name[NB_CONNECTION_MAX]; /* that orders know it by */
	bool holds;                   /* orders that end with it */
};

struct nb_protocol {
	/* Begins the names of clients; no unique name of D-Bus looks so. */
	const char *name;
	/* Serves the client on fd, which it takes over, also on failure. */
	int (*open)(struct nb_peer *peer, int fd, void **ret_connection);
	/* Frees the connection. */
	void (*close)(void *connection);
	/* A client that held orders is gone. Must not use the listener. */
	void (*end_orders)(void *userdata, const char *connection);
};

typedef struct nb_listener {
	sd_event *event;
	const struct nb_protocol *protocol;
	void *userdata;
	char *path; /* NULL until bound: what is set is unlinked in the end */
	int fd;
	sd_event_source *accept;
	sd_event_source *accept_again;
	GPtrArray *peers; /* struct nb_peer; owned */
	unsigned n_peers_ever;
} nb_listener;

/* The listening socket at path (its directory exists). A file that nobody listens on any more is
 * replaced; -EADDRINUSE when someone does. protocol is borrowed. */
int nb_listener_new(sd_event *event, const char *path, const struct nb_protocol *protocol,
		    void *userdata, struct nb_listener **ret);
void nb_listener_free(struct nb_listener *listener);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(nb_listener, nb_listener_free)

static inline struct nb_peer *nb_listener_peer(const struct nb_listener *listener, unsigned i)
{
	return (struct nb_peer *)listener->peers->pdata[i];
}

/* Takes over fd. A client that cannot be served is closed. */
void nb_listener_add_peer(struct nb_listener *listener, int fd);
/* It made a call, and so gets more time. */
void nb_peer_called(struct nb_peer *peer);
/* It may be silent from now on. */
void nb_peer_excuse(struct nb_peer *peer);
/* The same, and its end is that of its orders. */
void nb_peer_hold(struct nb_peer *peer);
/* Frees it, and ends what it holds. */
void nb_peer_drop(struct nb_peer *peer);
