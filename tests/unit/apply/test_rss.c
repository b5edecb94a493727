/* SPDX-License-Identifier: GPL-2.0-or-later */
/* RSS tables, from the plan into the kernel and back. */
#include "unit/apply/fixture.h"

#include "apply/table.h"
#include "base/rss_table.h"

#include <errno.h>

#define DEFAULT "0,1,2,3,0,1,2,3"
#define ADMINS "0,0,1,1,2,2,2,2"
/* One entry of queue 0 moved, and then one of queue 1. */
#define SPREAD "0,1,2,3,3,1,2,3"
#define WIDER "0,2,2,3,3,1,2,3"
/* Even, but not in the kernel's order: as some drivers begin. */
#define DRIVERS "0,0,1,1,2,2,3,3"

/* Bits of word are the queues that get packets; 0: back. */
static struct nb_rss_change change_to(uint64_t word)
{
	return (struct nb_rss_change){.key.ifindex = ETH0, .queues = {.words = {word}}};
}

static GArray *parse_table(const char *text)
{
	GArray *entries = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	g_autoptr(GBytes) value = NULL;

	assert_int_equal(nb_table_parse(text, &value), 0);
	nb_table_entries(value, entries);
	return entries;
}

static enum nb_outcome apply_rss(struct fixture *f, uint64_t word)
{
	struct nb_rss_change change = change_to(word);
	struct nb_plan plan = PLAN_OF(REDIRECT(&change));

	(void)apply_plan(f, &plan);
	return f->outcomes[0];
}

static void assert_table(struct fixture *f, const char *expected)
{
	g_autofree char *text = nb_fake_rss_text(&f->rss);

	assert_string_equal(text, expected);
}

/* Moves entries: from one table, as text, to another. */
static enum nb_outcome spread(struct fixture *f, const char *from, const char *to)
{
	g_autoptr(GArray) before = parse_table(from), after = parse_table(to);
	struct nb_rss_change change = {
		.key.ifindex = ETH0,
		.from = (const uint32_t *)(const void *)before->data,
		.to = (const uint32_t *)(const void *)after->data,
		.n_entries = after->len,
		.n_moved = 1,
	};
	struct nb_plan plan = PLAN_OF(REDIRECT(&change));

	(void)apply_plan(f, &plan);
	return f->outcomes[0];
}

static enum nb_outcome restore(struct fixture *f, int expected)
{
	g_autoptr(GArray) report = g_array_new(FALSE, FALSE, sizeof(struct nb_restored));
	const struct nb_restored *row;

	assert_int_equal(nb_applier_restore(f->applier, report), expected);
	assert_int_equal(report->len, 1);
	row = &g_array_index(report, struct nb_restored, 0);
	assert_int_equal(row->type, NB_KNOB_RSS);
	assert_string_equal(row->ifname, "eth0");
	return row->outcome;
}

static void queues_are_emptied_and_the_default_comes_back(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

	(void)state;
	assert_int_equal(apply_rss(f, 0x5), NB_OUTCOME_APPLIED);
	assert_table(f, "0,0,2,2,0,0,2,2");
	assert_int_equal(nb_applier_count(f->applier), 1);
	assert_int_equal(apply_rss(f, 0), NB_OUTCOME_APPLIED);
	assert_table(f, DEFAULT);
	/* As nobody's: the number of queues may be changed freely again. */
	assert_false(f->rss.configured);
	assert_int_equal(nb_applier_count(f->applier), 0);
	assert_int_equal(nb_applier_restore(f->applier, NULL), 0);
	assert_false(has_baseline(f));
}

static void an_administrators_table_comes_back_as_it_was(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

	(void)state;
	nb_fake_rss_set(&f->rss, ADMINS);
	assert_int_equal(apply_rss(f, 0x9), NB_OUTCOME_APPLIED);
	assert_table(f, "0,0,0,0,0,0,0,0");
	assert_int_equal(apply_rss(f, 0), NB_OUTCOME_APPLIED);
	assert_table(f, ADMINS);
	assert_true(f->rss.configured);
}

