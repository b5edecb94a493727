/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What the parts of the Varlink interface share. */

#include "publish/listener.h"
#include "varlink/varlink.h"

#include <systemd/sd-varlink-idl.h>
#include <systemd/sd-varlink.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC(sd_varlink_server, sd_varlink_server_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(sd_json_variant, sd_json_variant_unref)

/* Answers that a client may leave unread beyond what its socket holds. A list of a thousand orders
 * has 200 kB. */
#define ANSWERS_MAX 8u

struct nb_varlink {
	struct nb_handlers handlers;
	void *userdata;
	sd_varlink_server *server;
	struct nb_listener *listener;
	sd_event_source *change; /* tells subscribers, once it is enabled */
};

/* What the listener's client has of sd-varlink; userdata of its link. */
struct nb_varlink_client {
	struct nb_varlink *owner;
	struct nb_peer *peer;
	sd_varlink *link;
	bool subscribed;
	unsigned n_unread;
};

/* clients.c */
/* userdata of the listener is the nb_varlink. */
extern const struct nb_protocol nb_varlink_protocol;
/* A client's call, or news for it: -ENOBUFS if it leaves too much unread, and so was let go. */
int nb_varlink_client_serve(struct nb_varlink_client *client);
void nb_varlink_on_disconnect(sd_varlink_server *server, sd_varlink *link, void *userdata);

/* interface.c: what introspection tells. The name is that of libsystemd's macro. */
extern const sd_varlink_interface vl_interface_constraints;

/* json.c; caller frees *ret (sd_json_variant_unref). */
int nb_varlink_order_json(const struct nb_order *order, sd_json_variant **ret);
int nb_varlink_list_json(const struct nb_status *status, sd_json_variant **ret);
int nb_varlink_status_json(const struct nb_status *status, sd_json_variant **ret);

/* refuse.c: answers with the error that tells why, and returns what a method is to return. */
int nb_varlink_refuse(sd_varlink *link, const struct nb_refusal *refusal);

/* methods.c: binds the methods of the interface. */
int nb_varlink_bind(sd_varlink_server *server);
/* Sends the list to those who subscribed. */
int nb_varlink_tell(struct nb_varlink *varlink);
