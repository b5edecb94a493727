/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* An applier that writes to a NIC of a real kernel: a veth in a network namespace of the test's
 * own. What it notes for a restart is in a /run of this process alone. */

#include "apply/apply.h"
#include "kernel/test_netlink.h"
#include "support/plan.h"

#define BASELINE "run/nicbalance/baseline"

struct bench {
	struct nb_sysroot *root;
	struct nb_netlink *netlink; /* NULL: files alone */
	struct nb_applier *applier;
	struct nb_nic nic;
	struct nb_machine machine;
};

/* The NIC is one of those that add_veth() has made. */
static inline void bench_open(struct bench *bench, const char *nic)
{
	bench->nic = (struct nb_nic){.ifindex = (int)if_nametoindex(nic), .n_rx = 4, .n_tx = 4};
	g_strlcpy(bench->nic.name, nic, sizeof(bench->nic.name));
	bench->machine = (struct nb_machine){.nics = &bench->nic, .n_nics = 1};
	assert_int_equal(nb_sysroot_open(NULL, &bench->root), 0);
	assert_int_equal(nb_applier_new(bench->root, bench->netlink, &bench->applier), 0);
}

/* As if the daemon had been killed. */
static inline void bench_restart(struct bench *bench)
{
	g_clear_pointer(&bench->applier, nb_applier_free);
	assert_int_equal(nb_applier_new(bench->root, bench->netlink, &bench->applier), 0);
}

static inline int bench_setup(void **state)
{
	struct bench *bench = g_new0(struct bench, 1);

	(void)add_veth(state);
	bench_open(bench, "vv0");
	*state = bench;
	return 0;
}

/* Frees what state points to, of which a bench is the first part, and removes the veth unless the
 * test has. */
static inline int bench_teardown(void **state)
{
	struct bench *bench = *state;
	bool has_veth = if_nametoindex("vv1") != 0;

	nb_applier_free(bench->applier);
	if (nb_sysroot_exists(bench->root, BASELINE))
		assert_int_equal(nb_sysroot_unlink(bench->root, BASELINE), 0);
	nb_netlink_free(bench->netlink);
	nb_sysroot_free(bench->root);
	g_free(bench);
	return has_veth ? del_veth(state) : 0;
}
