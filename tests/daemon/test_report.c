/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is told of what happened: in the history, and in the line of systemctl status. */
#include "base/spells.h"
#include "daemon/fixture.h"

#include <stdarg.h>
#include <systemd/sd-daemon.h>

/* In place of systemd's: the last line, and how many there were. */
static char *status_line;
static unsigned n_status_lines;

int sd_notifyf(int unset_environment, const char *format, ...)
{
	va_list args;

	(void)unset_environment;
	g_free(status_line);
	va_start(args, format);
	status_line = g_strdup_vprintf(format, args);
	va_end(args);
	n_status_lines += g_str_has_prefix(status_line, "STATUS=");
	return 0;
}

static int set_up_with(void **state, const char *config)
{
	int r = set_up_machine(state, config);

	n_status_lines = 0;
	if (r < 0)
		return r;
	pile_up(*state);
	return start_daemon(*state);
}

static int set_up(void **state)
{
	return set_up_with(state, "");
}

static int set_up_observing(void **state)
{
	return set_up_with(state, "[Daemon]\nMode=observe\n");
}

static int forget(void **state)
{
	g_clear_pointer(&status_line, g_free);
	return tear_down(state);
}

static void look_often(struct fixture *f, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		look(f);
}

static unsigned n_told(const struct fixture *f)
{
	unsigned n;

	nb_history_records(f->daemon->history, &n);
	return n;
}

static const struct nb_record *told(const struct fixture *f, unsigned i)
{
	unsigned n;
	const struct nb_record *records = nb_history_records(f->daemon->history, &n);

	assert_true(i < n);
	return &records[i];
}

static void each_move_is_told_with_where_from_and_where_to(void **state)
{
	struct fixture *f = *state;

	look_often(f, 5);
	assert_int_equal(n_told(f), N_IRQS - 1);
	for (unsigned i = 0; i < n_told(f); i++) {
		const struct nb_record *record = told(f, i);

		assert_int_equal(record->event, NB_EVENT_MOVED);
		assert_int_equal(record->outcome, NB_OUTCOME_APPLIED);
		assert_string_equal(record->netdev, "lab0");
		assert_int_equal(record->n_irqs, 1);
		assert_int_equal(record->cpu_from, 0);
		assert_int_equal(record->cpu_to, pointed_at(f, record->irqs[0]));
		assert_true(record->realtime_usec > 0);
	}
}

/* Until the collapsed placement is to be put right. */
static struct nb_plan *look_until_planned(struct fixture *f)
{
	for (unsigned i = 0; i < 5 && (i == 0 || f->daemon->loop.plan->n_changes == 0); i++)
		look(f);
	assert_int_equal(f->daemon->loop.plan->n_changes, N_IRQS - 1);
	return f->daemon->loop.plan;
}

static void a_rehearsed_move_is_told_once(void **state)
{
	struct fixture *f = *state;

	look_until_planned(f);
	assert_int_equal(n_told(f), N_IRQS - 1);
	for (unsigned i = 0; i < n_told(f); i++)
		assert_int_equal(told(f, i)->outcome, NB_OUTCOME_REHEARSED);
	nb_report_outcomes(f->daemon);
	assert_int_equal(n_told(f), N_IRQS - 1);
}

static void a_rehearsed_move_to_another_cpu_is_told_again(void **state)
{
	struct fixture *f = *state;
	struct nb_plan *plan = look_until_planned(f);
	struct nb_move move = *plan->changes[0].move;

	move.cpu_to ^= 1;
	plan->changes[0].move = &move;
	nb_report_outcomes(f->daemon);
	assert_int_equal(n_told(f), N_IRQS);
	assert_int_equal(told(f, N_IRQS - 1)->cpu_to, move.cpu_to);
}

static void who_paused_it_is_told_of_no_rehearsals(void **state)
{
	struct fixture *f = *state;

	nb_daemon_set_paused(f->daemon, true);
	look_until_planned(f);
	assert_int_equal(n_told(f), 0);
}

/* The folder of the baseline is a file. */
static void a_baseline_that_cannot_be_kept_is_not_told_of_each_queue(void **state)
{
	struct fixture *f = *state;

	nb_tmp_write(f->options.root, "run/nicbalance", "");
	look_often(f, 5);
	assert_int_equal(n_on(f, 0), N_IRQS);
	assert_true(f->daemon->apply_error < 0);
	assert_int_equal(n_told(f), 0);
}