/* Not of what the first left: queue 1 gets its own entries again. */
static void another_set_begins_from_the_table_found(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

	(void)state;
	assert_int_equal(apply_rss(f, 0x1), NB_OUTCOME_APPLIED);
	assert_int_equal(apply_rss(f, 0x3), NB_OUTCOME_APPLIED);
	assert_table(f, "0,1,0,1,0,1,0,1");
	assert_int_equal(apply_rss(f, 0x3), NB_OUTCOME_UNCHANGED);
	assert_int_equal(apply_rss(f, 0), NB_OUTCOME_APPLIED);
	assert_table(f, DEFAULT);
}

static void what_was_found_is_kept_before_the_write(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	g_autofree char *text = NULL;

	(void)state;
	f->rss.fail_first = 4; /* after rings, size and table comes the writing */
	f->rss.fail_count = 1;
	f->rss.fail_error = -EBUSY;
	assert_int_equal(apply_rss(f, 0x1), NB_OUTCOME_BUSY);
	assert_table(f, DEFAULT);
	text = nb_tmp_read(f->dir, BASELINE);
	assert_string_equal(text, "nicbalance baseline 1\n"
				  "rss 2 default default 0,0,0,0,0,0,0,0 eth0\n");
	/* Nothing came of it, and so there is nothing to put back. */
	assert_int_equal(nb_applier_count(f->applier), 0);
}

static void tables_come_last_of_all(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	struct nb_move move = to_cpu(1, 2), other = {.key = nb_device_irq_key(43), .cpu_to = 3};
	struct nb_rps_change steered = steer(1, 2, 2);
	struct nb_rss_change change = change_to(0x1);
	struct nb_plan plan =
		PLAN_OF(MOVE(&move), STEER(&steered), MOVE_IRQ(&other), REDIRECT(&change));

	(void)state;
	f->rss.fixed = true;
	assert_int_equal(apply_plan(f, &plan), 0);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(f->outcomes[i], NB_OUTCOME_APPLIED);
	assert_int_equal(f->outcomes[3], NB_OUTCOME_REFUSED);
	assert_int_equal(nb_applier_count(f->applier), 3);
}

static void what_has_no_table_to_set_refuses(void **state)
{
	g_autoptr(fixture) fixed = fixture_new(NB_FAKE_6_12);
	g_autoptr(fixture) none = fixture_new(NB_FAKE_6_12);
	g_autoptr(fixture) weak = fixture_new(NB_FAKE_6_12);
	g_autoptr(fixture) unfit = fixture_new(NB_FAKE_6_12);

	(void)state;
	fixed->rss.fixed = true;
	assert_int_equal(apply_rss(fixed, 0x1), NB_OUTCOME_REFUSED);
	none->rss.unsupported = true;
	assert_int_equal(apply_rss(none, 0x1), NB_OUTCOME_REFUSED);
	assert_int_equal(apply_rss(none, 0), NB_OUTCOME_REFUSED);
	weak->rss.lacks_net_admin = true;
	assert_int_equal(apply_rss(weak, 0x1), NB_OUTCOME_REFUSED);
	nb_fake_rss_set(&unfit->rss, ADMINS);
	assert_int_equal(apply_rss(unfit, 0x8), NB_OUTCOME_REFUSED);
	assert_table(fixed, DEFAULT);
	assert_table(weak, DEFAULT);
	assert_table(unfit, ADMINS);
	assert_int_equal(nb_applier_count(fixed->applier) + nb_applier_count(none->applier) +
				 nb_applier_count(weak->applier) + nb_applier_count(unfit->applier),
			 0);
}

static void a_captured_machine_refuses_and_nobody_is_asked(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

	(void)state;
	nb_applier_free(f->applier);
	assert_int_equal(nb_applier_new(f->root, NULL, &f->applier), 0);
	assert_int_equal(apply_rss(f, 0x1), NB_OUTCOME_REFUSED);
	assert_int_equal(apply_rss(f, 0), NB_OUTCOME_REFUSED);
	assert_int_equal(f->rss.n_requests, 0);
	assert_false(has_baseline(f));
}

