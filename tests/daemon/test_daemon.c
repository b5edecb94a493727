/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the daemon is made of before its first cycle, and what keeps it from starting. */
#include "daemon/fixture.h"

#include <errno.h>

static int set_up(void **state)
{
	return set_up_machine(state, "");
}

static void assert_refused(struct fixture *f, int error)
{
	assert_int_equal(start_daemon(f), error);
	assert_null(f->daemon);
}

static void without_its_root_it_does_not_start(void **state)
{
	struct fixture *f = *state;

	g_free(f->options.root);
	f->options.root = g_build_filename(f->dir, "elsewhere", NULL);
	assert_refused(f, -ENOENT);
}

static void a_faulty_configuration_keeps_it_from_starting(void **state)
{
	struct fixture *f = *state;

	configure(f, "[Daemon]\nMode=perhaps\n");
	assert_refused(f, -EINVAL);
}

static void the_configuration_of_the_command_line_takes_the_place_of_the_usual_ones(void **state)
{
	struct fixture *f = *state;

	configure(f, "[Daemon]\nMode=perhaps\n");
	nb_tmp_write(f->options.root, "other.conf", "[Daemon]\nMode=observe\n");
	f->options.config_file = g_strdup("/other.conf");
	assert_int_equal(start_daemon(f), 0);
	assert_int_equal(f->daemon->config->mode, NB_MODE_OBSERVE);
	assert_false(nb_daemon_acts(f->daemon));
	g_free(f->options.config_file);
}

static void a_baseline_that_cannot_be_read_keeps_it_from_starting(void **state)
{
	struct fixture *f = *state;

	nb_tmp_write(f->options.root, "run/nicbalance/baseline/is-a-folder", "");
	assert_refused(f, -EISDIR);
}

/* What can be read of it will be put back. */
static void a_damaged_baseline_keeps_it_from_nothing(void **state)
{
	struct fixture *f = *state;
	g_autofree char *kept = NULL;

	nb_tmp_write(f->options.root, "run/nicbalance/baseline",
		     "nicbalance baseline 1\nirq what\n"
		     "irq 35 000000ff 000000ff 00000001 lab0-TxRx-0\n");
	assert_int_equal(start_daemon(f), 0);
	assert_int_equal(nb_applier_count(f->daemon->applier), 1);
	kept = nb_tmp_read(f->options.root, "run/nicbalance/baseline.damaged");
	assert_non_null(strstr(kept, "irq what"));
}

static void a_captured_machine_is_neither_timed_nor_listened_to(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(start_daemon(f), 0);
	assert_null(f->daemon->netlink);
	assert_string_equal(f->daemon->prober.reason, "a captured machine cannot be timed");
	assert_false(f->daemon->prober.wanted);
}

static void who_wants_no_probe_is_told_that_first(void **state)
{
	struct fixture *f = *state;

	configure(f, "[Daemon]\nProbe=no\n");
	assert_int_equal(start_daemon(f), 0);
	assert_string_equal(f->daemon->prober.reason, "the configuration says Probe=no");
}

static unsigned count_device_irqs(struct fixture *f)
{
	assert_int_equal(start_daemon(f), 0);
	look(f);
	disk_interrupts_come(f);
	look(f);
	return f->daemon->loop.snapshot->machine->n_device_irqs;
}

static void interrupts_of_other_devices_are_looked_at(void **state)
{
	assert_int_equal(count_device_irqs(*state), 1);
}

static void but_not_where_the_configuration_says_no(void **state)
{
	struct fixture *f = *state;

	configure(f, "[Balance]\nDeviceInterrupts=no\n");
	assert_int_equal(count_device_irqs(f), 0);
}

static void it_begins_with_a_rescan(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(start_daemon(f), 0);
	assert_true(nb_daemon_acts(f->daemon));
	look(f);
	assert_int_equal(f->daemon->loop.snapshot->n_queues, N_IRQS);
	assert_true(f->daemon->rescanned_nsec == f->now_nsec);
}

#define ON_MACHINE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_MACHINE(without_its_root_it_does_not_start),
		ON_MACHINE(a_faulty_configuration_keeps_it_from_starting),
		ON_MACHINE(the_configuration_of_the_command_line_takes_the_place_of_the_usual_ones),
		ON_MACHINE(a_baseline_that_cannot_be_read_keeps_it_from_starting),
		ON_MACHINE(a_damaged_baseline_keeps_it_from_nothing),
		ON_MACHINE(a_captured_machine_is_neither_timed_nor_listened_to),
		ON_MACHINE(who_wants_no_probe_is_told_that_first),
		ON_MACHINE(interrupts_of_other_devices_are_looked_at),
		ON_MACHINE(but_not_where_the_configuration_says_no),
		ON_MACHINE(it_begins_with_a_rescan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
