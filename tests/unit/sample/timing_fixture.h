/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A machine with four queues beside a probe without a kernel. */

#include "nicbalance/units.h"
#include "sample/timing.h"
#include "support/fake_probe.h"
#include "unit/sample/machine.h"

#define USEC NB_NSEC_PER_USEC

/* The machine "holes": lab0 (ifindex 2) with four queues, interrupts 25 to 28; CPUs 0, 1, 3, 4, 6,
 * 7 are online. */
struct fixture {
	char *dir;
	struct nb_sysroot *root;
	struct nb_scan *scan;
	struct nb_probe *probe;
	struct nb_timing *timing;
	struct nb_cpu_counters cpus[6];
	struct nb_queue_state queues[4];
	struct nb_snapshot snapshot;
};

static inline int set_up(void **state)
{
	static const unsigned ids[] = {0, 1, 3, 4, 6, 7};
	struct fixture *f = g_new0(struct fixture, 1);

	f->dir = nb_machine("holes");
	f->root = nb_machine_open(f->dir);
	assert_int_equal(nb_scan_new(f->root, NULL, NULL, NULL, 1, &f->scan), 0);
	assert_int_equal(f->scan->machine.queues[0].irqs[0], 25);
	f->probe = nb_fake_probe_new(8);
	f->timing = nb_timing_new(f->probe);
	assert_int_equal(nb_timing_adopt(f->timing, f->scan), 0);
	for (unsigned i = 0; i < G_N_ELEMENTS(ids); i++)
		f->cpus[i].id = ids[i];
	for (unsigned i = 0; i < 4; i++)
		f->queues[i] = (struct nb_queue_state){.landed_cpu = -1, .polled_cpu = -1};
	f->snapshot = (struct nb_snapshot){
		.cpus = f->cpus, .n_cpus = 6, .queues = f->queues, .n_queues = 4};
	*state = f;
	return 0;
}

static inline int tear_down(void **state)
{
	struct fixture *f = *state;

	nb_timing_free(f->timing);
	nb_fake_probe_free(f->probe);
	nb_scan_unref(f->scan);
	nb_sysroot_free(f->root);
	nb_tmp_remove(f->dir);
	g_free(f);
	return 0;
}

static inline void read_now(struct fixture *f)
{
	nb_timing_read(f->timing, &f->snapshot, false);
}
