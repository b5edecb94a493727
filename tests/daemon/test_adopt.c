/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an earlier run left is taken for ours, and what someone else wrote since is not. */
#include "base/device_irq_memory.h"
#include "base/memory.h"
#include "base/rss_table.h"
#include "daemon/fixture.h"
#include "support/fake_napis.h"
#include "support/fake_rss.h"

/* --- placement */

/* Three queues on CPU 1, more than its share, the others on CPUs of their own. */
static void crowd(struct fixture *f)
{
	for (unsigned i = 0; i < N_IRQS; i++)
		point(f, FIRST_IRQ + i, i < 3 ? 1 : i - 1);
}

static void assert_crowded(struct fixture *f)
{
	for (unsigned i = 0; i < N_IRQS; i++)
		assert_int_equal(pointed_at(f, FIRST_IRQ + i), i < 3 ? 1 : i - 1);
}

/* All of that is ours. */
static void leave_baseline(struct fixture *f)
{
	g_autoptr(GString) text = g_string_new("nicbalance baseline 1\n");

	for (unsigned i = 0; i < N_IRQS; i++)
		g_string_append_printf(text, "irq %u 000000ff 000000ff %08x lab0-TxRx-%u\n",
				       FIRST_IRQ + i, 1u << (i < 3 ? 1 : i - 1), i);
	nb_tmp_write(f->options.root, "run/nicbalance/baseline", text->str);
}

static void what_was_found_crowded_is_spread(void **state)
{
	struct fixture *f = *state;

	crowd(f);
	assert_int_equal(start_daemon(f), 0);
	for (unsigned i = 0; i < 5; i++)
		look(f);
	assert_int_equal(n_on(f, 1), 1);
}

static void what_an_earlier_run_placed_stays_where_it_put_it(void **state)
{
	struct fixture *f = *state;
	unsigned n_restored;

	crowd(f);
	leave_baseline(f);
	assert_int_equal(start_daemon(f), 0);
	for (unsigned i = 0; i < 5; i++)
		look(f);
	assert_crowded(f);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(f->daemon->loop.memory.queues[i].expected_cpu, 1);
	/* And it is put back where that run had found it. */
	assert_int_equal(nb_daemon_restore(f->daemon, &n_restored), 0);
	assert_int_equal(n_restored, N_IRQS);
}

static void what_someone_else_wrote_since_is_judged_as_found(void **state)
{
	struct fixture *f = *state;

	crowd(f);
	leave_baseline(f);
	point(f, FIRST_IRQ, 0);
	assert_int_equal(start_daemon(f), 0);
	look(f);
	assert_int_equal(f->daemon->loop.memory.queues[0].expected_cpu, -1);
	assert_int_equal(f->daemon->loop.memory.queues[1].expected_cpu, 1);
}

/* Those of a disk come from now on, on CPU 0, where an earlier run put them. */
static void a_device_interrupt_of_the_run_before_is_adopted_when_it_comes(void **state)
{
	struct fixture *f = *state;
	const struct nb_device_irq_memory *memory;

	nb_tmp_write(f->options.root, "run/nicbalance/baseline",
		     "nicbalance baseline 1\nirq 27 000000ff 000000ff 00000001 virtio0-req.0\n");
	assert_int_equal(start_daemon(f), 0);
	look(f);
	disk_interrupts_come(f);
	look(f);
	memory = nb_device_irq_memory_find(&f->daemon->loop.memory, 27);
	assert_non_null(memory);
	assert_int_equal(memory->expected_cpu, 0);
}

/* --- RPS masks */

/* Queue 0 was steered to CPU 3. */
static void leave_mask(struct fixture *f, const char *now)
{
	nb_tmp_write(f->options.root, "run/nicbalance/baseline",
		     "nicbalance baseline 1\nrps 2 0 00 00 08 lab0\n");
	nb_tmp_write(f->options.root, "sys/class/net/lab0/queues/rx-0/rps_cpus", now);
}

