/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cycle.h"

#include <glib.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define MSEC UINT64_C(1000000)
#define SEC UINT64_C(1000000000)

/* How often the scheduler's clock of the daemon is looked at. */
#define IDLE_NSEC (2 * MSEC)
/* A daemon that has not run for so long has finished its stretch of work. */
#define REST_NSEC (300 * MSEC)
/* One that rests longer than this is not the one expected. */
#define PATIENCE_NSEC (60 * SEC)
/* Stretches after the first cycle that are not yet like all others. */
#define SETTLE 5u

/* Where watch hears of the start; inherited by enter. */
#define START_FD_VARIABLE "NB_BENCH_START_FD"

struct start {
	uint64_t now_nsec;
	uint64_t cpu_nsec;
};

struct watched {
	pid_t pid;
	struct start start;
	uint64_t cpu_nsec;     /* when looked at last */
	uint64_t changed_nsec; /* when it was last seen to have run */
	uint64_t now_nsec;
};

/* Time on a CPU; 0 when there is no such process (any more). */
static uint64_t cpu_nsec_of(pid_t pid)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/schedstat", (int)pid);
	g_autofree char *text = NULL;

	return g_file_get_contents(path, &text, NULL, NULL) ? strtoull(text, NULL, 10) : 0;
}

int nb_bench_enter(int argc, char **argv)
{
	const char *fd = getenv(START_FD_VARIABLE);
	struct start start = {nb_bench_now_nsec(), cpu_nsec_of(getpid())};

	if (fd && (write(atoi(fd), &start, sizeof(start)) != sizeof(start) || close(atoi(fd)) < 0))
		return EXIT_FAILURE;
	unsetenv(START_FD_VARIABLE);
	if (argc > 0)
		execvp(argv[0], argv);
	perror("bench-cycle");
	return EXIT_FAILURE;
}

static bool spawn(char **argv, struct watched *ret)
{
	int pipe_fds[2];
	bool told;

	if (pipe(pipe_fds) < 0)
		return false;
	ret->pid = fork();
	if (ret->pid == 0) {
		char fd[16];

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setpgid(0, 0);
		close(pipe_fds[0]);
		snprintf(fd, sizeof(fd), "%d", pipe_fds[1]);
		setenv(START_FD_VARIABLE, fd, 1);
		execvp(argv[0], argv);
		perror(argv[0]);
		_exit(EXIT_FAILURE);
	}
	close(pipe_fds[1]);
	told = read(pipe_fds[0], &ret->start, sizeof(ret->start)) == sizeof(ret->start);
	close(pipe_fds[0]);
	ret->cpu_nsec = ret->start.cpu_nsec;
	ret->changed_nsec = ret->now_nsec = ret->start.now_nsec;
	return told;
}

/* False when it is gone. */
static bool look(struct watched *watched)
{
	uint64_t cpu_nsec = cpu_nsec_of(watched->pid);

	watched->now_nsec = nb_bench_now_nsec();
	if (cpu_nsec != watched->cpu_nsec)
		watched->changed_nsec = watched->now_nsec;
	watched->cpu_nsec = cpu_nsec;
	return cpu_nsec > 0 && waitpid(watched->pid, NULL, WNOHANG) == 0;
}

/* Waits for one stretch of work and its end; *ret is its CPU time. */
static bool next_stretch(struct watched *watched, uint64_t *ret)
{
	uint64_t before_nsec = watched->cpu_nsec, began_nsec = watched->now_nsec;

	while (watched->cpu_nsec == before_nsec ||
	       watched->now_nsec < watched->changed_nsec + REST_NSEC) {
		nb_bench_sleep(IDLE_NSEC);
		if (!look(watched) || (watched->cpu_nsec == before_nsec &&
				       watched->now_nsec > began_nsec + PATIENCE_NSEC))
			return false;
	}
	*ret = watched->cpu_nsec - before_nsec;
	return true;
}

/* In kilobytes: a line of its status file. */
static unsigned long status_of(pid_t pid, const char *name)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/status", (int)pid);
	g_autofree char *text = NULL;
	const char *line;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return 0;
	line = strstr(text, name);
	return line ? strtoul(line + strlen(name), NULL, 10) : 0;
}

static bool measure(struct watched *watched, unsigned first, uint64_t *cycles, unsigned n)
{
	uint64_t start_cpu_nsec, start_nsec, stretch;

	for (unsigned i = 0; i < first; i++)
		if (!next_stretch(watched, &stretch))
			return false;
	start_nsec = watched->changed_nsec - watched->start.now_nsec;
	start_cpu_nsec = watched->cpu_nsec - watched->start.cpu_nsec;
	for (unsigned i = 0; i < SETTLE; i++)
		if (!next_stretch(watched, &stretch))
			return false;
	for (unsigned i = 0; i < n; i++)
		if (!next_stretch(watched, &cycles[i]))
			return false;
	printf("start_nsec=%" G_GUINT64_FORMAT " start_cpu_nsec=%" G_GUINT64_FORMAT
	       " mean_nsec=%" G_GUINT64_FORMAT " steady_nsec=%" G_GUINT64_FORMAT
	       " rss_kb=%lu anonymous_kb=%lu\n",
	       start_nsec, start_cpu_nsec, nb_bench_mean(cycles, n), nb_bench_median(cycles, n),
	       status_of(watched->pid, "\nVmRSS:"), status_of(watched->pid, "\nRssAnon:"));
	return true;
}

int nb_bench_watch(int argc, char **argv)
{
	unsigned first = argc > 2 ? (unsigned)atoi(argv[0]) : 0;
	unsigned n = argc > 2 ? (unsigned)atoi(argv[1]) : 0;
	g_autofree uint64_t *cycles = g_new0(uint64_t, n);
	struct watched watched;
	bool done;

	if (n == 0)
		return EXIT_FAILURE;
	done = spawn(argv + 2, &watched) && measure(&watched, first, cycles, n);
	/* strace(1) does not hand it on. */
	kill(-watched.pid, SIGTERM);
	while (waitpid(watched.pid, NULL, 0) == watched.pid)
		;
	return done ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* With the daemon that it belongs to. */
static void end_with_parent(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() == 1)
		_exit(EXIT_SUCCESS);
}

int nb_bench_turn(int argc, char **argv)
{
	struct nb_bench_counters *counters = nb_bench_counters_open(argc > 0 ? argv[0] : "/");

	end_with_parent();
	while (counters) {
		nb_bench_sleep(SEC);
		nb_bench_counters_turn(counters);
	}
	return EXIT_FAILURE;
}

int nb_bench_idle(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	for (;;)
		nb_bench_sleep(SEC);
}
