/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When the daemon looks, and what it reads then. */
#include "base/follow.h"
#include "base/memory.h"
#include "daemon/fixture.h"

static void a_window_that_was_spoilt_is_left_out_and_no_other(void **state)
{
	struct fixture *f = *state;
	const struct nb_loop *loop = &f->daemon->loop;

	look(f);
	look(f);
	assert_true(loop->loads->window_nsec > 0);

	f->daemon->prober.window_spoilt = true;
	look(f);
	assert_int_equal(loop->loads->window_nsec, 0);
	look(f);
	assert_true(loop->loads->window_nsec > 0);
}

/* --- rest */

static bool looks(struct fixture *f)
{
	cycle(f);
	return !f->daemon->idle;
}

/* Passes the seconds until one brings a look, that one included. */
static unsigned seconds_until_cycle(struct fixture *f)
{
	unsigned n = 1;

	while (n < 100 && !looks(f))
		n++;
	return n;
}

static void settle(struct fixture *f)
{
	for (unsigned i = 0; i < 10; i++)
		cycle(f);
	seconds_until_cycle(f);
	assert_true(f->daemon->settled);
}

static void rests_for_ten_seconds_when_there_is_nothing_to_do(void **state)
{
	struct fixture *f = *state;

	f->daemon->config->complete_sample_nsec = 1000 * NB_NSEC_PER_SEC;
	settle(f);
	assert_int_equal(seconds_until_cycle(f), 10);
	assert_int_equal(seconds_until_cycle(f), 10);
}

static void rests_no_longer_than_an_audit_may_wait(void **state)
{
	struct fixture *f = *state;

	f->daemon->config->complete_sample_nsec = 4 * NB_NSEC_PER_SEC;
	settle(f);
	assert_int_equal(seconds_until_cycle(f), 4);
}

static void replace(struct fixture *f, const char *path, char *before, char *after)
{
	g_autofree char *text = nb_tmp_read(f->options.root, path);
	g_auto(GStrv) parts = g_strsplit(text, before, 2);
	g_autofree char *later = g_strjoinv(after, parts);

	assert_int_equal(g_strv_length(parts), 2);
	nb_tmp_write(f->options.root, path, later);
	g_free(before);
	g_free(after);
}

/* Of CPU 3, by /proc/stat. */
struct ticks {
	unsigned idle, softirq;
};

/* One more second, in so much of which it was in receive softirqs. */
static void burst(struct fixture *f, struct ticks *ticks, unsigned msec)
{
	static const char cpu[] = "cpu3 106 0 760 %u 43 0 %u ";
	static const char vector[] = "NET_RX:       1123       1172        964        %u ";
	struct ticks later = {ticks->idle + 100 - msec / 10, ticks->softirq + msec / 10};

	replace(f, "proc/stat", g_strdup_printf(cpu, ticks->idle, ticks->softirq),
		g_strdup_printf(cpu, later.idle, later.softirq));
	if (msec > 0)
		replace(f, "proc/softirqs", g_strdup_printf(vector, 952 + ticks->softirq),
			g_strdup_printf(vector, 952 + later.softirq));
	*ticks = later;
}

/* So many interrupts more, on CPU 3. */
static void interrupt(struct fixture *f, unsigned irq, unsigned *count)
{
	g_autofree char *path = g_strdup_printf("sys/kernel/irq/%u/per_cpu_count", irq);
	g_autofree char *counts = NULL;

	*count += 3000;
	counts = g_strdup_printf("0,0,0,%u,0,0,0,0\n", *count);
	nb_tmp_write(f->options.root, path, counts);
}

/* Two queues share CPU 3, which has nothing to do but for one second in five; CPU 2 is idle. */
static void bursts_of_a_second_are_relieved(void **state)
{
	struct fixture *f = *state;
	unsigned counts[2] = {1024, 1032}, sec = 0;
	struct ticks ticks = {3688, 40};

	for (unsigned irq = FIRST_IRQ; irq < FIRST_IRQ + N_IRQS; irq++)
		point(f, irq, irq == FIRST_IRQ + 1 ? 3 : (irq - FIRST_IRQ + 1) % 8);
	interrupt(f, 36, &counts[0]);
	interrupt(f, 37, &counts[1]);
	assert_int_equal(start_daemon(f), 0);
	f->daemon->config->complete_sample_nsec = 1000 * NB_NSEC_PER_SEC;
	settle(f);
	while (pointed_at(f, 36) == 3 && pointed_at(f, 37) == 3 && sec < 60) {
		bool bursts = sec++ % 5 == 3;

		burst(f, &ticks, bursts ? 980 : 0);
		if (bursts) {
			interrupt(f, 36, &counts[0]);
			interrupt(f, 37, &counts[1]);
		}
		cycle(f);
	}
	assert_in_range(sec, 9, 19);
}

