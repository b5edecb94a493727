/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cpumask_text.h"
#include "bpf/probe_internal.h"
#include "support/fake_probe.h"
#include "support/fake_rss.h"
#include "unit/sample/sampler_fixture.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define MSEC (SEC / 1000)

static int setup(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);

	open_machine(f, nb_machine("holes"));
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	close_machine(f);
	g_free(f);
	return 0;
}

/* As generate-machine writes them. */
static void assert_generated(const struct nb_cpu_counters *cpu, unsigned id)
{
	assert_int_equal(cpu->id, id);
	assert_int_equal(cpu->user_nsec, (id + 1) * SEC + 300 * MSEC);
	assert_int_equal(cpu->idle_nsec, (id + 1) * 2 * SEC + 300 * MSEC);
	assert_int_equal(cpu->irq_nsec, id * 10 * MSEC);
	assert_int_equal(cpu->softirq_nsec, (id + 1) * 500 * MSEC);
	assert_int_equal(cpu->steal_nsec, 40 * MSEC);
	assert_int_equal(cpu->net_rx, id * 1000 + 7);
	assert_int_equal(cpu->net_tx, id * 10 + 3);
	assert_int_equal(cpu->processed, id * 16 + 1);
	assert_int_equal(cpu->dropped, id + 2);
	assert_int_equal(cpu->squeezed, id + 3);
	assert_int_equal(cpu->received_rps, id + 4);
}

static void every_cpu_has_its_own_numbers(void **state)
{
	struct fixture *f = *state;
	const struct nb_snapshot *snapshot = read_good(f, SEC, false);
	static const unsigned ids[] = {0, 1, 3, 4, 6, 7};

	assert_int_equal(snapshot->n_cpus, G_N_ELEMENTS(ids));
	for (unsigned i = 0; i < snapshot->n_cpus; i++)
		assert_generated(&snapshot->cpus[i], ids[i]);
}

static void assert_set(const struct nb_cpumask *mask, const char *list)
{
	g_autofree char *text = nb_cpumask_format_list(mask);

	assert_string_equal(text, list);
}

static void assert_wide_topology(const struct nb_topology *topology)
{
	assert_int_equal(topology->n_possible, 256);
	assert_int_equal(topology->n_cpus, 256);
	for (unsigned i = 0; i < topology->n_cpus; i++) {
		const struct nb_cpu *cpu = &topology->cpus[i];

		assert_int_equal(cpu->id, i);
		assert_int_equal(cpu->core, i % 128);
		assert_int_equal(cpu->node, i % 128 / 64);
		/* Four caches of 16 cores on each node. */
		assert_int_equal(cpu->llc, i % 128 / 16 * 16);
	}
	assert_set(&topology->online, "0-255");
	assert_set(&topology->isolated_by[NB_ISOLATION_DOMAIN], "60-63,188-191");
	assert_set(&topology->isolated_by[NB_ISOLATION_NOHZ_FULL], "62-63");
	assert_set(&topology->isolated_by[NB_ISOLATION_MANAGED_IRQ], "60-63,188-191");
	assert_set(&topology->isolated_by[NB_ISOLATION_CPUSET], "120-121");
	assert_set(&topology->isolated, "60-63,120-121,188-191");
}

static void assert_wide_nic(const struct nb_machine *machine, unsigned n)
{
	const struct nb_nic *nic = &machine->nics[n];

	assert_string_equal(nic->name, n == 0 ? "eth0" : "eth1");
	assert_string_equal(nic->driver, "ice");
	assert_int_equal(nic->ifindex, 2 + n);
	assert_int_equal(nic->node, n);
	assert_int_equal(nic->scope, NB_SCOPE_IN);
	assert_int_equal(nic->mapping, NB_MAPPING_NAMES);
	assert_int_equal(nic->packets, NB_PACKETS_NONE);
	assert_int_equal(nic->n_rx, 64);
	assert_int_equal(nic->n_tx, 64);
	assert_int_equal(nic->n_slow_path, 1);
	for (unsigned i = 0; i < 64; i++) {
		const struct nb_queue *queue = &machine->queues[n * 64 + i];

		assert_int_equal(queue->key.ifindex, 2 + n);
		assert_int_equal(queue->key.index, i);
		assert_true(queue->has_rx && queue->has_tx);
		assert_int_equal(queue->n_irqs, 1);
		assert_int_equal(queue->irqs[0], 25 + n * 65 + i);
	}
}

static void a_wide_machine_is_read_whole(void **state)
{
	struct fixture f;
	const struct nb_snapshot *snapshot;

	(void)state;
	open_machine(&f, nb_machine("two-node-256"));
	snapshot = read_good(&f, SEC, false);
	assert_wide_topology(&snapshot->machine->topology);
	assert_int_equal(snapshot->machine->n_nics, 2);
	assert_int_equal(snapshot->machine->n_queues, 128);
	assert_wide_nic(snapshot->machine, 0);
	assert_wide_nic(snapshot->machine, 1);

	assert_int_equal(snapshot->n_cpus, 256);
	for (unsigned i = 0; i < 256; i++)
		assert_generated(&snapshot->cpus[i], i);
	assert_int_equal(snapshot->n_queues, 128);
	for (unsigned i = 0; i < 128; i++) {
		assert_int_equal(snapshot->queues[i].key.index, i % 64);
		assert_int_equal(snapshot->queues[i].affinity_cpu, i);
		assert_int_equal(snapshot->queues[i].effective_cpu, i);
		assert_int_equal(snapshot->queues[i].interrupts, (25 + i / 64 + i) * 1000);
		assert_true(snapshot->queues[i].settable);
	}
	close_machine(&f);
}

