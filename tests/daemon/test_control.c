/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the operator asks for while the daemon runs. */
#include "daemon/fixture.h"
#include "publish/bus_internal.h"

#include <errno.h>

#define XPS_CPUS "sys/class/net/lab0/queues/tx-%u/xps_cpus"

static int set_up(void **state)
{
	int r = set_up_machine(state, "");

	if (r < 0)
		return r;
	pile_up(*state);
	return start_daemon(*state);
}

/* Looks until the collapsed placement was put right. */
static void spread(struct fixture *f)
{
	for (unsigned i = 0; i < 5 && n_on(f, 0) == N_IRQS; i++)
		look(f);
	assert_in_range(n_on(f, 0), 0, 1);
}

static void restore_puts_back_pauses_and_forgets(void **state)
{
	struct fixture *f = *state;
	unsigned n_restored;
	uint64_t restored_nsec;

	spread(f);
	restored_nsec = f->now_nsec;
	assert_int_equal(nb_daemon_restore(f->daemon, &n_restored), 0);
	assert_int_equal(n_on(f, 0), N_IRQS);
	assert_true(n_restored >= N_IRQS - 1);
	assert_true(f->daemon->paused);
	assert_int_equal(f->daemon->loop.memory.n_queues, 0);
	assert_int_equal(nb_applier_count(f->daemon->applier), 0);
	for (unsigned i = 0; i < 5; i++)
		look(f);
	assert_int_equal(n_on(f, 0), N_IRQS);
	/* All that is there was judged anew. */
	assert_true(f->daemon->rescanned_nsec > restored_nsec);
	/* Nobody else wrote these knobs. */
	for (unsigned i = 0; i < f->daemon->loop.memory.n_queues; i++)
		assert_int_equal(f->daemon->loop.memory.queues[i].yielded_until_nsec, 0);
}

static void resuming_after_a_restore_balances_again(void **state)
{
	struct fixture *f = *state;
	unsigned n_restored;

	spread(f);
	assert_int_equal(nb_daemon_restore(f->daemon, &n_restored), 0);
	look(f);
	assert_int_equal(nb_daemon_set_paused(f->daemon, false), 0);
	assert_int_equal(n_on(f, 0), N_IRQS);
	spread(f);
}

static void a_restore_forgets_whom_it_had_yielded_to(void **state)
{
	struct fixture *f = *state;
	unsigned n_restored;

	spread(f);
	for (unsigned i = 0; i < N_IRQS; i++)
		f->daemon->loop.memory.queues[i].yielded_until_nsec = UINT64_MAX;
	assert_int_equal(nb_daemon_restore(f->daemon, &n_restored), 0);
	look(f);
	assert_int_equal(f->daemon->loop.memory.n_queues, N_IRQS);
	for (unsigned i = 0; i < N_IRQS; i++)
		assert_true(f->daemon->loop.memory.queues[i].yielded_until_nsec == 0);
}

static void what_was_found_while_paused_is_judged_when_it_resumes(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(nb_daemon_set_paused(f->daemon, true), 0);
	for (unsigned i = 0; i < 5; i++)
		look(f);
	assert_int_equal(n_on(f, 0), N_IRQS);
	assert_int_equal(nb_applier_count(f->daemon->applier), 0);
	assert_int_equal(nb_daemon_set_paused(f->daemon, false), 0);
	spread(f);
}

static void a_bad_configuration_leaves_the_old_one_in_use(void **state)
{
	struct fixture *f = *state;
	g_autofree char *error = NULL;

	configure(f, "[Daemon]\nMode=perhaps\n");
	assert_int_not_equal(nb_daemon_reload(f->daemon, f->now_nsec, &error), 0);
	assert_non_null(strstr(error, "nicbalance.conf:2"));
	assert_int_equal(f->daemon->config->mode, NB_MODE_BALANCE);
	spread(f);
}

static void a_device_that_is_taken_out_is_left_alone_from_the_next_look_on(void **state)
{
	struct fixture *f = *state;

	look(f);
	assert_true(f->daemon->loop.snapshot->n_queues > 0);
	configure(f, "[Device lab*]\nIgnore=yes\n");
	assert_int_equal(nb_daemon_reload(f->daemon, f->now_nsec, NULL), 0);
	for (unsigned i = 0; i < 5; i++)
		look(f);
	assert_int_equal(f->daemon->loop.snapshot->n_queues, 0);
	assert_int_equal(n_on(f, 0), N_IRQS);
}

