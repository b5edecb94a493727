/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The way to the daemon. Each function says on stderr why it failed. */

#include "ctl/sd_cleanup.h"

#include <stdint.h>

/* path NULL: the usual socket, and the system bus when nobody listens there. -ECONNREFUSED: the
 * daemon is not running; -EACCES: not permitted. */
int nb_connect(const char *path, sd_bus **ret);

/* Calls a method of the manager that takes nothing. Errors as above. */
int nb_call(sd_bus *bus, const char *method, sd_bus_message **ret);
/* The same of one that takes a number ("t"). */
int nb_call_number(sd_bus *bus, const char *method, uint64_t number, sd_bus_message **ret);
/* All properties: "a{sv}". */
int nb_call_get_all(sd_bus *bus, sd_bus_message **ret);
