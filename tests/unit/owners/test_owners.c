/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "owners/owners.h"

#include "unit/apply/fixture.h"

#include "base/cpumask_text.h"
#include "nicbalance/names.h"

#include <string.h>
#include <sys/stat.h>

static struct nb_owned *find(GArray *rows, enum nb_tunable tunable, int queue, int64_t irq)
{
	for (unsigned i = 0; i < rows->len; i++) {
		struct nb_owned *row = &g_array_index(rows, struct nb_owned, i);

		if (row->tunable == tunable && row->queue == queue && row->irq == irq)
			return row;
	}
	return NULL;
}

static void assert_row(GArray *rows, enum nb_tunable tunable, int queue, int64_t irq,
		       const char *value, enum nb_writer writer)
{
	const struct nb_owned *row = find(rows, tunable, queue, irq);

	assert_non_null(row);
	assert_string_equal(row->value, value);
	assert_string_equal(nb_writer_to_string(row->writer), nb_writer_to_string(writer));
}

static GArray *read_rows(struct fixture *f)
{
	const struct nb_snapshot snapshot = {.machine = &f->machine};
	const struct nb_status status = {.snapshot = &snapshot};

	return nb_owners_read(&(struct nb_owners_source){
		.root = f->root,
		.netlink = f->access.netlink,
		.applier = f->applier,
		.status = &status,
	});
}

static struct fixture *make(void)
{
	struct fixture *f = fixture_new(NB_FAKE_6_12);

	nb_cpumask_parse_list("0-3", 3, &f->machine.topology.online);
	nb_tmp_write(f->dir, "proc/irq/default_smp_affinity", "f\n");
	nb_tmp_write(f->dir, "proc/sys/net/core/rps_sock_flow_entries", "32768\n");
	nb_tmp_write(f->dir, "sys/class/net/eth0/queues/rx-1/rps_flow_cnt", "0\n");
	nb_tmp_write(f->dir, "sys/class/net/eth0/queues/tx-0/xps_cpus", "3\n");
	nb_tmp_write(f->dir, "sys/class/net/eth0/queues/tx-1/xps_cpus", "0\n");
	return f;
}

static void each_setting_is_read_with_who_wrote_it(void **state)
{
	g_autoptr(fixture) f = make();
	g_autoptr(GArray) rows = NULL;

	(void)state;
	nb_fake_kernel_set_irq(f->kernel, 42, "2");
	nb_fake_kernel_set_irq(f->kernel, 43, "1");
	nb_fake_kernel_manage_irq(f->kernel, 43);
	nb_tmp_write(f->dir, "proc/irq/41/affinity_hint", "4\n");
	nb_fake_kernel_set_irq(f->kernel, 41, "2");
	nb_fake_kernel_set_rps(f->kernel, "eth0", 2, "1-3");
	rows = read_rows(f);
	assert_row(rows, NB_TUNABLE_DEFAULT, -1, -1, "0-3", NB_WRITER_KERNEL);
	assert_row(rows, NB_TUNABLE_RFS, -1, -1, "32768 entries", NB_WRITER_FOUND);
	assert_row(rows, NB_TUNABLE_RFS, 1, -1, "off", NB_WRITER_KERNEL);
	assert_row(rows, NB_TUNABLE_AFFINITY, 0, 40, "0-3", NB_WRITER_KERNEL);
	assert_row(rows, NB_TUNABLE_AFFINITY, 0, 41, "2", NB_WRITER_DRIVER);
	assert_row(rows, NB_TUNABLE_AFFINITY, 1, 42, "2", NB_WRITER_FOUND);
	assert_row(rows, NB_TUNABLE_AFFINITY, 2, 43, "1", NB_WRITER_KERNEL);
	assert_row(rows, NB_TUNABLE_RPS, 0, -1, "off", NB_WRITER_KERNEL);
	assert_row(rows, NB_TUNABLE_RPS, 2, -1, "1-3", NB_WRITER_FOUND);
	assert_row(rows, NB_TUNABLE_XPS, 0, -1, "0-1", NB_WRITER_FOUND);
	assert_row(rows, NB_TUNABLE_XPS, 1, -1, "off", NB_WRITER_KERNEL);
	assert_row(rows, NB_TUNABLE_RSS, -1, -1, "default: queues 0-3 in 8 entries",
		   NB_WRITER_KERNEL);
	assert_null(find(rows, NB_TUNABLE_CHANNELS, -1, -1));
}