static void a_mode_that_only_watches_stops_acting_at_once(void **state)
{
	struct fixture *f = *state;

	configure(f, "[Daemon]\nMode=observe\n");
	assert_int_equal(nb_daemon_reload(f->daemon, f->now_nsec, NULL), 0);
	for (unsigned i = 0; i < 5; i++)
		look(f);
	assert_int_equal(n_on(f, 0), N_IRQS);
	configure(f, "");
	assert_int_equal(nb_daemon_reload(f->daemon, f->now_nsec, NULL), 0);
	spread(f);
}

static void resuming_ends_a_rest(void **state)
{
	struct fixture *f = *state;

	look(f);
	f->daemon->settled = true;
	nb_daemon_set_paused(f->daemon, true);
	assert_false(f->daemon->settled);
	f->daemon->settled = true;
	nb_daemon_set_paused(f->daemon, false);
	assert_false(f->daemon->settled);
}

/* --- XPS masks, which are not in the capture */

static void unset_xps(struct fixture *f)
{
	for (unsigned i = 0; i < N_IRQS; i++) {
		g_autofree char *path = g_strdup_printf(XPS_CPUS, i);

		nb_tmp_write(f->options.root, path, "00\n");
	}
}

static unsigned n_xps_set(struct fixture *f)
{
	unsigned n = 0;

	for (unsigned i = 0; i < N_IRQS; i++) {
		g_autofree char *path = g_strdup_printf(XPS_CPUS, i);
		g_autofree char *text = nb_tmp_read(f->options.root, path);

		n += strtoull(text, NULL, 16) != 0;
	}
	return n;
}

/* Until interrupts have stayed. */
static void look_on(struct fixture *f)
{
	for (unsigned i = 0; i < 20; i++)
		look(f);
}

static void spread_with_xps(struct fixture *f)
{
	unset_xps(f);
	configure(f, "[XPS]\nEnabled=yes\n");
	assert_int_equal(nb_daemon_reload(f->daemon, f->now_nsec, NULL), 0);
	spread(f);
	assert_int_equal(n_xps_set(f), 0);
}

static void masks_that_a_pause_kept_back_follow_when_it_resumes(void **state)
{
	struct fixture *f = *state;

	spread_with_xps(f);
	assert_int_equal(nb_daemon_set_paused(f->daemon, true), 0);
	look_on(f);
	assert_int_equal(n_xps_set(f), 0);
	assert_int_equal(nb_daemon_set_paused(f->daemon, false), 0);
	look_on(f);
	assert_int_equal(n_xps_set(f), N_IRQS);
}

static void masks_unwanted_since_a_pause_return_when_it_resumes(void **state)
{
	struct fixture *f = *state;

	spread_with_xps(f);
	look_on(f);
	assert_int_equal(n_xps_set(f), N_IRQS);
	assert_int_equal(nb_daemon_set_paused(f->daemon, true), 0);
	configure(f, "");
	assert_int_equal(nb_daemon_reload(f->daemon, f->now_nsec, NULL), 0);
	look_on(f);
	assert_int_equal(n_xps_set(f), N_IRQS);
	assert_int_equal(nb_daemon_set_paused(f->daemon, false), 0);
	look_on(f);
	assert_int_equal(n_xps_set(f), 0);
}

static void masks_of_a_device_that_is_taken_out_return(void **state)
{
	struct fixture *f = *state;

	spread_with_xps(f);
	look_on(f);
	assert_int_equal(n_xps_set(f), N_IRQS);
	configure(f, "[XPS]\nEnabled=yes\n[Device lab*]\nIgnore=yes\n");
	assert_int_equal(nb_daemon_reload(f->daemon, f->now_nsec, NULL), 0);
	look_on(f);
	assert_int_equal(n_xps_set(f), 0);
}

