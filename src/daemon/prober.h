/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* How the time of queues is known: measured while there is a probe, else estimated. */

#include "bpf/probe.h"
#include "loop/loop.h"
#include "model/duty.h"
#include "sample/sampler.h"

struct nb_prober {
	struct nb_sysroot *root;    /* borrowed */
	struct nb_sampler *sampler; /* borrowed; has the probe unless it is detached for good */
	struct nb_probe *probe;     /* NULL: not loaded */
	struct nb_duty duty;        /* how much of the time it measures */
	uint32_t budget;            /* of all CPUs' time together */
	bool began; /* to measure or to count, by the last update: a window begins here */
	uint64_t measured_nsec;           /* when its cost was looked at last while it measured */
	uint64_t measured_cost_nsec;      /* and that cost */
	struct nb_probe_loading *loading; /* NULL unless under way */
	struct nb_probe_loading *dying;   /* killed and not dead yet; or NULL */
	uint64_t loading_nsec;            /* since when */
	char *reason;                     /* why this grade; owned */
	bool logged_estimated;
	bool wanted; /* as soon as the first placement is settled */
	uint64_t wanted_nsec;
	unsigned fresh;             /* complete samples that a slice begins with; the daemon counts
				       them down */
	bool window_spoilt;         /* by loading the programs, say; the daemon clears it */
	bool delays;                /* measured continuously, by the configuration */
	bool delays_in_slices;      /* along with everything else; set by the owner */
	uint64_t delays_until_nsec; /* measured for a client */
	uint64_t spent_nsec;        /* by probes that are gone */
	uint64_t opened_cycle;
	uint64_t opened_nsec;
	uint64_t checked_nsec;
	uint64_t retry_nsec;      /* 0: not again */
	uint64_t retry_wait_nsec; /* 0: never lost, or well again */
};

/* State of the daemon that the prober needs. */
struct nb_prober_view {
	const struct nb_loop *loop;
	uint64_t cycles;
	bool hurried;   /* the last plan wants a cycle before the interval ends */
	bool recording; /* every window is wanted */
	bool rescan_due;
	/* Of the last cycle or idle check, if it told: hot CPUs with network work worth a move. */
	bool known;
	uint32_t n_hot;
	bool warm; /* likewise: a CPU has network work of which delays would tell */
};

/* A zeroed prober with its sampler set is in the estimated grade. */
void nb_prober_clear(struct nb_prober *prober);

/* Opens the probe, has it measure as much as is needed, and count by RSS table entry what the last
 * plan asks for, detects its loss, and falls back. Called last in each cycle. */
void nb_prober_update(struct nb_prober *prober, const struct nb_prober_view *view,
		      uint64_t now_nsec);
/* After an update with which something began: late_nsec after its now_nsec, as attaching patches
 * the kernel's text, and waits for every CPU. What began lasts from here on. */
void nb_prober_begin(struct nb_prober *prober, uint64_t late_nsec);
/* The time that loading takes of a CPU would look like an application: no sample is taken until it
 * is over. */
bool nb_prober_is_loading(const struct nb_prober *prober);
/* Between two slices: a sample would tell nothing. */
bool nb_prober_is_paused(const struct nb_prober *prober);
/* Samples are of the measured grade. */
bool nb_prober_is_in_use(const struct nb_prober *prober);
/* What is known of the CPUs puts it to use with the next nb_prober_update(): estimating is not
 * worth while any more. */
bool nb_prober_will_be_used(const struct nb_prober *prober, const struct nb_prober_view *view,
			    uint64_t now_nsec);
/* When the next call of nb_prober_update() is needed, if before the interval ends; 0: no. */
uint64_t nb_prober_due_nsec(const struct nb_prober *prober);
/* The configuration was loaded. why_not: why eBPF is not to be used, or NULL. budget: of all CPUs'
 * time together, basis points. */
void nb_prober_configure(struct nb_prober *prober, const char *why_not, bool delays,
			 uint32_t budget, uint64_t now_nsec);
/* CPU time of the programs on all CPUs since the start, an estimate. */
uint64_t nb_prober_cost_nsec(const struct nb_prober *prober);
/* Measures delays from now until then. -EOPNOTSUPP in the estimated grade. */
int nb_prober_lease_delays(struct nb_prober *prober, uint64_t until_nsec);
bool nb_prober_watches_delays(const struct nb_prober *prober, uint64_t now_nsec);
