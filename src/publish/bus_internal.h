/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What the parts of the bus share: one object, served on the private socket and the system bus. */

#include "nicbalance/order.h"
#include "publish/bus.h"
#include "publish/sd_cleanup.h"

#include <sys/types.h>

/* One client costs a descriptor and a buffer. nicbalancectl needs one for a moment. */
#define PEERS_MAX 32u
/* Of these, for one user other than root: nobody can lock root out alone. */
#define PEERS_PER_USER_MAX 8u
/* From connecting to the first call. */
#define PEER_FIRST_CALL_USEC (10 * G_USEC_PER_SEC)
/* Between two calls. */
#define PEER_IDLE_USEC (300 * G_USEC_PER_SEC)
/* Messages waiting for a client that does not read them. */
#define PEER_QUEUE_MAX 64u
/* The same of documents, which may be megabytes each. */
#define PEER_DOCUMENTS_MAX 4u
/* When accept() fails for want of descriptors, the listening socket stays readable. */
#define ACCEPT_PAUSE_USEC (1 * G_USEC_PER_SEC)
#define SYSTEM_BUS_RETRY_USEC (10 * G_USEC_PER_SEC)
/* A bus daemon that does not answer must not hold up the loop for longer. */
#define SYSTEM_BUS_CALL_USEC (2 * G_USEC_PER_SEC)

struct nb_bus {
	sd_event *event;
	struct nb_handlers handlers;
	void *userdata;

	char *socket_path; /* NULL until bound: what is set is unlinked in the end */
	int listen_fd;
	sd_event_source *accept;
	sd_event_source *accept_again;
	GPtrArray *peers; /* struct nb_bus_peer */
	unsigned n_peers_ever;
	GPtrArray *holders; /* struct nb_bus_holder */
	char *document;     /* NULL: to be made when someone asks */

	sd_bus *system; /* NULL while there is none */
	sd_bus_slot *system_object;
	sd_event_source *system_retry;
	bool name_refused; /* said already */
};

/* A client of the private socket. */
struct nb_bus_peer {
	struct nb_bus *owner;
	uid_t uid;
	sd_bus *connection;
	sd_bus_slot *object;
	sd_bus_slot *filter;
	sd_event_source *deadline; /* of its next call */
	char name[NB_CONNECTION_MAX];
	bool holds; /* orders that end with it */
};

/* A client of the system bus that holds orders. */
struct nb_bus_holder {
	struct nb_bus *owner;
	char *name;
	sd_bus_track *track;
};

static inline void nb_bus_get_status(struct nb_bus *bus, struct nb_status *ret)
{
	bus->handlers.get_status(bus->userdata, ret);
}

/* The object on one connection; userdata of all its callbacks is the nb_bus. */
int nb_bus_export(struct nb_bus *bus, sd_bus *connection, sd_bus_slot **ret_slot);

/* The listening socket at path. A file that nobody listens on any more is replaced; -EADDRINUSE
 * when someone does. */
int nb_bus_listen(const char *path, int *ret_fd);

/* The private socket and its clients. */
int nb_bus_open_socket(struct nb_bus *bus, const char *path);
void nb_bus_close_socket(struct nb_bus *bus);
/* Takes over fd. A client that cannot be served is closed. */
void nb_bus_add_peer(struct nb_bus *bus, int fd);
/* peer is a struct nb_bus_peer. */
void nb_bus_peer_free(void *data);
void nb_bus_drop_peer(struct nb_bus *bus, unsigned i);
sd_bus *nb_bus_peer(const struct nb_bus *bus, unsigned i);

/* bus_holder.c: clients that orders hang on. */
/* The name of the caller's connection among all of both buses; caller frees (g_free). */
char *nb_bus_connection_name(struct nb_bus *bus, sd_bus_message *call);
/* From now on the end of the caller's connection ends its orders. It may be silent until then. */
int nb_bus_hold(struct nb_bus *bus, sd_bus_message *call);
/* The connection ended. */
void nb_bus_end_orders(struct nb_bus *bus, const char *connection);
/* holder is a struct nb_bus_holder. */
void nb_bus_holder_free(void *data);

/* The system bus; tried again by itself until closed. */
int nb_bus_open_system(struct nb_bus *bus);
void nb_bus_close_system(struct nb_bus *bus);

/* Methods and properties; userdata is the nb_bus. */
int nb_bus_describe(sd_bus_message *call, void *userdata, sd_bus_error *error);
int nb_bus_record(sd_bus_message *call, void *userdata, sd_bus_error *error);
int nb_bus_pause(sd_bus_message *call, void *userdata, sd_bus_error *error);
int nb_bus_resume(sd_bus_message *call, void *userdata, sd_bus_error *error);
int nb_bus_restore(sd_bus_message *call, void *userdata, sd_bus_error *error);
int nb_bus_reload(sd_bus_message *call, void *userdata, sd_bus_error *error);
int nb_bus_watch_delays(sd_bus_message *call, void *userdata, sd_bus_error *error);

int nb_bus_ban(sd_bus_message *call, void *userdata, sd_bus_error *error);
int nb_bus_unban(sd_bus_message *call, void *userdata, sd_bus_error *error);
int nb_bus_claim(sd_bus_message *call, void *userdata, sd_bus_error *error);
int nb_bus_release(sd_bus_message *call, void *userdata, sd_bus_error *error);

/* The answer to a caller who may change nothing, or 0. */
int nb_bus_check_caller(sd_bus_message *call, sd_bus_error *error);
/* The answer when the daemon could not do it: r as it came, text as far as it gave one. */
int nb_bus_fail(sd_bus_error *error, int r, const char *name, const char *text);

int nb_bus_property_text(sd_bus *connection, const char *path, const char *interface,
			 const char *property, sd_bus_message *reply, void *userdata,
			 sd_bus_error *error);
int nb_bus_property_paused(sd_bus *connection, const char *path, const char *interface,
			   const char *property, sd_bus_message *reply, void *userdata,
			   sd_bus_error *error);

/* PropertiesChanged of Mode, Paused, Verdict and VerdictText, to everyone. */
void nb_bus_emit_changed(struct nb_bus *bus);
