/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The inside of a world, shared by the files that make it go. Pure.
 * Rates are per second: packets, and nanoseconds of work, of which the largest CPU does
 * NB_NSEC_PER_SEC when its other threads are idle. What a step sets is true until the next. */

#include "nicbalance/units.h"
#include "sim/world.h"

/* The step of time; also the finest in which traffic, applications and events begin and end. */
#define NB_SIM_STEP_NSEC (NB_NSEC_PER_SEC / 10)
/* Entries of the RSS table: 128 with igb, ixgbe, ena; at least so many with mlx5. */
#define NB_SIM_BUCKETS 128u
/* Parts of the hash's range by which RPS shares out packets: enough for masks of some ten CPUs. */
#define NB_SIM_SLICES 64u
/* Packets of a poll (NAPI_POLL_WEIGHT, include/linux/netdevice.h). */
#define NB_SIM_BUDGET 64u

/* A counter that grows by a rate: whole, and billionths of one more. Rates stay below 10^11, so
 * that a step of them fits in 64 bits. */
struct nb_sim_count {
	uint64_t whole;
	uint64_t part;
};

static inline void nb_sim_count_add(struct nb_sim_count *count, uint64_t rate, uint64_t nsec)
{
	uint64_t grown = rate * nsec + count->part;

	count->whole += grown / NB_NSEC_PER_SEC;
	count->part = grown % NB_NSEC_PER_SEC;
}

/* value × part ÷ whole; 0 of nothing. */
static inline uint64_t nb_sim_portion(uint64_t value, uint64_t part, uint64_t whole)
{
	uint64_t product;

	if (whole == 0)
		return 0;
	/* Most fit, and to divide 128 bits takes several times as long. */
	if (!__builtin_mul_overflow(value, part, &product))
		return product / whole;
	return (uint64_t)((unsigned __int128)value * part / whole);
}

struct nb_sim_queue {
	struct nb_queue_key key;
	unsigned nic;
	unsigned irq;

	unsigned cpu;       /* where its interrupt is delivered */
	int affinity_cpu;   /* as in struct nb_queue_state */
	unsigned polled_on; /* where its NAPI is polled */
	uint64_t due_nsec;  /* when a write takes effect; 0: none is on its way */
	struct nb_cpumask rps;
	struct nb_cpumask xps; /* of its transmit queue; not what packets are sent by */
	bool steered;          /* rps is not empty */

	uint64_t packets; /* that arrive */
	uint64_t driver_work;
	uint64_t protocol_work;
	uint64_t local_work;     /* the part of protocol_work that RPS leaves here */
	unsigned bursts_per_sec; /* 0: its packets come evenly */
	uint64_t interrupts;
	uint64_t served;       /* packets */
	bool always_saturated; /* each poll uses its whole budget */
	bool switched;         /* threaded NAPI is on */
	bool threaded;         /* a kernel thread polls it, … */
	unsigned thread_cpu;   /* … there */
	uint64_t emptied_nsec; /* … and after that its ring has to be emptied first */
	/* Of a steered queue, by slice of the hash. */
	uint64_t slice_packets[NB_SIM_SLICES];
	uint64_t slice_work[NB_SIM_SLICES];

	struct nb_sim_count rx, irqs, polls, exhausted, time_nsec, thread_polls, threaded_nsec;
	uint64_t irqs_seen; /* of the last snapshot, … */
	bool irqs_known;    /* … which had this interrupt */
};

struct nb_sim_cpu {
	unsigned id;
	unsigned core, llc;
	int node;
	bool online;
	unsigned next_thread; /* of its core; a ring */
	uint32_t capacity;    /* basis points of the largest CPU */

	uint64_t speed; /* work per second, less while another thread of its core runs */
	uint64_t hard, polls, backlog, apps;    /* work that is wanted */
	uint64_t threads;                       /* likewise, of NAPI threads */
	uint64_t backlog_packets;               /* and what arrives by RPS */
	uint64_t steered_packets, steered_work; /* for the next step */
	bool saturated;                         /* by softirqs */
	/* Work that is done. */
	uint64_t polls_done, backlog_done, threads_done, apps_done, backlog_served;
	uint64_t busy; /* part of its time, of NB_NSEC_PER_SEC */

	struct nb_sim_count irq_nsec, softirq_nsec, queues_nsec, backlog_nsec, user_nsec, idle_nsec;
	uint64_t tick_softirq_nsec, tick_user_nsec; /* as the tick saw them */
	uint64_t bursts_nsec; /* that one burst of each of its queues takes, together */
	struct nb_sim_count delays[NB_DELAYS];
	struct nb_sim_count net_rx, processed, dropped, squeezed, received_rps;
};