static void an_rps_mask_of_the_run_before_is_adopted(void **state)
{
	struct fixture *f = *state;
	const struct nb_rps_memory *memory;

	leave_mask(f, "08\n");
	assert_int_equal(start_daemon(f), 0);
	f->daemon->config->mode = NB_MODE_OBSERVE;
	look(f);
	assert_int_equal(f->daemon->loop.memory.n_rps, 1);
	memory = &f->daemon->loop.memory.rps[0];
	assert_int_equal(memory->key.index, 0);
	assert_int_equal(memory->cpus.words[0], 0x8);
	assert_true(memory->set_nsec == f->now_nsec);
}

static void an_rps_mask_that_someone_else_wrote_is_not(void **state)
{
	struct fixture *f = *state;

	leave_mask(f, "10\n");
	assert_int_equal(start_daemon(f), 0);
	look(f);
	assert_int_equal(f->daemon->loop.memory.n_rps, 0);
}

/* --- RSS tables */

/* A baseline says that this is the RSS table of lab0, and so it is. */
static void leave_entries(struct fixture *f, const char *entries, struct nb_fake_rss *rss)
{
	g_autofree char *text =
		g_strdup_printf("nicbalance baseline 1\nrss 2 default default %s lab0\n", entries);
	nb_daemon *daemon = f->daemon;

	nb_tmp_write(f->options.root, "run/nicbalance/baseline", text);
	*rss = (struct nb_fake_rss){.ifname = "lab0", .n = 4, .n_rings = 4, .hfunc = 1};
	nb_fake_rss_set(rss, entries);
	g_clear_pointer(&daemon->applier, nb_applier_free);
	assert_int_equal(nb_netlink_new_ethtool(&daemon->netlink), 0);
	nb_fake_rss_attach(rss, daemon->netlink);
	assert_int_equal(nb_applier_new(daemon->root, daemon->netlink, &daemon->applier), 0);
}

/* Packets go to the queues 0 and 2 alone. */
static void leave_table(struct fixture *f, struct nb_fake_rss *rss)
{
	leave_entries(f, "0,0,2,2", rss);
}

/* One that a run left set which died, or was restarted, just then. */
static void an_rss_table_of_the_run_before_is_adopted(void **state)
{
	struct fixture *f = *state;
	const struct nb_rss_memory *memory;
	struct nb_fake_rss rss;

	leave_table(f, &rss);
	look(f);
	assert_int_equal(f->daemon->loop.memory.n_rss, 1);
	memory = &f->daemon->loop.memory.rss[0];
	assert_int_equal(memory->ifindex, 2);
	assert_int_equal(memory->queues.words[0], 0x5);
	assert_int_equal(memory->spread, 0);
	assert_false(memory->refused);
	assert_int_equal(rss.n_sets, 0);
}

/* As while another holds the RTNL lock. */
static void an_rss_table_that_cannot_be_read_at_first_is_adopted_later(void **state)
{
	struct fixture *f = *state;
	struct nb_fake_rss rss;

	leave_table(f, &rss);
	rss.fail_first = 1;
	rss.fail_count = UINT_MAX;
	rss.fail_error = -ETIMEDOUT;
	look(f);
	look(f);
	assert_int_equal(f->daemon->loop.memory.n_rss, 0);
	rss.fail_count = 0;
	look(f);
	assert_int_equal(f->daemon->loop.memory.n_rss, 1);
	assert_int_equal(f->daemon->loop.memory.rss[0].queues.words[0], 0x5);

	/* Once it was read nobody asks again. */
	rss.n_requests = 0;
	look(f);
	assert_int_equal(rss.n_requests, 0);
}

