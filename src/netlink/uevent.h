/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The kernel's uevents that change what we balance. Pure. */

#include "netlink/netlink.h"

#include <stddef.h>

struct nb_uevent {
	enum nb_notice change; /* NB_NOTICE_QUEUES or NB_NOTICE_CPUS */
	char ifname[IFNAMSIZ]; /* of the device whose queue it is; "" for a CPU */
};

/* Reads a uevent as it came from the socket: "action@devpath", NUL, then variables. False for an
 * event that is not about a network queue or a CPU going online or offline, and for bytes that are
 * no uevent. */
bool nb_uevent_parse(const char *buffer, size_t len, struct nb_uevent *ret);
