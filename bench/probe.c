/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the probe costs beside libbpf-tools' softirqs, under the same packets. See README.md. */
#include "probe.h"

#include "support/loading.h"

#include <bpf/bpf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define MSEC 1000
#define OTHER_PROGRAM "softirqs"

/* The probe in its stages, and the other one. IDLE: its programs return at once, which is what any
 * programs on these tracepoints cost at least. COUNTING: FULL, and packets are counted by entry of
 * the RSS table. */
enum who { NONE, DETACHED, IDLE, FULL, COUNTING, THEIRS, _WHO_MAX };

#define BUCKETS 128u

/* Of the time, as src/model/duty.c has it while a CPU is hot and nothing can be decided. */
#define WARM_SHARE 0.05

/* Packets to a softirq: one each, and as a busy NIC has them. */
static const unsigned batches[] = {1, 32};

/* One of them at work. */
struct watcher {
	GArray *programs;
	nb_probe *probe;
	GPid pid;
};

/* A veth records no queue, and so all of them stray, which costs the same. */
static void count_buckets(nb_probe *probe, int ifindex)
{
	const uint32_t queues[BUCKETS] = {0};

	if (nb_probe_count_buckets(probe, ifindex, queues, BUCKETS, NULL) < 0)
		g_error("the probe does not count by RSS table entry");
}

static void start_ours(enum who stage, struct watcher *watcher, int ifindex)
{
	g_autofree char *reason = NULL;

	if (nb_await_probe(&watcher->probe, &reason) < 0)
		g_error("%s", reason);
	if (nb_probe_set_scope(watcher->probe, &ifindex, 1, NULL, 0) < 0)
		g_error("the probe takes no scope");
	if (stage == DETACHED)
		return;
	if (nb_probe_attach(watcher->probe) < 0)
		g_error("the probe cannot be attached");
	nb_probe_measure(watcher->probe, stage == FULL || stage == COUNTING);
	if (stage == COUNTING)
		count_buckets(watcher->probe, ifindex);
}

/* It tells nothing before its end; its programs are all there is to see. */
static void start_theirs(struct watcher *watcher, const GArray *before)
{
	char *argv[] = {(char *)OTHER_PROGRAM, (char *)"3600", (char *)"1", NULL};
	unsigned found = 0;

	if (!g_spawn_async(NULL, argv, NULL,
			   G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD |
				   G_SPAWN_STDOUT_TO_DEV_NULL,
			   NULL, NULL, &watcher->pid, NULL))
		g_error("there is no " OTHER_PROGRAM ": install libbpf-tools");
	for (unsigned tries = 0; found < 2 && tries < 100; tries++) {
		g_autoptr(GArray) now = NULL;

		g_usleep(100000);
		now = nb_bench_programs_since(before);
		found = now->len;
	}
	if (found < 2)
		g_error(OTHER_PROGRAM " does not start");
	g_usleep(200000); /* from loading to attaching */
}

static void watch(enum who who, int ifindex, struct watcher *ret)
{
	g_autoptr(GArray) before = nb_bench_programs();

	*ret = (struct watcher){0};
	if (who != NONE && who != THEIRS)
		start_ours(who, ret, ifindex);
	if (who == THEIRS)
		start_theirs(ret, before);
	ret->programs = nb_bench_programs_since(before);
}

static void leave(struct watcher *watcher)
{
	g_clear_pointer(&watcher->probe, nb_probe_free);
	if (watcher->pid) {
		kill(watcher->pid, SIGINT);
		waitpid(watcher->pid, NULL, 0);
	}
	g_array_unref(watcher->programs);
}

/* --- the two measurements ------------------------------------------------------------------------
 */

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, unsigned n)
{
	qsort(values, n, sizeof(*values), compare);
	return values[n / 2];
}

/* CPU time of each packet. */
struct packet_nsec {
	double whole[_WHO_MAX];
	double reckoned; /* what the probe itself says that it adds while it measures */
};

/* One after the other in each round, so that what else goes on at the host meets all of them. */
static void measure_packets(int ifindex, unsigned batch, unsigned rounds, struct packet_nsec *ret)
{
	g_autofree double *nsec = g_new(double, rounds *_WHO_MAX);
	g_autofree double *reckoned = g_new(double, rounds);

	for (unsigned round = 0; round < rounds; round++) {
		for (enum who who = NONE; who < _WHO_MAX; who++) {
			struct nb_bench_load load;
			struct watcher watcher;

			watch(who, ifindex, &watcher);
			load = nb_bench_send(MSEC, batch);
			if (who == FULL)
				reckoned[round] = (double)nb_probe_cost_nsec(watcher.probe) /
						  (double)load.packets;
			leave(&watcher);
			nsec[who * rounds + round] = (double)load.cpu_nsec / (double)load.packets;
		}
	}
	for (enum who who = NONE; who < _WHO_MAX; who++)
		ret->whole[who] = median(&nsec[who * rounds], rounds);
	ret->reckoned = median(reckoned, rounds);
}

/* What the kernel says that the programs took, for each softirq: in those of softirqs, and in all.
 */
struct programs_nsec {
	double softirq;
	double all;
};

static struct programs_nsec measure_programs_once(enum who who, int ifindex)
{
	struct nb_bench_cost softirqs, exits, all;
	struct watcher watcher;

