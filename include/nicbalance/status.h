/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What the operator sees: journal, bus, history and CLI render these same structs. Plain data. */

#include "nicbalance/intrusion.h"
#include "nicbalance/load.h"
#include "nicbalance/memory.h"
#include "nicbalance/order.h"
#include "nicbalance/outcome.h"
#include "nicbalance/plan.h"
#include "nicbalance/policy.h"
#include "nicbalance/snapshot.h"

#define NB_UNMEASURED UINT32_MAX

enum nb_mode {
	NB_MODE_BALANCE,
	NB_MODE_OBSERVE, /* everything but the writes */
	_NB_MODE_MAX,
	_NB_MODE_INVALID = -1,
};

enum nb_event {
	NB_EVENT_MOVED,      /* a queue's interrupts: cpu_from, cpu_to */
	NB_EVENT_STEERED,    /* an RPS mask: rps_from, rps_to */
	NB_EVENT_REDIRECTED, /* an RSS table: rss_queues, rss_moved, rss_entries */
	NB_EVENT_CONFIGURED, /* a setting of a NIC: setting_from, setting_to */
	NB_EVENT_YIELDED,    /* another program wrote our knob: cpu_from ours, cpu_to theirs */
	NB_EVENT_RESTORED,   /* the original value was restored */
	_NB_EVENT_MAX,
	_NB_EVENT_INVALID = -1,
};

/* What a move has achieved, two seconds later. */
enum nb_effect {
	NB_EFFECT_NONE, /* not measured */
	NB_EFFECT_PENDING,
	NB_EFFECT_WORKED,
	NB_EFFECT_STUCK,        /* its NAPI does not complete on the old CPU; waited for */
	NB_EFFECT_NOT_FOLLOWED, /* polled elsewhere: its NAPI stayed stuck, or the move was lost */
	NB_EFFECT_IDLE,         /* neither packets nor interrupts since */
	NB_EFFECT_NO_GAIN,      /* its old CPU was not relieved by half of what was predicted */
	NB_EFFECT_WORSE,        /* its new CPU is hotter than both were before; reverted */
	_NB_EFFECT_MAX,
	_NB_EFFECT_INVALID = -1,
};

/* One thing that happened to one knob. */
struct nb_record {
	uint64_t realtime_usec;
	enum nb_event event;
	enum nb_kind kind;
	enum nb_reason reason;
	enum nb_outcome outcome;
	enum nb_effect effect;
	struct nb_queue_key key;        /* of a queue or a device interrupt (nb_device_irq_key()) */
	char netdev[NB_IFNAME_MAX];     /* "" of a device interrupt */
	char handlers[NB_HANDLERS_MAX]; /* of a device interrupt; "" if it occurs no longer */
	unsigned n_irqs;
	uint32_t irqs[NB_QUEUE_IRQS_MAX];
	int cpu_from; /* -1: none or several */
	int cpu_to;
	char *rps_from; /* RPS: CPU lists, "" for off; owned; otherwise NULL */
	char *rps_to;
	/* RSS: list of those with an entry, "" for the original table; owned; NULL: another kind,
	 * or a table of another program. */
	char *rss_queues;
	uint32_t rss_moved;   /* entries that get another queue; 0: the table is limited, or back */
	uint32_t rss_entries; /* of so many; 0 likewise */
	/* A setting of a NIC: for people, "" for the original value; owned; otherwise NULL. */
	char *setting_from;
	char *setting_to;
	/* YIELDED: the CPUs that another program left it, a list; owned; NULL: all. */
	char *limited_to;
	uint32_t load;      /* of the queue */
	uint32_t before;    /* load of cpu_from before the move; REDIRECTED: of the hottest CPU */
	uint32_t predicted; /* and after it */
	uint32_t measured;  /* NB_UNMEASURED until verified; WORSE: of cpu_to */
	/* REDIRECTED: TCP segments that came out of order until it was verified, by any NIC of the
	 * network namespace; NB_UNCOUNTED: not known. */
	uint64_t out_of_order;
};
#define NB_UNCOUNTED UINT64_MAX

/* Delays of one CPU, as in struct nb_cpu_counters. */
struct nb_delays {
	unsigned cpu;
	uint32_t counts[NB_DELAYS]; /* wrap */
};

/* The daemon as it stands; everything is borrowed and valid for the call it is passed to. */
struct nb_status {
	enum nb_mode mode;
	bool paused;
	uint64_t started_realtime_usec;
	uint64_t cycles;
	uint64_t cpu_time_nsec;        /* the daemon's own, CLOCK_PROCESS_CPUTIME_ID */
	uint64_t start_cpu_time_nsec;  /* of that, until the programs were loaded or refused */
	uint64_t recent_cpu_time_nsec; /* and in the last recent_nsec, a minute; both 0 at first */
	uint64_t recent_nsec;
	uint64_t probe_cost_nsec; /* CPU time of the eBPF programs, an estimate; 0 without */
	const char *grade_reason;
	const struct nb_policy *policy;
	const char *banned_by;              /* "path:line" of what bans CPUs; NULL: unknown */
	const struct nb_snapshot *snapshot; /* NULL before the first cycle */
	const struct nb_loads *loads;
	const struct nb_plan *plan;
	const struct nb_memory *memory;
	const struct nb_order *orders; /* bans and claims, ascending by id */
	unsigned n_orders;
	const struct nb_excluded_cpu *excluded_cpus; /* ascending; those that were so once, too */
	unsigned n_excluded_cpus;
	const struct nb_intrusion *intrusions; /* ascending by CPU, source and number */
	unsigned n_intrusions;
	const struct nb_record *history; /* oldest first */
	unsigned n_history;
};