/* It serves as long as the load needs it. */
static void an_rss_table_of_which_entries_moved_is_adopted_and_stays(void **state)
{
	struct fixture *f = *state;
	const struct nb_rss_memory *memory;
	struct nb_fake_rss rss;

	leave_entries(f, "0,1,2,1", &rss);
	look(f);
	assert_int_equal(f->daemon->loop.memory.n_rss, 1);
	memory = &f->daemon->loop.memory.rss[0];
	assert_int_equal(memory->ifindex, 2);
	assert_true(nb_cpumask_empty(&memory->queues));
	assert_int_equal(memory->spread, nb_table_digest(rss.entries, rss.n));
	assert_int_equal(rss.n_sets, 0);

	/* Nobody needs to be emptied: a pause leaves it, too. */
	f->daemon->config->mode = NB_MODE_BALANCE;
	nb_daemon_set_paused(f->daemon, true);
	assert_int_equal(rss.n_sets, 0);
}

static void an_rss_table_that_someone_else_wrote_is_not(void **state)
{
	struct fixture *f = *state;
	struct nb_fake_rss rss;

	leave_entries(f, "0,1,2,1", &rss);
	nb_fake_rss_set(&rss, "3,3,2,1");
	look(f);
	assert_int_equal(f->daemon->loop.memory.n_rss, 0);
}

static void an_rss_table_of_which_entries_moved_comes_back_at_the_end(void **state)
{
	struct fixture *f = *state;
	struct nb_fake_rss rss;

	leave_entries(f, "0,1,2,1", &rss);
	look(f);
	assert_int_equal(nb_applier_restore(f->daemon->applier, NULL), 0);
	assert_int_equal(rss.n_sets, 1);
	assert_false(rss.configured);
}

static void an_rss_table_does_not_outlast_the_acting(void **state)
{
	struct fixture *f = *state;
	nb_daemon *daemon = f->daemon;
	struct nb_fake_rss rss;

	leave_table(f, &rss);
	look(f);
	/* Who only looks writes nothing at all. */
	nb_daemon_set_paused(daemon, true);
	nb_daemon_set_paused(daemon, false);
	assert_int_equal(rss.n_sets, 0);

	daemon->config->mode = NB_MODE_BALANCE;
	nb_daemon_set_paused(daemon, true);
	assert_int_equal(rss.n_sets, 1);
	assert_false(rss.configured);
	assert_int_equal(daemon->loop.memory.n_rss, 0);
}

static void adopt_table(struct fixture *f, struct nb_fake_rss *rss)
{
	leave_table(f, rss);
	look(f);
	f->daemon->config->mode = NB_MODE_BALANCE;
	assert_int_equal(f->daemon->loop.memory.n_rss, 1);
}

static void an_rss_table_does_not_outlast_the_mode(void **state)
{
	struct fixture *f = *state;
	struct nb_fake_rss rss;

	adopt_table(f, &rss);
	assert_int_equal(nb_daemon_reload(f->daemon, f->now_nsec, NULL), 0);
	assert_int_equal(f->daemon->config->mode, NB_MODE_OBSERVE);
	assert_int_equal(rss.n_sets, 1);
	assert_false(rss.configured);
}

static void an_rss_table_does_not_outlast_a_sample_that_failed(void **state)
{
	struct fixture *f = *state;
	struct nb_fake_rss rss;

	adopt_table(f, &rss);
	nb_tmp_write(f->options.root, "proc/stat", "");
	look(f);
	assert_true(f->daemon->sample_error < 0);
	assert_int_equal(rss.n_sets, 1);
	assert_false(rss.configured);
}

/* --- threaded NAPI */

/* A baseline says that the run before switched threaded NAPI of queue 3 of lab0 on. */
static void leave_thread(struct fixture *f, struct nb_fake_napis *napis)
{
	nb_daemon *daemon = f->daemon;

	nb_tmp_write(f->options.root, "run/nicbalance/baseline",
		     "nicbalance baseline 1\nthreaded-queue 2 3 0 0 1 lab0\n");
	nb_tmp_write(f->options.root, "sys/class/net/lab0/threaded", "0\n");
	*napis = (struct nb_fake_napis){
		.ifindex = 2, .n = 8, .first_id = 8193, .threaded = {[3] = 1}};
	g_clear_pointer(&daemon->applier, nb_applier_free);
	assert_int_equal(nb_netlink_new_ethtool(&daemon->netlink), 0);
	nb_fake_napis_attach(napis, daemon->netlink);
	assert_int_equal(nb_applier_new(daemon->root, daemon->netlink, &daemon->applier), 0);
}

