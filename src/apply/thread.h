/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A kernel thread that polls a NAPI, as /proc shows it. */

#include "nicbalance/cpumask.h"
#include "sysroot/sysroot.h"

#define NB_THREAD_NAME_MAX 64 /* fs/proc/array.c proc_task_name() */

struct nb_thread {
	char name[NB_THREAD_NAME_MAX]; /* "napi/eth0-8193"; of one line */
	uint64_t began; /* ticks after boot: with the pid it names the thread for good */
};

/* proc/PID/stat. -ENOENT: no kernel thread of a NAPI. -EBADMSG: it holds something else. */
int nb_thread_parse_stat(const char *text, size_t len, struct nb_thread *ret);
/* The affinity in proc/PID/status, with CPUs that are offline. -EBADMSG: there is none. */
int nb_thread_parse_status(const char *text, size_t len, struct nb_cpumask *ret);

/* The thread that has this pid now. -ENOENT also where nothing has it. */
int nb_thread_find(struct nb_sysroot *root, uint32_t pid, struct nb_thread *ret);
int nb_thread_read_cpus(struct nb_sysroot *root, uint32_t pid, struct nb_cpumask *ret);
