/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* One setting of the kernel: a file with a mask of CPUs, or what ethtool sets of a device; and its
 * owner. */

#include "netlink/netlink.h"
#include "nicbalance/outcome.h"
#include "nicbalance/snapshot.h"
#include "sysroot/sysroot.h"

enum nb_knob_type {
	NB_KNOB_IRQ,      /* proc/irq/N/smp_affinity */
	NB_KNOB_RPS,      /* sys/class/net/NAME/queues/rx-N/rps_cpus */
	NB_KNOB_XPS,      /* sys/class/net/NAME/queues/tx-N/xps_cpus */
	NB_KNOB_THREAD,   /* the affinity of the NAPI thread whose pid is queue.index */
	NB_KNOB_RSS,      /* the indirection table of NAME, by ethtool; a value as in table.h */
	NB_KNOB_THREADED, /* sys/class/net/NAME/threaded */
	NB_KNOB_NAPI,     /* threaded NAPI of the NAPI of a receive queue alone, by netlink */
	NB_KNOB_RFS,      /* sys/class/net/NAME/queues/rx-N/rps_flow_cnt */
	NB_KNOB_RFS_HOST, /* proc/sys/net/core/rps_sock_flow_entries */
	NB_KNOB_CHANNELS, /* how many channels of NAME receive */
	NB_KNOB_UDP_HASH, /* by which fields NAME hashes UDP over the IP version in queue.index */
	NB_KNOB_VMBUS,    /* sys/class/net/NAME/device/channels/ID/cpu, of the channel that serves
			     queue; irq is its number (NB_IRQ_CHANNEL) */
	_NB_KNOB_TYPE_MAX,
	_NB_KNOB_TYPE_INVALID = -1,
};

/* Where knobs are. Both are borrowed. */
struct nb_access {
	struct nb_sysroot *root;
	struct nb_netlink *netlink; /* NULL for a captured machine: ethtool reaches nothing of it */
};

/* irq and queue are zero where the type has none, so that knobs compare by all three; of an RSS
 * table's queue only the device counts. */
typedef struct nb_knob {
	enum nb_knob_type type;
	uint32_t irq;
	struct nb_queue_key queue;
	char *name; /* owned: handlers of the interrupt ("" for none), the interface, the thread, or
		     * "net.core"
		     */
	/* Owned: "HWIRQ@CHIP" of an interrupt, which stays the same as long as its device does;
	 * NULL where the kernel does not tell (CONFIG_SPARSE_IRQ), or an older baseline does not.
	 * When a thread began. */
	char *vector;
} nb_knob;

/* The knob of an interrupt, named by the handlers it has now (none where the file is missing). */
int nb_knob_irq(struct nb_sysroot *root, uint32_t irq, struct nb_knob *ret);
/* That of the i-th interrupt of a queue, or of the channel in its place. -ENOENT: the channel is
 * gone, or serves another queue by now. */
int nb_knob_of_queue(const struct nb_access *access, const struct nb_machine *machine,
		     const struct nb_queue *queue, unsigned i, struct nb_knob *ret);
void nb_knob_rps(struct nb_queue_key queue, const char *ifname, struct nb_knob *ret);
void nb_knob_xps(struct nb_queue_key queue, const char *ifname, struct nb_knob *ret);
/* As it is now. -ENOENT: that pid is of no NAPI thread. */
int nb_knob_thread(struct nb_sysroot *root, int ifindex, uint32_t pid, struct nb_knob *ret);
void nb_knob_rss(int ifindex, const char *ifname, struct nb_knob *ret);
/* Of one queue, or of all (NB_EVERY_QUEUE). */
void nb_knob_threaded(struct nb_queue_key key, const char *ifname, struct nb_knob *ret);
void nb_knob_rfs(struct nb_queue_key queue, const char *ifname, struct nb_knob *ret);
void nb_knob_rfs_host(struct nb_knob *ret);
void nb_knob_channels(int ifindex, const char *ifname, struct nb_knob *ret);
void nb_knob_udp_hash(int ifindex, const char *ifname, unsigned ip_version, struct nb_knob *ret);
void nb_knob_copy(const struct nb_knob *knob, struct nb_knob *ret);
void nb_knob_clear(struct nb_knob *knob);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(nb_knob, nb_knob_clear)

/* Whether both are the same number, whatever the owner; and the hash that goes with it. */
bool nb_knob_equal(const struct nb_knob *a, const struct nb_knob *b);
unsigned nb_knob_hash(const struct nb_knob *knob);

/* Whether a knob from the baseline is still the same interrupt: numbers are reused. By the vector:
 * handlers are named anew when an interface is renamed or has other queues, and join and leave a
 * shared line. Where it is not known by the names, of which those of one must all be among those of
 * the other. An interrupt without handlers passes then: its descriptor, and with it the directory
 * in proc/irq, outlives them while the interface is down. A thread by when it began. True for other
 * types: an ifindex is not reused. */
bool nb_knob_same_owner(const struct nb_knob *kept, const struct nb_knob *now);

enum nb_holding {
	NB_HOLDS_CPUS,   /* value.h */
	NB_HOLDS_NUMBER, /* value.h */
	NB_HOLDS_TABLE,  /* table.h */
};

enum nb_holding nb_knob_holding(enum nb_knob_type type);

/* Checks the present owner of the knob. 0, or -ENOENT: another interrupt or device. */
int nb_knob_find(const struct nb_access *access, const struct nb_knob *knob);

/* Gives a knob of an interface the name that this has now. *names are those of all interfaces by
 * number, read when the first knob needs them: NULL before; the caller unrefs them. */
void nb_knob_follow_rename(const struct nb_access *access, struct nb_knob *knob,
			   GHashTable **names);

/* Caller unrefs. -EBADMSG: it holds something else. -EOPNOTSUPP: the device has no such setting. */
int nb_knob_read(const struct nb_access *access, const struct nb_knob *knob, GBytes **ret);
bool nb_knob_holds(const struct nb_access *access, const struct nb_knob *knob, GBytes *value);

/* Whether its file mode allows writing: since 6.12 that of managed interrupts does not. Of what
 * ethtool sets only an attempt tells. */
bool nb_knob_is_settable(const struct nb_access *access, const struct nb_knob *knob);
/* NB_OUTCOME_STALE may leave a value that is neither the old one nor this: of an RPS mask the
 * kernel drops CPUs it does not want without saying so. */
enum nb_outcome nb_knob_write(const struct nb_access *access, const struct nb_knob *knob,
			      GBytes *value);