static void the_thread_of_a_queue_of_the_run_before_is_adopted(void **state)
{
	struct fixture *f = *state;
	const struct nb_threaded_memory *threaded;
	struct nb_fake_napis napis;

	leave_thread(f, &napis);
	look(f);
	assert_int_equal(f->daemon->loop.memory.n_threaded, 1);
	threaded = &f->daemon->loop.memory.threaded[0];
	assert_int_equal(threaded->key.ifindex, 2);
	assert_int_equal(threaded->key.index, 3);
	assert_true(threaded->on);
	assert_int_equal(napis.n_sets, 0);

	/* No line asks for it. */
	f->daemon->config->mode = NB_MODE_BALANCE;
	for (unsigned i = 0; i < 10 && napis.threaded[3]; i++)
		look(f);
	assert_int_equal(napis.threaded[3], 0);
	assert_int_equal(napis.n_sets, 1);
	assert_false(threaded->on);
}

/* Its NIC is about to be opened anew. */
static void the_thread_of_a_queue_that_cannot_tell_at_first_is_adopted_later(void **state)
{
	struct fixture *f = *state;
	struct nb_fake_napis napis;

	leave_thread(f, &napis);
	napis.down = true;
	look(f);
	look(f);
	assert_int_equal(f->daemon->loop.memory.n_threaded, 0);
	napis.down = false;
	look(f);
	assert_int_equal(f->daemon->loop.memory.n_threaded, 1);
	assert_int_equal(f->daemon->loop.memory.threaded[0].key.index, 3);
}

static void the_thread_of_a_queue_comes_back_at_the_end(void **state)
{
	struct fixture *f = *state;
	struct nb_fake_napis napis;
	const struct nb_record *record;
	unsigned n;

	leave_thread(f, &napis);
	look(f);
	assert_int_equal(nb_daemon_restore(f->daemon, &n), 0);
	assert_int_equal(napis.threaded[3], 0);
	record = nb_history_records(f->daemon->history, &n) + n - 1;
	assert_int_equal(record->kind, NB_KIND_THREADED);
	assert_int_equal(record->key.index, 3);
	assert_string_equal(record->setting_to, "off");
}

#define OBSERVING(test) cmocka_unit_test_setup_teardown(test, set_up_to_observe, tear_down)
#define BALANCING(test) cmocka_unit_test_setup_teardown(test, set_up_to_balance, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BALANCING(what_was_found_crowded_is_spread),
		BALANCING(what_an_earlier_run_placed_stays_where_it_put_it),
		BALANCING(what_someone_else_wrote_since_is_judged_as_found),
		BALANCING(a_device_interrupt_of_the_run_before_is_adopted_when_it_comes),
		BALANCING(an_rps_mask_of_the_run_before_is_adopted),
		BALANCING(an_rps_mask_that_someone_else_wrote_is_not),
		OBSERVING(an_rss_table_of_the_run_before_is_adopted),
		OBSERVING(an_rss_table_that_cannot_be_read_at_first_is_adopted_later),
		OBSERVING(an_rss_table_of_which_entries_moved_is_adopted_and_stays),
		OBSERVING(an_rss_table_that_someone_else_wrote_is_not),
		OBSERVING(an_rss_table_of_which_entries_moved_comes_back_at_the_end),
		OBSERVING(an_rss_table_does_not_outlast_the_acting),
		OBSERVING(an_rss_table_does_not_outlast_the_mode),
		OBSERVING(an_rss_table_does_not_outlast_a_sample_that_failed),
		OBSERVING(the_thread_of_a_queue_of_the_run_before_is_adopted),
		OBSERVING(the_thread_of_a_queue_that_cannot_tell_at_first_is_adopted_later),
		OBSERVING(the_thread_of_a_queue_comes_back_at_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
