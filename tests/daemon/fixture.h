/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The daemon itself in virtual time, on a captured guest: igb with eight queues. */

#include "daemon/daemon.h"
#include "support/support.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_IRQ 35u
#define N_IRQS 8u

struct fixture {
	char *dir;
	struct nb_options options;
	uint64_t now_nsec;
	nb_daemon *daemon;
};

static inline void configure(struct fixture *f, const char *text)
{
	nb_tmp_write(f->options.root, "etc/nicbalance/nicbalance.conf", text);
}

static inline int set_up_machine(void **state, const char *config)
{
	struct fixture *f = g_new0(struct fixture, 1);

	*state = f;
	/* The host's own clock is past the time of these tests, however lately it booted. */
	f->now_nsec = NB_NSEC_PER_SEC;
	f->dir = nb_tmp_make();
	f->options.root = g_build_filename(f->dir, "machine", NULL);
	nb_tmp_unpack(f->options.root, "igb8");
	configure(f, config);
	return 0;
}

static inline int start_daemon(struct fixture *f)
{
	return nb_daemon_new(&f->options, &f->daemon);
}

/* Started, and only looking. */
static inline int set_up_to_observe(void **state)
{
	int r = set_up_machine(state, "[Daemon]\nMode=observe\n");

	return r < 0 ? r : start_daemon(*state);
}

/* To be started by the test. */
static inline int set_up_to_balance(void **state)
{
	return set_up_machine(state, "");
}

static inline int tear_down(void **state)
{
	struct fixture *f = *state;

	nb_daemon_free(f->daemon);
	g_free(f->options.root);
	nb_tmp_remove(f->dir);
	g_free(f);
	return 0;
}

/* A second after the last: a look, whatever there is to see. */
static inline void look(struct fixture *f)
{
	f->now_nsec += NB_NSEC_PER_SEC;
	nb_daemon_cycle(f->daemon, f->now_nsec);
}

/* The same, but that a daemon at rest may go on idle. */
static inline void cycle(struct fixture *f)
{
	f->now_nsec += NB_NSEC_PER_SEC;
	nb_daemon_tick(f->daemon, f->now_nsec);
}

/* As someone else, or the hardware, would have it. */
static inline void point(struct fixture *f, unsigned irq, unsigned cpu)
{
	g_autofree char *mask_path = g_strdup_printf("proc/irq/%u/smp_affinity", irq);
	g_autofree char *effective_path =
		g_strdup_printf("proc/irq/%u/effective_affinity_list", irq);
	g_autofree char *mask = g_strdup_printf("%02x\n", 1u << cpu);
	g_autofree char *effective = g_strdup_printf("%u\n", cpu);

	nb_tmp_write(f->options.root, mask_path, mask);
	nb_tmp_write(f->options.root, effective_path, effective);
}

static inline void pile_up(struct fixture *f)
{
	for (unsigned irq = FIRST_IRQ; irq < FIRST_IRQ + N_IRQS; irq++)
		point(f, irq, 0);
}

/* The only CPU that the mask of an interrupt has. */
static inline int pointed_at(struct fixture *f, unsigned irq)
{
	g_autofree char *path = g_strdup_printf("proc/irq/%u/smp_affinity", irq);
	g_autofree char *text = nb_tmp_read(f->options.root, path);
	uint64_t mask = strtoull(text, NULL, 16);

	assert_true(mask != 0 && (mask & (mask - 1)) == 0);
	return __builtin_ctzll(mask);
}

static inline unsigned n_on(struct fixture *f, int cpu)
{
	unsigned n = 0;

	for (unsigned irq = FIRST_IRQ; irq < FIRST_IRQ + N_IRQS; irq++)
		n += pointed_at(f, irq) == cpu;
	return n;
}

/* Those of the disk come from now on, on CPU 0; the next look is due to read them. */
static inline void disk_interrupts_come(struct fixture *f)
{
	g_autofree char *stat = nb_tmp_read(f->options.root, "proc/stat");
	g_auto(GStrv) parts = g_strsplit(stat, " 927 ", 2);
	g_autofree char *later = g_strjoinv(" 9927 ", parts);

	point(f, 27, 0);
	nb_tmp_write(f->options.root, "proc/stat", later);
	f->now_nsec += 10 * NB_NSEC_PER_SEC;
	f->daemon->rescan_wanted = true;
}

/* Runs it with stderr in a file, and returns what was said; caller frees. */
static inline char *said_by(void (*run)(struct fixture *f), struct fixture *f)
{
	g_autofree char *path = g_build_filename(f->dir, "stderr", NULL);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int real_stderr = dup(STDERR_FILENO);

	assert_true(dup2(fd, STDERR_FILENO) >= 0);
	run(f);
	dup2(real_stderr, STDERR_FILENO);
	close(real_stderr);
	close(fd);
	return nb_tmp_read(f->dir, "stderr");
}

static inline unsigned count_in(const char *text, const char *part)
{
	unsigned n = 0;

	for (const char *at = text; (at = strstr(at, part)); at++)
		n++;
	return n;
}