static void the_first_reading_of_a_machine_is_an_audit(void **state)
{
	struct fixture *f = *state;
	const struct nb_snapshot *snapshot = read_good(f, SEC, false);

	assert_true(snapshot->complete);
	assert_int_equal(snapshot->queues[2].affinity_cpu, 3);
	snapshot = read_good(f, 2 * SEC, false);
	assert_false(snapshot->complete);
	assert_int_equal(snapshot->queues[2].affinity_cpu, 3);
	assert_int_equal(nb_sampler_rescan(f->sampler), 0);
	snapshot = read_good(f, 3 * SEC, false);
	assert_true(snapshot->complete);
	assert_int_equal(snapshot->machine->generation, 2);
}

static void between_audits_the_last_one_is_carried_over(void **state)
{
	struct fixture *f = *state;
	const struct nb_snapshot *snapshot;

	nb_tmp_write(f->dir, "sys/class/net/lab0/queues/rx-1/rps_cpus", "000000d0\n");
	read_good(f, SEC, true);
	nb_tmp_write(f->dir, "proc/irq/25/smp_affinity", "80\n");
	nb_tmp_write(f->dir, "sys/kernel/irq/25/per_cpu_count", "25000,0,0,0,0,0,0,12\n");
	nb_tmp_write(f->dir, "sys/class/net/lab0/queues/rx-1/rps_cpus", "00000000\n");
	for (unsigned i = 2; i < 5; i++) {
		snapshot = read_good(f, i * SEC, false);
		assert_false(snapshot->complete);
		assert_int_equal(snapshot->queues[0].affinity_cpu, 0);
		assert_int_equal(snapshot->queues[0].interrupts, 25000);
		assert_int_equal(snapshot->n_rps, 1);
		assert_int_equal(snapshot->rps[0].key.index, 1);
		assert_int_equal(nb_cpumask_count(&snapshot->rps[0].cpus), 3);
	}
	snapshot = read_good(f, 5 * SEC, true);
	assert_true(snapshot->complete);
	assert_int_equal(snapshot->queues[0].affinity_cpu, 7);
	assert_int_equal(snapshot->queues[0].interrupts, 25012);
	assert_int_equal(snapshot->queues[0].landed_cpu, 7);
	assert_int_equal(snapshot->n_rps, 0);
}

static void a_new_rps_mask_is_seen_by_the_next_survey(void **state)
{
	struct fixture *f = *state;
	const struct nb_snapshot *snapshot;

	read_good(f, SEC, true);
	nb_tmp_write(f->dir, "sys/class/net/lab0/queues/rx-1/rps_cpus", "000000d0\n");
	assert_int_equal(read_good(f, 2 * SEC, true)->n_rps, 0);
	assert_int_equal(nb_sampler_read(f->sampler, 3 * SEC, NB_DEPTH_UNCACHED, &snapshot), 0);
	assert_true(snapshot->complete);
	assert_int_equal(snapshot->n_rps, 1);
	/* From then on it is among those of every complete sample, and a rescan is an uncached
	 * sample, too. */
	nb_tmp_write(f->dir, "sys/class/net/lab0/queues/rx-1/rps_cpus", "00000010\n");
	nb_tmp_write(f->dir, "sys/class/net/lab0/queues/rx-3/rps_cpus", "00000001\n");
	snapshot = read_good(f, 4 * SEC, true);
	assert_int_equal(snapshot->n_rps, 1);
	assert_int_equal(nb_cpumask_count(&snapshot->rps[0].cpus), 1);
	assert_int_equal(nb_sampler_rescan(f->sampler), 0);
	assert_int_equal(read_good(f, 5 * SEC, false)->n_rps, 2);
}

/* Puts word in place of the first of what in a file. */
static void edit(const struct fixture *f, const char *path, const char *what, const char *word)
{
	g_autofree char *text = nb_tmp_read(f->dir, path);
	g_autofree char *edited = NULL;
	char *at = strstr(text, what);

	assert_non_null(at);
	edited = g_strdup_printf("%.*s%s%s", (int)(at - text), text, word, at + strlen(what));
	nb_tmp_write(f->dir, path, edited);
}

static void neighbours_can_be_compared(void **state)
{
	struct fixture *f = *state;
	const struct nb_snapshot *first = read_good(f, SEC, false), *second;

	edit(f, "proc/stat", "cpu3 400 ", "cpu3 460 ");
	edit(f, "proc/softirqs", " 3007 ", " 3099 ");
	second = read_good(f, 2 * SEC, false);
	assert_int_equal(second->cpus[2].id, 3);
	assert_int_equal(second->cpus[2].user_nsec - first->cpus[2].user_nsec, 600 * MSEC);
	assert_int_equal(second->cpus[2].net_rx - first->cpus[2].net_rx, 92);
	assert_ptr_equal(first->machine, second->machine);
}

static void a_snapshot_outlives_a_rescan(void **state)
{
	struct fixture *f = *state;
	const struct nb_snapshot *first = read_good(f, SEC, false), *second;

	assert_int_equal(nb_sampler_rescan(f->sampler), 0);
	second = read_good(f, 2 * SEC, false);
	assert_int_equal(first->machine->generation, 1);
	assert_int_equal(second->machine->generation, 2);
	assert_string_equal(first->machine->nics[0].name, "lab0");
	assert_int_equal(first->cpus[5].id, 7);
}

