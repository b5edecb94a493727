/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Network devices and their queues, as found by a rescan. Plain data. */

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#define NB_IFNAME_MAX 16 /* IFNAMSIZ */
#define NB_DRIVER_MAX 32
#define NB_QUEUE_IRQS_MAX 2

/* Of a NIC of Hyper-V's VMBus a queue is interrupted by a channel, which has no number in
 * /proc/irq, but one CPU and a file to change it. It stands in the place of an interrupt's number
 * as its id with this bit: no host has memory for so many interrupts. */
#define NB_IRQ_CHANNEL 0x40000000u

static inline bool nb_irq_is_channel(uint32_t irq)
{
	return irq & NB_IRQ_CHANNEL;
}

static inline uint32_t nb_irq_channel(uint32_t irq)
{
	return irq & ~NB_IRQ_CHANNEL;
}

/* Names a queue for as long as its device exists. Devices are keyed by ifindex, never by name. */
struct nb_queue_key {
	int ifindex;
	unsigned index;
};

static inline int nb_queue_key_compare(struct nb_queue_key a, struct nb_queue_key b)
{
	if (a.ifindex != b.ifindex)
		return a.ifindex < b.ifindex ? -1 : 1;
	return a.index == b.index ? 0 : a.index < b.index ? -1 : 1;
}

/* Index of a key that stands for all queues of its NIC. */
#define NB_EVERY_QUEUE UINT_MAX

static inline struct nb_queue_key nb_queue_key_every(int ifindex)
{
	return (struct nb_queue_key){.ifindex = ifindex, .index = NB_EVERY_QUEUE};
}

/* Whether a queue is the one, or one of those, that named stands for. */
static inline bool nb_queue_key_covers(struct nb_queue_key named, struct nb_queue_key queue)
{
	return named.ifindex == queue.ifindex &&
	       (named.index == NB_EVERY_QUEUE || named.index == queue.index);
}

/* Whether a kernel thread polls a NAPI, where that can be switched for it alone (Linux 6.17). */
enum nb_threading {
	NB_THREADING_UNKNOWN, /* an older kernel, or a driver that links no NAPI to the queue */
	NB_THREADING_OFF,
	NB_THREADING_ON,
	NB_THREADING_BUSY, /* and it never sleeps */
};

/* The receive and transmit queue of one index with the interrupts that serve them, which move
 * together. Most drivers give a pair one interrupt; virtio-net and some others give it two. Queues
 * that share an interrupt are one unit under the lowest index. */
struct nb_queue {
	struct nb_queue_key key;
	bool has_rx;
	bool has_tx;
	unsigned n_irqs;                  /* 0: no interrupt of its own is known */
	uint32_t irqs[NB_QUEUE_IRQS_MAX]; /* receive first; or one channel */
	/* Its NAPI may leave its interrupt masked after a poll, to be polled by a timer
	 * (napi_defer_hard_irqs with gro_flush_timeout) or by an application. */
	bool defers;
	bool ignored; /* by the configuration: none of its interrupts is moved */
	/* Pid of the kernel thread that polls its receive queue, the first of several (threaded
	 * NAPI); 0: netlink tells of none. */
	uint32_t thread;
	enum nb_threading threading; /* of the NAPI of the receive queue with this index */
};

static inline bool nb_queue_has_channel(const struct nb_queue *queue)
{
	return queue->n_irqs > 0 && nb_irq_is_channel(queue->irqs[0]);
}

enum nb_mapping {
	NB_MAPPING_NONE,
	NB_MAPPING_NETLINK, /* netdev generic netlink: queue-get, napi-get */
	NB_MAPPING_NAMES,   /* the driver's naming in the handler names */
	NB_MAPPING_CONFIG,  /* a [Device] section of the configuration */
	NB_MAPPING_VMBUS,   /* channels of the VMBus */
	_NB_MAPPING_MAX,
	_NB_MAPPING_INVALID = -1,
};

