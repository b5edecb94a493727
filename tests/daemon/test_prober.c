/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The grade while programs are loaded, by a module of this test's own, which hangs. */
#include "bpf/probe_internal.h"
#include "daemon/prober.h"
#include "publish/journal.h"
#include "support/fake_probe.h"
#include "support/fake_rss.h"
#include "support/support.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>

#define TOO_LONG "loading the eBPF programs took longer than 15 s"

static uint64_t now_nsec;
/* Of this test's journal, in place of the daemon's. */
static unsigned n_notices;

void nb_journal_say(int priority, const char *message_id, const char *format, ...)
{
	(void)message_id;
	(void)format;
	n_notices += priority == LOG_NOTICE;
}

struct fixture {
	char *dir; /* of a captured machine; NULL: the host */
	struct nb_sysroot *root;
	struct nb_prober prober;
	struct nb_loop loop;
	struct nb_prober_view view;
};

static int setup(void **state)
{
	const struct nb_device_rules rules = {};
	struct fixture *f = g_new0(struct fixture, 1);

	now_nsec = 1000 * NB_NSEC_PER_SEC;
	n_notices = 0;
	unsetenv("NB_LOADER_REFUSES");
	f->view = (struct nb_prober_view){.loop = &f->loop, .cycles = 2};
	*state = f;
	if (nb_sysroot_open(NULL, &f->root) < 0 ||
	    nb_sampler_new(f->root, NULL, &rules, &f->prober.sampler) < 0)
		return -1;
	f->prober.root = f->root;
	nb_prober_configure(&f->prober, NULL, false, 50, now_nsec);
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	nb_prober_clear(&f->prober);
	nb_sampler_free(f->prober.sampler);
	nb_sysroot_free(f->root);
	if (f->dir)
		nb_tmp_remove(f->dir);
	g_free(f);
	return 0;
}

static void pass(struct fixture *f, uint64_t sec)
{
	now_nsec += sec * NB_NSEC_PER_SEC;
	nb_prober_update(&f->prober, &f->view, now_nsec);
}

static bool is_loading(const struct fixture *f)
{
	return nb_prober_is_loading(&f->prober);
}

static void hang(struct fixture *f)
{
	pass(f, 0);
	assert_true(is_loading(f));
	pass(f, 15);
	assert_false(is_loading(f));
}

/* Until it can be reaped. */
static void await_child(void)
{
	siginfo_t info;

	assert_int_equal(waitid(P_ALL, 0, &info, WEXITED | WNOWAIT), 0);
}

