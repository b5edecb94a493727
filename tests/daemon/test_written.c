/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Affinities by other programs: obeyed, told of once a minute at most, and kept over a restart. */
#include "daemon/orders.h"

#include <errno.h>
#include <inttypes.h>

#define PATH "run/nicbalance/written"

/* The next complete sample is due. */
static void look_at_all(struct fixture *f)
{
	f->now_nsec += 10 * NB_NSEC_PER_SEC;
	look(f);
}

static void rest(struct fixture *f)
{
	for (unsigned i = 0; i < 6; i++)
		look_at_all(f);
}

static void limit(struct fixture *f, unsigned irq, const char *mask)
{
	g_autofree char *path = g_strdup_printf("proc/irq/%u/smp_affinity", irq);

	nb_tmp_write(f->options.root, path, mask);
}

static void restart(struct fixture *f)
{
	nb_daemon_free(f->daemon);
	f->daemon = NULL;
	assert_int_equal(start_daemon(f), 0);
}

/* The others may go wherever they like. */
static void a_pin_stays_over_rescan_reload_and_restart(void **state)
{
	struct fixture *f = *state;

	look_at_all(f);
	point(f, 36, 7);
	rest(f);
	assert_int_equal(pointed_at(f, 36), 7);
	f->daemon->rescan_wanted = true;
	rest(f);
	assert_int_equal(nb_daemon_reload(f->daemon, f->now_nsec, NULL), 0);
	rest(f);
	assert_int_equal(pointed_at(f, 36), 7);
	restart(f);
	assert_int_equal(f->daemon->awaited->len, 1);
	rest(f);
	assert_int_equal(f->daemon->awaited->len, 0);
	assert_int_equal(f->daemon->loop.memory.written.n, 1);
	assert_int_equal(pointed_at(f, 36), 7);
}

/* Also after it was placed inside, stopped and started again. */
static void a_pool_is_used_and_kept(void **state)
{
	struct fixture *f = *state;
	g_autofree char *back = NULL;
	unsigned n_restored;

	look_at_all(f);
	limit(f, 36, "c0\n");
	look_at_all(f);
	assert_int_equal(f->daemon->loop.memory.written.n, 1);
	rest(f);
	assert_in_range(pointed_at(f, 36), 6, 7);
	restart(f);
	rest(f);
	assert_in_range(pointed_at(f, 36), 6, 7);
	assert_int_equal(f->daemon->loop.memory.written.n, 1);
	assert_int_equal(nb_daemon_restore(f->daemon, &n_restored), 0);
	back = nb_tmp_read(f->options.root, "proc/irq/36/smp_affinity");
	assert_int_equal(strtoul(back, NULL, 16), 0xc0);
	look_at_all(f);
	assert_int_equal(f->daemon->loop.memory.written.n, 1);
	restart(f);
	rest(f);
	assert_in_range(pointed_at(f, 36), 6, 7);
	assert_int_equal(f->daemon->loop.memory.written.n, 1);
}

/* One of them had been left where it was found. */
static void two_in_one_pool_are_one_on_each_cpu(void **state)
{
	struct fixture *f = *state;

	look_at_all(f);
	limit(f, 35, "03\n");
	limit(f, 36, "03\n");
	limit(f, 37, "03\n");
	rest(f);
	assert_int_equal(f->daemon->loop.memory.written.n, 3);
	for (unsigned irq = 35; irq < 38; irq++)
		assert_in_range(pointed_at(f, irq), 0, 1);
}

static void what_was_there_at_the_start_is_corrected(void **state)
{
	struct fixture *f = *state;

	assert_true(n_on(f, 0) <= 1);
	assert_int_equal(f->daemon->loop.memory.written.n, 0);
	assert_false(nb_sysroot_exists(f->daemon->root, PATH));
}

static int set_up_found(void **state)
{
	struct fixture *f;
	int r = set_up_machine(state, "[Balance]\nFound=keep\n");

	if (r < 0)
		return r;
	f = *state;
	pile_up(f);
	return start_daemon(f);
}

