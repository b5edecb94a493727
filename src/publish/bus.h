/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The object /org/nicbalance1 (interface org.nicbalance1.Manager): on the private socket
 * /run/nicbalance/bus always, and as org.nicbalance1 on the system bus whenever there is one.
 * Everyone may read; only uid 0 may change. systemd/org.nicbalance1.xml documents the interface. */

#include "nicbalance/interface.h"
#include "publish/handlers.h"

#include <systemd/sd-event.h>

typedef struct nb_bus nb_bus;

/* socket_path is the private socket's (its directory exists); system_bus false leaves the system
 * bus alone. No system bus, or one that comes later or goes, is not a failure: it is tried again
 * now and then. */
int nb_bus_new(sd_event *event, const char *socket_path, bool system_bus,
	       const struct nb_handlers *handlers, void *userdata, struct nb_bus **ret);
void nb_bus_free(struct nb_bus *bus);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(nb_bus, nb_bus_free)

/* What Describe answers has changed: who asks next gets a new document. Until then all get the
 * same, since that of a host with thousands of queues takes 25 ms to make, and everyone may ask. */
void nb_bus_forget_document(struct nb_bus *bus);
/* The same, and PropertiesChanged and the signal Recorded for those who listen. */
void nb_bus_emit_record(struct nb_bus *bus, const struct nb_record *record);
