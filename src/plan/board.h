/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The planner's board: CPUs and queues with their loads as measured, then as predicted after each
 * move. Pure. Loads are basis points of one CPU.
 *
 * What is measured is time, and beside a busy hardware thread of the same core the same work takes
 * longer. The board uses loads: the time that the work would take beside an idle thread. A load
 * stays the same wherever it is moved among CPUs of the same capacity; time does not. On a CPU of
 * half the capacity it is twice as much: nb_board_load_on(). */

#include "base/rules.h"
#include "nicbalance/load.h"
#include "nicbalance/memory.h"
#include "nicbalance/policy.h"
#include "nicbalance/snapshot.h"

#include <glib.h>

/* CPU of a queue whose place is unknown. */
#define NB_NOWHERE UINT_MAX

struct nb_board_cpu {
	unsigned id;
	int node;
	unsigned core;
	unsigned llc;
	uint32_t capacity; /* basis points of the largest CPU */
	bool no_vector;    /* had no free vector a short while ago */
	bool panics;       /* has no time left, or loses packets and is hot */
	bool squeezed;     /* ran out of budget in the last window and is hot */
	uint32_t seen;     /* scratch of repacking: its core's peak when last checked */
	bool listed;       /* scratch: marks the CPUs of some queues */
	uint32_t evened;   /* scratch of moving buckets, and of threads: its load as predicted */
	unsigned n_queues;
	unsigned first_queue; /* index of one of its queues, see next; or NB_NOWHERE */
	struct nb_applications applications; /* time that they get */
	uint32_t fixed;
	uint32_t backlog;
	uint64_t handed_per_sec; /* packets of all queues that RPS steers here */
	uint64_t steady_nsec;    /* since fixed shifted */
	uint32_t queues;         /* load of its queues */
	uint32_t leaving;        /* of queues still polled here that are to leave */
	uint32_t starved;        /* fixed load that it had before it was full */
	uint32_t wanted;         /* that and more which it does not get, while that is guessed */
	uint32_t stretch;     /* time per load beside the other threads of its core, basis points */
	uint32_t busy;        /* time: as measured, then as predicted */
	uint32_t window_busy; /* time of the last window, unsmoothed and unpredicted */
	unsigned next_thread; /* index of the next hardware thread of its core; a ring */
};

struct nb_board_queue {
	struct nb_queue_key key;
	struct nb_queue_memory *memory;
	const struct nb_queue_state *state;
	/* Index into cpus of where it is polled, or will be as soon as it follows its interrupt;
	 * NB_NOWHERE when that is unknown. */
	unsigned cpu;
	unsigned polled_on;   /* where it is polled now */
	unsigned destination; /* where its interrupt goes; where it is polled if that is unknown */
	unsigned next, prev;  /* of the same cpu, in no order; NB_NOWHERE at the ends */
	unsigned n_rx;        /* active receive queues of its NIC */
	bool has_rx;
	bool saturated;           /* load is what it got, not what it wants … */
	bool known;               /* … unless that is known from before */
	unsigned domain;          /* index into domains */
	uint32_t load;            /* on its CPU; set by nb_board_set_load() and placing */
	uint32_t measured;        /* the same on a CPU … */
	uint32_t capacity;        /* … of this capacity, where it was measured */
	uint32_t time;            /* that the load takes on its CPU */
	uint64_t packets_per_sec; /* received */
	uint64_t packets;         /* received in the last window */
	bool movable;             /* may be moved, apart from its dwell */
	bool removable;           /* may be moved off a CPU that it may not use */
	bool pinned;              /* the kernel, or another program, holds it where it is */
	bool spills;              /* may go to another node while its own is full */
	bool is_virtual;          /* of a device without hardware: RPS or nothing */
	/* The RSS table of its NIC may be changed under load. hv_netvsc has RSS switched off while
	 * it is (drivers/net/hyperv/rndis_filter.c rndis_filter_set_rss_param()). */
	bool rss;
	/* The CPUs to which RPS hands its packets, set by us or by the operator; NULL: RPS is off.
	 */
	const struct nb_cpumask *steered;
	uint64_t handed_per_sec; /* packets, to each of them */
	/* Where its packets may be handed, of its domain; NULL: everywhere there. */
	const struct nb_cpumask *steerable;
	bool may_be_threaded; /* its NIC is in scope, and may have threaded NAPI … */
	bool has_own_switch;  /* … which can be switched for this queue alone */
	bool threaded;        /* the scheduler, not its interrupt, places most of its work */
	uint32_t thread_load; /* of its kernel thread on other CPUs, and so not in load */
	bool never_done;      /* its NAPI does not complete, whoever polls it */
	/* Pid of the kernel thread that polls what it receives, by netlink or as it was seen to; 0:
	 * none is known. */
	uint32_t thread;
	bool deferred; /* packets keep its interrupt masked: it stays where it is polled */
};