static void whether_interrupts_are_deferred_is_known_by_the_next_rescan(void **state)
{
	struct fixture *f = *state;
	const struct nb_snapshot *snapshot = read_good(f, SEC, false);

	assert_false(snapshot->queues[0].defers);
	nb_tmp_write(f->dir, "sys/class/net/lab0/napi_defer_hard_irqs", "2\n");
	nb_tmp_write(f->dir, "sys/class/net/lab0/gro_flush_timeout", "20000\n");
	assert_int_equal(nb_sampler_rescan(f->sampler), 0);
	for (uint64_t i = 2; i < 5; i++) {
		snapshot = read_good(f, i * SEC, false);
		assert_int_equal(snapshot->queues[0].key.ifindex,
				 snapshot->machine->nics[0].ifindex);
		assert_true(snapshot->queues[0].defers);
	}
}

static void a_cpu_that_comes_or_goes_asks_for_a_rescan(void **state)
{
	struct fixture *f = *state;
	const struct nb_snapshot *good = read_good(f, SEC, false), *snapshot = good;

	edit(f, "proc/stat", "cpu3 400", "cpu2 1 1 1 1 1 1 1 1 0 0\ncpu3 400");
	assert_int_equal(nb_sampler_read(f->sampler, 2 * SEC, NB_DEPTH_COUNTERS, &snapshot),
			 -ESTALE);
	assert_ptr_equal(snapshot, good);
	assert_int_equal(good->taken_nsec, SEC);
	assert_generated(&good->cpus[0], 0);
}

static void an_interrupt_that_is_gone_asks_for_a_rescan(void **state)
{
	struct fixture *f = *state;
	g_autofree char *irq = g_build_filename(f->dir, "proc/irq/28", NULL);
	g_autofree char *aside = g_build_filename(f->dir, "proc/aside", NULL);
	const struct nb_snapshot *snapshot = read_good(f, SEC, false);

	assert_int_equal(rename(irq, aside), 0);
	assert_int_equal(nb_sampler_read(f->sampler, 2 * SEC, NB_DEPTH_COMPLETE, &snapshot),
			 -ESTALE);
	assert_int_equal(nb_sampler_rescan(f->sampler), 0);
	snapshot = read_good(f, 3 * SEC, false);
	assert_int_equal(snapshot->n_queues, 3);
}

static void a_cut_file_drops_the_reading_and_keeps_the_last(void **state)
{
	static const char *const files[] = {"proc/stat", "proc/softirqs", "proc/net/softnet_stat"};
	struct fixture *f = *state;
	const struct nb_snapshot *good = read_good(f, SEC, false), *after;

	for (unsigned i = 0; i < G_N_ELEMENTS(files); i++) {
		g_autofree char *text = nb_tmp_read(f->dir, files[i]);
		g_autofree char *cut = g_strndup(text, 30);
		const struct nb_snapshot *snapshot = NULL;

		nb_tmp_write(f->dir, files[i], cut);
		assert_int_equal(nb_sampler_read(f->sampler, 2 * SEC, NB_DEPTH_COUNTERS, &snapshot),
				 -EBADMSG);
		assert_null(snapshot);
		nb_tmp_write(f->dir, files[i], text);
	}
	/* Still comparable with the next good one. */
	after = read_good(f, 3 * SEC, false);
	assert_ptr_not_equal(after, good);
	assert_int_equal(good->taken_nsec, SEC);
	for (unsigned i = 0; i < good->n_cpus; i++)
		assert_memory_equal(&good->cpus[i], &after->cpus[i], sizeof(good->cpus[i]));
}

static void a_failed_rescan_leaves_the_machine_in_use(void **state)
{
	struct fixture *f = *state;
	g_autofree char *online = nb_tmp_read(f->dir, "sys/devices/system/cpu/online");

	read_good(f, SEC, false);
	nb_tmp_write(f->dir, "sys/devices/system/cpu/online", "garbage\n");
	assert_int_equal(nb_sampler_rescan(f->sampler), -EBADMSG);
	assert_int_equal(read_good(f, 2 * SEC, false)->machine->generation, 1);
	nb_tmp_write(f->dir, "sys/devices/system/cpu/online", online);
	assert_int_equal(nb_sampler_rescan(f->sampler), 0);
	assert_int_equal(read_good(f, 3 * SEC, false)->machine->generation, 2);
}

static void a_rescan_comes_before_the_first_reading(void **state)
{
	struct fixture *f = *state;
	g_autoptr(nb_sampler) sampler = NULL;
	const struct nb_snapshot *snapshot = NULL;

	assert_int_equal(nb_sampler_new(f->root, NULL, NULL, &sampler), 0);
	assert_int_equal(nb_sampler_read(sampler, SEC, NB_DEPTH_COUNTERS, &snapshot), -ESTALE);
	assert_null(snapshot);
}

static void new_rules_count_from_the_next_rescan(void **state)
{
	struct fixture *f = *state;
	struct nb_device_rule rule = {.match = (char *)"lab0", .ignore = true};
	struct nb_device_rules rules = {.rules = &rule, .n_rules = 1};

	nb_sampler_set_rules(f->sampler, &rules);
	assert_int_equal(read_good(f, SEC, false)->n_queues, 4);
	assert_int_equal(nb_sampler_rescan(f->sampler), 0);
	assert_int_equal(read_good(f, 2 * SEC, false)->n_queues, 0);
}