/* Among seconds in which nothing happens it would be taken for a tenth of what it is. */
static void a_burst_that_ends_a_rest_is_not_diluted(void **state)
{
	struct fixture *f = *state;
	const struct nb_loop *loop = &f->daemon->loop;
	struct ticks ticks = {3688, 40};

	f->daemon->config->complete_sample_nsec = 1000 * NB_NSEC_PER_SEC;
	settle(f);
	for (unsigned i = 0; i < 5; i++)
		assert_false(looks(f));
	burst(f, &ticks, 980);
	assert_true(looks(f));
	assert_int_equal(loop->loads->window_nsec, 0);
	/* The next second and those that follow are windows of their own. */
	for (unsigned i = 0; i < 14; i++) {
		burst(f, &ticks, i == 4 ? 980 : 0);
		assert_true(looks(f));
		assert_int_equal(loop->loads->window_nsec, NB_NSEC_PER_SEC);
		assert_in_range(loop->loads->cpus[3].window_busy, i == 4 ? 9700 : 0,
				i == 4 ? 9900 : 100);
	}
	seconds_until_cycle(f);
	assert_false(looks(f));
}

/* A second of CPU 3 in which no softirq did anything. */
static void work_outside_softirqs(struct fixture *f, unsigned *user)
{
	static const char cpu[] = "cpu3 %u 0 760 3688 ";

	replace(f, "proc/stat", g_strdup_printf(cpu, *user), g_strdup_printf(cpu, *user + 98));
	*user += 98;
}

/* Their polls are in no softirq. */
static void only_a_thread_that_is_bound_may_be_what_makes_a_cpu_hot(void **state)
{
	struct fixture *f = *state;
	struct nb_daemon *daemon = f->daemon;
	struct nb_follow_memory *row;
	unsigned user = 106;

	daemon->config->complete_sample_nsec = 1000 * NB_NSEC_PER_SEC;
	settle(f);
	daemon->config->policy.threads = true;
	work_outside_softirqs(f, &user);
	assert_false(looks(f));
	row = nb_follow_get(&daemon->loop.memory.threads,
			    daemon->loop.snapshot->machine->nics[0].ifindex);
	work_outside_softirqs(f, &user);
	assert_false(looks(f));
	row->ours = true;
	for (unsigned i = 0; i < 2; i++) {
		work_outside_softirqs(f, &user);
		assert_true(looks(f));
	}
	assert_true(daemon->hot_known);
	assert_int_equal(daemon->n_hot, 1);
}

static void does_not_rest_while_a_move_is_measured(void **state)
{
	struct fixture *f = *state;

	settle(f);
	/* One that is never seen where it went stays so for a while. */
	f->daemon->loop.memory.queues[0].pending =
		(struct nb_pending){.active = true, .since_nsec = f->now_nsec};
	look(f);
	assert_false(f->daemon->settled);
	assert_true(looks(f));
}

/* If packets are counted; else every sample is complete. */
static void settle_with_packets(struct fixture *f)
{
	settle(f);
	f->daemon->config->complete_sample_nsec = 1000 * NB_NSEC_PER_SEC;
	f->daemon->rescan_wanted = false;
	for (unsigned i = 0; i < f->daemon->loop.snapshot->machine->n_nics; i++)
		f->daemon->loop.snapshot->machine->nics[i].packets = NB_PACKETS_ETHTOOL;
}

static void samples_are_complete_while_a_move_is_measured(void **state)
{
	struct fixture *f = *state;

	settle_with_packets(f);
	look(f);
	assert_false(f->daemon->loop.snapshot->complete);
	f->daemon->loop.memory.queues[0].pending =
		(struct nb_pending){.active = true, .since_nsec = f->now_nsec};
	look(f);
	assert_true(f->daemon->loop.snapshot->complete);
}

static void a_slice_begins_with_complete_samples(void **state)
{
	struct fixture *f = *state;

	settle_with_packets(f);
	f->daemon->prober.fresh = 2;
	look(f);
	assert_true(f->daemon->loop.snapshot->complete);
	look(f);
	assert_true(f->daemon->loop.snapshot->complete);
	look(f);
	assert_false(f->daemon->loop.snapshot->complete);
}

