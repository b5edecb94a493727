/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flow tables of a NIC and of the host, from the plan into the kernel and back. */
#include "unit/apply/fixture.h"

#include <errno.h>

#define N_RX 3

/* No table has an entry. */
static struct fixture *new_fixture(void)
{
	struct fixture *f = fixture_new(NB_FAKE_6_12);

	f->nic.n_rx = N_RX;
	nb_fake_kernel_set_flows(f->kernel, NULL, 0, 0);
	for (unsigned i = 0; i < N_RX; i++)
		nb_fake_kernel_set_flows(f->kernel, "eth0", i, 0);
	return f;
}

static enum nb_outcome ask(struct fixture *f, unsigned flows)
{
	struct nb_setting_change change = {.key.ifindex = ETH0, .to = flows};
	struct nb_plan plan = PLAN_OF(SET(NB_KIND_RFS, &change));

	nb_fake_kernel_fail(f->kernel, 1, 0, 0); /* counts anew */
	(void)apply_plan(f, &plan);
	return f->outcomes[0];
}

static void assert_flows(struct fixture *f, uint64_t host, uint64_t a, uint64_t b, uint64_t c)
{
	assert_int_equal(nb_fake_kernel_flows(f->kernel, NULL, 0), host);
	assert_int_equal(nb_fake_kernel_flows(f->kernel, "eth0", 0), a);
	assert_int_equal(nb_fake_kernel_flows(f->kernel, "eth0", 1), b);
	assert_int_equal(nb_fake_kernel_flows(f->kernel, "eth0", 2), c);
}

static void tables_grow_to_their_share_and_return(void **state)
{
	g_autoptr(fixture) f = new_fixture();
	g_autofree char *text = NULL;

	(void)state;
	assert_false(nb_applier_wrote_rfs(f->applier, ETH0));
	assert_int_equal(ask(f, 30000), NB_OUTCOME_APPLIED);
	assert_flows(f, 32768, 16384, 16384, 16384);
	text = nb_tmp_read(f->dir, BASELINE);
	assert_string_equal(text, "nicbalance baseline 1\n"
				  "rfs-host 0 0 32768 net.core\n"
				  "rfs 2 0 0 0 16384 eth0\n"
				  "rfs 2 1 0 0 16384 eth0\n"
				  "rfs 2 2 0 0 16384 eth0\n");
	assert_true(nb_applier_owns_rfs(f->applier, ETH0, "eth0", 2));
	assert_true(nb_applier_owns_rfs(f->applier, 0, "", 0));
	assert_int_equal(ask(f, 0), NB_OUTCOME_APPLIED);
	assert_flows(f, 0, 0, 0, 0);
	assert_int_equal(nb_applier_count(f->applier), 0);
	assert_int_equal(ask(f, 0), NB_OUTCOME_UNCHANGED);
}

/* Each write would empty a table. */
static void a_size_that_a_table_has_is_not_written(void **state)
{
	g_autoptr(fixture) f = new_fixture();

	(void)state;
	assert_int_equal(ask(f, 3), NB_OUTCOME_APPLIED);
	assert_flows(f, 4, 1, 1, 1);
	assert_int_equal(ask(f, 4), NB_OUTCOME_APPLIED); /* 2 of each queue, and 4 as before */
	assert_int_equal(nb_fake_kernel_n_writes(f->kernel), N_RX);
	assert_int_equal(fixture_restart(f), 0);
	assert_int_equal(ask(f, 4), NB_OUTCOME_UNCHANGED);
	assert_int_equal(nb_fake_kernel_n_writes(f->kernel), 0);
	assert_true(nb_applier_wrote_rfs(f->applier, ETH0));
	assert_int_equal(nb_applier_restore(f->applier, NULL), 0);
	assert_flows(f, 0, 0, 0, 0);
	assert_false(has_baseline(f));
}

static void larger_tables_stay_and_smaller_ones_come_back(void **state)
{
	g_autoptr(fixture) f = new_fixture();

	(void)state;
	nb_fake_kernel_set_flows(f->kernel, NULL, 0, 65536);
	nb_fake_kernel_set_flows(f->kernel, "eth0", 0, 32768);
	nb_fake_kernel_set_flows(f->kernel, "eth0", 1, 512);
	assert_int_equal(ask(f, 32768), NB_OUTCOME_APPLIED);
	assert_flows(f, 65536, 32768, 16384, 16384);
	assert_int_equal(nb_fake_kernel_n_writes(f->kernel), 2);
	assert_int_equal(ask(f, 300),
			 NB_OUTCOME_APPLIED); /* ours shrink; what was found does not */
	assert_flows(f, 65536, 32768, 512, 128);
	assert_int_equal(ask(f, 0), NB_OUTCOME_APPLIED);
	assert_flows(f, 65536, 32768, 512, 0);
	assert_int_equal(nb_applier_count(f->applier), 0);
}

