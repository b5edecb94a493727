/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The kernel's answer to one netlink request, datagram by datagram. Pure.
 *
 * nl_recvmsgs() is not used for this: it does not look at the errno that ends a dump (the payload
 * of NLMSG_DONE, net/netlink/af_netlink.c netlink_dump()), folds the others into few numbers of its
 * own, ENOBUFS and ENOMEM into one, and allocates for each datagram and each message. */

#include "netlink/libnl.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nb_answer {
	uint32_t seq;     /* of the request; messages with another are passed over */
	bool interrupted; /* the kernel's tables changed under the dump: it is not consistent */
};

/* One message of the answer. A negative errno ends the request. */
typedef int (*nb_answer_message)(struct nlmsghdr *hdr, void *userdata);

/* Takes one datagram. Returns 1 when the answer is complete, 0 when there is more to come, -EINTR
 * when it is complete but was interrupted, else the kernel's errno, or that of message. buffer is
 * aligned for struct nlmsghdr. */
int nb_answer_take(struct nb_answer *answer, void *buffer, size_t len, nb_answer_message message,
		   void *userdata);