/* A reading of the measured grade. */
static const struct nb_snapshot *read_timed(struct fixture *f, uint64_t now_nsec,
					    enum nb_depth depth)
{
	const struct nb_snapshot *snapshot = NULL;

	assert_int_equal(nb_sampler_read(f->sampler, now_nsec, depth, &snapshot), 0);
	assert_int_equal(snapshot->grade, NB_GRADE_MEASURED);
	return snapshot;
}

static void with_a_probe_a_reading_needs_no_file(void **state)
{
	struct fixture *f = *state;
	struct nb_probe *probe = nb_fake_probe_new(8);
	const struct nb_snapshot *first, *second;
	unsigned napi = nb_fake_probe_add_napi(probe, 2, 0, 26);

	assert_int_equal(nb_sampler_use_probe(f->sampler, probe), 0);
	first = read_timed(f, SEC, NB_DEPTH_PROBE);
	assert_true(first->complete);
	nb_tmp_write(f->dir, "proc/stat", "garbage\n");
	nb_fake_probe_poll(probe, napi, 3, 5 * MSEC, 64);
	second = read_timed(f, 2 * SEC, NB_DEPTH_PROBE);
	assert_int_equal(second->queues[1].time_nsec - first->queues[1].time_nsec, 5 * MSEC);
	assert_int_equal(second->cpus[2].id, 3);
	assert_int_equal(second->cpus[2].softirq_nsec - first->cpus[2].softirq_nsec, 5 * MSEC);
	assert_int_equal(second->cpus[2].user_nsec, first->cpus[2].user_nsec);
	assert_int_equal(second->times_nsec, SEC);
	assert_false(second->complete);
	nb_fake_probe_free(probe);
}

/* Each look at it is a tenth of a second after the one before. */
static uint64_t slow_clock(void)
{
	static uint64_t now_nsec = 77 * SEC;

	return now_nsec += 100 * MSEC;
}

static void what_is_read_has_the_time_of_the_reading(void **state)
{
	struct fixture *f = *state;
	struct nb_probe *probe = nb_fake_probe_new(8);
	const struct nb_snapshot *snapshot;

	nb_sampler_use_clock(f->sampler, slow_clock);
	assert_int_equal(nb_sampler_read(f->sampler, SEC, NB_DEPTH_COMPLETE, &snapshot), 0);
	assert_int_equal(snapshot->times_nsec, SEC + 100 * MSEC);
	assert_int_equal(snapshot->taken_nsec, SEC + 100 * MSEC);

	/* The probe is read after all else. */
	assert_int_equal(nb_sampler_use_probe(f->sampler, probe), 0);
	assert_int_equal(nb_sampler_read(f->sampler, 2 * SEC, NB_DEPTH_COMPLETE, &snapshot), 0);
	assert_int_equal(snapshot->times_nsec, 2 * SEC + 100 * MSEC);
	assert_int_equal(snapshot->taken_nsec, 2 * SEC + 200 * MSEC);
	assert_int_equal(nb_sampler_read(f->sampler, 3 * SEC, NB_DEPTH_PROBE, &snapshot), 0);
	assert_int_equal(snapshot->times_nsec, 2 * SEC + 100 * MSEC);
	assert_int_equal(snapshot->taken_nsec, 3 * SEC + 100 * MSEC);
	nb_fake_probe_free(probe);
}

static void a_rescan_tells_how_long_it_took(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(nb_sampler_rescan_nsec(f->sampler), 0);
	nb_sampler_use_clock(f->sampler, slow_clock);
	assert_int_equal(nb_sampler_rescan(f->sampler), 0);
	assert_int_equal(nb_sampler_rescan_nsec(f->sampler), 100 * MSEC);
}

static void with_a_probe_times_are_read_when_asked_for(void **state)
{
	struct fixture *f = *state;
	struct nb_probe *probe = nb_fake_probe_new(8);
	const struct nb_snapshot *first, *second;

	assert_int_equal(nb_sampler_use_probe(f->sampler, probe), 0);
	first = read_timed(f, SEC, NB_DEPTH_PROBE);
	edit(f, "proc/stat", "cpu3 400 ", "cpu3 460 ");
	second = read_timed(f, 2 * SEC, NB_DEPTH_COUNTERS);
	assert_int_equal(second->cpus[2].user_nsec - first->cpus[2].user_nsec, 600 * MSEC);
	assert_int_equal(second->times_nsec, 2 * SEC);
	assert_false(second->complete);
	nb_fake_probe_free(probe);
}

static void what_queues_cost_goes_on_over_a_rescan(void **state)
{
	struct fixture *f = *state;
	struct nb_probe *probe = nb_fake_probe_new(8);
	unsigned napi = nb_fake_probe_add_napi(probe, 2, 0, 25);

	assert_int_equal(nb_sampler_use_probe(f->sampler, probe), 0);
	nb_fake_probe_poll(probe, napi, 0, 5 * MSEC, 64);
	assert_int_equal(read_timed(f, SEC, NB_DEPTH_PROBE)->queues[0].time_nsec, 5 * MSEC);
	assert_int_equal(nb_sampler_rescan(f->sampler), 0);
	nb_fake_probe_poll(probe, napi, 0, 2 * MSEC, 64);
	assert_int_equal(read_timed(f, 2 * SEC, NB_DEPTH_PROBE)->queues[0].time_nsec, 7 * MSEC);
	nb_fake_probe_free(probe);
}

