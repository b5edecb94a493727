/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The parts of bench-cycle: each is one word of its command line, run by bench/cycle. They return
 * an exit status. */

#include <stdbool.h>
#include <stdint.h>

/* "watch FIRST CYCLES COMMAND...": starts a daemon and tells what its cycles cost by the clock of
 * the scheduler. Its first cycle is done with its FIRSTth stretch of work. */
int nb_bench_watch(int argc, char **argv);
/* "enter COMMAND...": tells watch that the daemon starts here, and becomes it. */
int nb_bench_enter(int argc, char **argv);
/* "turn ROOT": lets the counters of a machine grow once a second until its parent ends. */
int nb_bench_turn(int argc, char **argv);
/* "idle": wakes once a second and does nothing. What that costs is in every daemon's cycle. */
int nb_bench_idle(int argc, char **argv);
/* "loop WHAT CYCLES PACE": runs the cycle of the daemon in this process, one virtual second apart
 * each. PACE "rest" sleeps a real one too, so that the caches are those of a daemon; "mark" makes
 * each cycle known to strace. WHAT is "counted", or in the measured grade "calm" (no CPU has enough
 * network work for a move to be worth its while), "busy" (it has, and is not hot), or "hot" (all
 * CPUs are, as each other). */
int nb_bench_loop(int argc, char **argv);

/* What counts the CPU time of this thread. */
uint64_t nb_bench_cpu_nsec(void);
/* The real monotonic clock, also where the daemon is told a virtual one. */
uint64_t nb_bench_now_nsec(void);
void nb_bench_sleep(uint64_t nsec);
/* What the daemon's loop is told from now on. */
void nb_bench_set_virtual(uint64_t nsec);

/* Of n values, n > 0. Sorts them. */
uint64_t nb_bench_median(uint64_t *values, unsigned n);
uint64_t nb_bench_mean(const uint64_t *values, unsigned n);

/* The counters below proc of a machine made of files, which can be made to grow. */
struct nb_bench_counters;
/* NULL with a message on stderr. */
struct nb_bench_counters *nb_bench_counters_open(const char *root);
void nb_bench_counters_close(struct nb_bench_counters *counters);
/* What one calm and even second adds. */
void nb_bench_counters_turn(struct nb_bench_counters *counters);

struct nb_machine;
struct nb_snapshot;
/* The daemon gets a probe of this machine at its next try. Before, it gets none. */
void nb_bench_probe_prepare(const struct nb_machine *machine);
/* One second in which each queue's NAPI polled for so long. Of no effect in the estimated grade. */
void nb_bench_probe_turn(const struct nb_snapshot *snapshot, uint64_t poll_nsec);
