/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What the parts of the bus share: one object, served on the private socket and the system bus. */

#include "publish/bus.h"
#include "publish/listener.h"
#include "publish/sd_cleanup.h"

/* Messages waiting for a client that does not read them. */
#define PEER_QUEUE_MAX 64u
/* The same of documents, which may be megabytes each. */
#define PEER_DOCUMENTS_MAX 4u
#define SYSTEM_BUS_RETRY_USEC (10 * G_USEC_PER_SEC)
/* A bus daemon that does not answer must not hold up the loop for longer. */
#define SYSTEM_BUS_CALL_USEC (2 * G_USEC_PER_SEC)

struct nb_bus {
	sd_event *event;
	struct nb_handlers handlers;
	void *userdata;

	struct nb_listener *listener; /* the private socket */
	GPtrArray *holders;           /* struct nb_bus_holder */
	char *document;               /* NULL: to be made when someone asks */

	sd_bus *system; /* NULL while there is none */
	sd_bus_slot *system_object;
	sd_event_source *system_retry;
	bool name_refused; /* said already */
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

/* bus_peers.c: clients of the private socket. userdata of the listener is the nb_bus. */
extern const struct nb_protocol nb_bus_protocol;
sd_bus *nb_bus_of_peer(const struct nb_peer *peer);
/* More than a client may. */
bool nb_bus_leaves_unread(sd_bus *connection);

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
int nb_bus_describe_owners(sd_bus_message *call, void *userdata, sd_bus_error *error);
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