static void a_device_that_is_gone_or_another_is_not_written(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

	(void)state;
	nb_tmp_write(f->dir, "sys/class/net/eth0/ifindex", "22\n");
	assert_int_equal(apply_rss(f, 0x1), NB_OUTCOME_GONE);
	f->machine.n_nics = 0;
	assert_int_equal(apply_rss(f, 0x1), NB_OUTCOME_GONE);
	assert_int_equal(f->rss.n_sets, 0);
}

static void what_someone_else_wrote_is_left_alone(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

	(void)state;
	assert_int_equal(apply_rss(f, 0x1), NB_OUTCOME_APPLIED);
	nb_fake_rss_set(&f->rss, ADMINS);
	assert_int_equal(apply_rss(f, 0), NB_OUTCOME_UNCHANGED);
	assert_table(f, ADMINS);
	assert_int_equal(restore(f, 0), NB_OUTCOME_UNCHANGED);
	assert_table(f, ADMINS);

	/* Theirs is the one found from then on. */
	assert_int_equal(apply_rss(f, 0x1), NB_OUTCOME_APPLIED);
	nb_fake_rss_set(&f->rss, "2,2,2,2,1,1,1,1");
	assert_int_equal(apply_rss(f, 0x2), NB_OUTCOME_APPLIED);
	assert_table(f, "1,1,1,1,1,1,1,1");
	assert_int_equal(apply_rss(f, 0), NB_OUTCOME_APPLIED);
	assert_table(f, "2,2,2,2,1,1,1,1");
}

static void the_next_run_owns_and_puts_back_what_this_one_left(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	struct nb_own_table ours;

	(void)state;
	nb_fake_rss_set(&f->rss, ADMINS);
	assert_int_equal(nb_applier_owns_rss(f->applier, ETH0, "eth0", &ours), 0);
	assert_int_equal(apply_rss(f, 0x6), NB_OUTCOME_APPLIED);
	assert_int_equal(fixture_restart(f), 0);
	assert_int_equal(nb_applier_owns_rss(f->applier, ETH0, "eth0", &ours), 1);
	assert_true(ours.queues.words[0] == 0x6);
	assert_int_equal(ours.spread, 0);
	f->rss.fail_first = 1;
	f->rss.fail_count = 1;
	f->rss.fail_error = -ETIMEDOUT;
	f->rss.n_requests = 0;
	assert_int_equal(nb_applier_owns_rss(f->applier, ETH0, "eth0", &ours), -EBUSY);
	assert_int_equal(restore(f, 0), NB_OUTCOME_APPLIED);
	assert_table(f, ADMINS);
	assert_false(has_baseline(f));
}

/* The file of the last round says both what it found and what it was about to write. */
static void a_crash_before_the_way_back_leaves_it_owned(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	struct nb_own_table ours;

	(void)state;
	assert_int_equal(apply_rss(f, 0x1), NB_OUTCOME_APPLIED);
	nb_tmp_write(f->dir, BASELINE,
		     "nicbalance baseline 1\n"
		     "rss 2 default 0,0,0,0,0,0,0,0 default eth0\n");
	assert_int_equal(fixture_restart(f), 0);
	assert_int_equal(nb_applier_owns_rss(f->applier, ETH0, "eth0", &ours), 1);
	assert_true(ours.queues.words[0] == 0x1);
	assert_int_equal(ours.spread, 0);
	assert_int_equal(apply_rss(f, 0), NB_OUTCOME_APPLIED);
	assert_table(f, DEFAULT);
	assert_int_equal(fixture_restart(f), 0);
	assert_int_equal(nb_applier_owns_rss(f->applier, ETH0, "eth0", &ours), 0);
	assert_int_equal(restore(f, 0), NB_OUTCOME_UNCHANGED);
}

