/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* libnl's headers, and the cleanup functions of its types.
 *
 * libnl's <netlink/netlink.h> has the name of this folder's contract, which stands before it in the
 * search path: only #include_next finds it. It must come first, for libnl's other headers ask for
 * it by that name and are given ours. */

#include_next <netlink/netlink.h>

#include <glib.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <netlink/socket.h>

typedef struct nl_msg nl_msg;
G_DEFINE_AUTOPTR_CLEANUP_FUNC(nl_msg, nlmsg_free)