/* While programs are attached nothing is measured yet. */
static void a_window_begins_once_the_programs_are_attached(void **state)
{
	struct fixture *f = *state;
	uint64_t before_nsec;

	settle(f);
	before_nsec = nb_daemon_now_nsec();
	f->now_nsec = before_nsec - 5 * NB_NSEC_PER_SEC;
	f->daemon->prober.began = true;
	cycle(f);
	assert_true(f->daemon->loop.snapshot->taken_nsec >= before_nsec);
	assert_false(f->daemon->prober.began);
}

/* 300 ms pass from one look at it to the next. */
static uint64_t slow_clock(void)
{
	static uint64_t now_nsec = 77 * NB_NSEC_PER_SEC;

	return now_nsec += 300 * NB_NSEC_PER_MSEC;
}

/* A window that held the time of the rescan, but did not count it, would show loads too high. */
static void a_window_ends_when_its_counters_are_read(void **state)
{
	struct fixture *f = *state;
	nb_daemon *daemon = f->daemon;

	settle(f);
	look(f);
	nb_sampler_use_clock(daemon->sampler, slow_clock);
	daemon->rescan_wanted = true;
	look(f);
	assert_int_equal(daemon->rescanned_nsec, f->now_nsec);
	assert_int_equal(daemon->loop.snapshot->taken_nsec,
			 f->now_nsec + (300 + 300) * NB_NSEC_PER_MSEC);
	assert_int_equal(daemon->loop.loads->window_nsec,
			 NB_NSEC_PER_SEC + (300 + 300) * NB_NSEC_PER_MSEC);
	nb_sampler_use_clock(daemon->sampler, NULL);
	look(f);
	assert_int_equal(daemon->loop.loads->window_nsec,
			 NB_NSEC_PER_SEC - (300 + 300) * NB_NSEC_PER_MSEC);
}

static void does_not_rest_while_a_mask_is_ours(void **state)
{
	struct fixture *f = *state;
	struct nb_rps_memory *rps;

	settle(f);
	rps = nb_memory_get_rps(&f->daemon->loop.memory, f->daemon->loop.memory.queues[0].key);
	nb_cpumask_add(&rps->cpus, 3);
	rps->set_nsec = f->now_nsec;
	nb_tmp_write(f->options.root, "sys/class/net/lab0/queues/rx-0/rps_cpus", "08\n");
	f->daemon->depth_wanted = NB_DEPTH_UNCACHED;
	look(f);
	assert_int_equal(f->daemon->loop.memory.n_rps, 1);
	assert_false(f->daemon->settled);
	assert_true(looks(f));
}

static void does_not_rest_while_entries_of_an_rss_table_are_moved(void **state)
{
	struct fixture *f = *state;

	settle(f);
	nb_memory_get_rss(&f->daemon->loop.memory, 2)->spread = 1;
	f->daemon->depth_wanted = NB_DEPTH_UNCACHED;
	look(f);
	assert_int_equal(f->daemon->loop.memory.n_rss, 1);
	assert_false(f->daemon->settled);
	assert_true(looks(f));
}

static void does_not_rest_while_someone_records(void **state)
{
	struct fixture *f = *state;
	struct nb_recorded recorded;

	settle(f);
	nb_recorder_read(f->daemon->recorder, 0, f->now_nsec, &recorded);
	assert_true(looks(f));
	assert_true(looks(f));
}

static bool has_mask(const struct fixture *f, unsigned index)
{
	const struct nb_snapshot *snapshot = f->daemon->loop.snapshot;

	for (unsigned i = 0; i < snapshot->n_rps; i++)
		if (snapshot->rps[i].key.index == index &&
		    !nb_cpumask_empty(&snapshot->rps[i].cpus))
			return true;
	return false;
}

/* Queue 0 is steered to CPU 3 by us, which nothing needs any more. */
static void look_until_mask_is_removed(struct fixture *f)
{
	struct nb_rps_memory *rps;

	f->daemon->config->mode = NB_MODE_BALANCE;
	rps = nb_memory_get_rps(&f->daemon->loop.memory, f->daemon->loop.memory.queues[0].key);
	nb_cpumask_add(&rps->cpus, 3);
	rps->set_nsec = f->now_nsec;
	nb_tmp_write(f->options.root, "sys/class/net/lab0/queues/rx-0/rps_cpus", "08\n");
	f->daemon->depth_wanted = NB_DEPTH_UNCACHED;
	for (unsigned i = 0; i < 100 && f->daemon->loop.memory.n_rps == 1; i++)
		look(f);
	assert_int_equal(f->daemon->loop.memory.n_rps, 0);
}

