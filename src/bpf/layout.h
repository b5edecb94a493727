/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What the BPF programs count, as it lies in the maps that user space reads by mmap. Shared between
 * both, so nothing but the kernel's fixed-width types. Counters only grow; 32-bit ones wrap. Times
 * are nanoseconds of bpf_ktime_get_ns(). */

#include "bpf/toeplitz.h"

#include <linux/types.h>

/* include/linux/interrupt.h: HI, TIMER, NET_TX, NET_RX, BLOCK, IRQ_POLL, TASKLET, SCHED, HRTIMER,
 * RCU; uapi for /proc/softirqs since 2.6. */
#define NB_PROBE_VECTORS 10
#define NB_PROBE_NET_TX 2
#define NB_PROBE_NET_RX 3

/* A device without hardware, on one CPU. */
struct nb_probe_virtual {
	__u64 nsec; /* of other_nsec */
	__u32 packets;
	__u32 polls;
	__u32 exhausted; /* polls that used their whole budget */
	__u32 reserved;
};
#define NB_PROBE_VIRTUALS_MAX 8

/* One CPU, written by that CPU alone. The first two cache lines are what user space reads. */
struct nb_probe_cpu {
	__u64 softirq_nsec[NB_PROBE_VECTORS]; /* without the hard interrupts that came in between */
	__u64 irq_nsec;                       /* device interrupts (irq_handler_entry to exit) */
	__u64 scope_irq_nsec;                 /* of these, the ones in scope */
	__u64 backlog_nsec; /* of NET_RX: the backlog NAPI (RPS, loopback, veth) … */
	__u64 other_nsec;   /* of NET_RX: NAPIs that have no counters of their own */
	__u32 softirqs;     /* runs of any vector */
	__u32 net_rx;       /* runs of NET_RX */
	__u32 interrupts;
	__u32 polls; /* of any NAPI, also outside softirq */
	/* Of NET_RX: what went on with packets that were received here: NAPIs of tunnels, and … the
	 * backlog as far as NAPIs polled here put packets there (veth, PPP). */
	__u64 onward_nsec;
	/* Of other_nsec, that of devices that were not told; and which of them had more of it than
	 * all others together, lately, if one had. */
	__u64 untold_nsec;
	__u64 untold_lead_nsec;
	__u32 untold_ifindex;
	__u32 reserved;
	struct nb_probe_virtual virtuals[NB_PROBE_VIRTUALS_MAX];

	/* How far the programs are; of no use to others. */
	struct {
		__u64 entered_nsec;     /* the softirq at hand; 0: none */
		__u64 entered_irq_nsec; /* irq_nsec then */
		__u64 mark_nsec;        /* end of the last poll in it */
		__u64 mark_irq_nsec;
		__u64 irq_entered_nsec;
		__u64 raised_nsec; /* NET_RX, not yet entered; 0: none, or not watched */
		__u64 dev_id;      /* of the interrupt in scope that came last */
		__u32 irq;         /* its number; 0: none since the last poll */
		__u32 n_irqs;      /* interrupts in scope since the last poll */
		__u32 vector;
		__u32 napi;     /* counters of the NAPI polled last in this NET_RX, plus one */
		__u32 runs;     /* of all programs since one of them timed itself */
		__u32 slice;    /* of the last run: what is above is of that slice alone */
		__u64 own_runs; /* of all programs, and the time of as many, estimated */
		__u64 own_nsec;
		__u32 settled; /* a softirq began or ended in this slice */
		__u32 put;     /* packets put on the backlog since the last poll, in NET_RX */
		__u32 fed;     /* of those on the backlog, from NAPIs that received them here */
		__u32 reserved1;
		__u64 own_least_nsec; /* the shortest of the runs that timed themselves; 0: none */
	} state;
} __attribute__((aligned(128)));

/* One NAPI instance of a device in scope. A NAPI runs on one CPU at a time. */
struct nb_probe_napi {
	__u64 poll_nsec; /* in softirq; the end of a NET_RX counts for the last NAPI in it */
	__u64 packets;   /* work that its polls reported: packets received */
	__u32 polls;     /* of any kind */
	__u32 exhausted; /* polls that used their whole budget; not by applications */
	__u32 cpu;       /* where it was polled last; likewise */
	__u32 serial;    /* grows when the counters become another NAPI's */
	__u32 ifindex;
	__u32 napi_id;   /* 0: the kernel gives it none (transmit only) */
	__u32 irq;       /* that it was seen to follow; 0: none yet */
	__u32 irq_votes; /* how surely; user space trusts NB_PROBE_SURE and more */
	__u64 dev;       /* identity, with napi_id: pointers are used again */
	__u32 goes_on;   /* its last poll used the whole budget, or is not known */
	__u32 slice;     /* of its last poll */
	/* Second line: polled by a kernel thread of its own. */
	__u64 threaded_nsec; /* run time of that thread */
	__u64 runtime_nsec;  /* of the thread when it was seen last */
	__u32 threaded_polls;
	__u32 pid;        /* of the thread */
	__u32 busy_polls; /* by applications */
	__u32 position;   /* of these counters among all */
	__u64 address;    /* of the NAPI */
	__u32 reserved[6];
} __attribute__((aligned(128)));

