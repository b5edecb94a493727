/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "loader/loader.h"

#include <glib.h>
#include <sys/resource.h>

/* Beside a thread of the usual priority that never rests it gets 3.4 % of a CPU, 36 of 1024 + 36
 * (kernel/sched/core.c sched_prio_to_weight). At 19 it would be 1.5 %, and loading would take some
 * minutes. Inside a group of its own (cpu controller, autogroup) it yields to nobody else. */
#define LOW_PRIORITY 15

struct job {
	int (*work)(void *data);
	void *data;
};

/* On Linux a priority is a thread's own (setpriority(2)). Where it may not be lowered the work is
 * done at the usual one. */
static void *run(void *context)
{
	const struct job *job = context;

	setpriority(PRIO_PROCESS, 0, LOW_PRIORITY);
	return GINT_TO_POINTER(job->work(job->data));
}

int nb_loader_yielding(int (*work)(void *data), void *data)
{
	struct job job = {work, data};
	GThread *thread = g_thread_try_new("load", run, &job, NULL);

	return thread ? GPOINTER_TO_INT(g_thread_join(thread)) : work(data);
}