static void rereads_all_masks_after_it_wrote_one(void **state)
{
	struct fixture *f = *state;

	settle(f);
	f->daemon->config->complete_sample_nsec = 1000 * NB_NSEC_PER_SEC;
	f->daemon->rescanned_nsec = f->now_nsec;
	look_until_mask_is_removed(f);
	/* Where there was none before. */
	nb_tmp_write(f->options.root, "sys/class/net/lab0/queues/rx-3/rps_cpus", "10\n");
	assert_true(looks(f));
	assert_true(has_mask(f, 3));
}

static void allow(struct fixture *f, const char *mask)
{
	nb_tmp_write(f->options.root, "proc/irq/default_smp_affinity", mask);
}

/* As a container runtime does when a pod gets CPUs of its own. */
static void what_the_default_affinity_loses_is_left_within_an_interval(void **state)
{
	struct fixture *f = *state;

	allow(f, "ff\n");
	assert_int_equal(start_daemon(f), 0);
	settle(f);
	assert_true(n_on(f, 2) + n_on(f, 3) > 0);
	allow(f, "f3\n");
	cycle(f);
	assert_int_equal(n_on(f, 2) + n_on(f, 3), 0);
	assert_false(f->daemon->idle);
	allow(f, "ff\n");
	cycle(f);
	assert_false(f->daemon->idle);
	cycle(f);
	assert_true(f->daemon->loop.plan->n_changes == 0);
}

/* No window tells anything then. */
static void an_order_is_obeyed_while_the_probe_is_loaded_or_paused(void **state)
{
	struct fixture *f = *state;

	allow(f, "ff\n");
	assert_int_equal(start_daemon(f), 0);
	settle(f);
	f->daemon->prober.duty.stage = NB_DUTY_PAUSED;
	allow(f, "f3\n");
	cycle(f);
	assert_int_equal(n_on(f, 2) + n_on(f, 3), 0);
	assert_true(f->daemon->loop.loads->window_nsec == 0);
}

static void a_partition_is_obeyed_within_an_interval(void **state)
{
	struct fixture *f = *state;

	nb_tmp_write(f->options.root, "sys/fs/cgroup/cpuset.cpus.isolated", "\n");
	assert_int_equal(start_daemon(f), 0);
	settle(f);
	assert_true(n_on(f, 2) + n_on(f, 3) > 0);
	nb_tmp_write(f->options.root, "sys/fs/cgroup/cpuset.cpus.isolated", "2-3\n");
	cycle(f);
	assert_int_equal(n_on(f, 2) + n_on(f, 3), 0);
	assert_true(nb_cpumask_has(&f->daemon->loop.snapshot->machine->topology.isolated, 3));
}

static void a_notice_ends_a_rest_with_a_rescan(void **state)
{
	struct fixture *f = *state;
	uint64_t before_nsec;

	settle(f);
	before_nsec = f->daemon->rescanned_nsec;
	f->daemon->change_noticed = true;
	assert_true(looks(f));
	assert_true(f->daemon->rescanned_nsec > before_nsec);
	assert_true(f->daemon->rescanned_nsec == f->now_nsec);
	assert_false(f->daemon->change_noticed);
}

/* Ten minutes of a notification each second, or of none. */
static unsigned n_rescans(struct fixture *f, bool noticed)
{
	uint64_t before_nsec = f->daemon->rescanned_nsec;
	unsigned n = 0;

	for (unsigned i = 0; i < 600; i++) {
		f->daemon->change_noticed |= noticed;
		cycle(f);
		n += f->daemon->rescanned_nsec != before_nsec;
		before_nsec = f->daemon->rescanned_nsec;
	}
	return n;
}

static void a_storm_of_notices_brings_few_rescans(void **state)
{
	struct fixture *f = *state;
	unsigned n;

	settle(f);
	n = n_rescans(f, true);
	/* After 1, 2, 4 and 8 seconds, then every 16. */
	assert_in_range(n, 600 / 16, 600 / 16 + 6);
}

static void the_last_notice_of_a_storm_brings_a_rescan(void **state)
{
	struct fixture *f = *state;
	uint64_t noticed_nsec;

	settle(f);
	n_rescans(f, true);
	f->daemon->change_noticed = true;
	noticed_nsec = f->now_nsec;
	while (f->daemon->change_noticed) {
		cycle(f);
		assert_true(f->now_nsec <= noticed_nsec + 17 * NB_NSEC_PER_SEC);
	}
	assert_true(f->daemon->rescanned_nsec > noticed_nsec);
}

static void after_a_storm_a_notice_brings_a_rescan_at_once(void **state)
{
	struct fixture *f = *state;

	settle(f);
	n_rescans(f, true);
	n_rescans(f, false);
	f->daemon->change_noticed = true;
	cycle(f);
	/* Unless the minute was over just then. */
	f->daemon->change_noticed = true;
	cycle(f);
	cycle(f);
	assert_false(f->daemon->change_noticed);
}