static void what_was_put_back_is_told_with_its_queue(void **state)
{
	struct fixture *f = *state;
	unsigned n_restored, n;

	look_often(f, 5);
	n = n_told(f);
	assert_int_equal(nb_daemon_restore(f->daemon, &n_restored), 0);
	assert_int_equal(n_told(f), n + n_restored);
	for (; n < n_told(f); n++) {
		const struct nb_record *record = told(f, n);

		assert_int_equal(record->event, NB_EVENT_RESTORED);
		assert_int_equal(record->outcome, NB_OUTCOME_APPLIED);
		assert_int_equal(record->irqs[0], FIRST_IRQ + record->key.index);
		assert_string_equal(record->netdev, "lab0");
		assert_int_equal(record->cpu_to, 0);
		assert_true(record->cpu_from > 0);
	}
}

static void another_writer_is_told_of_once(void **state)
{
	struct fixture *f = *state;
	const struct nb_record *record;
	unsigned n;
	int ours;

	look_often(f, 15);
	n = n_told(f);
	ours = pointed_at(f, FIRST_IRQ + 5);
	point(f, FIRST_IRQ + 5, ours == 1 ? 2 : 1);
	look_often(f, 40);
	assert_int_equal(n_told(f), n + 1);
	record = told(f, n);
	assert_int_equal(record->event, NB_EVENT_YIELDED);
	assert_int_equal(record->irqs[0], FIRST_IRQ + 5);
	assert_int_equal(record->cpu_from, ours);
	assert_int_equal(record->cpu_to, ours == 1 ? 2 : 1);
}

static void what_came_of_a_move_completes_its_record(void **state)
{
	struct nb_finding finding = {
		.event = NB_EVENT_MOVED, .effect = NB_EFFECT_WORKED, .measured = 1234};
	struct fixture *f = *state;
	unsigned n;

	look_often(f, 2);
	n = n_told(f);
	assert_int_equal(told(f, n - 1)->effect, NB_EFFECT_PENDING);
	finding.key = told(f, n - 1)->key;
	g_array_set_size(f->daemon->loop.findings, 0);
	g_array_append_val(f->daemon->loop.findings, finding);
	nb_report_findings(f->daemon);
	assert_int_equal(n_told(f), n);
	assert_int_equal(told(f, n - 1)->effect, NB_EFFECT_WORKED);
	assert_int_equal(told(f, n - 1)->measured, 1234);
}

static void the_status_line_is_told_when_it_changes(void **state)
{
	struct fixture *f = *state;
	unsigned n;

	look(f);
	assert_int_equal(n_status_lines, 1);
	assert_true(g_str_has_prefix(status_line, "STATUS=Balancing 8 queues of 1 interfaces: "));
	look_often(f, 60);
	n = n_status_lines;
	nb_report_status(f->daemon);
	assert_int_equal(n_status_lines, n);
	nb_daemon_set_paused(f->daemon, true);
	nb_report_status(f->daemon);
	assert_int_equal(n_status_lines, n + 1);
	assert_true(g_str_has_prefix(status_line, "STATUS=Paused 8 queues"));
	nb_daemon_set_paused(f->daemon, false);
	f->daemon->config->mode = NB_MODE_OBSERVE;
	nb_report_status(f->daemon);
	assert_int_equal(n_status_lines, n + 2);
	assert_true(g_str_has_prefix(status_line, "STATUS=Observing 8 queues"));
}

#define MISSED "sys/class/net/lab0/statistics/rx_missed_errors"

/* Seconds in each of which the NIC drops so many. */
static void drop(struct fixture *f, unsigned seconds, unsigned packets)
{
	for (unsigned i = 0; i < seconds; i++) {
		g_autofree char *text = nb_tmp_read(f->options.root, MISSED);
		g_autofree char *more = g_strdup_printf("%lu\n", strtoul(text, NULL, 10) + packets);

		nb_tmp_write(f->options.root, MISSED, more);
		look(f);
	}
}

static unsigned count_warnings(void (*run)(struct fixture *f), struct fixture *f)
{
	g_autofree char *text = said_by(run, f);

	return count_in(text, "lab0 drops 500 packets a second");
}

static void drop_in_a_burst(struct fixture *f)
{
	drop(f, 10, 500);
	look_often(f, 30);
}

static void drop_and_drop(struct fixture *f)
{
	drop(f, 60, 500);
	look_often(f, 30);
}

