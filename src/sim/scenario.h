/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What happens to a host that is made of data. Pure: text in, struct out. Times are nanoseconds
 * since the beginning, shares basis points of one CPU. nicbalance-scenario(5) documents the text.
 */

#include "nicbalance/snapshot.h"

#include <glib.h>

enum nb_placement {
	NB_PLACEMENT_LADDER,    /* queue i of a NIC on the ith CPU of its node, as drivers do */
	NB_PLACEMENT_COLLAPSED, /* all on the first CPU */
	NB_PLACEMENT_LISTED,    /* as the scenario says */
	_NB_PLACEMENT_MAX,
	_NB_PLACEMENT_INVALID = -1,
};

struct nb_sim_nic {
	char name[NB_IFNAME_MAX];
	int node; /* NB_NODE_NONE: none */
	bool spill;
	unsigned n_queues; /* that it can have */
	unsigned n_in_use; /* at first, as ethtool -l tells; the others wait for ethtool -L */
	enum nb_placement placement;
	unsigned *cpus;         /* of each queue, when listed; owned */
	uint64_t irq_nsec;      /* of one hard interrupt */
	uint64_t driver_nsec;   /* of one packet in the driver's poll */
	unsigned coalesce_usec; /* least time between two interrupts of a queue */
	bool fixed_table;       /* its RSS table can be neither read nor set */
	bool no_hash;           /* it does not tell the hash of a packet (ethtool -K rxhash off) */
	bool is_virtual;        /* without hardware: no interrupt, polled where it is first */
	bool managed;           /* the kernel places its interrupts, and lets nobody move them */
	bool threaded;          /* threaded NAPI where nothing cheaper helps … */
	bool linked;            /* … which can be switched for one queue alone */
	bool follows; /* its poll checks the affinity (mlx5, i40e …), so it never gets stuck */
	/* napi_defer_hard_irqs times gro_flush_timeout: an interrupt is enabled again only after so
	 * long without a packet; 0: after each poll. */
	uint64_t defer_nsec;
	/* What the daemon is asked to make of it, as in struct nb_nic. */
	uint32_t channels_asked;
	bool udp_ports_asked;
};

/* Packets that arrive at one NIC, from begin to end. */
struct nb_sim_traffic {
	unsigned nic; /* position */
	uint64_t begin_nsec;
	uint64_t end_nsec; /* 0: never */
	uint64_t packets_per_sec;
	unsigned n_flows;     /* hashed into the 128 buckets of the RSS table */
	unsigned skew_bp;     /* 0: flows alike; 10000: the ith has 1/i of the first (Zipf) */
	unsigned elephant_bp; /* of all packets, in n_elephants flows alike */
	unsigned n_elephants;
	unsigned elephant_queue; /* where all of these fall; UINT_MAX: on any */
	/* Hashed by addresses alone, of which there are n_flows, until its NIC hashes ports, too.
	 */
	bool addresses_only;
	uint64_t protocol_nsec; /* of one packet above the driver: what RPS can take elsewhere */
	unsigned noise_bp;      /* of the rate, from second to second */
	/* The packets of a second come in so many bursts, of all queues at the same time; 0:
	 * evenly.
	 */
	unsigned bursts_per_sec;
};

/* A thread that is always ready to run for its share of a CPU. */
struct nb_sim_application {
	uint64_t begin_nsec;
	uint64_t end_nsec; /* 0: never */
	uint32_t share;
	int cpu;              /* pinned; -1: wanders to the idlest CPU */
	uint64_t wander_nsec; /* how often */
	int nic;              /* position; -1: it follows no queue */
	unsigned queue;       /* that it goes to where its NAPI is polled, as late as it wanders */
};

enum nb_sim_event_kind {
	NB_SIM_RESET,   /* a NIC: its queues begin again with its placement */
	NB_SIM_FOREIGN, /* someone puts the first n interrupts of a NIC on a CPU */
	NB_SIM_ADD,     /* a NIC appears (it is not there before) */
	NB_SIM_OFFLINE, /* a CPU goes, its interrupts to any other */
	_NB_SIM_EVENT_MAX,
	_NB_SIM_EVENT_INVALID = -1,
};

struct nb_sim_event {
	uint64_t at_nsec;
	enum nb_sim_event_kind kind;
	unsigned nic;
	unsigned cpu;
	unsigned n;
};

typedef struct nb_scenario {
	char *title; /* owned */
	uint64_t seed;
	uint64_t length_nsec;
	unsigned n_cpus, n_threads, n_nodes, n_llcs; /* threads of a core; caches of a node */
	struct nb_cpumask isolated;
	struct nb_cpumask small;       /* CPUs of less capacity than the others … */
	uint32_t small_bp;             /* … which is so much of theirs, basis points */
	enum nb_grade grade;           /* what the daemon sees: estimated or measured */
	enum nb_accounting accounting; /* of the estimated grade */
	unsigned ticks_per_sec;        /* HZ, for accounting by the tick */
	uint64_t rps_nsec;     /* what RPS adds to a packet: interrupt to another CPU, caches */
	unsigned refuse_bp;    /* writes that the kernel refuses for a passing reason */
	uint64_t delay_nsec;   /* until a write takes effect */
	bool remaps;           /* interrupts are remapped: a write need not wait for the next one */
	bool threaded_backlog; /* kernel threads do what RPS steers, in no softirq */
	bool fair;             /* softirqs of a full CPU leave applications half of it */
	GArray *nics, *traffic, *applications, *events; /* owned */
} nb_scenario;

/* On failure ret_error is one line for each fault, "line: what is wrong; what to write instead"
 * (caller frees), and -EINVAL is returned. */
int nb_scenario_parse(const char *text, size_t len, struct nb_scenario **ret, char **ret_error);
void nb_scenario_free(struct nb_scenario *scenario);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(nb_scenario, nb_scenario_free)