/* CPUs that the same queues may use, as measured. Those of two domains may overlap. */
struct nb_domain {
	struct nb_cpumask allowed; /* by the rules */
	struct nb_cpumask cpus;    /* of these, the ones to be used: on the node of the NIC */
	unsigned hottest; /* index of the hottest CPU that serves a queue of it, or NB_NOWHERE */
	uint32_t hottest_load;
	/* Of its CPUs, by their capacities: what each would have if all had the same. */
	uint32_t mean;        /* load */
	uint32_t mean_busy;   /* time */
	uint32_t mean_window; /* and of the last window, unsmoothed */
	unsigned n_cpus;
	uint32_t capacity;   /* of the largest of them */
	uint32_t capacities; /* of all */
	bool urgent;         /* a CPU that serves a queue of it panics or is squeezed */
	bool awaits;         /* a queue has yet to leave one of its CPUs */
	bool far;            /* CPUs of other nodes are allowed, too */
	bool tried;          /* in this cycle, in vain */
};

/* The domain of what has no pool of its own, by its node. */
struct nb_board_home {
	int node;
	unsigned domain;
};

/* A CPU that can take load before a thread of its core gets as hot as it may. */
struct nb_board_target {
	unsigned cpu;
	uint32_t room;               /* how much, at most */
	uint32_t lightest, heaviest; /* load of its queues */
};

/* A receive queue by its number in the RSS table, while buckets are moved. */
struct nb_board_ring {
	unsigned cpu;     /* NB_NOWHERE: its buckets stay, and no others come */
	uint32_t load;    /* as one of the largest CPU */
	uint64_t packets; /* of its buckets, as counted */
};

/* A queue that is placed again by load. */
struct nb_board_item {
	struct nb_board_queue *queue;
	uint32_t load;   /* as measured */
	uint32_t wanted; /* at least so much, if it is saturated */
	unsigned was_on, to;
	unsigned n_cpus; /* of its domain */
};

struct nb_board {
	const struct nb_policy *policy;
	uint64_t now_nsec;
	bool timed;  /* loads are of a grade that has the time of queues */
	bool hybrid; /* some CPUs have less capacity than others */
	/* By which a host at rest must be hotter, and more uneven, before it is balanced. */
	uint32_t rest_margin;
	const struct nb_bucket_counts *counts; /* of the snapshot */
	struct nb_board_cpu *cpus;             /* ascending by id */
	unsigned n_cpus;
	struct nb_board_queue *queues; /* ascending by key */
	unsigned n_queues;
	struct nb_rules rules;
	struct nb_allowed common;  /* what queues without a pool of their own may use */
	bool common_changed;       /* since the last plan */
	struct nb_domain *domains; /* of the queues, and of device interrupts */
	unsigned n_domains;
	/* Kept from cycle to cycle, to save allocations. */
	GArray *cpu_store;
	GArray *queue_store;
	GArray *domain_store;
	GArray *home_store;   /* struct nb_board_home, of the nodes asked for */
	GArray *source_store; /* of balancing and repacking: unsigned */
	GArray *target_store; /* of the search for a step: struct nb_board_target */
	GArray *item_store;   /* of repacking: struct nb_board_item */
	GArray *ring_store;   /* of moving buckets: struct nb_board_ring */
	GArray *table_store;  /* and the table as it is to be: uint32_t */
};

#define NB_BOARD_FOREACH_QUEUE(queue, board, cpu)                                  \
	for (unsigned queue = (board)->cpus[cpu].first_queue; queue != NB_NOWHERE; \
	     queue = (board)->queues[queue].next)

void nb_board_init(struct nb_board *board);
void nb_board_clear(struct nb_board *board);
void nb_board_set_up(struct nb_board *board, const struct nb_snapshot *snapshot,
		     const struct nb_loads *loads, const struct nb_policy *policy,
		     struct nb_memory *memory);

/* Index of a CPU by its id, or NB_NOWHERE. */
unsigned nb_board_find_cpu(const struct nb_board *board, int id);

/* What the queue hands to the CPU, as the CPU has it: its part of the backlog by packets. All of it
 * if no queue is known to. */
uint32_t nb_board_handed(const struct nb_board *board, const struct nb_board_queue *queue,
			 unsigned cpu);

/* What the queue would be to this CPU. Asked of each target of each queue. */
static inline uint32_t nb_board_load_on(const struct nb_board *board,
					const struct nb_board_queue *queue, unsigned cpu)
{
	if (!board->hybrid)
		return queue->measured;
	return nb_capacity_convert(queue->measured, queue->capacity, board->cpus[cpu].capacity);
}
/* What it would be to a CPU of the largest capacity there is; what loads of queues are compared by.
 */