static void another_device_of_the_same_name_keeps_its_table(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

	(void)state;
	assert_int_equal(apply_rss(f, 0x1), NB_OUTCOME_APPLIED);
	nb_tmp_write(f->dir, "sys/class/net/eth0/ifindex", "22\n");
	assert_int_equal(restore(f, 0), NB_OUTCOME_GONE);
	assert_int_equal(f->rss.n_sets, 1);
}

/* The kernel does not answer while somebody holds the lock, and requests fail until it does. */
static void hold_the_lock(struct fixture *f, unsigned first)
{
	f->rss.n_requests = 0;
	f->rss.fail_first = first;
	f->rss.fail_count = 10;
	f->rss.fail_error = -ETIMEDOUT;
}

static void a_table_that_a_lock_keeps_from_being_read_is_put_back_later(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

	(void)state;
	hold_the_lock(f, 1);
	assert_int_equal(apply_rss(f, 0x1), NB_OUTCOME_BUSY);
	f->rss.fail_count = 0;
	assert_int_equal(apply_rss(f, 0x1), NB_OUTCOME_APPLIED);
	hold_the_lock(f, 1);
	assert_int_equal(apply_rss(f, 0), NB_OUTCOME_BUSY);
	assert_int_equal(restore(f, -EAGAIN), NB_OUTCOME_BUSY);
	assert_true(has_baseline(f));
	f->rss.fail_count = 0;
	assert_int_equal(restore(f, 0), NB_OUTCOME_APPLIED);
	assert_table(f, DEFAULT);
}

/* Rings, size, table; size, writing: what comes behind these cannot be read. Said to be refused, it
 * would stay limited. */
static void a_table_that_cannot_be_read_again_was_written(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

	(void)state;
	hold_the_lock(f, 6);
	assert_int_equal(apply_rss(f, 0x1), NB_OUTCOME_APPLIED);
	assert_table(f, "0,0,0,0,0,0,0,0");
	f->rss.fail_count = 0;
	assert_int_equal(apply_rss(f, 0), NB_OUTCOME_APPLIED);
	assert_table(f, DEFAULT);
	assert_int_equal(nb_applier_count(f->applier), 0);
}

/* Someone took queues away meanwhile, so that the kernel takes the table found no more. */
static void what_can_no_longer_be_put_back_is_refused(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

	(void)state;
	nb_fake_rss_set(&f->rss, ADMINS);
	assert_int_equal(apply_rss(f, 0x1), NB_OUTCOME_APPLIED);
	f->rss.n_rings = 2;
	assert_int_equal(apply_rss(f, 0), NB_OUTCOME_REFUSED);
	assert_table(f, "0,0,0,0,0,0,0,0");
	assert_int_equal(nb_applier_count(f->applier), 1);
	assert_int_equal(restore(f, 0), NB_OUTCOME_REFUSED);
	assert_false(has_baseline(f));
}

static void nothing_is_written_where_nothing_can_be_kept(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

	(void)state;
	block_run(f);
	assert_int_equal(apply_rss(f, 0x1), NB_OUTCOME_UNSAFE);
	assert_int_equal(f->rss.n_sets, 0);
}

static void entries_move_and_the_default_comes_back(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	g_autofree char *text = NULL;

	(void)state;
	assert_int_equal(spread(f, DEFAULT, SPREAD), NB_OUTCOME_APPLIED);
	assert_table(f, SPREAD);
	text = nb_tmp_read(f->dir, BASELINE);
	assert_string_equal(text, "nicbalance baseline 1\n"
				  "rss 2 default default " SPREAD " eth0\n");
	assert_int_equal(apply_rss(f, 0), NB_OUTCOME_APPLIED);
	assert_table(f, DEFAULT);
	assert_false(f->rss.configured);
	assert_int_equal(nb_applier_count(f->applier), 0);
}