static void a_probe_is_wanted_as_the_new_configuration_says(void **state)
{
	struct fixture *f = *state;

	configure(f, "[Daemon]\nProbe=no\n");
	assert_int_equal(nb_daemon_reload(f->daemon, f->now_nsec, NULL), 0);
	assert_string_equal(f->daemon->prober.reason, "the configuration says Probe=no");
}

static void device_interrupts_are_read_as_the_new_configuration_says(void **state)
{
	struct fixture *f = *state;

	look(f);
	configure(f, "[Balance]\nDeviceInterrupts=no\n");
	assert_int_equal(nb_daemon_reload(f->daemon, f->now_nsec, NULL), 0);
	disk_interrupts_come(f);
	look(f);
	assert_int_equal(f->daemon->loop.snapshot->machine->n_device_irqs, 0);
}

/* --- what the bus asks for */

static struct nb_status status_of(struct fixture *f)
{
	struct nb_status status;

	nb_daemon_handlers.get_status(f->daemon, &status);
	return status;
}

static void the_status_is_that_of_the_last_look(void **state)
{
	struct fixture *f = *state;
	struct nb_status status = status_of(f);

	assert_null(status.snapshot);
	spread(f);
	status = status_of(f);
	assert_ptr_equal(status.snapshot, f->daemon->loop.snapshot);
	assert_ptr_equal(status.plan, f->daemon->loop.plan);
	assert_ptr_equal(status.loads, f->daemon->loop.loads);
	assert_int_equal(status.cycles, f->daemon->cycles);
	assert_int_equal(status.mode, NB_MODE_BALANCE);
	assert_false(status.paused);
	assert_true(status.n_history > 0);
	assert_string_equal(status.grade_reason, "a captured machine cannot be timed");
}

static void the_cost_of_the_start_ends_with_the_first_cycle_if_nothing_is_loaded(void **state)
{
	struct fixture *f = *state;
	struct nb_status status;
	uint64_t start_nsec;

	cycle(f);
	start_nsec = status_of(f).start_cpu_time_nsec;
	assert_true(start_nsec > 0);
	for (unsigned i = 0; i < 12; i++)
		cycle(f);
	status = status_of(f);
	assert_true(status.start_cpu_time_nsec == start_nsec);
	assert_true(status.cpu_time_nsec > start_nsec);
	assert_int_equal(f->daemon->cost.n_marks, 2);
}

static void the_cost_of_the_start_includes_loading(void **state)
{
	struct fixture *f = *state;

	f->daemon->prober.wanted = true;
	nb_daemon_mark_cost(f->daemon, f->now_nsec);
	assert_int_equal(f->daemon->cost.n_marks, 0);
	assert_true(status_of(f).start_cpu_time_nsec > 0);
	assert_int_equal(status_of(f).recent_nsec, 0);
	f->daemon->prober.wanted = false;
	nb_daemon_mark_cost(f->daemon, f->now_nsec);
	assert_int_equal(f->daemon->cost.n_marks, 1);
}

/* Its last look was a while ago: the time of this machine is not the host's. */
static void who_asks_an_idle_daemon_is_told_how_things_are_now(void **state)
{
	struct fixture *f = *state;
	uint64_t cycles;

	spread(f);
	f->daemon->idle = true;
	cycles = f->daemon->cycles;
	assert_true(status_of(f).snapshot->taken_nsec > f->now_nsec);
	assert_int_equal(f->daemon->cycles, cycles + 1);
	assert_false(f->daemon->idle);
	/* And again only after an interval. */
	f->daemon->idle = true;
	status_of(f);
	assert_int_equal(f->daemon->cycles, cycles + 1);
}

/* Its socket is there, its loop does not run: bus->document is what the next client gets. */
static void serve(struct fixture *f)
{
	g_autofree char *path = g_build_filename(f->dir, "bus", NULL);

	assert_int_equal(nb_bus_new(f->daemon->event, path, false, &nb_daemon_handlers, f->daemon,
				    &f->daemon->bus),
			 0);
}

static void keep_document(struct fixture *f)
{
	assert_null(f->daemon->bus->document);
	f->daemon->bus->document = g_strdup("{}");
}