static void what_we_wrote_is_ours_until_another_writes(void **state)
{
	g_autoptr(fixture) f = make();
	struct nb_move move = {.key = {ETH0, 1}, .cpu_to = 3};
	struct nb_change change = nb_change_of_move(NB_KIND_QUEUE, &move);
	struct nb_plan plan = {.changes = &change, .n_changes = 1};
	GArray *rows;

	(void)state;
	assert_int_equal(nb_apply(f->applier, &f->machine, &plan), 0);
	assert_int_equal(change.outcome, NB_OUTCOME_APPLIED);
	rows = read_rows(f);
	assert_row(rows, NB_TUNABLE_AFFINITY, 1, 42, "3", NB_WRITER_OURS);
	g_array_unref(rows);
	nb_fake_kernel_set_irq(f->kernel, 42, "1");
	rows = read_rows(f);
	assert_row(rows, NB_TUNABLE_AFFINITY, 1, 42, "1", NB_WRITER_FOUND);
	g_array_unref(rows);
}

/* Of eth0's queues the first is polled by a thread that netlink tells of, the second by one that
 * was seen to poll. */
static void threads_are_listed_with_their_queues(void **state)
{
	/* No pids of a host (include/linux/threads.h PID_MAX_LIMIT). */
	static const uint32_t pids[] = {5000901, 5000902, 5000903};
	g_autoptr(fixture) f = make();
	struct nb_queue_state states[] = {{.thread = pids[2]}, {.thread = pids[1]}};
	const struct nb_snapshot snapshot = {
		.machine = &f->machine, .queues = states, .n_queues = G_N_ELEMENTS(states)};
	const struct nb_status status = {.snapshot = &snapshot};
	const struct nb_owners_source source = {
		.root = f->root, .applier = f->applier, .status = &status};
	const struct nb_cpumask to = {.words = {4}};
	const struct nb_follow_change follow = {.key.ifindex = ETH0,
						.reason = NB_REASON_THREAD_FOLLOW,
						.to = &to,
						.threads = pids,
						.n = 1};
	struct nb_plan plan = PLAN_OF(FOLLOW(NB_KIND_THREAD, &follow));
	GArray *rows;

	(void)state;
	f->machine.queues[0].thread = pids[0];
	nb_fake_kernel_add_thread(f->kernel, pids[0], "napi/eth0-8193", 4711, "0-3");
	nb_fake_kernel_add_thread(f->kernel, pids[1], "napi/eth0-8194", 4711, "1");
	rows = nb_owners_read(&source);
	assert_row(rows, NB_TUNABLE_THREAD, 0, -1, "0-3", NB_WRITER_KERNEL);
	assert_row(rows, NB_TUNABLE_THREAD, 1, -1, "1", NB_WRITER_FOUND);
	assert_null(find(rows, NB_TUNABLE_THREAD, 2, -1));
	g_array_unref(rows);
	assert_int_equal(nb_apply(f->applier, &f->machine, &plan), 0);
	nb_fake_kernel_remove_thread(f->kernel, pids[1]);
	rows = nb_owners_read(&source);
	assert_row(rows, NB_TUNABLE_THREAD, 0, -1, "2", NB_WRITER_OURS);
	assert_null(find(rows, NB_TUNABLE_THREAD, 1, -1));
	g_array_unref(rows);
}

static void a_channel_is_an_affinity_without_an_interrupt(void **state)
{
	g_autoptr(fixture) f = make();
	struct nb_move move = {.key = {ETH0, 1}, .cpu_to = 3};
	struct nb_change change = nb_change_of_move(NB_KIND_QUEUE, &move);
	struct nb_plan plan = {.changes = &change, .n_changes = 1};
	g_autofree char *path =
		g_build_filename(f->dir, "sys/class/net/eth0/device/channels/22/cpu", NULL);
	g_autoptr(GArray) rows = NULL;

	(void)state;
	synthesize(f);
	assert_int_equal(nb_apply(f->applier, &f->machine, &plan), 0);
	assert_int_equal(chmod(path, 0444), 0);
	rows = read_rows(f);
	assert_row(rows, NB_TUNABLE_AFFINITY, 1, -1, "3", NB_WRITER_OURS);
	assert_row(rows, NB_TUNABLE_AFFINITY, 2, -1, "0", NB_WRITER_KERNEL);
}

static void flow_tables_that_grew_are_ours(void **state)
{
	g_autoptr(fixture) f = make();
	struct nb_setting_change flows = {.key.ifindex = ETH0, .to = 65536};
	struct nb_change change = nb_change_of_setting(NB_KIND_RFS, &flows);
	struct nb_plan plan = {.changes = &change, .n_changes = 1};
	GArray *rows;

	(void)state;
	f->nic.n_rx = 2;
	nb_fake_kernel_set_flows(f->kernel, "eth0", 0, 65536);
	assert_int_equal(nb_apply(f->applier, &f->machine, &plan), 0);
	assert_int_equal(change.outcome, NB_OUTCOME_APPLIED);
	rows = read_rows(f);
	assert_row(rows, NB_TUNABLE_RFS, -1, -1, "65536 entries", NB_WRITER_OURS);
	assert_row(rows, NB_TUNABLE_RFS, 0, -1, "65536 entries", NB_WRITER_FOUND);
	assert_row(rows, NB_TUNABLE_RFS, 1, -1, "32768 entries", NB_WRITER_OURS);
	g_array_unref(rows);
	nb_fake_kernel_set_flows(f->kernel, NULL, 0, 8);
	rows = read_rows(f);
	assert_row(rows, NB_TUNABLE_RFS, -1, -1, "8 entries", NB_WRITER_FOUND);
	g_array_unref(rows);
}

