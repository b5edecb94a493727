/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* How the cost of queues is measured: with the probe as long as there is one, else counted. */

#include "bpf/probe.h"
#include "loop/loop.h"
#include "sample/sampler.h"

struct nb_prober {
	struct nb_sampler *sampler;       /* borrowed; told of the probe */
	struct nb_probe *probe;           /* NULL in the estimated grade */
	struct nb_probe_loading *loading; /* NULL unless it is under way */
	struct nb_probe_loading *dying;   /* NULL unless one was killed, and is not dead */
	uint64_t loading_nsec;            /* since then */
	char *reason;                     /* why it is this grade; owned */
	bool logged_estimated;
	bool wanted; /* as soon as the first placement is settled */
	uint64_t wanted_nsec;
	bool window_spoilt; /* by what loading the programs took of a CPU; the daemon clears it */
	bool delays;        /* the configuration wants them all the time */
	uint64_t delays_until_nsec; /* someone looks at them */
	uint64_t spent_nsec;        /* by probes that are gone */
	uint64_t opened_cycle;
	uint64_t checked_nsec;
	uint64_t retry_nsec;      /* 0: not again */
	uint64_t retry_wait_nsec; /* 0: never lost */
};

/* What the daemon is at. */
struct nb_prober_view {
	const struct nb_loop *loop;
	uint64_t cycles;
	bool hurried; /* the last plan wants another look before the next beat */
};

/* A zeroed prober with its sampler set measures in the estimated grade. */
void nb_prober_clear(struct nb_prober *prober);

/* Opens the probe, finds out when it is lost, and falls back. Called in each cycle, after
 * everything else. */
void nb_prober_update(struct nb_prober *prober, const struct nb_prober_view *view,
		      uint64_t now_nsec);
/* What loading takes of a CPU would pass for an application that came to stay: until it is done, or
 * was given up, nothing is looked at. */
bool nb_prober_is_loading(const struct nb_prober *prober);
/* The configuration is new: why_not says why eBPF is not to be used, NULL where it is. */
void nb_prober_configure(struct nb_prober *prober, const char *why_not, bool delays,
			 uint64_t now_nsec);
/* What the programs have cost all CPUs since the daemon began, an estimate. */
uint64_t nb_prober_cost_nsec(const struct nb_prober *prober);
/* Measures delays at once and until then. -EOPNOTSUPP in the estimated grade. */
int nb_prober_lease_delays(struct nb_prober *prober, uint64_t until_nsec);
bool nb_prober_watches_delays(const struct nb_prober *prober, uint64_t now_nsec);
