/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Generic netlink messages about queues, as the families netdev and ethtool send them. Pure.
 * Parsers return -EBADMSG for a message that lacks what makes it one; *ret is then untouched. */

#include "netlink/join.h"
#include "netlink/libnl.h"
#include "netlink/netlink.h"

/* An answer to queue-get; what its NAPI tells is left 0. */
int nb_message_parse_queue(struct nlmsghdr *hdr, struct nb_netlink_queue *ret);

/* An answer to napi-get. */
int nb_message_parse_napi(struct nlmsghdr *hdr, struct nb_napi *ret);

/* An answer to qstats-get of scope queue. -ENODATA: it has the queue, but not its packets. */
int nb_message_parse_queue_stats(struct nlmsghdr *hdr, struct nb_netlink_queue_stats *ret);

/* Asks for a receive queue, or for a NAPI. */
int nb_message_get_queue(uint16_t family, int ifindex, unsigned queue, struct nl_msg **ret);
int nb_message_get_napi(uint16_t family, uint32_t id, struct nl_msg **ret);
/* Switches threaded NAPI of one NAPI, and changes nothing else of it (NAPI_SET, 6.17). */
int nb_message_set_threading(uint16_t family, uint32_t id, uint32_t threaded, struct nl_msg **ret);

/* Sets the RSS table of a device, context 0, and nothing else of RSS (RSS_SET, 6.17). No entries:
 * as the kernel makes it by default. -EMSGSIZE: more than an attribute can hold. */
int nb_message_set_rss(uint16_t family, const char *ifname, const uint32_t *entries, unsigned n,
		       struct nl_msg **ret);

/* Whether a notification of the ethtool family is about channels or rings: a change of either makes
 * drivers tear down and rebuild their queues. *ret_ifindex is 0 when it names no device. */
bool nb_message_is_queue_change(struct nlmsghdr *hdr, int *ret_ifindex);