/* Only while that is asked for, and of what a rescan finds. */
static void a_device_without_hardware_that_costs_gets_a_queue(void **state)
{
	struct fixture *f = *state;
	struct nb_probe *probe = nb_fake_probe_new(8);
	struct nb_probe_cpu *cpu = nb_fake_probe_cpu(probe, 3);
	const struct nb_snapshot *snapshot;

	nb_tmp_write(f->dir, "sys/class/net/wg0/ifindex", "9\n");
	nb_tmp_write(f->dir, "sys/class/net/wg0/type", "65534\n");
	nb_tmp_write(f->dir, "sys/class/net/wg0/flags", "0x1043\n");
	nb_tmp_write(f->dir, "sys/class/net/wg0/queues/rx-0/rps_cpus", "00\n");
	assert_int_equal(nb_sampler_rescan(f->sampler), 0);
	nb_sampler_want_virtuals(f->sampler, true);
	assert_int_equal(nb_sampler_use_probe(f->sampler, probe), 0);
	assert_int_equal(probe->control->watches_virtuals, 1);
	read_timed(f, SEC, NB_DEPTH_PROBE);
	assert_false(nb_sampler_found_virtual(f->sampler));
	cpu->untold_nsec = cpu->untold_lead_nsec = 300 * MSEC;
	cpu->untold_ifindex = 9;
	read_timed(f, 2 * SEC, NB_DEPTH_PROBE);
	assert_true(nb_sampler_found_virtual(f->sampler));

	assert_int_equal(nb_sampler_rescan(f->sampler), 0);
	read_timed(f, 3 * SEC, NB_DEPTH_PROBE);
	assert_false(nb_sampler_found_virtual(f->sampler));
	cpu->virtuals[0] = (struct nb_probe_virtual){.nsec = 5 * MSEC, .polls = 1};
	snapshot = read_timed(f, 4 * SEC, NB_DEPTH_PROBE);
	assert_int_equal(snapshot->n_queues, 5);
	assert_int_equal(snapshot->queues[4].time_nsec, 5 * MSEC);
	nb_sampler_want_virtuals(f->sampler, false);
	assert_int_equal(probe->control->watches_virtuals, 0);
	nb_fake_probe_free(probe);
}

static void losing_the_probe_begins_with_an_audit(void **state)
{
	struct fixture *f = *state;
	struct nb_probe *probe = nb_fake_probe_new(8);
	const struct nb_snapshot *snapshot;

	assert_int_equal(nb_sampler_use_probe(f->sampler, probe), 0);
	read_timed(f, SEC, NB_DEPTH_PROBE);
	assert_int_equal(nb_sampler_use_probe(f->sampler, NULL), 0);
	nb_fake_probe_free(probe);
	snapshot = read_good(f, 2 * SEC, false);
	assert_true(snapshot->complete);
	assert_int_equal(snapshot->queues[1].interrupts, 26000);
	assert_generated(&snapshot->cpus[2], 3);
}

static void glance(struct fixture *f, uint64_t now_nsec, bool times, struct nb_cpu_sample *before,
		   struct nb_cpu_sample *now)
{
	assert_int_equal(nb_sampler_read_cpus(f->sampler, now_nsec, times, before, now), 0);
	assert_int_equal(now->taken_nsec, now_nsec);
}

/* The first since the last reading, the next since each other. */
static void glances_follow_each_other(void **state)
{
	struct fixture *f = *state;
	struct nb_cpu_sample before, now;

	read_good(f, SEC, false);
	edit(f, "proc/stat", "cpu3 400 ", "cpu3 460 ");
	glance(f, 2 * SEC, false, &before, &now);
	assert_int_equal(before.taken_nsec, SEC);
	assert_int_equal(now.times_nsec, 2 * SEC);
	assert_int_equal(now.cpus[2].user_nsec - before.cpus[2].user_nsec, 600 * MSEC);
	edit(f, "proc/stat", "cpu3 460 ", "cpu3 490 ");
	glance(f, 3 * SEC, false, &before, &now);
	assert_int_equal(before.taken_nsec, 2 * SEC);
	assert_int_equal(now.cpus[2].user_nsec - before.cpus[2].user_nsec, 300 * MSEC);
	read_good(f, 4 * SEC, false);
	glance(f, 5 * SEC, false, &before, &now);
	assert_int_equal(before.taken_nsec, 4 * SEC);
	assert_int_equal(now.cpus[2].user_nsec, before.cpus[2].user_nsec);
}

static void with_a_probe_a_glance_needs_no_file(void **state)
{
	struct fixture *f = *state;
	struct nb_probe *probe = nb_fake_probe_new(8);
	struct nb_cpu_sample before, now;
	unsigned napi = nb_fake_probe_add_napi(probe, 2, 0, 26);

	assert_int_equal(nb_sampler_use_probe(f->sampler, probe), 0);
	read_timed(f, SEC, NB_DEPTH_PROBE);
	nb_tmp_write(f->dir, "proc/stat", "garbage\n");
	nb_fake_probe_poll(probe, napi, 3, 5 * MSEC, 64);
	glance(f, 2 * SEC, false, &before, &now);
	assert_int_equal(now.cpus[2].queues_nsec - before.cpus[2].queues_nsec, 5 * MSEC);
	assert_int_equal(now.times_nsec, SEC);
	assert_int_equal(nb_sampler_read_cpus(f->sampler, 3 * SEC, true, &before, &now), -EBADMSG);
	nb_fake_probe_free(probe);
}

