/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The object /org/nicbalance1 (interface org.nicbalance1.Manager): on the private socket
 * /run/nicbalance/bus always, and as org.nicbalance1 on the system bus whenever there is one.
 * Everyone may read; only uid 0 may change. systemd/org.nicbalance1.xml documents the interface. */

#include "config/config.h"
#include "nicbalance/interface.h"
#include "nicbalance/status.h"
#include "publish/recorder.h"

#include <systemd/sd-event.h>

/* A ban or a claim as a client wrote it; everything is borrowed. */
struct nb_bus_order {
	const char *target; /* NULL: a ban */
	const char *cpus;
	const char *owner;
	uint64_t lease_usec; /* 0: none */
	bool exclusive;
	const char *connection; /* that it ends with; NULL: none */
};

/* What the bus asks of the daemon. Each returns 0 or a negative errno; *ret_error is a sentence for
 * the caller (owned by the callee's caller, g_free) and may stay NULL. */
struct nb_bus_handlers {
	void (*get_status)(void *userdata, struct nb_status *ret);
	const struct nb_config *(*get_config)(void *userdata);
	int (*set_paused)(void *userdata, bool paused, char **ret_error);
	/* Restores all original values and pauses. */
	int (*restore)(void *userdata, unsigned *ret_n_restored, char **ret_error);
	int (*reload)(void *userdata, char **ret_error);
	/* Measures delays from now on for NB_BUS_WATCH_SEC, or longer if asked again. */
	int (*watch_delays)(void *userdata, char **ret_error);
	/* While it does, appends what was counted until now (struct nb_delays, ascending by CPU;
	 * online CPUs). */
	void (*get_delays)(void *userdata, GArray *delays);
	/* Bans or claims, and lets leave what has to. *ret_remains: what could not, and why, a line
	 * each; "" if nothing (g_free). */
	int (*order)(void *userdata, const struct nb_bus_order *order, uint64_t *ret_id,
		     char **ret_remains, char **ret_error);
	int (*unban)(void *userdata, const char *cpus, const char *owner, char **ret_error);
	int (*release)(void *userdata, const char *what, const char *owner, unsigned *ret_n,
		       char **ret_error);
	/* Orders that were to end with this connection do. Must not use the bus. */
	void (*end_orders)(void *userdata, const char *connection);
	/* As nb_recorder_read(), now. */
	void (*record)(void *userdata, uint64_t cursor, struct nb_recorded *ret);
};

typedef struct nb_bus nb_bus;

/* socket_path is the private socket's (its directory exists); system_bus false leaves the system
 * bus alone. No system bus, or one that comes later or goes, is not a failure: it is tried again
 * now and then. */
int nb_bus_new(sd_event *event, const char *socket_path, bool system_bus,
	       const struct nb_bus_handlers *handlers, void *userdata, struct nb_bus **ret);
void nb_bus_free(struct nb_bus *bus);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(nb_bus, nb_bus_free)

/* What Describe answers has changed: who asks next gets a new document. Until then all get the
 * same, since that of a host with thousands of queues takes 25 ms to make, and everyone may ask. */
void nb_bus_forget_document(struct nb_bus *bus);
/* The same, and PropertiesChanged and the signal Recorded for those who listen. */
void nb_bus_emit_record(struct nb_bus *bus, const struct nb_record *record);
