/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What is told to the operator: journal, bus, history and CLI render these same structs. Plain
 * data. */

#include "nicbalance/load.h"
#include "nicbalance/memory.h"
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
	NB_EVENT_REDIRECTED, /* an RSS table: rss_queues */
	NB_EVENT_YIELDED,  /* someone else wrote a knob of ours: cpu_from is ours, cpu_to theirs */
	NB_EVENT_RESTORED, /* put back as found */
	_NB_EVENT_MAX,
	_NB_EVENT_INVALID = -1,
};

/* What a move was found to have done, two windows later. */
enum nb_effect {
	NB_EFFECT_NONE, /* not a thing that is measured */
	NB_EFFECT_PENDING,
	NB_EFFECT_WORKED,
	NB_EFFECT_STUCK,        /* its NAPI never finishes, and polls on where it was; waited for */
	NB_EFFECT_NOT_FOLLOWED, /* it is still served elsewhere: a NAPI that stayed stuck, or a
				   pending vector */
	NB_EFFECT_IDLE,         /* no interrupt since: nothing to judge by */
	NB_EFFECT_NO_GAIN,      /* it moved, and its old CPU is not relieved by half of what was
				   predicted */
	NB_EFFECT_WORSE,        /* its new CPU is hotter than the old one was: it goes back */
	_NB_EFFECT_MAX,
	_NB_EFFECT_INVALID = -1,
};

/* One thing that happened to one knob. */
struct nb_record {
	uint64_t realtime_usec;
	enum nb_event event;
	enum nb_reason reason;
	enum nb_outcome outcome;
	enum nb_effect effect;
	struct nb_queue_key
		key; /* of a queue, or of an interrupt of no queue (nb_device_irq_key()) */
	char netdev[NB_IFNAME_MAX];     /* "" for one of no queue */
	char handlers[NB_HANDLERS_MAX]; /* of one of no queue; "" when it is silent now */
	unsigned n_irqs;
	uint32_t irqs[NB_QUEUE_IRQS_MAX];
	int cpu_from; /* -1: none or several */
	int cpu_to;
	char *rps_from; /* CPU lists; owned; NULL when the record is not about RPS, "" for off */
	char *rps_to;
	char *rss_queues; /* list; owned; NULL when it is not about an RSS table, "" for the table
			     as it was found; key is then of the first queue */
	uint32_t load;
	uint32_t before;    /* load of cpu_from before the move */
	uint32_t predicted; /* and after it */
	uint32_t measured;  /* NB_UNMEASURED until verified; WORSE: of cpu_to */
};

/* Delays from raise to entry of NET_RX on one CPU: counts[i] of those below 2^i microseconds, the
 * last of all longer ones. Counters since the daemon began to look; they grow only while it looks.
 */
#define NB_DELAYS 24u
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
	uint64_t cpu_time_nsec;   /* the daemon's own, CLOCK_PROCESS_CPUTIME_ID */
	uint64_t probe_cost_nsec; /* what the eBPF programs cost all CPUs, an estimate; 0 without */
	const char *grade_reason;
	const struct nb_policy *policy;
	const struct nb_snapshot *snapshot; /* NULL before the first cycle */
	const struct nb_loads *loads;
	const struct nb_plan *plan;
	const struct nb_memory *memory;
	const struct nb_record *history; /* oldest first */
	unsigned n_history;
};
