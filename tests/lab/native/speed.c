/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Says how fast each CPU of the host is at the moment. A hyperthread does less in the same CPU time
 * while the core's other one is busy, be it another guest's, and nothing in /proc/stat tells. Runs
 * on the host until it is killed, at half a per cent of each CPU.
 *
 *	speed FILE
 *
 * A line "SECONDS CPU NSEC" is added to FILE twice a second for each CPU: time of day, and the CPU
 * time that a piece of work took which is always the same, the least of five, as an interrupt may
 * fall into the others. It fits into registers and keeps all units of a core busy, so that what the
 * emulator has in the caches makes no difference, and what runs on the core's other thread does. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NSEC_PER_SEC 1000000000LL
#define PAUSE_NSEC 100000000L
#define N_SAMPLES 5
#define N_STREAMS 8
#define N_STEPS 100000

static void die(const char *what)
{
	fprintf(stderr, "speed: %s: %s\n", what, strerror(errno));
	exit(1);
}

static long long now_nsec(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

static void work(void)
{
	uint64_t streams[N_STREAMS] = {1, 2, 3, 4, 5, 6, 7, 8};

	for (uint64_t step = 0; step < N_STEPS; step++) {
		for (unsigned int i = 0; i < N_STREAMS; i++) {
			streams[i] ^= streams[i] >> 7;
			streams[i] += step;
			__asm__ volatile("" : "+r"(streams[i]));
		}
	}
}

static void watch(int fd, int cpu)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NSEC};
	long long least, begun, now;
	char line[64];
	cpu_set_t set;
	int len;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) < 0)
		die("cannot stay on a CPU");
	for (;;) {
		least = LLONG_MAX;
		for (unsigned int i = 0; i < N_SAMPLES; i++) {
			clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
			begun = now_nsec(CLOCK_THREAD_CPUTIME_ID);
			work();
			now = now_nsec(CLOCK_THREAD_CPUTIME_ID);
			if (now - begun < least)
				least = now - begun;
		}
		now = now_nsec(CLOCK_REALTIME);
		len = snprintf(line, sizeof(line), "%lld.%06lld %d %lld\n", now / NSEC_PER_SEC,
			       now % NSEC_PER_SEC / 1000, cpu, least);
		if (write(fd, line, len) != len)
			die("cannot tell");
	}
}

int main(int argc, char **argv)
{
	cpu_set_t set;
	int fd;

	if (argc != 2) {
		fprintf(stderr, "usage: speed FILE\n");
		return 2;
	}
	fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
	if (fd < 0)
		die(argv[1]);
	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		die("cannot tell this process' CPUs");
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &set) && fork() == 0)
			watch(fd, cpu);
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