static void assert_table(struct fixture *f, const char *value, enum nb_writer writer)
{
	g_autoptr(GArray) rows = read_rows(f);

	assert_row(rows, NB_TUNABLE_RSS, -1, -1, value, writer);
}

static void a_table_is_ours_as_long_as_it_has_our_queues(void **state)
{
	g_autoptr(fixture) f = make();
	struct nb_rss_change table = {.key.ifindex = ETH0, .queues = {.words = {0x5}}};
	struct nb_change change = nb_change_of_rss(&table);
	struct nb_plan plan = {.changes = &change, .n_changes = 1};

	(void)state;
	assert_int_equal(nb_apply(f->applier, &f->machine, &plan), 0);
	assert_int_equal(change.outcome, NB_OUTCOME_APPLIED);
	assert_table(f, "queues 0,2 in 8 entries", NB_WRITER_OURS);
	nb_fake_rss_set(&f->rss, "3,3,3,3,3,3,3,3");
	assert_table(f, "queues 3 in 8 entries", NB_WRITER_FOUND);
}

static void a_table_of_which_entries_moved_is_ours_also_as_the_default(void **state)
{
	static const uint32_t found[] = {0, 0, 1, 1, 2, 2, 3, 3},
			      moved[] = {0, 0, 1, 1, 2, 0, 3, 0};
	g_autoptr(fixture) f = make();
	struct nb_rss_change table = {
		.key.ifindex = ETH0, .from = found, .to = moved, .n_entries = 8, .n_moved = 2};
	struct nb_change change = nb_change_of_rss(&table);
	struct nb_plan plan = {.changes = &change, .n_changes = 1};

	(void)state;
	nb_fake_rss_set(&f->rss, "0,0,1,1,2,2,3,3");
	assert_table(f, "queues 0-3 in 8 entries", NB_WRITER_FOUND);
	assert_int_equal(nb_apply(f->applier, &f->machine, &plan), 0);
	assert_int_equal(change.outcome, NB_OUTCOME_APPLIED);
	assert_table(f, "queues 0-3 in 8 entries, 2 of them moved", NB_WRITER_OURS);

	table.from = moved;
	table.to = (const uint32_t[]){0, 1, 2, 3, 0, 1, 2, 3};
	assert_int_equal(nb_apply(f->applier, &f->machine, &plan), 0);
	assert_int_equal(change.outcome, NB_OUTCOME_APPLIED);
	assert_table(f, "default: queues 0-3 in 8 entries, 6 of them moved", NB_WRITER_OURS);
	nb_fake_rss_set(&f->rss, "0,0,1,1,2,2,3,3");
	assert_table(f, "queues 0-3 in 8 entries", NB_WRITER_FOUND);
}

static void what_is_out_of_scope_is_left_out(void **state)
{
	g_autoptr(fixture) f = make();
	g_autoptr(GArray) rows = NULL;

	(void)state;
	f->nic.scope = NB_SCOPE_IGNORED;
	rows = read_rows(f);
	for (unsigned i = 0; i < rows->len; i++)
		assert_string_equal(g_array_index(rows, struct nb_owned, i).nic, "");
}

static void before_the_first_sample_the_host_is_told(void **state)
{
	g_autoptr(fixture) f = make();
	g_autoptr(GArray) rows = NULL;
	const struct nb_status status = {0};

	(void)state;
	rows = nb_owners_read(&(struct nb_owners_source){
		.root = f->root, .applier = f->applier, .status = &status});
	assert_int_equal(rows->len, 2);
	assert_row(rows, NB_TUNABLE_DEFAULT, -1, -1, "0-3", NB_WRITER_FOUND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_setting_is_read_with_who_wrote_it),
		cmocka_unit_test(what_we_wrote_is_ours_until_another_writes),
		cmocka_unit_test(threads_are_listed_with_their_queues),
		cmocka_unit_test(a_channel_is_an_affinity_without_an_interrupt),
		cmocka_unit_test(flow_tables_that_grew_are_ours),
		cmocka_unit_test(a_table_is_ours_as_long_as_it_has_our_queues),
		cmocka_unit_test(a_table_of_which_entries_moved_is_ours_also_as_the_default),
		cmocka_unit_test(what_is_out_of_scope_is_left_out),
		cmocka_unit_test(before_the_first_sample_the_host_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