#define NB_PROBE_SURE 8

/* One interrupt in scope. It is handled by one CPU at a time, and each queue's by another CPU: a
 * cache line each, or the CPUs of several queues would take one line from each other with every
 * interrupt. */
struct nb_probe_irq {
	__u64 irq_nsec;
	__u32 count;
	__u32 cpu; /* where it was handled last */
	__u32 irq;
	__u32 reserved;
	__u64 dev_id; /* that its handler is given; 0: it has not come yet */
} __attribute__((aligned(64)));

/* A driver's private struct for a queue holds the NAPI, and is what it gives request_irq(): so far
 * into it at most. */
#define NB_PROBE_NEAR_BYTES 4096

/* Delay from raise to entry of NET_RX: bucket i counts those below 2^i microseconds, the last one
 * all longer ones. */
#define NB_PROBE_DELAYS 24
struct nb_probe_delays {
	__u32 counts[NB_PROBE_DELAYS];
	__u32 max_usec;
	__u32 reserved[7];
};

/* What a NIC received whose hash belongs to one entry (bucket) of its RSS table. Each queue is
 * polled by another CPU, and neighbouring buckets are of different queues: a cache line each. */
struct nb_probe_bucket {
	__u32 packets; /* in the queue that the table names */
	__u32 strayed; /* in others, or without a hash or queue */
	/* Of these, by the hash of their headers, for the NIC told none. */
	__u32 reckoned;
	__u32 reckoned_strayed;
	__u32 reserved[12];
} __attribute__((aligned(64)));

/* drivers/net/ethernet/intel/ice has as many; most have 128 to 512. */
#define NB_PROBE_BUCKETS_MAX 2048

/* How the hash of a packet is made where the NIC does not tell it. */
struct nb_probe_reckoning {
	__u32 on;
	__u32 ports; /* flags: what is hashed by its ports, too; all else by addresses alone */
	struct nb_toeplitz toeplitz;
};
#define NB_PROBE_TCP4 1u
#define NB_PROBE_UDP4 2u
#define NB_PROBE_TCP6 4u
#define NB_PROBE_UDP6 8u

/* Written by user space, read by each run of each program: pages of its own. */
#define NB_PROBE_CPUS_MAX 8192
struct nb_probe_control {
	/* The time that is measured is a slice, with a number of its own; 0: none, and the programs
	 * return at once. What began in another slice is not counted in this one. */
	__u32 slice;
	__u8 skipped[NB_PROBE_CPUS_MAX]; /* CPUs on which the programs do nothing */
	__u32 n_tunnels;                 /* 0: a NAPI out of scope is not looked up as one */
	__u32 watches_virtuals;          /* it is, and whose it is counts */
	__u32 buckets_ifindex;           /* of whose packets buckets are counted; 0: none */
	__u32 n_buckets;
	__u16 bucket_queues[NB_PROBE_BUCKETS_MAX]; /* that the table names for each */
	struct nb_probe_reckoning reckoning;
};

struct nb_probe_totals {
	__u32 napis; /* that were given counters of their own */
	__u32 lost;  /* not 0: a NAPI found no counters left */
};

/* A CPU's times of kernel_cpustat (include/linux/kernel_stat.h), nanoseconds. */
struct nb_probe_cpustat {
	__u64 user_nsec; /* user, nice, system */
	__u64 steal_nsec;
};

/* Between the programs and their loader. Sizes of maps; that of NAPIs takes 512 KiB. */
#define NB_PROBE_NAPIS_MAX 4096
#define NB_PROBE_IRQS_MAX 4096
#define NB_PROBE_DEVICES_MAX 1024
#define NB_PROBE_TUNNELS_MAX 256
/* What a device is. */
#define NB_PROBE_NIC 1      /* in scope */
#define NB_PROBE_TUNNEL 2   /* its NAPIs go on with packets that this CPU received */
#define NB_PROBE_VIRTUAL 16 /* plus a position in virtuals: it has no hardware, and is measured */
/* In favour of a device for as much of its time at most: another one shows as soon. */
#define NB_PROBE_LEAD_MAX_NSEC 1000000000ull
/* What a backlog holds at most (net.core.netdev_max_backlog, unless an administrator knows better):
 * those too many were dropped. */
#define NB_PROBE_FED_MAX 1000
/* One run of the cpustat program: the verifier walks its loop turn by turn. */
#define NB_PROBE_CPUS_AT_ONCE 1024
/* Beside the position of a NAPI's counters: its device is not in scope. */
#define NB_PROBE_OUT 0x80000000u
/* One run in so many of the softirq_exit program times itself, which takes another clock read. */
#define NB_PROBE_OWN_EVERY 256
/* What took so many times the shortest of them was not the program: a hypervisor had another guest
 * run, or firmware interrupted. It would stand for about a thousand runs. */
#define NB_PROBE_OWN_MOST 32
