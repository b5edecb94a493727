/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A test's side of the bus: starts tests/bus/serve.c as a process of its own and calls it. Every
 * function fails the test when it cannot do its work. */

#include "nicbalance/interface.h"
#include "publish/sd_cleanup.h"
#include "support/support.h"

#include <jansson.h>

struct server {
	char *dir;
	char *socket;
	GPid pid;
};

/* options is NULL-terminated. Returns once the socket listens. */
void server_start(struct server *server, const char *const *options);
/* Asserts that it ends in order, without a leak. */
void server_stop(struct server *server);

/* One that could stand in the place of the host's system bus: a bus daemon with config, which may
 * be NULL for a policy that lets everything through. Caller passes it to bus_daemon_stop(). Skips
 * the test when there is no dbus-daemon. Sets DBUS_SYSTEM_BUS_ADDRESS. */
struct bus_daemon {
	char *dir;
	GPid pid;
};
void bus_daemon_start(struct bus_daemon *daemon, const char *policy);
void bus_daemon_stop(struct bus_daemon *daemon);

sd_bus *connect_private(const char *socket);
/* The connection to the system bus, once org.nicbalance1 is there. */
sd_bus *connect_system(void);

/* Calls a method of the manager without arguments. 0 and *ret, or a negative errno and error. */
int call(sd_bus *bus, const char *method, sd_bus_error *error, sd_bus_message **ret);
/* The same, and it must succeed. */
sd_bus_message *ask(sd_bus *bus, const char *method);
char *get_text(sd_bus *bus, const char *property);
/* Caller drops it (json_decref). */
json_t *describe(sd_bus *bus);

/* What body returns in a process of another user, who may do little. Skips the test when not root.
 */
int as_nobody(int (*body)(const void *data), const void *data);
