/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The parts of bench-probe. All of them say on stderr what they miss, and end the process: a
 * measurement that lacks a part of itself is none. */

#include <glib.h>
#include <stdint.h>

/* --- probe_load.c: a pair of veths in a network namespace of this process, and UDP over it
 * --------- */

void nb_bench_enter_namespace(void);
/* The receiving device's number. */
int nb_bench_add_veth(void);

struct nb_bench_load {
	uint64_t packets;
	uint64_t cpu_nsec; /* of the sending thread: softirqs run in its context, so theirs too */
};

/* Sends small packets for so long, so many to a softirq, 64 at most. One each is the worst that can
 * happen to whoever measures softirqs. */
struct nb_bench_load nb_bench_send(unsigned msec, unsigned batch);

/* --- probe_programs.c: BPF programs of this host
 * --------------------------------------------------- */

/* Ids (uint32_t) of all programs, and of those that came since. */
GArray *nb_bench_programs(void);
GArray *nb_bench_programs_since(const GArray *before);

struct nb_bench_cost {
	uint64_t nsec; /* of programs whose name begins so, since they were loaded */
	uint64_t runs;
};
struct nb_bench_cost nb_bench_cost(const GArray *programs, const char *prefix);
