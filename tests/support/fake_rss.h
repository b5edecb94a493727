/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Answers ethtool requests for the RSS table of one device as the real kernel does
 * (net/ethtool/ioctl.c ethtool_get_rxfh(), ethtool_set_rxfh()), and for its channels and the fields
 * by which it hashes UDP. */

#include "netlink/netlink.h"

#define NB_FAKE_RSS_MAX 4096u

typedef struct nb_fake_rss {
	const char *ifname;
	uint32_t entries[NB_FAKE_RSS_MAX];
	unsigned n; /* 0: the device hashes, but has no table */
	unsigned n_rings;
	bool configured; /* IFF_RXFH_CONFIGURED */
	bool unsupported;
	bool lacks_net_admin;
	bool fixed; /* the driver refuses another table (-EOPNOTSUPP) */
	/* In the byte behind hfunc: 0 before 6.8, where it has to be. */
	uint8_t input_xfrm;
	uint8_t hfunc;
	unsigned key_size; /* 0: the driver does not tell it */
	uint8_t key[52];
	unsigned n_sets;
	/* By messages; and whether they are compared as up to 7.1. */
	unsigned n_messages;
	bool compares_bytes;
	unsigned most_channels; /* combined; as many as rings are in use; 0: it has no such setting
				 */
	unsigned n_flaps;       /* times that its channels changed */
	uint64_t udp_fields[2]; /* IPv4, IPv6; 0: not hashed */
	uint64_t tcp_fields[2];
	/* The first-th request from now on (from 1), of reading or writing, and count − 1 behind it
	 * answer error and do nothing. */
	unsigned n_requests, fail_first, fail_count;
	int fail_error;
} nb_fake_rss;

/* The kernel's default. */
void nb_fake_rss_reset(struct nb_fake_rss *rss);
/* Takes the place of every ethtool request of netlink. Both are borrowed. */
void nb_fake_rss_attach(struct nb_fake_rss *rss, struct nb_netlink *netlink);
/* Takes messages that set the table, too (net/ethtool/rss.c ethnl_rss_set()). */
void nb_fake_rss_attach_messages(struct nb_fake_rss *rss, struct nb_netlink *netlink);
/* The table, as "0,1,0,1"; caller frees. */
char *nb_fake_rss_text(const struct nb_fake_rss *rss);
/* What another writer sets: each entry in turn. */
void nb_fake_rss_set(struct nb_fake_rss *rss, const char *text);