static void a_glance_takes_nothing_from_the_next_reading(void **state)
{
	struct fixture *f = *state;
	struct nb_probe *probe = nb_fake_probe_new(8);
	struct nb_cpu_sample before, now;
	const struct nb_snapshot *first, *second;
	unsigned napi = nb_fake_probe_add_napi(probe, 2, 0, 26);

	assert_int_equal(nb_sampler_use_probe(f->sampler, probe), 0);
	first = read_timed(f, SEC, NB_DEPTH_PROBE);
	nb_fake_probe_poll(probe, napi, 3, 5 * MSEC, 64);
	glance(f, 2 * SEC, false, &before, &now);
	second = read_timed(f, 3 * SEC, NB_DEPTH_PROBE);
	assert_int_equal(second->queues[1].time_nsec - first->queues[1].time_nsec, 5 * MSEC);
	assert_int_equal(second->cpus[2].queues_nsec - first->cpus[2].queues_nsec, 5 * MSEC);
	nb_fake_probe_free(probe);
}

static void a_new_machine_or_grade_cannot_be_glanced_at(void **state)
{
	struct fixture *f = *state;
	struct nb_probe *probe = nb_fake_probe_new(8);
	struct nb_cpu_sample before, now;

	assert_int_equal(nb_sampler_read_cpus(f->sampler, SEC, true, &before, &now), -ESTALE);
	read_good(f, SEC, false);
	assert_int_equal(nb_sampler_use_probe(f->sampler, probe), 0);
	assert_int_equal(nb_sampler_read_cpus(f->sampler, 2 * SEC, true, &before, &now), -ESTALE);
	read_timed(f, 2 * SEC, NB_DEPTH_PROBE);
	assert_int_equal(nb_sampler_rescan(f->sampler), 0);
	assert_int_equal(nb_sampler_read_cpus(f->sampler, 3 * SEC, true, &before, &now), -ESTALE);
	nb_fake_probe_free(probe);
}

#define MISSED "sys/class/net/lab0/statistics/rx_missed_errors"

static void assert_drops(const struct nb_snapshot *snapshot, uint64_t missed, uint64_t read_nsec)
{
	assert_int_equal(snapshot->n_nics, 1);
	assert_int_equal(snapshot->nics[0].ifindex, snapshot->machine->nics[0].ifindex);
	assert_int_equal(snapshot->nics[0].missed, missed);
	assert_int_equal(snapshot->nics[0].read_nsec, read_nsec);
}

static void drops_of_nics_are_read_at_a_slow_pace(void **state)
{
	struct fixture *f = *state;

	nb_tmp_write(f->dir, MISSED, "5\n");
	assert_int_equal(nb_sampler_rescan(f->sampler), 0);
	assert_drops(read_good(f, SEC, true), 5, SEC);
	nb_tmp_write(f->dir, MISSED, "9\n");
	assert_drops(read_good(f, SEC + SEC / 2, true), 5, SEC);
	assert_drops(read_good(f, 3 * SEC, false), 5, SEC);
	assert_drops(read_good(f, 4 * SEC, true), 9, 4 * SEC);
	assert_drops(read_good(f, 5 * SEC, false), 9, 4 * SEC);
}

static void drops_of_nics_go_on_over_a_rescan(void **state)
{
	struct fixture *f = *state;
	g_autofree char *file = g_build_filename(f->dir, MISSED, NULL);

	nb_tmp_write(f->dir, MISSED, "5\n");
	assert_int_equal(nb_sampler_rescan(f->sampler), 0);
	assert_drops(read_good(f, SEC, true), 5, SEC);
	assert_int_equal(remove(file), 0);
	assert_int_equal(nb_sampler_rescan(f->sampler), 0);
	assert_drops(read_good(f, 3 * SEC, true), 5, SEC);
}

static void drops_of_a_nic_out_of_scope_are_not_read(void **state)
{
	struct fixture *f = *state;

	nb_tmp_write(f->dir, MISSED, "5\n");
	nb_tmp_write(f->dir, "sys/class/net/lab0/flags", "0x1002\n");
	assert_int_equal(nb_sampler_rescan(f->sampler), 0);
	assert_int_equal(read_good(f, SEC, true)->n_nics, 0);
}

/* A kernel that does not answer until it is let go. */
struct slow_kernel {
	int pipe[2];
	gint slow; /* atomic */
};

static int answer_late(const char *ifname, void *request, void *userdata)
{
	struct slow_kernel *kernel = userdata;
	char byte;

	(void)ifname;
	(void)request;
	if (g_atomic_int_get(&kernel->slow) && read(kernel->pipe[0], &byte, 1) != 1)
		return -EPIPE;
	return -EOPNOTSUPP;
}

