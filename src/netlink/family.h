/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What a generic netlink family can do on this kernel: asked of the kernel, never concluded from
 * its version. */

#include "netlink/port.h"

struct nb_family {
	uint16_t id;    /* 0: there is no such family */
	uint64_t ops;   /* bit n: command n exists; those from 64 on are not kept */
	uint32_t group; /* number of the multicast group asked for; 0: there is none */
};

static inline bool nb_family_has(const struct nb_family *family, unsigned command)
{
	return command < 64 && (family->ops >> command & 1);
}

/* A request of the family with the command; the caller adds attributes, 64 bytes at most. */
struct nl_msg *nb_family_message(uint16_t family, unsigned command, int flags);
/* The same with so many bytes more. */
struct nl_msg *nb_family_message_with(uint16_t family, unsigned command, int flags, size_t room);

/* group may be NULL. -ENOENT: the kernel has no such family. */
int nb_family_resolve(struct nb_port *port, const char *name, const char *group,
		      struct nb_family *ret);

/* The answer to CTRL_CMD_GETFAMILY. Pure. -EBADMSG: malformed. */
int nb_family_parse(struct nlmsghdr *hdr, const char *group, struct nb_family *ret);