static void tables_of_another_program_are_left_with_all_of_the_nic(void **state)
{
	g_autoptr(fixture) f = new_fixture();

	(void)state;
	assert_int_equal(ask(f, 1024), NB_OUTCOME_APPLIED);
	nb_fake_kernel_set_flows(f->kernel, "eth0", 1, 64);
	assert_int_equal(ask(f, 4096), NB_OUTCOME_FOREIGN);
	assert_flows(f, 1024, 512, 64, 512);
	assert_int_equal(ask(f, 0), NB_OUTCOME_APPLIED);
	assert_flows(f, 0, 0, 64, 0);
	assert_int_equal(ask(f, 1024), NB_OUTCOME_FOREIGN);
	nb_fake_kernel_set_flows(f->kernel, "eth0", 1, 0);

	assert_int_equal(ask(f, 1024), NB_OUTCOME_APPLIED);
	nb_fake_kernel_set_flows(f->kernel, NULL, 0, 128);
	assert_int_equal(ask(f, 2048), NB_OUTCOME_FOREIGN);
	assert_flows(f, 128, 512, 512, 512);
	nb_fake_kernel_set_flows(f->kernel, NULL, 0, 8192); /* which is enough for all */
	assert_int_equal(ask(f, 2048), NB_OUTCOME_APPLIED);
	assert_flows(f, 8192, 1024, 1024, 1024);
	assert_int_equal(nb_applier_restore(f->applier, NULL), 0);
	assert_flows(f, 8192, 0, 0, 0);
}

/* So that the next run takes it back, too. */
static void the_table_of_the_host_alone_was_written_for_the_nic(void **state)
{
	g_autoptr(fixture) f = new_fixture();

	(void)state;
	for (unsigned i = 0; i < N_RX; i++)
		nb_fake_kernel_set_flows(f->kernel, "eth0", i, 512);
	assert_int_equal(ask(f, 1024), NB_OUTCOME_APPLIED);
	assert_int_equal(nb_fake_kernel_n_writes(f->kernel), 1);
	assert_flows(f, 1024, 512, 512, 512);
	assert_true(nb_applier_wrote_rfs(f->applier, ETH0));
}

/* ethtool -L made it anew. */
static void a_queue_without_a_table_gets_one(void **state)
{
	g_autoptr(fixture) f = new_fixture();

	(void)state;
	nb_fake_kernel_set_flows(f->kernel, "eth0", 2, 64);
	assert_int_equal(ask(f, 1024), NB_OUTCOME_APPLIED);
	nb_fake_kernel_set_flows(f->kernel, "eth0", 2, 0);
	assert_int_equal(ask(f, 1024), NB_OUTCOME_APPLIED);
	assert_flows(f, 1024, 512, 512, 512);
	assert_int_equal(nb_applier_restore(f->applier, NULL), 0);
	assert_flows(f, 0, 0, 0, 0);
}

static void the_table_of_the_host_stays_as_long_as_a_nic_uses_it(void **state)
{
	g_autoptr(fixture) f = new_fixture();
	struct nb_nic nics[2] = {f->nic, f->nic};
	struct nb_setting_change other = {.key.ifindex = ETH0 + 1, .to = 1024};
	struct nb_plan plan = PLAN_OF(SET(NB_KIND_RFS, &other));

	(void)state;
	nics[1].ifindex = ETH0 + 1;
	nics[1].n_rx = 1;
	g_strlcpy(nics[1].name, "eth1", sizeof(nics[1].name));
	nb_fake_kernel_add_queue(f->kernel, ETH0 + 1, "eth1", 0, "");
	nb_fake_kernel_set_flows(f->kernel, "eth1", 0, 0);
	f->machine.nics = nics;
	f->machine.n_nics = 2;
	assert_int_equal(ask(f, 1024), NB_OUTCOME_APPLIED);
	nb_fake_kernel_fail(f->kernel, 1, 0, 0);
	assert_int_equal(nb_apply(f->applier, &f->machine, &plan), 0);
	assert_int_equal(nb_fake_kernel_n_writes(f->kernel), 1);
	assert_int_equal(nb_fake_kernel_flows(f->kernel, "eth1", 0), 1024);

	assert_int_equal(ask(f, 0), NB_OUTCOME_APPLIED);
	assert_flows(f, 1024, 0, 0, 0);
	other.to = 0;
	assert_int_equal(nb_apply(f->applier, &f->machine, &plan), 0);
	assert_int_equal(nb_fake_kernel_flows(f->kernel, "eth1", 0), 0);
	assert_flows(f, 0, 0, 0, 0);

	/* One that is gone does not use it. */
	other.to = 1024;
	assert_int_equal(nb_apply(f->applier, &f->machine, &plan), 0);
	assert_int_equal(ask(f, 1024), NB_OUTCOME_APPLIED);
	f->machine.n_nics = 1;
	assert_int_equal(ask(f, 0), NB_OUTCOME_APPLIED);
	assert_flows(f, 0, 0, 0, 0);
}