static void what_changes_makes_the_document_a_new_one(void **state)
{
	struct fixture *f = *state;

	serve(f);
	keep_document(f);
	cycle(f);
	keep_document(f);
	assert_int_equal(nb_daemon_reload(f->daemon, f->now_nsec, NULL), 0);
	keep_document(f);
	f->daemon->idle = true;
	status_of(f);
	assert_null(f->daemon->bus->document);
}

static void a_recording_begins_with_a_look_of_an_idle_daemon(void **state)
{
	struct fixture *f = *state;
	struct nb_recorded recorded;
	uint64_t cycles;

	spread(f);
	f->daemon->idle = true;
	cycles = f->daemon->cycles;
	nb_daemon_handlers.record(f->daemon, 0, &recorded);
	assert_int_equal(f->daemon->cycles, cycles + 1);
	assert_true(nb_recorder_is_on(f->daemon->recorder));
}

static void delays_that_cannot_be_measured_are_refused_with_the_reason(void **state)
{
	struct fixture *f = *state;
	g_autoptr(GArray) delays = g_array_new(FALSE, FALSE, sizeof(struct nb_delays));
	g_autofree char *error = NULL;

	look(f);
	assert_int_equal(nb_daemon_handlers.watch_delays(f->daemon, &error), -EOPNOTSUPP);
	nb_daemon_handlers.get_delays(f->daemon, delays);
	assert_int_equal(delays->len, 0);
	assert_non_null(strstr(error, "a captured machine cannot be timed"));
}

static void each_request_reaches_the_daemon(void **state)
{
	const struct nb_handlers *bus = &nb_daemon_handlers;
	struct fixture *f = *state;
	g_autofree char *error = NULL;
	unsigned n_restored;

	spread(f);
	assert_ptr_equal(bus->get_config(f->daemon), f->daemon->config);
	assert_int_equal(bus->set_paused(f->daemon, true, &error), 0);
	assert_true(f->daemon->paused);
	assert_int_equal(bus->set_paused(f->daemon, false, &error), 0);
	assert_false(f->daemon->paused);
	assert_int_equal(bus->restore(f->daemon, &n_restored, &error), 0);
	assert_int_equal(n_restored, N_IRQS - 1);
	assert_true(f->daemon->paused);
	assert_null(error);
	configure(f, "[Daemon]\nMode=perhaps\n");
	assert_true(bus->reload(f->daemon, &error) < 0);
	assert_non_null(strstr(error, "nicbalance.conf:2"));
}

#define ON_MACHINE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_MACHINE(restore_puts_back_pauses_and_forgets),
		ON_MACHINE(resuming_after_a_restore_balances_again),
		ON_MACHINE(a_restore_forgets_whom_it_had_yielded_to),
		ON_MACHINE(what_was_found_while_paused_is_judged_when_it_resumes),
		ON_MACHINE(a_bad_configuration_leaves_the_old_one_in_use),
		ON_MACHINE(a_device_that_is_taken_out_is_left_alone_from_the_next_look_on),
		ON_MACHINE(a_mode_that_only_watches_stops_acting_at_once),
		ON_MACHINE(resuming_ends_a_rest),
		ON_MACHINE(masks_that_a_pause_kept_back_follow_when_it_resumes),
		ON_MACHINE(masks_unwanted_since_a_pause_return_when_it_resumes),
		ON_MACHINE(masks_of_a_device_that_is_taken_out_return),
		ON_MACHINE(a_probe_is_wanted_as_the_new_configuration_says),
		ON_MACHINE(device_interrupts_are_read_as_the_new_configuration_says),
		ON_MACHINE(the_status_is_that_of_the_last_look),
		ON_MACHINE(the_cost_of_the_start_ends_with_the_first_cycle_if_nothing_is_loaded),
		ON_MACHINE(the_cost_of_the_start_includes_loading),
		ON_MACHINE(who_asks_an_idle_daemon_is_told_how_things_are_now),
		ON_MACHINE(what_changes_makes_the_document_a_new_one),
		ON_MACHINE(a_recording_begins_with_a_look_of_an_idle_daemon),
		ON_MACHINE(delays_that_cannot_be_measured_are_refused_with_the_reason),
		ON_MACHINE(each_request_reaches_the_daemon),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