/* Until it is let go it says nothing of any NIC: what is known of them serves on, for a while. */
static void a_kernel_that_does_not_answer_is_asked_later(void **state)
{
	struct fixture *f = *state;
	g_autoptr(nb_netlink) netlink = NULL;
	struct slow_kernel kernel = {};
	uint64_t generation;

	assert_int_equal(pipe(kernel.pipe), 0);
	assert_int_equal(nb_netlink_new_ethtool(&netlink), 0);
	nb_netlink_set_ethtool(netlink, answer_late, &kernel);
	nb_sampler_free(f->sampler);
	assert_int_equal(nb_sampler_new(f->root, netlink, NULL, &f->sampler), 0);
	assert_int_equal(nb_sampler_rescan(f->sampler), 0);
	generation = read_good(f, SEC, true)->machine->generation;

	g_atomic_int_set(&kernel.slow, 1);
	assert_int_equal(nb_sampler_rescan(f->sampler), -EBUSY);
	assert_true(read_good(f, 2 * SEC, true)->machine->generation == generation);
	assert_int_equal(nb_sampler_rescan(f->sampler), -EBUSY);
	assert_int_equal(nb_sampler_rescan(f->sampler), 0);
	assert_true(read_good(f, 3 * SEC, true)->machine->generation > generation);

	g_atomic_int_set(&kernel.slow, 0);
	assert_int_equal(write(kernel.pipe[1], "", 1), 1);
	while (nb_sampler_rescan(f->sampler) == -EBUSY)
		g_usleep(1000);
	assert_int_equal(nb_sampler_rescan(f->sampler), 0);
	g_clear_pointer(&f->sampler, nb_sampler_free);
	close(kernel.pipe[0]);
	close(kernel.pipe[1]);
}

/* --- packets by entry of the RSS table */

#define LAB0 2

/* The same machine, of which lab0 has a table, and a probe that measures. */
struct counting {
	struct fixture *f;
	struct nb_netlink *netlink;
	struct nb_fake_rss rss;
	struct nb_probe *probe;
};

static int set_up_counting(void **state)
{
	struct counting *c = g_new0(struct counting, 1);
	void *fixture;

	(void)setup(&fixture);
	c->f = fixture;
	c->rss = (struct nb_fake_rss){.ifname = "lab0", .n = 8, .n_rings = 4};
	nb_fake_rss_reset(&c->rss);
	*state = c;
	if (nb_netlink_new_ethtool(&c->netlink) < 0)
		return -1;
	nb_fake_rss_attach(&c->rss, c->netlink);
	nb_sampler_free(c->f->sampler);
	if (nb_sampler_new(c->f->root, c->netlink, NULL, &c->f->sampler) < 0 ||
	    nb_sampler_rescan(c->f->sampler) < 0)
		return -1;
	c->probe = nb_fake_probe_new(8);
	nb_probe_attach(c->probe);
	nb_probe_measure(c->probe, true);
	return nb_sampler_use_probe(c->f->sampler, c->probe);
}

static int tear_down_counting(void **state)
{
	struct counting *c = *state;
	void *fixture = c->f;
	int r = teardown(&fixture);

	nb_fake_probe_free(c->probe);
	nb_netlink_free(c->netlink);
	g_free(c);
	return r;
}

static const struct nb_bucket_counts *count_and_read(struct counting *c, uint64_t now_nsec)
{
	return &read_timed(c->f, now_nsec, NB_DEPTH_PROBE)->buckets;
}

static void packets_of_a_nic_are_counted_by_bucket(void **state)
{
	struct counting *c = *state;
	const struct nb_bucket_counts *before = count_and_read(c, SEC), *counts;

	assert_true(before->able);
	assert_int_equal(before->ifindex, 0);
	assert_true(nb_sampler_count_buckets(c->f->sampler, LAB0, SEC));
	nb_fake_probe_receive(c->probe, 5, 9, 4);
	counts = count_and_read(c, 2 * SEC);
	assert_true(counts->able);
	assert_int_equal(counts->ifindex, LAB0);
	assert_true(counts->since_nsec == SEC);
	assert_int_equal(counts->n, 8);
	assert_int_equal(counts->n_rings, 4);
	assert_int_equal(counts->queues[5], 1);
	assert_int_equal(counts->packets[5], 9);
	assert_true(counts->strayed == 4);
	assert_int_equal(before->ifindex, 0);

	assert_false(nb_sampler_count_buckets(c->f->sampler, LAB0, 2 * SEC));
	assert_true(count_and_read(c, 3 * SEC)->since_nsec == SEC);
	assert_false(nb_sampler_count_buckets(c->f->sampler, 0, 3 * SEC));
	assert_int_equal(count_and_read(c, 4 * SEC)->ifindex, 0);
	assert_int_equal(c->probe->control->buckets_ifindex, 0);
}

/* What the other snapshot of the two points to is still there. */
static void arrays_outlive_what_was_counted(void **state)
{
	struct counting *c = *state;
	const struct nb_bucket_counts *counts;

	nb_sampler_count_buckets(c->f->sampler, LAB0, SEC);
	nb_fake_probe_receive(c->probe, 5, 9, 0);
	counts = count_and_read(c, SEC);
	nb_sampler_count_buckets(c->f->sampler, 0, 2 * SEC);
	(void)count_and_read(c, 2 * SEC);
	assert_int_equal(counts->n, 8);
	assert_int_equal(counts->packets[5], 9);
	assert_int_equal(counts->queues[5], 1);
}

static void a_nic_that_is_not_there_ends_what_was_counted(void **state)
{
	struct counting *c = *state;

	nb_sampler_count_buckets(c->f->sampler, LAB0, SEC);
	nb_sampler_count_buckets(c->f->sampler, LAB0 + 1000, SEC);
	assert_int_equal(count_and_read(c, SEC)->ifindex, 0);
	assert_int_equal(c->probe->control->buckets_ifindex, 0);
}

