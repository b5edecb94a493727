/* SPDX-License-Identifier: GPL-2.0-or-later */
/* RSS tables, from the plan into the kernel and back. */
#include "unit/apply/fixture.h"

#include <errno.h>

#define DEFAULT "0,1,2,3,0,1,2,3"
#define ADMINS "0,0,1,1,2,2,2,2"

/* Bits of word are the queues that get packets; 0: back. */
static struct nb_rss_change change_to(uint64_t word)
{
	return (struct nb_rss_change){.key.ifindex = ETH0, .queues = {.words = {word}}};
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
	struct nb_cpumask queues;

	(void)state;
	nb_fake_rss_set(&f->rss, ADMINS);
	assert_false(nb_applier_owns_rss(f->applier, ETH0, "eth0", &queues));
	assert_int_equal(apply_rss(f, 0x6), NB_OUTCOME_APPLIED);
	assert_int_equal(fixture_restart(f), 0);
	assert_true(nb_applier_owns_rss(f->applier, ETH0, "eth0", &queues));
	assert_true(queues.words[0] == 0x6);
	assert_int_equal(restore(f, 0), NB_OUTCOME_APPLIED);
	assert_table(f, ADMINS);
	assert_false(has_baseline(f));
}

/* The file of the last round says both what it found and what it was about to write. */
static void a_crash_before_the_way_back_leaves_it_owned(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	struct nb_cpumask queues;

	(void)state;
	assert_int_equal(apply_rss(f, 0x1), NB_OUTCOME_APPLIED);
	nb_tmp_write(f->dir, BASELINE,
		     "nicbalance baseline 1\n"
		     "rss 2 default 0,0,0,0,0,0,0,0 default eth0\n");
	assert_int_equal(fixture_restart(f), 0);
	assert_true(nb_applier_owns_rss(f->applier, ETH0, "eth0", &queues));
	assert_true(queues.words[0] == 0x1);
	assert_int_equal(apply_rss(f, 0), NB_OUTCOME_APPLIED);
	assert_table(f, DEFAULT);
	assert_int_equal(fixture_restart(f), 0);
	assert_false(nb_applier_owns_rss(f->applier, ETH0, "eth0", &queues));
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

/* Emptied, with another set, and back. */
static void play(struct fixture *f)
{
	(void)apply_rss(f, 0x1);
	(void)apply_rss(f, 0x6);
	(void)apply_rss(f, 0);
}

static const int errors[] = {-EIO, -EPERM, -EOPNOTSUPP, -EBUSY, -EINVAL, -ENOMEM, -ENOSPC};

static void whichever_request_fails_the_table_comes_back(void **state)
{
	g_autoptr(fixture) whole = fixture_new(NB_FAKE_6_12);

	(void)state;
	play(whole);
	assert_true(whole->rss.n_requests > 15);
	for (unsigned nth = 1; nth <= whole->rss.n_requests; nth++)
		for (unsigned i = 0; i < 2 * G_N_ELEMENTS(errors); i++) {
			g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

			nb_fake_rss_set(&f->rss, ADMINS);
			f->rss.fail_first = nth;
			f->rss.fail_count = i % 2 ? UINT_MAX : 1;
			f->rss.fail_error = errors[i / 2];
			play(f);
			f->rss.fail_count = 0;
			assert_int_equal(nb_applier_restore(f->applier, NULL), 0);
			assert_table(f, ADMINS);
			assert_false(has_baseline(f));
		}
}

static void whichever_request_a_run_dies_at_the_next_one_puts_back(void **state)
{
	g_autoptr(fixture) whole = fixture_new(NB_FAKE_6_12);

	(void)state;
	play(whole);
	for (unsigned nth = 1; nth <= whole->rss.n_requests; nth++) {
		g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

		f->rss.fail_first = nth;
		f->rss.fail_count = UINT_MAX;
		f->rss.fail_error = -EIO;
		play(f);
		f->rss.fail_count = 0;
		assert_int_equal(fixture_restart(f), 0);
		assert_int_equal(nb_applier_restore(f->applier, NULL), 0);
		assert_table(f, DEFAULT);
		assert_false(f->rss.configured);
		assert_false(has_baseline(f));
	}
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
		cmocka_unit_test(what_can_no_longer_be_put_back_is_refused),
		cmocka_unit_test(nothing_is_written_where_nothing_can_be_kept),
		cmocka_unit_test(whichever_request_fails_the_table_comes_back),
		cmocka_unit_test(whichever_request_a_run_dies_at_the_next_one_puts_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
