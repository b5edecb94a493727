/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the baseline need not keep any longer. */
#include "nicbalance/units.h"
#include "unit/apply/fixture.h"

#define HOUR (3600 * NB_NSEC_PER_SEC)

static void assert_kept(const struct fixture *f, const char *expected)
{
	g_autofree char *text = nb_tmp_read(f->dir, BASELINE);

	assert_string_equal(text, expected);
}

static void forget_at(struct fixture *f, uint64_t now_nsec)
{
	nb_applier_forget_gone(f->applier, &f->machine, now_nsec);
}

#define HEAD "nicbalance baseline 1\n"
#define IRQ "irq 42 0000000f 0000000f 00000004 eth0 rxtx 1\n"
#define MASK "rps 2 1 00000000 00000000 00000006 eth0\n"
#define THREAD "thread 2 5000901 0000000f 0000000f 00000001 napi/eth0-8193\t4711\n"

static struct fixture *with(const char *baseline)
{
	struct fixture *f = fixture_new(NB_FAKE_6_12);

	nb_tmp_write(f->dir, BASELINE, baseline);
	assert_int_equal(fixture_restart(f), 0);
	return f;
}

static void an_interface_is_forgotten_a_day_after_it_went(void **state)
{
	g_autoptr(fixture) f = with(HEAD IRQ MASK);

	(void)state;
	forget_at(f, HOUR);
	f->machine.n_nics = 0;
	forget_at(f, 2 * HOUR);
	forget_at(f, 26 * HOUR - 1);
	assert_kept(f, HEAD IRQ MASK);
	forget_at(f, 26 * HOUR);
	assert_kept(f, HEAD IRQ);
	assert_int_equal(nb_applier_count(f->applier), 1);
}

/* From the namespace of a container, for example. */
static void one_that_comes_back_is_kept(void **state)
{
	g_autoptr(fixture) f = with(HEAD MASK);

	(void)state;
	f->machine.n_nics = 0;
	forget_at(f, HOUR);
	f->machine.n_nics = 1;
	forget_at(f, 20 * HOUR);
	f->machine.n_nics = 0;
	forget_at(f, 21 * HOUR);
	forget_at(f, 44 * HOUR);
	assert_kept(f, HEAD MASK);
	f->machine.n_nics = 1;
	forget_at(f, 100 * HOUR);
	assert_kept(f, HEAD MASK);
}

static void what_is_there_is_kept_and_nothing_is_written(void **state)
{
	g_autoptr(fixture) f = with(HEAD IRQ MASK);

	(void)state;
	nb_tmp_write(f->dir, BASELINE, "as it was");
	forget_at(f, HOUR);
	forget_at(f, 100 * HOUR);
	assert_kept(f, "as it was");
	assert_int_equal(nb_applier_count(f->applier), 2);
}

/* The flow table of the host is of no interface. */
static void the_host_is_never_gone(void **state)
{
	g_autoptr(fixture) f = with(HEAD "rfs-host 0 0 32768 net.core\n");

	(void)state;
	f->machine.n_nics = 0;
	forget_at(f, HOUR);
	forget_at(f, 100 * HOUR);
	assert_int_equal(nb_applier_count(f->applier), 1);
}

static void a_thread_is_forgotten_when_it_ended(void **state)
{
	g_autoptr(fixture) f = with(HEAD THREAD);

	(void)state;
	nb_fake_kernel_add_thread(f->kernel, 5000901, "napi/eth0-8193", 4711, "0");
	forget_at(f, HOUR);
	assert_int_equal(nb_applier_count(f->applier), 1);
	/* Another one of its pid. */
	nb_fake_kernel_add_thread(f->kernel, 5000901, "napi/eth0-8193", 4712, "0");
	forget_at(f, HOUR);
	assert_kept(f, HEAD);

	nb_tmp_write(f->dir, BASELINE, HEAD THREAD);
	assert_int_equal(fixture_restart(f), 0);
	nb_fake_kernel_remove_thread(f->kernel, 5000901);
	forget_at(f, HOUR);
	assert_kept(f, HEAD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_interface_is_forgotten_a_day_after_it_went),
		cmocka_unit_test(one_that_comes_back_is_kept),
		cmocka_unit_test(what_is_there_is_kept_and_nothing_is_written),
		cmocka_unit_test(the_host_is_never_gone),
		cmocka_unit_test(a_thread_is_forgotten_when_it_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