uint32_t nb_board_whole_load(const struct nb_board_queue *queue);
/* What it would be to the largest CPU of the domain. */
uint32_t nb_board_least_load(const struct nb_board_queue *queue, const struct nb_domain *domain);
/* Another load on the CPU where it was measured. It is on no CPU. */
void nb_board_set_load(struct nb_board_queue *queue, uint32_t measured);
/* The time that a load takes on the CPU. */
uint32_t nb_board_time(const struct nb_board_cpu *cpu, uint32_t work);
/* The CPU's own load, with that of queues yet to leave and yet to come. */
uint32_t nb_board_own(const struct nb_board_cpu *cpu);
/* The same with the weighted load of the busiest other thread of its core. */
uint32_t nb_board_load(const struct nb_board *board, unsigned cpu);
/* The hottest of a CPU and the other threads of its core. */
uint32_t nb_board_core_peak(const struct nb_board *board, unsigned cpu);
/* The queue of a CPU with the largest load; of equal ones, that of the lowest key. NULL when it has
 * none. */
const struct nb_board_queue *nb_board_biggest_queue(const struct nb_board *board, unsigned cpu);
/* The queue of this key; NULL when there is none. */
struct nb_board_queue *nb_board_find_queue(const struct nb_board *board, struct nb_queue_key key);
/* Whether the queue may be put on the CPU. */
bool nb_board_allows(const struct nb_board *board, const struct nb_board_queue *queue,
		     unsigned cpu);
/* Index of the domain of what has this key, and is near to this node. A node without a CPU that is
 * allowed counts for nothing. */
unsigned nb_board_find_domain(struct nb_board *board, struct nb_queue_key key, int node);
bool nb_board_in_domain(const struct nb_board *board, unsigned cpu, unsigned domain);
/* Without the CPUs that RPS must not use for it. */
void nb_board_limit_rps(const struct nb_board *board, const struct nb_board_queue *queue,
			struct nb_cpumask *mask);
/* Whether it may use this one. */
bool nb_board_may_steer(const struct nb_board *board, const struct nb_board_queue *queue,
			unsigned cpu);
/* What is of the domain may stay on the CPU, though others may be nearer. */
bool nb_board_may_stay(const struct nb_board *board, unsigned cpu, unsigned domain);
/* Whether the CPU may be a target for anything of the domain. */
bool nb_board_is_open(const struct nb_board *board, unsigned cpu, unsigned domain);
/* The same of a CPU of another node, for what is allowed there. */
bool nb_board_is_open_far(const struct nb_board *board, unsigned cpu, unsigned domain);
/* The same of a CPU of another node. */
bool nb_board_allows_far(const struct nb_board *board, const struct nb_board_queue *queue,
			 unsigned cpu);
/* Whether the queue is on another node than the domain's, where it may be. */
bool nb_board_is_far(const struct nb_board *board, const struct nb_board_queue *queue);
/* Load of the CPUs of the domain as they are on the board now; rounded down. */
uint32_t nb_board_mean(const struct nb_board *board, unsigned domain);
/* The queue left that CPU less than two dwells ago, and so may not return. */
bool nb_board_left_lately(const struct nb_board *board, const struct nb_board_queue *queue,
			  unsigned cpu);
/* Whether it may be put on the CPU by load: allowed there, and not left lately. */
bool nb_board_may_go(const struct nb_board *board, const struct nb_board_queue *queue,
		     unsigned cpu);
/* Of these CPUs the one that is coolest with the queue; of equal ones that of the lowest id.
 * NB_NOWHERE: there is none. */
unsigned nb_board_coolest(const struct nb_board *board, const struct nb_board_queue *queue);
/* The kernel did not carry out its last move, a short while ago. */
bool nb_board_is_rejected(const struct nb_board *board, const struct nb_queue_memory *queue);
/* Panic of its CPU shortens a dwell. */
bool nb_board_dwells(const struct nb_board *board, const struct nb_board_queue *queue);
/* Attempts after which a stuck queue is assumed to stay where it is polled. It is helped again, but
 * nothing is placed as if it had left. */
#define NB_BOARD_BELIEVED_TRIES 3u
/* An application goes where its interrupt goes: moving it gains nothing for a while. */
bool nb_board_is_accompanied(const struct nb_board *board, const struct nb_board_queue *queue);
/* It will not move for longer than one dwell, or never: there is nothing to wait for. */
bool nb_board_stays(const struct nb_board *board, const struct nb_board_queue *queue);

/* An application has ended if they use so much less: as much as is a shift to the model. */
#define NB_BOARD_ENDED 1500u

/* Its NAPI does not follow its interrupt by itself. */
bool nb_board_is_stuck(const struct nb_board_queue *queue);
/* It is saturated, and what it wants is not known: it got what its CPU left it, and that tells
 * nothing of whether another wants more. */
bool nb_board_may_want_more(const struct nb_board_queue *queue);

/* Moves a queue on the board; cpu may be NB_NOWHERE (taken off). */
void nb_board_place(struct nb_board *board, struct nb_board_queue *queue, unsigned cpu);