/* The table found is kept however often entries move, and comes back. */
static void more_entries_move_and_what_was_found_first_comes_back(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

	(void)state;
	nb_fake_rss_set(&f->rss, DRIVERS);
	assert_int_equal(spread(f, DRIVERS, SPREAD), NB_OUTCOME_APPLIED);
	assert_int_equal(spread(f, SPREAD, WIDER), NB_OUTCOME_APPLIED);
	assert_table(f, WIDER);
	assert_int_equal(spread(f, WIDER, WIDER), NB_OUTCOME_UNCHANGED);
	assert_int_equal(f->rss.n_sets, 2);
	assert_int_equal(apply_rss(f, 0), NB_OUTCOME_APPLIED);
	assert_table(f, DRIVERS);
	assert_int_equal(nb_applier_count(f->applier), 0);
}

/* It is still not the one found. */
static void entries_may_move_to_the_kernels_default(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	struct nb_own_table ours;

	(void)state;
	nb_fake_rss_set(&f->rss, DRIVERS);
	assert_int_equal(spread(f, DRIVERS, DEFAULT), NB_OUTCOME_APPLIED);
	assert_table(f, DEFAULT);
	assert_int_equal(nb_applier_owns_rss(f->applier, ETH0, "eth0", &ours), 1);
	assert_int_equal(ours.spread, nb_table_digest(f->rss.entries, f->rss.n));
	assert_int_equal(ours.n_moved, 6);
	assert_int_equal(apply_rss(f, 0), NB_OUTCOME_APPLIED);
	assert_table(f, DRIVERS);
}

static void entries_of_a_table_that_is_another_by_now_do_not_move(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	struct nb_own_table ours;

	(void)state;
	nb_fake_rss_set(&f->rss, ADMINS);
	assert_int_equal(spread(f, DEFAULT, SPREAD), NB_OUTCOME_STALE);
	assert_table(f, ADMINS);
	assert_int_equal(spread(f, "0,0,1,1", "0,0,1,2"), NB_OUTCOME_STALE);
	assert_int_equal(spread(f, ADMINS ",2", ADMINS ",3"), NB_OUTCOME_STALE);
	assert_table(f, ADMINS);
	assert_int_equal(f->rss.n_sets, 0);
	assert_false(has_baseline(f));

	/* Not even over one of ours. */
	nb_fake_rss_set(&f->rss, DRIVERS);
	assert_int_equal(spread(f, DRIVERS, SPREAD), NB_OUTCOME_APPLIED);
	nb_fake_rss_set(&f->rss, ADMINS);
	assert_int_equal(nb_applier_owns_rss(f->applier, ETH0, "eth0", &ours), 0);
	assert_int_equal(spread(f, SPREAD, WIDER), NB_OUTCOME_STALE);
	assert_int_equal(apply_rss(f, 0), NB_OUTCOME_UNCHANGED);
	assert_table(f, ADMINS);
}

/* That passes with the next look at the machine; what the kernel refuses is not tried again. */
static void no_entry_moves_to_a_queue_that_is_gone(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

	(void)state;
	f->rss.n_rings = 3;
	nb_fake_rss_set(&f->rss, "0,1,2,2,1,0,2,1");
	assert_int_equal(spread(f, "0,1,2,2,1,0,2,1", "0,1,2,3,1,0,2,1"), NB_OUTCOME_STALE);
	assert_int_equal(f->rss.n_sets, 0);
	assert_int_equal(spread(f, "0,1,2,2,1,0,2,1", "0,1,2,2,2,0,2,1"), NB_OUTCOME_APPLIED);
}

static void a_driver_that_takes_no_table_refuses_to_move_entries(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

	(void)state;
	f->rss.fixed = true;
	assert_int_equal(spread(f, DEFAULT, SPREAD), NB_OUTCOME_REFUSED);
	assert_int_equal(nb_applier_count(f->applier), 0);
	f->rss.fixed = false;
	nb_applier_free(f->applier);
	assert_int_equal(nb_applier_new(f->root, NULL, &f->applier), 0);
	assert_int_equal(spread(f, DEFAULT, SPREAD), NB_OUTCOME_REFUSED);
	assert_table(f, DEFAULT);
}