	watch(who, ifindex, &watcher);
	(void)nb_bench_send(MSEC, 1);
	softirqs = nb_bench_cost(watcher.programs, "softirq_");
	exits = nb_bench_cost(watcher.programs, "softirq_exit");
	all = nb_bench_cost(watcher.programs, "");
	leave(&watcher);
	if (exits.runs == 0)
		g_error("the kernel keeps no statistics of BPF programs");
	return (struct programs_nsec){
		.softirq = (double)softirqs.nsec / (double)exits.runs,
		.all = (double)all.nsec / (double)exits.runs,
	};
}

static struct programs_nsec measure_programs(enum who who, int ifindex, unsigned rounds)
{
	g_autofree double *softirq = g_new(double, rounds);
	g_autofree double *all = g_new(double, rounds);

	for (unsigned round = 0; round < rounds; round++) {
		struct programs_nsec nsec = measure_programs_once(who, ifindex);

		softirq[round] = nsec.softirq;
		all[round] = nsec.all;
	}
	return (struct programs_nsec){median(softirq, rounds), median(all, rounds)};
}

/* Of one CPU, at so many packets a second. */
static void print_row(const char *name, double nsec, double packet_nsec)
{
	static const unsigned rates[] = {10000, 100000, 1000000};

	printf("%-28s %+7.0f ns %6.2f %%", name, nsec, 100 * nsec / packet_nsec);
	for (unsigned i = 0; i < G_N_ELEMENTS(rates); i++)
		printf(" %8.3f %%", nsec * rates[i] / 1e7);
	printf("\n");
}

static void print_packets(unsigned batch, const struct packet_nsec *nsec)
{
	const double *packet = nsec->whole;
	double full = packet[FULL] - packet[NONE];

	printf("CPU time of a packet, %2u to a softirq %7.0f ns\n", batch, packet[NONE]);
	printf("%-28s    packet           of one CPU at 10, 100, 1000 k/s\n", "added");
	print_row("  calm (detached)", packet[DETACHED] - packet[NONE], packet[NONE]);
	print_row("  warm (5 % of the time)", WARM_SHARE * full, packet[NONE]);
	print_row("  deciding (all the time)", full, packet[NONE]);
	print_row("  of that: entering programs", packet[IDLE] - packet[NONE], packet[NONE]);
	print_row("  as the probe reckons it", nsec->reckoned, packet[NONE]);
	print_row("  beside: by RSS table entry", packet[COUNTING] - packet[FULL], packet[NONE]);
	print_row("  softirqs", packet[THEIRS] - packet[NONE], packet[NONE]);
}

/* While nothing is sent: the programs are put into the kernel's text on all CPUs. */
static void print_attaching(int ifindex, unsigned rounds)
{
	g_autofree double *attach = g_new(double, rounds);
	g_autofree double *detach = g_new(double, rounds);
	g_autofree double *count = g_new(double, rounds);
	struct watcher watcher;

	watch(DETACHED, ifindex, &watcher);
	for (unsigned round = 0; round < rounds; round++) {
		double began = g_get_monotonic_time(), attached;

		if (nb_probe_attach(watcher.probe) < 0)
			g_error("the probe cannot be attached");
		attached = g_get_monotonic_time();
		count_buckets(watcher.probe, ifindex);
		nb_probe_stop_buckets(watcher.probe);
		count[round] = g_get_monotonic_time() - attached;
		attach[round] = attached - began;
		began = g_get_monotonic_time();
		nb_probe_detach(watcher.probe);
		detach[round] = g_get_monotonic_time() - began;
	}
	leave(&watcher);
	printf("Attaching takes %.1f ms, detaching %.1f ms; both of what counts by RSS table entry "
	       "%.1f ms\n",
	       median(attach, rounds) / 1000, median(detach, rounds) / 1000,
	       median(count, rounds) / 1000);
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 9;
	struct programs_nsec ours, theirs;
	struct packet_nsec packet;
	int ifindex, stats;

	if (rounds == 0) {
		fprintf(stderr, "usage: %s [ROUNDS]\n", argv[0]);
		return EXIT_FAILURE;
	}
	nb_bench_enter_namespace();
	ifindex = nb_bench_add_veth();

	for (unsigned i = 0; i < G_N_ELEMENTS(batches); i++) {
		measure_packets(ifindex, batches[i], rounds, &packet);
		print_packets(batches[i], &packet);
	}
	print_attaching(ifindex, rounds);

	stats = bpf_enable_stats(BPF_STATS_RUN_TIME); /* until it is closed */
	if (stats < 0)
		g_error("statistics of BPF programs take CAP_SYS_ADMIN");
	ours = measure_programs(FULL, ifindex, rounds);
	theirs = measure_programs(THEIRS, ifindex, rounds);
	close(stats);
	printf("Programs of a softirq, by the kernel's own statistics (their cost included)\n");
	printf("  softirqs              %7.0f ns\n", theirs.softirq);
	printf("  probe, entry and exit %7.0f ns   probe/softirqs %.2f\n", ours.softirq,
	       ours.softirq / theirs.softirq);
	printf("  probe, all of it      %7.0f ns   probe/softirqs %.2f\n", ours.all,
	       ours.all / theirs.all);
	return EXIT_SUCCESS;
}