static void counting_goes_on_over_a_rescan_that_finds_the_nic(void **state)
{
	struct counting *c = *state;
	g_autofree char *link = g_build_filename(c->f->dir, "sys/class/net/lab0", NULL);

	nb_sampler_count_buckets(c->f->sampler, LAB0, SEC);
	nb_fake_probe_receive(c->probe, 5, 9, 0);
	assert_int_equal(nb_sampler_rescan(c->f->sampler), 0);
	assert_int_equal(count_and_read(c, SEC)->packets[5], 9);
	assert_int_equal(unlink(link), 0);
	assert_int_equal(nb_sampler_rescan(c->f->sampler), 0);
	assert_int_equal(count_and_read(c, 2 * SEC)->ifindex, 0);
	assert_int_equal(c->probe->control->buckets_ifindex, 0);
}

static void another_probe_counts_when_it_is_told_to(void **state)
{
	struct counting *c = *state;
	struct nb_probe *other = nb_fake_probe_new(8);

	nb_sampler_count_buckets(c->f->sampler, LAB0, SEC);
	assert_int_equal(nb_sampler_use_probe(c->f->sampler, other), 0);
	assert_int_equal(c->probe->control->buckets_ifindex, 0);
	assert_int_equal(count_and_read(c, SEC)->ifindex, 0);
	nb_sampler_count_buckets(c->f->sampler, LAB0, SEC);
	assert_int_equal(other->control->buckets_ifindex, LAB0);
	assert_int_equal(nb_sampler_use_probe(c->f->sampler, NULL), 0);
	assert_int_equal(other->control->buckets_ifindex, 0);
	nb_fake_probe_free(other);
}

static void nothing_is_counted_in_the_estimated_grade(void **state)
{
	struct counting *c = *state;
	const struct nb_bucket_counts *counts;

	assert_int_equal(nb_sampler_use_probe(c->f->sampler, NULL), 0);
	nb_sampler_count_buckets(c->f->sampler, LAB0, SEC);
	counts = &read_good(c->f, SEC, true)->buckets;
	assert_false(counts->able);
	assert_int_equal(counts->ifindex, 0);
	assert_int_equal(counts->n, 0);
}

static void the_real_host_can_be_read(void **state)
{
	g_autoptr(nb_sysroot) root = nb_machine_open(NULL);
	g_autoptr(nb_sampler) sampler = NULL;
	const struct nb_snapshot *first = NULL, *second = NULL;

	(void)state;
	assert_int_equal(nb_sampler_new(root, NULL, NULL, &sampler), 0);
	assert_int_equal(nb_sampler_rescan(sampler), 0);
	assert_int_equal(nb_sampler_read(sampler, SEC, NB_DEPTH_COUNTERS, &first), 0);
	assert_int_equal(nb_sampler_read(sampler, 2 * SEC, NB_DEPTH_COUNTERS, &second), 0);
	for (unsigned i = 0; i < first->n_cpus; i++) {
		assert_true(second->cpus[i].user_nsec >= first->cpus[i].user_nsec);
		assert_true(second->cpus[i].user_nsec > 0);
	}
}

int main(void)
{
#define claim(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
#define COUNTING(name) cmocka_unit_test_setup_teardown(name, set_up_counting, tear_down_counting)
	const struct CMUnitTest tests[] = {
		claim(every_cpu_has_its_own_numbers),
		cmocka_unit_test(a_wide_machine_is_read_whole),
		claim(the_first_reading_of_a_machine_is_an_audit),
		claim(between_audits_the_last_one_is_carried_over),
		claim(a_new_rps_mask_is_seen_by_the_next_survey),
		claim(neighbours_can_be_compared),
		claim(a_snapshot_outlives_a_rescan),
		claim(whether_interrupts_are_deferred_is_known_by_the_next_rescan),
		claim(a_cpu_that_comes_or_goes_asks_for_a_rescan),
		claim(an_interrupt_that_is_gone_asks_for_a_rescan),
		claim(a_cut_file_drops_the_reading_and_keeps_the_last),
		claim(a_failed_rescan_leaves_the_machine_in_use),
		claim(a_rescan_comes_before_the_first_reading),
		claim(new_rules_count_from_the_next_rescan),
		claim(with_a_probe_a_reading_needs_no_file),
		claim(with_a_probe_times_are_read_when_asked_for),
		claim(what_is_read_has_the_time_of_the_reading),
		claim(a_rescan_tells_how_long_it_took),
		claim(what_queues_cost_goes_on_over_a_rescan),
		claim(a_device_without_hardware_that_costs_gets_a_queue),
		claim(losing_the_probe_begins_with_an_audit),
		claim(glances_follow_each_other),
		claim(with_a_probe_a_glance_needs_no_file),
		claim(a_glance_takes_nothing_from_the_next_reading),
		claim(a_new_machine_or_grade_cannot_be_glanced_at),
		claim(drops_of_nics_are_read_at_a_slow_pace),
		claim(drops_of_nics_go_on_over_a_rescan),
		claim(drops_of_a_nic_out_of_scope_are_not_read),
		claim(a_kernel_that_does_not_answer_is_asked_later),
		COUNTING(packets_of_a_nic_are_counted_by_bucket),
		COUNTING(arrays_outlive_what_was_counted),
		COUNTING(a_nic_that_is_not_there_ends_what_was_counted),
		COUNTING(counting_goes_on_over_a_rescan_that_finds_the_nic),
		COUNTING(another_probe_counts_when_it_is_told_to),
		COUNTING(nothing_is_counted_in_the_estimated_grade),
		cmocka_unit_test(the_real_host_can_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