static void unless_it_is_to_be_kept(void **state)
{
	struct fixture *f = *state;

	rest(f);
	assert_int_equal(n_on(f, 0), N_IRQS);
	assert_int_equal(f->daemon->loop.memory.written.n, N_IRQS);
}

static void released(struct fixture *f, const char *what, unsigned expected)
{
	g_auto(nb_refusal) refusal = {};
	unsigned n = 0;

	f->now_nsec += NB_NSEC_PER_SEC;
	if (nb_daemon_release(f->daemon, what, "operator", f->now_nsec, &n, &refusal) < 0)
		fail_msg("%s", refusal.text);
	assert_int_equal(n, expected);
}

static void what_is_released_is_placed_at_once(void **state)
{
	struct fixture *f = *state;
	g_auto(nb_refusal) refusal = {};
	unsigned n;

	look_at_all(f);
	pile_up(f);
	rest(f);
	assert_int_equal(n_on(f, 0), N_IRQS);
	released(f, "36", 1);
	released(f, "lab0:3", 1);
	assert_int_equal(
		nb_daemon_release(f->daemon, "lab0:3", "operator", f->now_nsec, &n, &refusal),
		-ENOENT);
	assert_non_null(strstr(refusal.text, "no other program has limited it"));
	released(f, "lab0", f->daemon->loop.memory.written.n);
	look(f);
	assert_true(n_on(f, 0) <= 2);
	assert_false(nb_sysroot_exists(f->daemon->root, PATH));
}

/* Ten minutes, each queue elsewhere each ten seconds. */
static void be_adverse(struct fixture *f)
{
	for (unsigned i = 0; i < 60; i++) {
		for (unsigned q = 0; q < N_IRQS; q++)
			point(f, FIRST_IRQ + q, (i + q) % 8);
		look_at_all(f);
		for (unsigned q = 0; q < N_IRQS; q++)
			assert_int_equal(pointed_at(f, FIRST_IRQ + q), (i + q) % 8);
	}
}

static void an_adversary_is_not_fought_and_told_of_once_a_minute(void **state)
{
	struct fixture *f = *state;
	g_autofree char *said = NULL;

	look_at_all(f);
	said = said_by(be_adverse, f);
	assert_in_range(count_in(said, "\n"), 2, 11);
	assert_non_null(strstr(said, "changed by another program; limited to CPU "));
	assert_non_null(strstr(said, "Other programs changed 7 more settings"));
}

static void of_a_damaged_file_the_good_lines_count(void **state)
{
	struct fixture *f = *state;

	look_at_all(f);
	nb_daemon_free(f->daemon);
	f->daemon = NULL;
	point(f, 36, 7);
	nb_tmp_write(f->options.root, PATH,
		     "nicbalance written 1\npin 1 7 lab0:1\npin x 7 lab0:2\n"
		     "pin 5 3 lab0:4\npin 9 3 gone0:4\n");
	point(f, 39, 1);
	assert_int_equal(start_daemon(f), 0);
	assert_int_equal(f->daemon->awaited->len, 3);
	rest(f);
	assert_int_equal(pointed_at(f, 36), 7);
	assert_int_equal(f->daemon->loop.memory.written.n, 1);
	/* One whose device may come yet. */
	assert_int_equal(f->daemon->awaited->len, 1);
	point(f, 36, 6);
	look_at_all(f);
	restart(f);
	assert_int_equal(f->daemon->awaited->len, 2);
}

#define SPREAD(test) cmocka_unit_test_setup_teardown(test, set_up_spread, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SPREAD(a_pin_stays_over_rescan_reload_and_restart),
		SPREAD(a_pool_is_used_and_kept),
		SPREAD(two_in_one_pool_are_one_on_each_cpu),
		SPREAD(what_was_there_at_the_start_is_corrected),
		cmocka_unit_test_setup_teardown(unless_it_is_to_be_kept, set_up_found, tear_down),
		SPREAD(what_is_released_is_placed_at_once),
		SPREAD(an_adversary_is_not_fought_and_told_of_once_a_minute),
		SPREAD(of_a_damaged_file_the_good_lines_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
