/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What only sockets provide: which NAPI and interrupt serve a queue, packets per queue, the RSS
 * table, and notifications. Errors of libnl and ioctl become negative errnos; -EOPNOTSUPP: this
 * kernel or driver does not support it. */

#include "nicbalance/netdev.h"

#include <glib.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct nb_netlink nb_netlink;

/* Opens the families netdev (6.3) and ethtool (5.6), where the kernel has them, and an ethtool
 * socket. Needs no privilege. */
int nb_netlink_new(struct nb_netlink **ret);
/* Opens the ethtool socket only: netlink requests are -EOPNOTSUPP. */
int nb_netlink_new_ethtool(struct nb_netlink **ret);
void nb_netlink_free(struct nb_netlink *netlink);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(nb_netlink, nb_netlink_free)

/* An answer takes milliseconds, unless it waits for a lock. What others say about who may run where
 * has to be obeyed in time meanwhile. */
#define NB_NETLINK_PATIENCE_USEC 250000u

/* How long to wait for the answer to a request; at first, as long as it takes. Most requests take
 * the RTNL lock, which another program may hold for many seconds (a driver that resets its device).
 * -ETIMEDOUT: there was no answer by then; until it comes all requests fail with -EBUSY, at once.
 * What changes something is waited for to its end. */
void nb_netlink_set_patience(struct nb_netlink *netlink, uint64_t patience_usec);
/* How many requests went without an answer for that reason. */
unsigned nb_netlink_given_up(const struct nb_netlink *netlink);

enum nb_queue_direction { NB_QUEUE_RX, NB_QUEUE_TX };

/* Whether a NAPI may leave its interrupt masked after a poll and be polled by a timer
 * (defer-hard-irqs with gro-flush-timeout), or by an application (irq-suspend-timeout). */
enum nb_deferral {
	NB_DEFERRAL_UNKNOWN, /* before 6.13 only the device says */
	NB_DEFERRAL_OFF,
	NB_DEFERRAL_ON,
};

/* One active queue and the interrupt behind its NAPI (queue-get joined with napi-get, 6.8). */
struct nb_netlink_queue {
	enum nb_queue_direction direction;
	unsigned index;
	uint32_t napi_id; /* 0: the driver does not say */
	uint32_t irq;     /* 0: the driver does not say */
	uint32_t thread;  /* pid of the kernel thread that polls it, as this process knows it; 0:
			     none */
	enum nb_deferral deferral;
	enum nb_threading threading;
};

/* Appends struct nb_netlink_queue of one device to queues: none for a device that is down. -ENODEV:
 * there is no such device. On failure queues is as it was. */
int nb_netlink_get_queues(struct nb_netlink *netlink, int ifindex, GArray *queues);

/* Whether a kernel thread polls the NAPI of a receive queue, and a change of that for this NAPI
 * alone (napi-set, 6.17). Its id is looked up each time: it is another after the device was down,
 * with many drivers. Whoever switches it off waits until the NAPI has completed. -EOPNOTSUPP: an
 * older kernel, or the driver links no NAPI to the queue. -EAGAIN: the device is down, or its
 * driver resets it. -ENOENT: it has no such queue. The change takes CAP_NET_ADMIN. */
int nb_netlink_get_threading(struct nb_netlink *netlink, int ifindex, unsigned queue,
			     enum nb_threading *ret);
int nb_netlink_set_threading(struct nb_netlink *netlink, int ifindex, unsigned queue, bool on);

struct nb_netlink_queue_stats {
	enum nb_queue_direction direction;
	unsigned index;
	uint64_t packets;
	uint64_t bytes;
	bool counts_drops; /* of a receive queue: the driver counts what the NIC drops there */
	uint64_t drops;    /* for want of a buffer, if it tells these from others (6.10) */
};

/* qstats-get of scope queue (6.9). Replaces the contents of stats; queues without a packet counter
 * are left out. -EOPNOTSUPP: the driver has no such statistics. */
int nb_netlink_get_queue_stats(struct nb_netlink *netlink, int ifindex, GArray *stats);

/* ETHTOOL_GSTATS: names once (caller frees, g_strfreev), then the values alone into values, a
 * GArray of uint64_t that keeps its memory. -ESTALE: the number of statistics changed, ask for the
 * names again; values is then untouched. */
int nb_netlink_get_stat_names(struct nb_netlink *netlink, const char *ifname, char ***ret_names);
int nb_netlink_get_stat_values(struct nb_netlink *netlink, const char *ifname, unsigned n_names,
			       GArray *values);

/* How many queues a device has (ETHTOOL_GCHANNELS): each kind, and the most of it. */
struct nb_channels {
	unsigned rx, tx, other, combined;
	unsigned most_rx, most_tx, most_other, most_combined;
};
int nb_netlink_get_channels(struct nb_netlink *netlink, const char *ifname,
			    struct nb_channels *ret);
/* Whether its channels receive and transmit, rather than one or the other; and how many of those
 * that receive are in use. */
bool nb_channels_combine(const struct nb_channels *channels);
unsigned nb_channels_in_use(const struct nb_channels *channels);
/* Changes how many channels receive (ETHTOOL_SCHANNELS), and leaves the other kinds as they are.
 * Most drivers close and open the device for it: its link goes down, and its interrupts are others
 * afterwards. -EINVAL: more than it can have, or its RSS table holds a queue that would go. Takes
 * CAP_NET_ADMIN. */
int nb_netlink_set_channels(struct nb_netlink *netlink, const char *ifname, unsigned n);

/* Whether UDP over IPv4 is hashed by its ports, too, or by its addresses alone, which many drivers
 * set as packets of one flow may otherwise be overtaken by fragments (ETHTOOL_GRXFH). */
