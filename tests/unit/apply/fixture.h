/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A machine of four CPUs and one NIC over the fake kernel. eth0 has three queues: 0 with the
 * interrupts 40 and 41, 1 with 42, 2 with 43. All of them may run anywhere, RPS is off. Its RSS
 * table, which knows a fourth one, has eight entries, and is the kernel's default. */

#include "apply/apply.h"
#include "apply/knob.h"
#include "base/cpumask_text.h"
#include "support/fake_kernel.h"
#include "support/fake_rss.h"
#include "support/plan.h"
#include "support/support.h"

#include <stdio.h>

#define BASELINE "run/nicbalance/baseline"
#define ETH0 2

typedef struct fixture {
	char *dir;
	struct nb_sysroot *root;
	struct nb_fake_kernel *kernel;
	struct nb_fake_rss rss;
	struct nb_access access;
	struct nb_applier *applier;
	struct nb_nic nic;
	struct nb_queue queues[3];
	struct nb_machine machine;
	enum nb_outcome outcomes[8];
} fixture;

static const uint32_t irqs[] = {40, 41, 42, 43};

static inline void fixture_free(struct fixture *f)
{
	if (!f)
		return;
	nb_applier_free(f->applier);
	nb_netlink_free(f->access.netlink);
	nb_fake_kernel_free(f->kernel);
	nb_sysroot_free(f->root);
	nb_tmp_remove(f->dir);
	g_free(f);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(fixture, fixture_free)

/* In memory where there is some: replacing the baseline waits for the disk, thousands of times. */
static inline char *make_dir(void)
{
	g_autofree char *dir = g_strdup("/dev/shm/nicbalance-test-XXXXXX");

	return g_mkdtemp(dir) ? g_steal_pointer(&dir) : nb_tmp_make();
}

static inline struct fixture *fixture_new(enum nb_fake_release release)
{
	struct fixture *f = g_new0(struct fixture, 1);

	f->dir = make_dir();
	assert_int_equal(nb_sysroot_open(f->dir, &f->root), 0);
	f->kernel = nb_fake_kernel_new(f->root, f->dir, release, 4);
	f->rss = (struct nb_fake_rss){.ifname = "eth0", .n = 8, .n_rings = 4, .hfunc = 1};
	nb_fake_rss_reset(&f->rss);
	f->access.root = f->root;
	assert_int_equal(nb_netlink_new_ethtool(&f->access.netlink), 0);
	nb_fake_rss_attach(&f->rss, f->access.netlink);
	nb_fake_kernel_add_irq(f->kernel, 40, "eth0-rx-0", "0-3");
	nb_fake_kernel_add_irq(f->kernel, 41, "eth0-tx-0", "0-3");
	nb_fake_kernel_add_irq(f->kernel, 42, "eth0 rxtx 1", "0-3");
	nb_fake_kernel_add_irq(f->kernel, 43, "eth0 rxtx 2", "0-3");
	for (unsigned i = 0; i < 3; i++)
		nb_fake_kernel_add_queue(f->kernel, ETH0, "eth0", i, "");

	f->nic = (struct nb_nic){.ifindex = ETH0, .name = "eth0"};
	f->queues[0] = (struct nb_queue){
		.key = {ETH0, 0}, .has_rx = true, .has_tx = true, .n_irqs = 2, .irqs = {40, 41}};
	f->queues[1] = (struct nb_queue){.key = {ETH0, 1}, .n_irqs = 1, .irqs = {42}};
	f->queues[2] = (struct nb_queue){.key = {ETH0, 2}, .n_irqs = 1, .irqs = {43}};
	f->machine = (struct nb_machine){
		.nics = &f->nic, .n_nics = 1, .queues = f->queues, .n_queues = 3};
	assert_int_equal(nb_applier_new(f->root, f->access.netlink, &f->applier), 0);
	return f;
}

/* Queues 1 and 2 have the channels 21 and 22 of the VMBus instead, both on CPU 0. */
static inline void synthesize(struct fixture *f)
{
	for (unsigned i = 1; i < 3; i++) {
		nb_fake_kernel_add_channel(f->kernel, ETH0, "eth0", 20 + i, i, 0);
		f->queues[i].irqs[0] = NB_IRQ_CHANNEL | (20 + i);
	}
}

/* The daemon ends, however it does, and another one starts. */
static inline int fixture_restart(struct fixture *f)
{
	g_clear_pointer(&f->applier, nb_applier_free);
	return nb_applier_new(f->root, f->access.netlink, &f->applier);
}

static inline struct nb_move to_cpu(unsigned queue, unsigned cpu)
{
	return (struct nb_move){.key = {ETH0, queue}, .cpu_from = -1, .cpu_to = cpu};
}

/* What became of its changes is in f->outcomes. */
static inline int apply_plan(struct fixture *f, struct nb_plan *plan)
{
	int r = nb_apply(f->applier, &f->machine, plan);

	for (unsigned i = 0; i < plan->n_changes; i++)
		f->outcomes[i] = plan->changes[i].outcome;
	return r;
}

static inline int apply_moves(struct fixture *f, const struct nb_move *moves, unsigned n)
{
	struct nb_change changes[G_N_ELEMENTS(f->outcomes)];
	struct nb_plan plan = {.changes = changes, .n_changes = n};

	for (unsigned i = 0; i < n; i++)
		changes[i] = MOVE(&moves[i]);
	return apply_plan(f, &plan);
}

static inline enum nb_outcome apply_move(struct fixture *f, unsigned queue, unsigned cpu)
{
	struct nb_move move = to_cpu(queue, cpu);

	(void)apply_moves(f, &move, 1);
	return f->outcomes[0];
}

static inline struct nb_rps_change steer(unsigned queue, unsigned first_cpu, unsigned n_cpus)
{
	struct nb_rps_change change = {.key = {ETH0, queue}};

	for (unsigned i = 0; i < n_cpus; i++)
		nb_cpumask_add(&change.to, first_cpu + i);
	return change;
}

/* The mask that a queue of eth0 has; empty where it cannot be read. */
static inline struct nb_cpumask rps_now(struct fixture *f, unsigned queue)
{
	g_autofree char *path = g_strdup_printf("sys/class/net/eth0/queues/rx-%u/rps_cpus", queue);
	g_autofree char *text = NULL;
	struct nb_cpumask mask = {0};
	size_t len;

	if (nb_sysroot_read(f->root, path, &text, &len) == 0)
		assert_int_equal(nb_cpumask_parse_mask(text, len, &mask), 0);
	return mask;
}

static inline enum nb_outcome apply_rps(struct fixture *f, unsigned queue, unsigned first_cpu,
					unsigned n_cpus)
{
	struct nb_rps_change change = steer(queue, first_cpu, n_cpus);
	struct nb_plan plan = PLAN_OF(STEER(&change));

	change.from = rps_now(f, queue);
	(void)apply_plan(f, &plan);
	return f->outcomes[0];
}

static inline bool has_baseline(struct fixture *f)
{
	return nb_sysroot_exists(f->root, BASELINE);
}

/* No directory can be made where a file is. */
static inline void block_run(struct fixture *f)
{
	g_autofree char *from = g_build_filename(f->dir, "run", NULL);
	g_autofree char *to = g_build_filename(f->dir, "aside", NULL);

	if (g_file_test(from, G_FILE_TEST_EXISTS))
		assert_int_equal(rename(from, to), 0);
	nb_tmp_write(f->dir, "run", "");
}

static inline void unblock_run(struct fixture *f)
{
	g_autofree char *from = g_build_filename(f->dir, "aside", NULL);
	g_autofree char *to = g_build_filename(f->dir, "run", NULL);

	assert_int_equal(remove(to), 0);
	if (g_file_test(from, G_FILE_TEST_EXISTS))
		assert_int_equal(rename(from, to), 0);
}

#define assert_irq(f, irq, list)                                                 \
	do {                                                                     \
		g_autofree char *shown = nb_fake_kernel_irq((f)->kernel, (irq)); \
		assert_string_equal(shown, (list));                              \
	} while (0)

#define assert_rps(f, queue, list)                                                         \
	do {                                                                               \
		g_autofree char *shown = nb_fake_kernel_rps((f)->kernel, "eth0", (queue)); \
		assert_string_equal(shown, (list));                                        \
	} while (0)

static inline void assert_all_as_found(struct fixture *f)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(irqs); i++)
		assert_irq(f, irqs[i], "0-3");
	for (unsigned i = 0; i < 3; i++)
		assert_rps(f, i, "");
}
