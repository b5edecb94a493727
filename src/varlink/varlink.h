/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Bans and claims for programs that do not speak D-Bus: the Varlink interface
 * org.nicbalance.Constraints on a socket of its own. Everyone may read; only uid 0 may change.
 * org.nicbalance.Constraints.varlink documents it. Built if libsystemd is 257 or later, which has
 * sd-varlink.h; else the functions are there and serve nothing. */

#include "publish/handlers.h"

#include <glib.h>
#include <stdbool.h>
#include <systemd/sd-event.h>

/* The socket is named after its interface, as those of systemd are. */
#define NB_VARLINK_INTERFACE "org.nicbalance.Constraints"

typedef struct nb_varlink nb_varlink;

bool nb_varlink_is_built(void);

/* path is the socket's (its directory exists). *ret is NULL if this is not built. */
int nb_varlink_new(sd_event *event, const char *path, const struct nb_handlers *handlers,
		   void *userdata, struct nb_varlink **ret);
void nb_varlink_free(struct nb_varlink *varlink);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(nb_varlink, nb_varlink_free)

/* The list of bans and claims has changed. Those who subscribed get it when the event loop runs
 * next. varlink may be NULL. */
void nb_varlink_emit_list(struct nb_varlink *varlink);