static void assert_no_child(void)
{
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void loading_is_waited_for(void **state)
{
	struct fixture *f = *state;

	assert_non_null(strstr(f->prober.reason, "as soon as the first placement is settled"));
	pass(f, 0);
	pass(f, 14);
	assert_true(is_loading(f));
	assert_string_equal(f->prober.reason, "the eBPF programs are being loaded");
	assert_int_equal(n_notices, 0);
}

static void a_loader_that_hangs_is_given_up_with_a_reason(void **state)
{
	struct fixture *f = *state;

	hang(f);
	assert_string_equal(f->prober.reason, TOO_LONG);
	assert_int_equal(n_notices, 1);
	pass(f, 1);
	assert_string_equal(f->prober.reason, TOO_LONG);
	assert_int_equal(n_notices, 1);
}

static void a_loader_that_hangs_is_killed_and_reaped(void **state)
{
	struct fixture *f = *state;

	hang(f);
	await_child();
	pass(f, 1);
	assert_no_child();
	assert_null(f->prober.dying);
}

static void a_loader_that_hung_is_tried_again_and_told_once(void **state)
{
	struct fixture *f = *state;

	hang(f);
	await_child();
	pass(f, 1);
	pass(f, 58);
	assert_false(is_loading(f));
	pass(f, 1);
	assert_true(is_loading(f));
	pass(f, 15);
	assert_string_equal(f->prober.reason, TOO_LONG);
	assert_int_equal(n_notices, 1);
}

static void the_window_of_loading_in_vain_is_left_out(void **state)
{
	struct fixture *f = *state;

	hang(f);
	assert_true(f->prober.window_spoilt);
}

static void a_refusal_is_told_and_its_window_left_out(void **state)
{
	struct fixture *f = *state;

	setenv("NB_LOADER_REFUSES", "", true);
	pass(f, 0);
	if (is_loading(f)) {
		await_child();
		pass(f, 1);
	}
	assert_string_equal(f->prober.reason, "not today");
	assert_int_equal(n_notices, 1);
	assert_true(f->prober.window_spoilt);
	assert_no_child();
	pass(f, 3600);
	assert_false(is_loading(f));
}

/* Two CPUs, 0 as busy as said, 1 idle and isolated. */
static void see(struct fixture *f, uint32_t busy)
{
	static struct nb_machine machine;
	static const struct nb_snapshot snapshot = {.machine = &machine};
	static struct nb_cpu_load cpus[] = {{.id = 0}, {.id = 1}};
	static const struct nb_loads loads = {.cpus = cpus, .n_cpus = 2};

	nb_cpumask_add(&machine.topology.isolated, 1);
	cpus[0].window_busy = busy;
	f->loop.snapshot = &snapshot;
	f->loop.loads = &loads;
}

static void loading_waits_for_a_cpu_that_is_idle_half_of_the_time(void **state)
{
	struct fixture *f = *state;

	see(f, 5000);
	pass(f, 0);
	pass(f, 59);
	assert_false(is_loading(f));
	see(f, 4999);
	pass(f, 0);
	assert_true(is_loading(f));
}

static void loading_waits_no_longer_than_a_minute(void **state)
{
	struct fixture *f = *state;

	see(f, 10000);
	pass(f, 59);
	assert_false(is_loading(f));
	pass(f, 1);
	assert_true(is_loading(f));
}

static void loading_waits_for_a_move_that_is_being_measured(void **state)
{
	struct nb_queue_memory queue = {.pending.active = true};
	struct fixture *f = *state;

	f->loop.memory.queues = &queue;
	f->loop.memory.n_queues = 1;
	pass(f, 59);
	assert_false(is_loading(f));
	queue.pending.active = false;
	pass(f, 0);
	assert_true(is_loading(f));
}

static void what_is_no_longer_wanted_is_not_loaded(void **state)
{
	struct fixture *f = *state;

	pass(f, 0);
	nb_prober_configure(&f->prober, "the configuration says Probe=no", false, 50, now_nsec);
	assert_false(is_loading(f));
	assert_string_equal(f->prober.reason, "the configuration says Probe=no");
	await_child();
	pass(f, 1);
	assert_no_child();
}

/* --- a probe that counts, and is lost */

#define N_CPUS 2

struct measuring {
	struct fixture *f;
	struct nb_probe counters; /* of the probe, which is the prober's */
	struct nb_machine machine;
	struct nb_snapshot snapshot;
};

/* As if the probe had been loaded and attached now. */
static void count_with(struct fixture *f, struct nb_probe *probe)
{
	nb_probe_attach(probe);
	nb_probe_measure(probe, true);
	f->prober.probe = probe;
	f->prober.duty.stage = NB_DUTY_FULL;
	f->prober.retry_nsec = 0;
	f->prober.opened_cycle = f->view.cycles;
	f->prober.opened_nsec = f->prober.checked_nsec = now_nsec;
}

static int set_up_measuring(void **state)
{
	struct measuring *m = g_new0(struct measuring, 1);
	struct nb_probe *probe = nb_fake_probe_new(N_CPUS);
	void *fixture;
	int r = setup(&fixture);

	*state = m;
	if (r < 0)
		return r;
	m->f = fixture;
	m->counters = *probe;
	m->machine.topology.n_cpus = N_CPUS;
	m->snapshot = (struct nb_snapshot){.machine = &m->machine, .grade = NB_GRADE_MEASURED};
	m->f->loop.snapshot = &m->snapshot;
	m->f->prober.wanted = false;
	count_with(m->f, probe);
	m->f->view.recording = true;
	return 0;
}

static int tear_down_measuring(void **state)
{
	struct measuring *m = *state;
	void *fixture = m->f;
	int r = teardown(&fixture);

	g_free(m->counters.cpus);
	g_free(m->counters.napis);
	g_free(m->counters.irqs);
	g_free(m->counters.totals);
	g_free(m->counters.control);
	g_free(m->counters.buckets);
	g_free(m->counters.delays);
	g_free(m);
	return r;
}

/* The programs see softirqs. */
static void count_some(struct measuring *m)
{
	m->counters.cpus[0].softirqs += 100;
}

static void assert_lost(const struct fixture *f, const char *reason)
{
	assert_null(f->prober.probe);
	assert_string_equal(f->prober.reason, reason);
	assert_int_equal(n_notices, 1);
}

static void a_probe_that_counts_is_kept(void **state)
{
	struct measuring *m = *state;

	for (unsigned i = 0; i < 30; i++) {
		count_some(m);
		pass(m->f, 1);
		m->f->view.cycles++;
		assert_non_null(m->f->prober.probe);
	}
	assert_int_equal(n_notices, 0);
}

static void a_probe_that_stopped_counting_is_given_up_within_ten_seconds(void **state)
{
	struct measuring *m = *state;

	count_some(m);
	pass(m->f, 10);
	pass(m->f, 9);
	assert_non_null(m->f->prober.probe);
	pass(m->f, 1);
	assert_lost(m->f, "the eBPF programs stopped counting");
}

static void a_probe_that_cannot_follow_a_change_is_given_up_at_once(void **state)
{
	struct measuring *m = *state;

	m->snapshot.grade = NB_GRADE_ESTIMATED;
	count_some(m);
	/* The snapshot is of the cycle before the programs were there. */
	pass(m->f, 1);
	assert_non_null(m->f->prober.probe);
	m->f->view.cycles++;
	pass(m->f, 1);
	assert_lost(m->f, "the eBPF programs could not be adapted to a change of devices");
}

static void what_was_lost_is_tried_again_after_a_minute_then_two_up_to_an_hour(void **state)
{
	static const unsigned minutes[] = {1, 2, 4, 8, 16, 32, 60, 60};
	struct measuring *m = *state;
	struct fixture *f = m->f;

	pass(f, 10);
	assert_lost(f, "the eBPF programs stopped counting");
	for (unsigned i = 0; i < G_N_ELEMENTS(minutes); i++) {
		pass(f, minutes[i] * 60 - 1);
		assert_false(is_loading(f));
		pass(f, 1);
		assert_true(is_loading(f));
		/* It hangs. */
		pass(f, 15);
		await_child();
		pass(f, 0);
		assert_null(f->prober.dying);
	}
}

/* Another probe for the one that was lost. */
static void count_again(struct measuring *m)
{
	count_with(m->f, g_memdup2(&m->counters, sizeof(m->counters)));
}

static void lose_after(struct measuring *m, unsigned sec)
{
	for (unsigned i = 0; i < sec; i += 10) {
		count_some(m);
		pass(m->f, 10);
		assert_non_null(m->f->prober.probe);
	}
	pass(m->f, 10);
	assert_null(m->f->prober.probe);
}

static void what_worked_for_long_is_tried_again_after_a_minute(void **state)
{
	struct measuring *m = *state;
	struct nb_prober *prober = &m->f->prober;

	lose_after(m, 10);
	count_again(m);
	lose_after(m, 50);
	assert_int_equal(prober->retry_nsec - now_nsec, 120 * NB_NSEC_PER_SEC);
	count_again(m);
	lose_after(m, 120);
	assert_int_equal(prober->retry_nsec - now_nsec, 60 * NB_NSEC_PER_SEC);
}

static void what_a_lost_probe_has_cost_is_not_forgotten(void **state)
{
	struct measuring *m = *state;
	uint64_t cost_nsec;

	m->counters.cpus[0].state.own_nsec = 1000;
	cost_nsec = nb_prober_cost_nsec(&m->f->prober);
	assert_true(cost_nsec >= 1000);
	pass(m->f, 10);
	assert_null(m->f->prober.probe);
	assert_true(nb_prober_cost_nsec(&m->f->prober) == cost_nsec);
}

static void a_new_configuration_closes_the_probe_with_its_reason(void **state)
{
	struct measuring *m = *state;

	nb_prober_configure(&m->f->prober, "the configuration says Probe=no", false, 50, now_nsec);
	assert_lost(m->f, "the configuration says Probe=no");
	pass(m->f, 3600);
	assert_false(is_loading(m->f));
}

static void a_new_configuration_keeps_a_probe_that_counts(void **state)
{
	struct measuring *m = *state;

	nb_prober_configure(&m->f->prober, NULL, false, 50, now_nsec);
	count_some(m);
	pass(m->f, 10);
	assert_non_null(m->f->prober.probe);
	assert_false(is_loading(m->f));
}

static void delays_cannot_be_had_without_a_probe(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(nb_prober_lease_delays(&f->prober, now_nsec + NB_NSEC_PER_SEC),
			 -EOPNOTSUPP);
	assert_true(f->prober.delays_until_nsec == 0);
}

/* --- how much of the time is measured */

/* A captured one in place of the host. */
static int use_machine(struct fixture *f)
{
	static const struct nb_device_rules rules = {};

	g_clear_pointer(&f->prober.sampler, nb_sampler_free);
	g_clear_pointer(&f->root, nb_sysroot_free);
	f->dir = nb_tmp_make();
	nb_tmp_unpack(f->dir, "igb8");
	if (nb_sysroot_open(f->dir, &f->root) < 0 ||
	    nb_sampler_new(f->root, NULL, &rules, &f->prober.sampler) < 0)
		return -1;
	f->prober.root = f->root;
	return 0;
}

static int set_up_detached(void **state)
{
	int r = set_up_measuring(state);
	struct measuring *m = *state;

	if (r < 0 || use_machine(m->f) < 0)
		return -1;
	nb_probe_detach(m->f->prober.probe);
	m->f->prober.duty = (struct nb_duty){.alert_nsec = 900 * NB_NSEC_PER_SEC};
	m->f->view.recording = false;
	m->f->view.known = true;
	return nb_sampler_rescan(m->f->prober.sampler);
}

static bool measures(const struct fixture *f)
{
	return nb_probe_measures(f->prober.probe);
}

static void nothing_is_attached_to_a_calm_host(void **state)
{
	struct measuring *m = *state;
	struct fixture *f = m->f;

	for (unsigned i = 0; i < 1000; i++)
		pass(f, 10);
	assert_non_null(f->prober.probe);
	assert_false(nb_probe_is_attached(f->prober.probe));
	assert_false(nb_prober_is_in_use(&f->prober));
	assert_int_equal(n_notices, 0);
}

static void a_window_begins_with_each_slice_and_the_one_before_is_left_out(void **state)
{
	struct measuring *m = *state;
	struct fixture *f = m->f;

	f->view.n_hot = 1;
	pass(f, 1);
	assert_true(nb_probe_is_attached(f->prober.probe) && measures(f));
	assert_true(f->prober.began && f->prober.window_spoilt);
	assert_int_equal(f->prober.fresh, 4);
	assert_int_equal(nb_prober_due_nsec(&f->prober), now_nsec + NB_NSEC_PER_SEC / 4);
	/* Attaching took half a second. */
	now_nsec += NB_NSEC_PER_SEC / 2;
	nb_prober_begin(&f->prober, NB_NSEC_PER_SEC / 2);
	assert_false(f->prober.began);
	assert_int_equal(f->prober.measured_nsec, now_nsec);
	assert_int_equal(nb_prober_due_nsec(&f->prober), now_nsec + NB_NSEC_PER_SEC / 4);
	now_nsec += NB_NSEC_PER_SEC / 4;
	pass(f, 0);
	assert_true(measures(f));
	assert_int_equal(nb_prober_due_nsec(&f->prober), now_nsec + 3 * NB_NSEC_PER_SEC);

	m->snapshot.grade = NB_GRADE_MEASURED;
	f->prober.window_spoilt = false;
	pass(f, 3);
	assert_true(nb_prober_is_paused(&f->prober));
	assert_false(measures(f) || f->prober.began || f->prober.window_spoilt);
	assert_int_equal(nb_prober_due_nsec(&f->prober), 0);
	pass(f, 57);
	assert_true(measures(f) && f->prober.began && f->prober.window_spoilt);
}

/* Entering programs that return at once costs nearly as much as measuring. The grade stays. */
static void nothing_is_attached_in_a_pause(void **state)
{
	struct measuring *m = *state;
	struct fixture *f = m->f;

	f->view.n_hot = 1;
	pass(f, 1);
	m->snapshot.grade = NB_GRADE_MEASURED;
	pass(f, 1);
	pass(f, 3);
	assert_true(nb_prober_is_paused(&f->prober));
	assert_false(nb_probe_is_attached(f->prober.probe));
	assert_true(nb_prober_is_in_use(&f->prober));
	assert_non_null(strstr(f->prober.reason, "5 % of the time"));
	f->view.rescan_due = true;
	pass(f, 1);
	assert_true(nb_probe_is_attached(f->prober.probe) && measures(f));
	assert_int_equal(n_notices, 0);
}

/* Ten samples decide on it: in slices they would take minutes. */
static void a_mask_that_may_go_is_measured_without_pauses(void **state)
{
	struct measuring *m = *state;
	struct fixture *f = m->f;
	struct nb_rps_memory rps = {.calm_samples = 1};

	f->view.n_hot = 1;
	pass(f, 1);
	m->snapshot.grade = NB_GRADE_MEASURED;
	pass(f, 1);
	f->loop.memory.rps = &rps;
	f->loop.memory.n_rps = 1;
	for (unsigned i = 0; i < 12; i++) {
		count_some(m);
		pass(f, 1);
		assert_true(measures(f));
	}
	rps.calm_samples = 0;
	pass(f, 3);
	assert_true(nb_prober_is_paused(&f->prober));
	f->loop.memory.n_rps = 0;
	f->loop.memory.rps = NULL;
}

static void calm_takes_the_programs_off_without_a_notice(void **state)
{
	struct measuring *m = *state;
	struct fixture *f = m->f;

	f->view.n_hot = 1;
	pass(f, 1);
	f->view.n_hot = 0;
	for (unsigned i = 0; i < 62; i++) {
		count_some(m);
		pass(f, 1);
	}
	assert_false(nb_probe_is_attached(f->prober.probe) || measures(f));
	assert_non_null(strstr(f->prober.reason, "detached"));
	assert_int_equal(n_notices, 0);
}

/* Half of two CPUs' time. */
static void too_dear_is_told_with_its_price(void **state)
{
	struct measuring *m = *state;
	struct fixture *f = m->f;

	f->view.n_hot = 1;
	pass(f, 1);
	m->counters.cpus[0].state.own_nsec += NB_NSEC_PER_SEC / 4;
	now_nsec += NB_NSEC_PER_SEC / 4;
	pass(f, 0);
	assert_false(nb_probe_is_attached(f->prober.probe));
	assert_non_null(strstr(f->prober.reason, "would take 50.01 % of all CPUs' time"));
	assert_non_null(strstr(f->prober.reason, "ProbeBudget= allows 0.50 %"));
	assert_non_null(strstr(f->prober.reason, "clocksource"));
	assert_int_equal(n_notices, 1);
	/* The next trial and its price are no news. */
	pass(f, 60);
	assert_true(measures(f));
	m->counters.cpus[0].state.own_nsec += NB_NSEC_PER_SEC / 8;
	now_nsec += NB_NSEC_PER_SEC / 4;
	pass(f, 0);
	assert_false(nb_probe_is_attached(f->prober.probe));
	assert_non_null(strstr(f->prober.reason, "would take 25.01 % of all CPUs' time"));
	assert_int_equal(n_notices, 1);
	nb_prober_configure(&f->prober, NULL, false, 10000, now_nsec);
	pass(f, 1);
	assert_true(measures(f));
}

/* A guest may have hundreds of possible CPUs and few that are online. */
static void the_price_is_of_cpus_that_are_online(void **state)
{
	struct measuring *m = *state;
	struct fixture *f = m->f;

	m->machine.topology.n_cpus = 1;
	f->view.n_hot = 1;
	pass(f, 1);
	m->counters.cpus[0].state.own_nsec += NB_NSEC_PER_SEC / 8;
	now_nsec += NB_NSEC_PER_SEC / 4;
	pass(f, 0);
	assert_non_null(strstr(f->prober.reason, "would take 50.01 % of all CPUs' time"));
}

static void delays_need_all_of_it(void **state)
{
	struct measuring *m = *state;
	struct fixture *f = m->f;

	nb_prober_configure(&f->prober, NULL, true, 1, now_nsec);
	for (unsigned i = 0; i < 10; i++) {
		m->counters.cpus[0].state.own_nsec += NB_NSEC_PER_SEC;
		count_some(m);
		pass(f, 1);
		assert_true(measures(f));
		assert_int_equal(f->prober.duty.stage, NB_DUTY_FULL);
	}
}

/* --- packets by entry of the RSS table */

#define LAB0 2

/* The captured machine's NIC has a table. */
struct table {
	struct nb_netlink *netlink;
	struct nb_fake_rss rss;
	struct nb_plan plan;
};

static void plan_to_count(struct measuring *m, struct table *table)
{
	static const struct nb_device_rules rules = {};
	struct fixture *f = m->f;

	*table = (struct table){.rss = {.ifname = "lab0", .n = 8, .n_rings = 4},
				.plan = {.verdict = NB_VERDICT_COUNTING, .count_buckets = LAB0}};
	nb_fake_rss_reset(&table->rss);
	assert_int_equal(nb_netlink_new_ethtool(&table->netlink), 0);
	nb_fake_rss_attach(&table->rss, table->netlink);
	nb_sampler_free(f->prober.sampler);
	assert_int_equal(nb_sampler_new(f->root, table->netlink, &rules, &f->prober.sampler), 0);
	assert_int_equal(nb_sampler_rescan(f->prober.sampler), 0);
	f->loop.plan = &table->plan;
	f->view.n_hot = 1;
}

static void drop_table(struct measuring *m, struct table *table)
{
	m->f->loop.plan = NULL;
	g_clear_pointer(&m->f->prober.sampler, nb_sampler_free);
	nb_netlink_free(table->netlink);
}

static uint32_t counted(const struct measuring *m)
{
	return m->counters.control->buckets_ifindex;
}

static void buckets_are_counted_while_the_plan_asks_for_it(void **state)
{
	struct measuring *m = *state;
	struct table table;

	plan_to_count(m, &table);
	table.plan.count_buckets = 0;
	pass(m->f, 1);
	assert_true(measures(m->f));
	assert_int_equal(counted(m), 0);
	m->snapshot.grade = NB_GRADE_MEASURED;
	table.plan.count_buckets = LAB0;
	nb_prober_begin(&m->f->prober, 0);
	for (unsigned i = 0; i < 5; i++) {
		m->f->prober.window_spoilt = false;
		count_some(m);
		pass(m->f, 1);
		/* Two programs more are attached once, in a window that tells nothing. */
		assert_int_equal(m->f->prober.began, i == 0);
		assert_int_equal(m->f->prober.window_spoilt, i == 0);
		nb_prober_begin(&m->f->prober, 0);
		assert_int_equal(counted(m), LAB0);
	}
	table.plan.count_buckets = 0;
	pass(m->f, 1);
	assert_int_equal(counted(m), 0);
	drop_table(m, &table);
}

/* Its packets are counted from the first moment of the slice: the plan is of the cycle before. */
static void buckets_are_not_counted_in_a_pause(void **state)
{
	struct measuring *m = *state;
	struct table table;

	plan_to_count(m, &table);
	pass(m->f, 1);
	assert_int_equal(counted(m), LAB0);
	m->snapshot.grade = NB_GRADE_MEASURED;
	table.plan.verdict = NB_VERDICT_HELD;
	pass(m->f, 1);
	pass(m->f, 3);
	assert_true(nb_prober_is_paused(&m->f->prober));
	assert_int_equal(counted(m), 0);
	pass(m->f, 57);
	assert_true(measures(m->f));
	assert_int_equal(counted(m), LAB0);
	drop_table(m, &table);
}

static bool will_be_counted_soon(const struct measuring *m)
{
	const struct nb_snapshot *snapshot;

	assert_int_equal(nb_sampler_read(m->f->prober.sampler, now_nsec, NB_DEPTH_PROBE, &snapshot),
			 0);
	return snapshot->buckets.soon;
}

static void that_buckets_can_be_counted_soon_is_known_while_programs_are_loaded(void **state)
{
	struct measuring *m = *state;
	struct table table;

	plan_to_count(m, &table);
	assert_false(will_be_counted_soon(m));
	m->f->view.n_hot = 0;
	pass(m->f, 1);
	assert_true(will_be_counted_soon(m));
	m->f->prober.duty.dear_until_nsec = UINT64_MAX;
	pass(m->f, 1);
	assert_false(will_be_counted_soon(m));
	drop_table(m, &table);
}

static void buckets_are_counted_no_longer_than_there_is_a_probe(void **state)
{
	struct measuring *m = *state;
	struct table table;

	plan_to_count(m, &table);
	pass(m->f, 1);
	assert_int_equal(counted(m), LAB0);
	pass(m->f, 10);
	assert_lost(m->f, "the eBPF programs stopped counting");
	assert_int_equal(counted(m), 0);
	pass(m->f, 1);
	assert_int_equal(counted(m), 0);
	drop_table(m, &table);
}

static void estimates_are_left_to_the_probe_that_is_about_to_attach(void **state)
{
	struct measuring *m = *state;
	struct fixture *f = m->f;

	f->view.n_hot = 0;
	assert_false(nb_prober_will_be_used(&f->prober, &f->view, now_nsec));
	f->view.n_hot = 1;
	assert_true(nb_prober_will_be_used(&f->prober, &f->view, now_nsec));
	assert_false(nb_prober_is_in_use(&f->prober));
	pass(f, 1);
	assert_false(nb_prober_will_be_used(&f->prober, &f->view, now_nsec));
}

/* --- when it is time to load */

static void loading_waits_while_a_placement_is_put_right_but_not_for_long(void **state)
{
	struct nb_plan plan = {.verdict = NB_VERDICT_PLACING};
	struct fixture *f = *state;

	see(f, 0);
	f->loop.plan = &plan;
	pass(f, 0);
	pass(f, 7);
	assert_false(is_loading(f));
	pass(f, 1);
	assert_true(is_loading(f));
}

/* Nothing would take it back while they are loaded. */
static void loading_waits_while_a_mask_is_set_for_a_moment(void **state)
{
	struct fixture *f = *state;

	see(f, 0);
	f->view.hurried = true;
	pass(f, 100);
	assert_false(is_loading(f));
	f->view.hurried = false;
	pass(f, 1);
	assert_true(is_loading(f));
}

static void loading_waits_for_the_second_look(void **state)
{
	struct fixture *f = *state;

	f->view.cycles = 1;
	pass(f, 0);
	assert_false(is_loading(f));
	f->view.cycles = 2;
	pass(f, 0);
	assert_true(is_loading(f));
}

static void a_warm_cpu_is_measured_for_its_delays_alone(void **state)
{
	struct measuring *m = *state;
	struct fixture *f = m->f;

	f->view.recording = false;
	for (unsigned i = 0; i < 62; i++) {
		count_some(m);
		pass(f, 1);
	}
	assert_false(nb_probe_is_attached(f->prober.probe));
	f->view.warm = true;
	pass(f, 1);
	assert_false(nb_probe_is_attached(f->prober.probe));
	f->prober.delays_in_slices = true;
	pass(f, 1);
	assert_true(measures(f));
}

int main(void)
{
#define MEASURING(test) cmocka_unit_test_setup_teardown(test, set_up_measuring, tear_down_measuring)
#define DETACHED(test) cmocka_unit_test_setup_teardown(test, set_up_detached, tear_down_measuring)
#define WITH_SAMPLER(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		DETACHED(a_warm_cpu_is_measured_for_its_delays_alone),
		WITH_SAMPLER(loading_is_waited_for),
		WITH_SAMPLER(a_loader_that_hangs_is_given_up_with_a_reason),
		WITH_SAMPLER(a_loader_that_hangs_is_killed_and_reaped),
		WITH_SAMPLER(a_loader_that_hung_is_tried_again_and_told_once),
		WITH_SAMPLER(the_window_of_loading_in_vain_is_left_out),
		WITH_SAMPLER(a_refusal_is_told_and_its_window_left_out),
		WITH_SAMPLER(loading_waits_for_a_cpu_that_is_idle_half_of_the_time),
		WITH_SAMPLER(loading_waits_no_longer_than_a_minute),
		WITH_SAMPLER(loading_waits_for_a_move_that_is_being_measured),
		WITH_SAMPLER(what_is_no_longer_wanted_is_not_loaded),
		MEASURING(a_probe_that_counts_is_kept),
		MEASURING(a_probe_that_stopped_counting_is_given_up_within_ten_seconds),
		MEASURING(a_probe_that_cannot_follow_a_change_is_given_up_at_once),
		MEASURING(what_was_lost_is_tried_again_after_a_minute_then_two_up_to_an_hour),
		MEASURING(what_worked_for_long_is_tried_again_after_a_minute),
		MEASURING(what_a_lost_probe_has_cost_is_not_forgotten),
		MEASURING(a_new_configuration_closes_the_probe_with_its_reason),
		MEASURING(a_new_configuration_keeps_a_probe_that_counts),
		WITH_SAMPLER(delays_cannot_be_had_without_a_probe),
		DETACHED(nothing_is_attached_to_a_calm_host),
		DETACHED(a_window_begins_with_each_slice_and_the_one_before_is_left_out),
		DETACHED(nothing_is_attached_in_a_pause),
		DETACHED(a_mask_that_may_go_is_measured_without_pauses),
		DETACHED(calm_takes_the_programs_off_without_a_notice),
		DETACHED(too_dear_is_told_with_its_price),
		DETACHED(the_price_is_of_cpus_that_are_online),
		DETACHED(delays_need_all_of_it),
		DETACHED(buckets_are_counted_while_the_plan_asks_for_it),
		DETACHED(buckets_are_not_counted_in_a_pause),
		DETACHED(that_buckets_can_be_counted_soon_is_known_while_programs_are_loaded),
		DETACHED(buckets_are_counted_no_longer_than_there_is_a_probe),
		DETACHED(estimates_are_left_to_the_probe_that_is_about_to_attach),
		WITH_SAMPLER(loading_waits_while_a_placement_is_put_right_but_not_for_long),
		WITH_SAMPLER(loading_waits_while_a_mask_is_set_for_a_moment),
		WITH_SAMPLER(loading_waits_for_the_second_look),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