/* Queues are emptied as if no entry had moved. */
static void a_table_of_which_entries_moved_can_be_limited(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	struct nb_own_table ours;

	(void)state;
	assert_int_equal(spread(f, DEFAULT, SPREAD), NB_OUTCOME_APPLIED);
	assert_int_equal(apply_rss(f, 0x5), NB_OUTCOME_APPLIED);
	assert_table(f, "0,0,2,2,0,0,2,2");
	assert_int_equal(nb_applier_owns_rss(f->applier, ETH0, "eth0", &ours), 1);
	assert_int_equal(ours.spread, 0);
	assert_int_equal(apply_rss(f, 0), NB_OUTCOME_APPLIED);
	assert_table(f, DEFAULT);
}

static void the_next_run_knows_a_table_of_which_entries_moved(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	struct nb_own_table ours;

	(void)state;
	assert_int_equal(spread(f, DEFAULT, SPREAD), NB_OUTCOME_APPLIED);
	assert_int_equal(spread(f, SPREAD, WIDER), NB_OUTCOME_APPLIED);
	assert_int_equal(fixture_restart(f), 0);
	assert_int_equal(nb_applier_owns_rss(f->applier, ETH0, "eth0", &ours), 1);
	assert_int_equal(ours.spread, nb_table_digest(f->rss.entries, f->rss.n));
	assert_int_equal(ours.n_moved, 2);
	assert_true(ours.queues.words[0] == 0xf);
	assert_int_equal(spread(f, WIDER, SPREAD), NB_OUTCOME_APPLIED);
	assert_int_equal(restore(f, 0), NB_OUTCOME_APPLIED);
	assert_table(f, DEFAULT);
	assert_false(has_baseline(f));
	assert_int_equal(nb_applier_owns_rss(f->applier, ETH0, "eth0", &ours), 0);
}

/* The driver keeps a table that was set: back is the default of the queues there are now. */
static void entries_that_moved_come_back_when_there_are_more_queues(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

	(void)state;
	assert_int_equal(spread(f, DEFAULT, SPREAD), NB_OUTCOME_APPLIED);
	f->rss.n_rings = 8;
	assert_int_equal(apply_rss(f, 0), NB_OUTCOME_APPLIED);
	assert_table(f, "0,1,2,3,4,5,6,7");
	assert_false(f->rss.configured);
	assert_int_equal(nb_applier_count(f->applier), 0);
}

static void entries_stay_where_nothing_can_be_kept(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

	(void)state;
	block_run(f);
	assert_int_equal(spread(f, DEFAULT, SPREAD), NB_OUTCOME_UNSAFE);
	assert_int_equal(f->rss.n_sets, 0);
}

/* Emptied, with another set, and back. */
static void play_limits(struct fixture *f)
{
	(void)apply_rss(f, 0x1);
	(void)apply_rss(f, 0x6);
	(void)apply_rss(f, 0);
}

/* Entries move, more of them, queues are emptied meanwhile, and back. */
static void play_moves(struct fixture *f)
{
	(void)spread(f, DRIVERS, SPREAD);
	(void)spread(f, SPREAD, WIDER);
	(void)apply_rss(f, 0x6);
	(void)apply_rss(f, 0);
	(void)spread(f, DRIVERS, DEFAULT);
	(void)apply_rss(f, 0);
}

static void (*const plays[])(struct fixture *f) = {play_limits, play_moves};

static struct fixture *new_play(void)
{
	struct fixture *f = fixture_new(NB_FAKE_6_12);

	nb_fake_rss_set(&f->rss, DRIVERS);
	return f;
}

static unsigned count_requests(unsigned play)
{
	g_autoptr(fixture) whole = new_play();

	plays[play](whole);
	assert_table(whole, DRIVERS);
	assert_true(whole->rss.n_requests > 15);
	assert_true(whole->rss.n_sets > 2);
	return whole->rss.n_requests;
}

static const int errors[] = {-EIO, -EPERM, -EOPNOTSUPP, -EBUSY, -EINVAL, -ENOMEM, -ENOSPC};