int nb_netlink_get_udp_hash(struct nb_netlink *netlink, const char *ifname, bool *ret_ports);

/* The same as the fields themselves (RXH_…), of UDP over either version of IP; and a change of them
 * (ETHTOOL_SRXFH), which takes CAP_NET_ADMIN. -EOPNOTSUPP: it does not hash UDP by fields. */
int nb_netlink_get_udp_fields(struct nb_netlink *netlink, const char *ifname, unsigned ip_version,
			      uint64_t *ret);
int nb_netlink_set_udp_fields(struct nb_netlink *netlink, const char *ifname, unsigned ip_version,
			      uint64_t fields);
/* Those of the ports. */
extern const uint64_t nb_port_fields;

/* How long an interrupt may wait (ETHTOOL_GCOALESCE); 0: not for that reason. */
struct nb_coalescing {
	bool adaptive_rx, adaptive_tx; /* the driver chooses */
	unsigned rx_usec, rx_frames;
	unsigned tx_usec, tx_frames;
};
int nb_netlink_get_coalescing(struct nb_netlink *netlink, const char *ifname,
			      struct nb_coalescing *ret);

/* The RSS indirection table of a device (ETHTOOL_GRSSH, context 0): replaces the contents of
 * entries, a GArray of uint32_t, by the receive queue of each. n_rings is the number of receive
 * queues by the kernel's word; with it ethtool_rxfh_indir_default() makes the table of a device on
 * which nobody has set one. -EAGAIN: its size changed in between. -EOPNOTSUPP: it has none. */
int nb_netlink_get_rss(struct nb_netlink *netlink, const char *ifname, GArray *entries,
		       unsigned *ret_n_rings);
/* Writes it, and nothing else of RSS, by netlink (RSS_SET, 6.17), else ETHTOOL_SRSSH: n must be its
 * size. 0: as the kernel makes it by default, and no longer set by anyone (IFF_RXFH_CONFIGURED), so
 * that it follows the number of queues again. -EINVAL: it holds a queue that is not there, or has
 * another size. Takes CAP_NET_ADMIN. */
int nb_netlink_set_rss(struct nb_netlink *netlink, const char *ifname, const uint32_t *entries,
		       unsigned n);

/* How it makes the hash of a packet, of which that table has the queue. */
#define NB_RSS_KEY 40u
struct nb_rss_hash {
	bool has_key;            /* many drivers do not tell it, and have the kernel's */
	uint8_t key[NB_RSS_KEY]; /* as much as counts for two addresses of IPv6 and two ports */
	bool tcp_ports[2], udp_ports[2]; /* over IPv4 and IPv6; else by addresses alone */
};
/* -EOPNOTSUPP: not Toeplitz's hash of the headers as they are (another hfunc, or an input_xfrm), or
 * by a shorter key. */
int nb_netlink_get_rss_hash(struct nb_netlink *netlink, const char *ifname,
			    struct nb_rss_hash *ret);

/* For tests: every ethtool request goes to this function instead, in the kernel's layout, and is
 * answered there, or by a negative errno. */
typedef int (*nb_ethtool_answer)(const char *ifname, void *request, void *userdata);
void nb_netlink_set_ethtool(struct nb_netlink *netlink, nb_ethtool_answer answer, void *userdata);
struct nlmsghdr;
/* The same for what is changed by messages, as of a kernel that can set RSS by one. */
typedef int (*nb_ethtool_change_answer)(struct nlmsghdr *request, void *userdata);
void nb_netlink_set_ethtool_change(struct nb_netlink *netlink, nb_ethtool_change_answer answer,
				   void *userdata);

/* The same for requests of the family netdev about queues and NAPIs, as of a kernel that can switch
 * threaded NAPI of one: each message of the answer goes to take, which is NULL for a change. */
typedef int (*nb_netdev_answer)(struct nlmsghdr *request,
				int (*take)(struct nlmsghdr *hdr, void *userdata), void *taker,
				void *userdata);
void nb_netlink_set_netdev(struct nb_netlink *netlink, nb_netdev_answer answer, void *userdata);

/* A change: at most one call of the callback for each kind in a batch of messages. */
enum nb_notice {
	NB_NOTICE_LINK, /* rtnetlink: a link came, went, went up or down, was renamed or enslaved */
	NB_NOTICE_QUEUES, /* ethtool channels or rings (either rebuilds the queues), or a queue
			     object came or went */
	NB_NOTICE_CPUS,   /* a CPU went online or offline */
	NB_NOTICE_LOST,   /* the socket overflowed (ENOBUFS): anything may have changed */
};

typedef struct nb_netlink_monitor nb_netlink_monitor;
typedef void (*nb_netlink_notify)(enum nb_notice change, int ifindex, void *userdata);

/* Subscribes to RTNLGRP_LINK, ethtool's monitor group and kernel uevents. ifindex is 0 if a change
 * is not of one device, or its device is gone. Changes before the call are not reported, nor link
 * messages without a change (the same flags, name and master as before). */
int nb_netlink_monitor_new(nb_netlink_notify change, void *userdata,
			   struct nb_netlink_monitor **ret);
void nb_netlink_monitor_free(struct nb_netlink_monitor *monitor);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(nb_netlink_monitor, nb_netlink_monitor_free)

/* The descriptors to poll for reading, at most NB_NETLINK_MONITOR_FDS; returns how many. */
#define NB_NETLINK_MONITOR_FDS 3
unsigned nb_netlink_monitor_fds(const struct nb_netlink_monitor *monitor,
				int fds[NB_NETLINK_MONITOR_FDS]);
/* Reads what is waiting on all of them and calls back. Waits only where something was lost, a
 * quarter of a second at most. On failure what was read until
 * then has been reported. */
int nb_netlink_monitor_dispatch(struct nb_netlink_monitor *monitor);
