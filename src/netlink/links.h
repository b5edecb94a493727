/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The known state of each link with hardware behind it, to tell messages that change it from those
 * that do not. Reads no socket. */

#include "netlink/libnl.h"

#include <stdbool.h>

typedef struct nb_links nb_links;

struct nb_links *nb_links_new(void);
void nb_links_free(struct nb_links *links);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(nb_links, nb_links_free)

void nb_links_clear(struct nb_links *links);

/* Takes an RTM_NEWLINK or RTM_DELLINK. True, with the link's number, when it came, went, went up or
 * down (by will or by carrier), was renamed, or changed its master. Virtual links come and go with
 * each container, and have no interrupts: never. */
bool nb_links_take(struct nb_links *links, struct nlmsghdr *hdr, int *ret_ifindex);

bool nb_links_has(const struct nb_links *links, int ifindex);

/* 0 when no link has that name. */
int nb_links_find(const struct nb_links *links, const char *name);