struct nb_sim_thread {
	const struct nb_sim_application *application;
	bool runs;
	unsigned cpu;
	uint64_t wander_nsec; /* when it may go elsewhere next */
};

/* How the packets of one traffic are spread, billionths. */
struct nb_sim_flows {
	uint32_t shares[NB_SIM_BUCKETS][NB_SIM_SLICES];
	uint32_t sums[NB_SIM_BUCKETS];
	/* Packets per second, before noise; the latter for traffic that has none. */
	uint32_t rates[NB_SIM_BUCKETS];
	uint32_t slice_rates[NB_SIM_BUCKETS][NB_SIM_SLICES];
};

/* The packets of one NIC by entry of its RSS table. */
struct nb_sim_counting {
	int ifindex; /* as the last plan asked; 0: nothing is counted */
	bool begun;  /* with the first snapshot after that plan */
	uint64_t since_nsec;
	unsigned nic;
	unsigned n_rings;
	unsigned n;                      /* NB_SIM_BUCKETS; 0: it has no table that could be read */
	uint32_t queues[NB_SIM_BUCKETS]; /* the table when it began */
	uint64_t arriving[NB_SIM_BUCKETS]; /* packets per second, in this step */
	struct nb_sim_count packets[NB_SIM_BUCKETS];
	struct nb_sim_count strayed;
};

/* What a snapshot shows of it. */
struct nb_sim_bucket_rows {
	uint32_t queues[NB_SIM_BUCKETS];
	uint32_t packets[NB_SIM_BUCKETS];
};

struct nb_world {
	const struct nb_scenario *scenario;
	uint64_t now_nsec;
	struct nb_sim_cpu *cpus;     /* all, by id */
	struct nb_sim_queue *queues; /* of all NICs, also those that are not there */
	unsigned n_queues;
	unsigned *first_queue; /* of each NIC */
	/* Of each NIC … */
	unsigned *n_channels;              /* queues in use, the first ones; 0: it is not there */
	uint64_t *down_until_nsec;         /* its link is */
	bool *hashes_ports;                /* of UDP */
	uint8_t (*tables)[NB_SIM_BUCKETS]; /* RSS: numbers of its queues */
	struct nb_sim_flows *flows;        /* of each traffic */
	GArray *threads;                   /* struct nb_sim_thread */
	uint64_t n_writes;
	struct nb_sim_count lost, received; /* packets */
	uint64_t missed;                    /* packets per second that meet a link that is down */
	struct nb_sim_counting counting;
	GArray *truth; /* struct nb_world_cpu, of CPUs that are online */

	GArray *machines; /* struct nb_machine *, the last is the present one */
	unsigned *rows;   /* position in queues of each queue of the present machine */
	unsigned next_irq;
	struct nb_snapshot snapshots[2]; /* in turn */
	struct nb_sim_bucket_rows bucket_rows[2];
	unsigned turn;
};

static inline const struct nb_sim_nic *nb_sim_nic(const struct nb_world *world, unsigned nic)
{
	return &g_array_index(world->scenario->nics, struct nb_sim_nic, nic);
}

/* Its NIC is there, and runs on it. */
static inline bool nb_sim_is_in_use(const struct nb_world *world, const struct nb_sim_queue *queue)
{
	return queue->key.index < world->n_channels[queue->nic];
}

static inline struct nb_machine *nb_sim_machine(const struct nb_world *world)
{
	return g_array_index(world->machines, struct nb_machine *, world->machines->len - 1);
}

/* --- machine.c: what the daemon finds */

/* CPUs 0 … n − 1; threads of a core are n ÷ n_threads apart, nodes are blocks of cores. */
void nb_sim_set_up_cpus(struct nb_world *world);
/* NICs with their queues where they are first put. */
void nb_sim_set_up_queues(struct nb_world *world);
/* One CPU, as once a write of its affinity has taken effect. */
void nb_sim_set_affinity(struct nb_sim_queue *queue, unsigned cpu);
/* A write that takes effect no sooner than due_nsec. */
void nb_sim_write_affinity(struct nb_sim_queue *queue, unsigned cpu, uint64_t due_nsec);
/* Whether it hashes ports of UDP at first. */
bool nb_sim_hashes_ports(const struct nb_scenario *scenario, unsigned nic);
/* Puts the queues of a NIC where its driver does, with new interrupts. */
void nb_sim_place_nic(struct nb_world *world, unsigned nic);
/* A new machine of what is there now. */
void nb_sim_rescan(struct nb_world *world);
void nb_sim_machine_free(struct nb_machine *machine);

/* --- flows.c: what arrives */