/* The interrupt of queue 7 goes, and no notification says so. */
static void take_last_irq(struct fixture *f)
{
	g_autofree char *interrupts = nb_tmp_read(f->options.root, "proc/interrupts");
	g_autofree char *files = g_build_filename(f->options.root, "proc/irq/42", NULL);
	char *line = strstr(interrupts, "\n 42:");

	assert_non_null(line);
	memmove(line, strchr(line + 1, '\n'), strlen(strchr(line + 1, '\n')) + 1);
	nb_tmp_write(f->options.root, "proc/interrupts", interrupts);
	nb_tmp_remove(g_steal_pointer(&files));
}

static void a_machine_that_changed_unseen_is_rescanned_at_once(void **state)
{
	struct fixture *f = *state;

	look(f);
	look(f);
	take_last_irq(f);
	look(f);
	assert_int_equal(f->daemon->sample_error, 0);
	assert_true(f->daemon->rescanned_nsec == f->now_nsec);
	assert_int_equal(f->daemon->loop.snapshot->n_queues, N_IRQS - 1);
}

static void rescans_about_once_a_minute(void **state)
{
	struct fixture *f = *state;
	uint64_t before_nsec;
	unsigned n = 0;

	settle(f);
	before_nsec = f->daemon->rescanned_nsec;
	for (unsigned i = 0; i < 600; i++) {
		cycle(f);
		if (f->daemon->rescanned_nsec == before_nsec)
			continue;
		/* The complete sample after a minute asks for it, the look after that does it. */
		assert_in_range((f->daemon->rescanned_nsec - before_nsec) / NB_NSEC_PER_SEC, 60,
				72);
		before_nsec = f->daemon->rescanned_nsec;
		n++;
	}
	assert_in_range(n, 8, 10);
}

/* A NAPI thread that ended with the interface that it was of. */
static void a_rescan_forgets_what_is_gone_for_good(void **state)
{
	struct fixture *f = *state;

	nb_tmp_write(f->options.root, "run/nicbalance/baseline",
		     "nicbalance baseline 1\nthread 2 4999999 ff ff 01 napi/lab0-1\t4711\n");
	assert_int_equal(start_daemon(f), 0);
	look(f);
	assert_true(nb_applier_wrote(f->daemon->applier, NB_KNOB_THREAD, 2));
	f->daemon->rescan_wanted = true;
	look(f);
	assert_false(nb_applier_wrote(f->daemon->applier, NB_KNOB_THREAD, 2));
}

#define OBSERVING(test) cmocka_unit_test_setup_teardown(test, set_up_to_observe, tear_down)
#define BALANCING(test) cmocka_unit_test_setup_teardown(test, set_up_to_balance, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		OBSERVING(a_window_that_was_spoilt_is_left_out_and_no_other),
		OBSERVING(rests_for_ten_seconds_when_there_is_nothing_to_do),
		OBSERVING(rests_no_longer_than_an_audit_may_wait),
		OBSERVING(a_burst_that_ends_a_rest_is_not_diluted),
		BALANCING(bursts_of_a_second_are_relieved),
		OBSERVING(a_slice_begins_with_complete_samples),
		OBSERVING(a_window_begins_once_the_programs_are_attached),
		OBSERVING(a_window_ends_when_its_counters_are_read),
		OBSERVING(only_a_thread_that_is_bound_may_be_what_makes_a_cpu_hot),
		OBSERVING(does_not_rest_while_a_move_is_measured),
		OBSERVING(samples_are_complete_while_a_move_is_measured),
		OBSERVING(does_not_rest_while_a_mask_is_ours),
		OBSERVING(does_not_rest_while_entries_of_an_rss_table_are_moved),
		OBSERVING(does_not_rest_while_someone_records),
		OBSERVING(rereads_all_masks_after_it_wrote_one),
		BALANCING(what_the_default_affinity_loses_is_left_within_an_interval),
		BALANCING(an_order_is_obeyed_while_the_probe_is_loaded_or_paused),
		BALANCING(a_partition_is_obeyed_within_an_interval),
		OBSERVING(a_notice_ends_a_rest_with_a_rescan),
		OBSERVING(a_machine_that_changed_unseen_is_rescanned_at_once),
		OBSERVING(a_storm_of_notices_brings_few_rescans),
		OBSERVING(the_last_notice_of_a_storm_brings_a_rescan),
		OBSERVING(after_a_storm_a_notice_brings_a_rescan_at_once),
		OBSERVING(rescans_about_once_a_minute),
		BALANCING(a_rescan_forgets_what_is_gone_for_good),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
