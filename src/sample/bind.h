/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Which queue a NAPI is of, of those that the probe counts. */

#include "bpf/probe.h"
#include "sample/discover/scan.h"

/* A NAPI whose interrupt is not known (yet) belongs to no queue. */
#define NO_QUEUE (-1)

/* What was read of a NAPI last. */
struct seen_napi {
	uint32_t serial;
	uint32_t irq;
	int queue;                 /* position among the machine's queues, or NO_QUEUE */
	struct nb_queue_key known; /* without its interrupt's votes; ifindex 0: not so */
	bool by_packets;           /* that is by as many packets alone, and may be wrong */
	uint64_t poll_nsec;
	uint64_t threaded_nsec;
	uint64_t packets;
	uint64_t complete_packets; /* at the last complete sample */
	uint32_t polls;            /* in softirq */
	uint32_t threaded_polls;
	uint32_t busy_polls;
	uint32_t exhausted; /* of these polls: less than was read where one was under way */
};

/* How a queue was polled just now. */
struct polled_queue {
	uint64_t longest_nsec; /* by one NAPI of it */
	uint32_t thread;       /* the one that polled what it received, the first of several */
	int thread_cpu;        /* where that did last */
	bool by_softirq;       /* what it received was */
};

struct seen_irq {
	uint32_t irq;
	unsigned queue;
	int position; /* among the probe's interrupts */
	uint64_t irq_nsec;
	uint32_t count;
};

/* What went on, on a CPU, with packets that were received there. */
struct seen_onward {
	uint64_t onward_nsec, backlog_nsec; /* of the probe, read last */
	uint64_t new_nsec;                  /* since the sample before */
	uint64_t whole_nsec;   /* since then: polls of queues, and of the backlog, that led to it */
	uint64_t carried_nsec; /* so far: what counts for queues */
};

/* Of a device without hardware, read last on one CPU. */
struct seen_virtual {
	uint64_t nsec;
	uint32_t packets;
	uint32_t polls;
	uint32_t exhausted; /* as in struct seen_napi */
};

/* What devices that were not told had of a CPU. */
struct seen_untold {
	uint64_t nsec; /* read last */
	uint64_t new_nsec;
};

/* What NAPIs did on a CPU while it was not known of which queue they are. */
struct seen_unknown {
	uint64_t nsec;
	uint64_t packets;
};

struct nb_timing {
	struct nb_probe *probe;
	const struct nb_scan *scan;
	GArray *napis;       /* struct seen_napi, parallel to the probe's */
	GArray *irqs;        /* struct seen_irq of the machine's queues, ascending by irq */
	GArray *complete_rx; /* of each queue: uint64_t, the driver's count at the last complete
				sample */
	GArray *polled;      /* struct polled_queue of each queue */
	struct seen_unknown *unknown; /* by CPU number */
	struct seen_onward *onward;   /* by CPU number */
	/* By CPU number, NB_VIRTUALS_MAX each; and the most that each had of one CPU just now. */
	struct seen_virtual *virtuals;
	uint64_t virtual_nsec[NB_VIRTUALS_MAX];
	struct nb_virtual_slots slots; /* that these are of */
	struct seen_untold *untold;    /* by CPU number */
	uint32_t complete_slices;      /* of the probe, by then */
	unsigned n_cpus;
	bool looked;  /* onward was read before */
	bool adopted; /* since the last sample: all NAPIs are to be bound again */
};

/* The interrupts of all queues, ascending by irq, none of them read yet. Caller unrefs. */
GArray *nb_bind_list_irqs(const struct nb_machine *machine);
/* NULL: not the interrupt of a queue. */
struct seen_irq *nb_bind_find_irq(const GArray *irqs, uint32_t irq);

/* Finds the queue of a NAPI by the id that netlink gives it, or the interrupt that it follows. */
void nb_bind_napi(const struct nb_timing *timing, const struct nb_probe_napi *napi,
		  struct seen_napi *seen);

/* Finds those of the others that handlers' dev_id or the packets of drivers tell; the latter were
 * counted just now. */
void nb_bind_complete(struct nb_timing *timing, const struct nb_probe_view *view,
		      const struct nb_snapshot *snapshot);