/* Flows of the traffic of this number, as its NIC hashes them. */
void nb_sim_spread_flows(struct nb_world *world, unsigned number);
/* The RSS table of a NIC whose packets go to some of its queues alone; empty: to all, as
 * ethtool_rxfh_indir_default() has it. False: it has none of these. */
bool nb_sim_fill_table(unsigned n_queues, const struct nb_cpumask *queues, uint8_t *ret_table);
/* packets and work of all queues. */
void nb_sim_arrive(struct nb_world *world);

/* --- obey.c */

/* NULL: its NIC is not there, or does not run on it. */
struct nb_sim_queue *nb_sim_find_queue(struct nb_world *world, struct nb_queue_key key);
/* A write, for a reason that passes. */
bool nb_sim_refuses(struct nb_world *world);

/* --- settings.c: settings of a NIC as a whole; to 0: as they were at first */

enum nb_outcome nb_sim_set_channels(struct nb_world *world, const struct nb_setting_change *change);
enum nb_outcome nb_sim_set_udp_hash(struct nb_world *world, const struct nb_setting_change *change);

/* --- buckets.c: packets by entry of the RSS table, as a plan asks for it */

/* Of the NIC of this ifindex; 0: of none. */
void nb_sim_ask_for_buckets(struct nb_world *world, int ifindex);
/* Where the packets that arrive at a NIC are noted by bucket; NULL: they are not counted. */
static inline uint64_t *nb_sim_arriving(struct nb_world *world, unsigned nic)
{
	struct nb_sim_counting *counting = &world->counting;

	return counting->n > 0 && counting->nic == nic ? counting->arriving : NULL;
}
void nb_sim_count_buckets(struct nb_world *world, uint64_t nsec);
/* rows live as long as what is returned is used. */
struct nb_bucket_counts nb_sim_read_buckets(struct nb_world *world,
					    struct nb_sim_bucket_rows *rows);

/* --- rps.c: what is steered */

/* How much of its protocol work each queue leaves where it is polled. */
void nb_sim_split_work(struct nb_world *world);
/* What steered queues served is what their targets find in the next step. */
void nb_sim_hand_on(struct nb_world *world);

/* --- applications.c */

void nb_sim_set_up_threads(struct nb_world *world);
/* Begins, ends and moves them; apps of all CPUs. */
void nb_sim_run_threads(struct nb_world *world);
/* The CPU on which the scheduler finds most time. */
unsigned nb_sim_idlest(const struct nb_world *world, unsigned present);

/* --- napi.c: where polls run, and how much of them */

/* Its NAPI will not complete in this step, or has not by the end of the one before. */
static inline bool nb_sim_never_done(const struct nb_world *world, const struct nb_sim_queue *queue)
{
	return queue->always_saturated || world->now_nsec < queue->emptied_nsec;
}
/* Packets come so often that its NAPI does not enable the interrupt: a timer polls it, where it was
 * (net/core/dev.c napi_complete_done(), napi_watchdog()). */
static inline bool nb_sim_is_deferred(const struct nb_world *world,
				      const struct nb_sim_queue *queue)
{
	return queue->packets * nb_sim_nic(world, queue->nic)->defer_nsec >= NB_NSEC_PER_SEC;
}
/* A NAPI completes, and is polled elsewhere from now on. */
void nb_sim_poll_on(struct nb_sim_queue *queue, unsigned cpu);
/* Interrupts go where writes that are due put them, and NAPIs after them unless they are stuck. */
void nb_sim_follow(struct nb_world *world);
/* Shares out what saturated CPUs can do among their NAPIs. speed, hard and polls are set. */
void nb_sim_serve(struct nb_world *world);

/* --- napi_threads.c: NAPIs that kernel threads poll */

static inline unsigned nb_sim_polled_on(const struct nb_sim_queue *queue)
{
	return queue->threaded ? queue->thread_cpu : queue->polled_on;
}
/* NAPIs that complete are polled as their NIC says from now on, threads where the scheduler lets
 * them run; threads of all CPUs. */
void nb_sim_run_napi_threads(struct nb_world *world);
/* What softirqs leave is shared with applications. */
void nb_sim_serve_napi_threads(struct nb_world *world);

/* --- cpu.c: one step of all CPUs, and its counters */

void nb_sim_run_cpus(struct nb_world *world);
void nb_sim_count_step(struct nb_world *world, uint64_t nsec);

/* --- delays.c: how long NET_RX waits from raise to entry */

void nb_sim_count_delays(struct nb_world *world, uint64_t nsec);

/* --- tick.c: what the tick sees of it */

void nb_sim_tick(struct nb_world *world, uint64_t nsec);

/* --- event.c */

/* Those of the time from now to nsec later, end excluded: all in time for the step between. */
void nb_sim_happen(struct nb_world *world, uint64_t nsec);