static void fail_and_restore(unsigned play, unsigned nth, unsigned count, int error)
{
	g_autoptr(fixture) f = new_play();

	f->rss.fail_first = nth;
	f->rss.fail_count = count;
	f->rss.fail_error = error;
	plays[play](f);
	f->rss.fail_count = 0;
	assert_int_equal(nb_applier_restore(f->applier, NULL), 0);
	assert_table(f, DRIVERS);
	assert_false(has_baseline(f));
}

static void whichever_request_fails_the_table_comes_back(void **state)
{
	(void)state;
	for (unsigned play = 0; play < G_N_ELEMENTS(plays); play++)
		for (unsigned nth = count_requests(play); nth > 0; nth--)
			for (unsigned i = 0; i < 2 * G_N_ELEMENTS(errors); i++)
				fail_and_restore(play, nth, i % 2 ? UINT_MAX : 1, errors[i / 2]);
}

static void die_and_restore(unsigned play, unsigned nth)
{
	g_autoptr(fixture) f = new_play();

	f->rss.fail_first = nth;
	f->rss.fail_count = UINT_MAX;
	f->rss.fail_error = -EIO;
	plays[play](f);
	f->rss.fail_count = 0;
	assert_int_equal(fixture_restart(f), 0);
	assert_int_equal(nb_applier_restore(f->applier, NULL), 0);
	assert_table(f, DRIVERS);
	assert_false(has_baseline(f));
}

static void whichever_request_a_run_dies_at_the_next_one_puts_back(void **state)
{
	(void)state;
	for (unsigned play = 0; play < G_N_ELEMENTS(plays); play++)
		for (unsigned nth = count_requests(play); nth > 0; nth--)
			die_and_restore(play, nth);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queues_are_emptied_and_the_default_comes_back),
		cmocka_unit_test(an_administrators_table_comes_back_as_it_was),
		cmocka_unit_test(another_set_begins_from_the_table_found),
		cmocka_unit_test(what_was_found_is_kept_before_the_write),
		cmocka_unit_test(tables_come_last_of_all),
		cmocka_unit_test(what_has_no_table_to_set_refuses),
		cmocka_unit_test(a_captured_machine_refuses_and_nobody_is_asked),
		cmocka_unit_test(a_device_that_is_gone_or_another_is_not_written),
		cmocka_unit_test(what_someone_else_wrote_is_left_alone),
		cmocka_unit_test(the_next_run_owns_and_puts_back_what_this_one_left),
		cmocka_unit_test(a_crash_before_the_way_back_leaves_it_owned),
		cmocka_unit_test(another_device_of_the_same_name_keeps_its_table),
		cmocka_unit_test(a_table_that_a_lock_keeps_from_being_read_is_put_back_later),
		cmocka_unit_test(a_table_that_cannot_be_read_again_was_written),
		cmocka_unit_test(what_can_no_longer_be_put_back_is_refused),
		cmocka_unit_test(nothing_is_written_where_nothing_can_be_kept),
		cmocka_unit_test(entries_move_and_the_default_comes_back),
		cmocka_unit_test(more_entries_move_and_what_was_found_first_comes_back),
		cmocka_unit_test(entries_may_move_to_the_kernels_default),
		cmocka_unit_test(entries_of_a_table_that_is_another_by_now_do_not_move),
		cmocka_unit_test(no_entry_moves_to_a_queue_that_is_gone),
		cmocka_unit_test(a_driver_that_takes_no_table_refuses_to_move_entries),
		cmocka_unit_test(a_table_of_which_entries_moved_can_be_limited),
		cmocka_unit_test(the_next_run_knows_a_table_of_which_entries_moved),
		cmocka_unit_test(entries_that_moved_come_back_when_there_are_more_queues),
		cmocka_unit_test(entries_stay_where_nothing_can_be_kept),
		cmocka_unit_test(whichever_request_fails_the_table_comes_back),
		cmocka_unit_test(whichever_request_a_run_dies_at_the_next_one_puts_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