static void nothing_is_written_where_one_table_cannot_be(void **state)
{
	g_autoptr(fixture) f = new_fixture();

	(void)state;
	nb_fake_kernel_drop_net_admin(f->kernel);
	assert_int_equal(ask(f, 1024), NB_OUTCOME_REFUSED);
	assert_flows(f, 0, 0, 0, 0);
	assert_int_equal(nb_applier_count(f->applier), 0);
}

/* As each write fails in turn, for whatever reason: all or none. */
static void a_failure_undoes_what_was_written(void **state)
{
	static const int errors[] = {-ENOMEM, -EROFS, -EINVAL};
	static const enum nb_outcome outcomes[] = {NB_OUTCOME_BUSY, NB_OUTCOME_REFUSED,
						   NB_OUTCOME_STALE};

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(errors); i++) {
		for (unsigned nth = 1; nth <= N_RX + 1; nth++) {
			g_autoptr(fixture) f = new_fixture();
			struct nb_setting_change change = {.key.ifindex = ETH0, .to = 1024};
			struct nb_plan plan = PLAN_OF(SET(NB_KIND_RFS, &change));

			nb_fake_kernel_fail(f->kernel, nth, 1, errors[i]);
			(void)apply_plan(f, &plan);
			assert_int_equal(f->outcomes[0], outcomes[i]);
			assert_flows(f, 0, 0, 0, 0);
			assert_int_equal(nb_applier_count(f->applier), 0);
		}
	}
}

static void what_is_not_there_says_so(void **state)
{
	g_autoptr(fixture) f = new_fixture();

	(void)state;
	f->nic.n_rx = N_RX + 1; /* one went since */
	assert_int_equal(ask(f, 1024), NB_OUTCOME_STALE);
	f->nic.n_rx = N_RX;
	nb_tmp_write(f->dir, "sys/class/net/eth0/ifindex", "7\n");
	assert_int_equal(ask(f, 1024), NB_OUTCOME_GONE);
	nb_tmp_write(f->dir, "sys/class/net/eth0/ifindex", "2\n");
	nb_tmp_write(f->dir, "proc/sys/net/core/rps_sock_flow_entries", "nonsense\n");
	assert_int_equal(ask(f, 1024), NB_OUTCOME_REFUSED);
	nb_tmp_remove(g_strdup_printf("%s/proc/sys", f->dir));
	assert_int_equal(ask(f, 1024), NB_OUTCOME_REFUSED);
	assert_int_equal(nb_fake_kernel_flows(f->kernel, "eth0", 0), 0);
	assert_int_equal(nb_applier_count(f->applier), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_grow_to_their_share_and_return),
		cmocka_unit_test(a_size_that_a_table_has_is_not_written),
		cmocka_unit_test(larger_tables_stay_and_smaller_ones_come_back),
		cmocka_unit_test(tables_of_another_program_are_left_with_all_of_the_nic),
		cmocka_unit_test(the_table_of_the_host_alone_was_written_for_the_nic),
		cmocka_unit_test(a_queue_without_a_table_gets_one),
		cmocka_unit_test(the_table_of_the_host_stays_as_long_as_a_nic_uses_it),
		cmocka_unit_test(nothing_is_written_where_one_table_cannot_be),
		cmocka_unit_test(a_failure_undoes_what_was_written),
		cmocka_unit_test(what_is_not_there_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
