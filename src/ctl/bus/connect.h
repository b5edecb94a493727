/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The way to the daemon. Each function says on stderr why it failed. */

#include "ctl/bus/sd_cleanup.h"

/* path NULL: the usual socket, and the system bus when nobody listens there. -ECONNREFUSED: the
 * daemon is not running; -EACCES: not permitted. */
int nb_connect(const char *path, sd_bus **ret);

/* Calls a method of the manager that takes nothing. Errors as above. */
int nb_call(sd_bus *bus, const char *method, sd_bus_message **ret);
/* The same of one that takes what types (as of sd_bus_message_append(3)) and values say. */
int nb_call_with(sd_bus *bus, const char *method, sd_bus_message **ret, const char *types, ...);
/* Says that the answer makes no sense, which is a daemon of another version. Returns r. */
int nb_answer_is_odd(int r);