/* Why a device is in scope, or is not. */
enum nb_scope {
	NB_SCOPE_IN,
	NB_SCOPE_DOWN,    /* not up: its queues raise no interrupts */
	NB_SCOPE_VIRTUAL, /* no hardware, no interrupts of its own */
	NB_SCOPE_STEERED, /* the same, but its NAPIs cost: its queue has no interrupt, and gets RPS
			   */
	NB_SCOPE_STACKED, /* bond, team, VLAN, bridge: its physical ports are in scope instead */
	NB_SCOPE_NO_INTERRUPTS, /* hardware, but no interrupt could be matched to a queue */
	NB_SCOPE_FIXED,         /* interrupts tied to CPUs by hardware (DPAA portals) */
	NB_SCOPE_IGNORED,       /* by the configuration */
	_NB_SCOPE_MAX,
	_NB_SCOPE_INVALID = -1,
};

/* A machine lists the queues of those alone. */
static inline bool nb_scope_has_queues(enum nb_scope scope)
{
	return scope == NB_SCOPE_IN || scope == NB_SCOPE_STEERED;
}

enum nb_packets_source {
	NB_PACKETS_NONE,    /* weights fall back on interrupt counts */
	NB_PACKETS_QSTATS,  /* netdev generic netlink qstats-get */
	NB_PACKETS_ETHTOOL, /* ETHTOOL_GSTATS, matched by the driver's names */
	_NB_PACKETS_MAX,
	_NB_PACKETS_INVALID = -1,
};

/* By what a NIC chooses the receive queue of a UDP packet. */
enum nb_udp_hash {
	NB_UDP_HASH_UNKNOWN,
	NB_UDP_HASH_ADDRESSES, /* all packets between two hosts have one queue */
	NB_UDP_HASH_PORTS,
};

/* What an administrator could change of a NIC, where balancing does not get at the cause. */
enum nb_advice {
	NB_ADVICE_CHANNELS, /* it has fewer than the host has use for */
	NB_ADVICE_UDP_HASH, /* one queue has most of the packets, and ports are not hashed */
	NB_ADVICE_TUNNEL,   /* one queue has most of the packets, and a tunnel explains them */
	NB_ADVICE_THREADS,  /* the daemon may not place its NAPI threads */
	_NB_ADVICE_MAX,
	_NB_ADVICE_INVALID = -1,
};

/* Channels= of a [Device] section. */
#define NB_CHANNELS_KEEP 0u
#define NB_CHANNELS_MAX UINT32_MAX /* as many as it and the CPUs that it may use have */

struct nb_nic {
	int ifindex;
	char name[NB_IFNAME_MAX];
	char driver[NB_DRIVER_MAX]; /* "" when unknown */
	/* The busiest tunnel that is not bound to another NIC, of those of which a NIC sees only
	 * the outer addresses; "": there is none. */
	char tunnel[NB_IFNAME_MAX];
	int node;   /* nearest NUMA node that has CPUs, or NB_NODE_NONE */
	bool spill; /* its queues may go to other nodes, while its own is full */
	int master; /* ifindex of the bond, team or bridge it is a port of, or 0 */
	enum nb_scope scope;
	enum nb_mapping mapping;
	enum nb_packets_source packets;
	unsigned n_rx; /* active receive queues */
	unsigned n_tx;
	unsigned n_slow_path; /* link, mailbox, admin vectors: recognised and left alone */
	unsigned n_channels;  /* of received packets (ETHTOOL_GCHANNELS); 0: it does not say */
	unsigned most_channels;
	bool combines_channels;    /* each with a transmit queue */
	enum nb_udp_hash udp_hash; /* over IPv4 */
	/* What the configuration asks for; of the hash UNKNOWN: nothing. */
	unsigned channels_asked;
	enum nb_udp_hash udp_hash_asked;
	bool threaded_allowed; /* threaded NAPI, where nothing cheaper helps */
};
