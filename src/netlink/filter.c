/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netlink/filter.h"

#include <errno.h>
#include <glib.h>
#include <linux/filter.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#define PASS BPF_STMT(BPF_RET | BPF_K, UINT32_MAX)
#define DROP BPF_STMT(BPF_RET | BPF_K, 0)
#define LOAD(size, offset) BPF_STMT(BPF_LD | (size) | BPF_ABS, offset)
#define IF_EQUAL(value, then, otherwise) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, then, otherwise)
#define EXTENSION(what) LOAD(BPF_W, (uint32_t)(SKF_AD_OFF + (what)))
#define TEXT(a, b, c, d) \
	((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))

#define FAMILY_OFFSET (NLMSG_HDRLEN + offsetof(struct ifinfomsg, ifi_family))
#define ATTRIBUTES_OFFSET (NLMSG_HDRLEN + NLMSG_ALIGN(sizeof(struct ifinfomsg)))

static int attach(int fd, struct sock_filter *filter, size_t len)
{
	struct sock_fprog program = {.len = (unsigned short)len, .filter = filter};

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) < 0 ? -errno
											   : 0;
}

/* A notification is one message (net/core/rtnetlink.c rtmsg_ifinfo_build_skb()). The extensions
 * search attribute X from offset A on, or in the attribute at A, and load its offset, or 0. */
int nb_filter_links(int fd)
{
	struct sock_filter filter[] = {
		LOAD(BPF_B, FAMILY_OFFSET),
		IF_EQUAL(AF_UNSPEC, 1, 0),
		DROP,
		BPF_STMT(BPF_LD | BPF_IMM, ATTRIBUTES_OFFSET),
		BPF_STMT(BPF_LDX | BPF_IMM, IFLA_PARENT_DEV_NAME),
		EXTENSION(SKF_AD_NLATTR),
		IF_EQUAL(0, 0, 7),
		BPF_STMT(BPF_LD | BPF_IMM, ATTRIBUTES_OFFSET),
		BPF_STMT(BPF_LDX | BPF_IMM, IFLA_LINKINFO),
		EXTENSION(SKF_AD_NLATTR),
		IF_EQUAL(0, 3, 0),
		BPF_STMT(BPF_LDX | BPF_IMM, IFLA_INFO_KIND),
		EXTENSION(SKF_AD_NLATTR_NEST),
		IF_EQUAL(0, 0, 1),
		PASS,
		DROP,
	};

	return attach(fd, filter, G_N_ELEMENTS(filter));
}

/* Messages begin with "ACTION@DEVPATH" (lib/kobject_uevent.c), and what follows is longer than the
 * offsets below. */
#define IF_VIRTUAL_DROP(offset)                                                                   \
	LOAD(BPF_W, offset), IF_EQUAL(TEXT('/', 'd', 'e', 'v'), 0, 7), LOAD(BPF_W, (offset) + 4), \
		IF_EQUAL(TEXT('i', 'c', 'e', 's'), 0, 5), LOAD(BPF_W, (offset) + 8),              \
		IF_EQUAL(TEXT('/', 'v', 'i', 'r'), 0, 3), LOAD(BPF_W, (offset) + 12),             \
		IF_EQUAL(TEXT('t', 'u', 'a', 'l'), 0, 1), DROP, PASS

int nb_filter_uevents(int fd)
{
	struct sock_filter filter[] = {
		LOAD(BPF_W, 0),
		IF_EQUAL(TEXT('a', 'd', 'd', '@'), 0, 10),
		IF_VIRTUAL_DROP(4),
		IF_EQUAL(TEXT('r', 'e', 'm', 'o'), 0, 10),
		IF_VIRTUAL_DROP(7),
		IF_EQUAL(TEXT('o', 'n', 'l', 'i'), 1, 0),
		IF_EQUAL(TEXT('o', 'f', 'f', 'l'), 0, 1),
		PASS,
		DROP,
	};

	return attach(fd, filter, G_N_ELEMENTS(filter));
}