static void a_nic_that_goes_on_dropping_is_told_once_an_hour(void **state)
{
	struct fixture *f = *state;

	nb_tmp_write(f->options.root, MISSED, "0\n");
	look_often(f, 15);
	assert_int_equal(count_warnings(drop_in_a_burst, f), 0);
	assert_int_equal(count_warnings(drop_and_drop, f), 1);
	assert_int_equal(count_warnings(drop_and_drop, f), 0);
	f->now_nsec += 3600 * NB_NSEC_PER_SEC;
	look_often(f, 30);
	assert_int_equal(count_warnings(drop_and_drop, f), 1);
}

static struct nb_nic *only_nic(struct fixture *f)
{
	const struct nb_machine *machine = f->daemon->loop.snapshot->machine;

	for (unsigned i = 0; i < machine->n_nics; i++)
		if (g_str_equal(machine->nics[i].name, "lab0"))
			return &machine->nics[i];
	return NULL;
}

static void report_full_nodes(struct fixture *f)
{
	nb_report_full_nodes(f->daemon);
}

static unsigned count_full_nodes(struct fixture *f)
{
	g_autofree char *text = said_by(report_full_nodes, f);

	return count_in(text, "lab0 has been full for 3 minutes, while another node has time: "
			      "Spill=yes in [Device lab0] lets its queues go there");
}

static void a_full_node_is_told_after_minutes_once_an_hour(void **state)
{
	struct fixture *f = *state;
	struct nb_spells *full_nodes = &f->daemon->loop.memory.full_nodes;

	look(f);
	nb_spells_note(full_nodes, only_nic(f)->ifindex, f->now_nsec);
	nb_spells_note(full_nodes, only_nic(f)->ifindex, f->now_nsec + 179 * NB_NSEC_PER_SEC);
	assert_int_equal(count_full_nodes(f), 0);
	nb_spells_note(full_nodes, only_nic(f)->ifindex, f->now_nsec + 180 * NB_NSEC_PER_SEC);
	only_nic(f)->spill = true;
	assert_int_equal(count_full_nodes(f), 0);
	only_nic(f)->spill = false;
	assert_int_equal(count_full_nodes(f), 1);
	assert_int_equal(count_full_nodes(f), 0);
}

static void report_advice(struct fixture *f)
{
	nb_report_advice(f->daemon);
}

static unsigned count_advice(struct fixture *f, const char *what)
{
	g_autofree char *text = said_by(report_advice, f);

	return count_in(text, what);
}

/* On eight CPUs. How many channels there are is told once, the other as often as it holds. */
static void advice_is_told_with_its_command(void **state)
{
	struct fixture *f = *state;
	struct nb_nic *nic;

	look(f);
	nic = only_nic(f);
	nic->n_channels = nic->most_channels = 4;
	assert_int_equal(count_advice(f, "lab0"), 0);
	nic->most_channels = 16;
	nic->combines_channels = true;
	assert_int_equal(
		count_advice(f, "lab0: 4 of 16 channels in use: ethtool -L lab0 combined 8"), 1);
	assert_int_equal(count_advice(f, "lab0"), 0);
	nic->scope = NB_SCOPE_IGNORED;
	g_array_set_size(f->daemon->told_advice[NB_ADVICE_CHANNELS], 0);
	assert_int_equal(count_advice(f, "lab0"), 0);
}

#define BALANCING(test) cmocka_unit_test_setup_teardown(test, set_up, forget)
#define OBSERVING(test) cmocka_unit_test_setup_teardown(test, set_up_observing, forget)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BALANCING(each_move_is_told_with_where_from_and_where_to),
		OBSERVING(a_rehearsed_move_is_told_once),
		OBSERVING(a_rehearsed_move_to_another_cpu_is_told_again),
		BALANCING(who_paused_it_is_told_of_no_rehearsals),
		BALANCING(a_baseline_that_cannot_be_kept_is_not_told_of_each_queue),
		BALANCING(what_was_put_back_is_told_with_its_queue),
		BALANCING(another_writer_is_told_of_once),
		BALANCING(what_came_of_a_move_completes_its_record),
		BALANCING(the_status_line_is_told_when_it_changes),
		BALANCING(a_nic_that_goes_on_dropping_is_told_once_an_hour),
		BALANCING(a_full_node_is_told_after_minutes_once_an_hour),
		BALANCING(advice_is_told_with_its_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
