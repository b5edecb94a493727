/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cpumask_text.h"
#include "sample/affinities.h"
#include "unit/sample/machine.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* The machine "holes": lab0 with four queues, interrupts 25 to 28 on CPUs 0, 1, 3, 4. */
struct fixture {
	char *dir;
	struct nb_sysroot *root;
	struct nb_scan *scan;
	struct nb_affinities affinities;
	struct nb_queue_state queues[4];
	struct nb_snapshot snapshot;
	GArray *rps, *several;
};

static int setup(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);

	f->dir = nb_machine("holes");
	f->root = nb_machine_open(f->dir);
	assert_int_equal(nb_scan_new(f->root, NULL, NULL, NULL, 1, &f->scan), 0);
	assert_int_equal(f->scan->machine.n_queues, 4);
	nb_affinities_init(&f->affinities, f->root);
	nb_affinities_adopt(&f->affinities, &f->scan->machine);
	f->snapshot.queues = f->queues;
	f->snapshot.n_queues = 4;
	f->snapshot.machine = &f->scan->machine;
	f->rps = g_array_new(FALSE, FALSE, sizeof(struct nb_rps_state));
	f->several = g_array_new(FALSE, FALSE, sizeof(struct nb_several));
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	g_array_unref(f->rps);
	g_array_unref(f->several);
	nb_affinities_clear(&f->affinities);
	nb_scan_unref(f->scan);
	nb_sysroot_free(f->root);
	nb_tmp_remove(f->dir);
	g_free(f);
	return 0;
}

static int read_with(struct fixture *f, unsigned flags)
{
	const struct nb_affinity_rows rows = {f->rps, f->several};

	g_array_set_size(f->several, 0);
	return nb_affinities_read(&f->affinities, f->scan, flags, &f->snapshot, &rows);
}

static int read_audit(struct fixture *f)
{
	return read_with(f, NB_AFFINITIES_COUNTS | NB_AFFINITIES_UNCACHED);
}

/* A complete sample that takes over from the one before what it may. */
static int read_again(struct fixture *f)
{
	return read_with(f, 0);
}

static void remove_file(const struct fixture *f, const char *path)
{
	g_autofree char *full = g_build_filename(f->dir, path, NULL);

	assert_int_equal(unlink(full), 0);
}

static void set_mode(const struct fixture *f, const char *path, mode_t mode)
{
	g_autofree char *full = g_build_filename(f->dir, path, NULL);

	assert_int_equal(chmod(full, mode), 0);
}

static void each_queue_has_its_own_affinity(void **state)
{
	struct fixture *f = *state;
	static const int cpus[] = {0, 1, 3, 4};

	assert_int_equal(read_audit(f), 0);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(f->queues[i].affinity_cpu, cpus[i]);
		assert_int_equal(f->queues[i].effective_cpu, cpus[i]);
		assert_int_equal(f->queues[i].n_allowed, 1);
		assert_int_equal(f->queues[i].interrupts, (25 + i) * 1000);
		assert_int_equal(f->queues[i].landed_cpu, NB_LANDED_UNKNOWN);
		assert_true(f->queues[i].settable);
	}
	assert_int_equal(f->rps->len, 0);
	assert_int_equal(f->several->len, 0);
}

/* Not that of interrupt 0, whose hint it would take for its own, too. */
static void a_queue_without_interrupts_has_none(void **state)
{
	struct fixture *f = *state;

	f->scan->machine.queues[1].n_irqs = 0;
	f->scan->machine.queues[1].irqs[0] = 0;
	nb_tmp_write(f->dir, "proc/irq/0/effective_affinity_list", "3\n");
	nb_tmp_write(f->dir, "proc/irq/0/affinity_hint", "00\n");
	assert_int_equal(read_audit(f), 0);
	assert_int_equal(f->queues[1].affinity_cpu, -1);
	assert_int_equal(f->queues[1].effective_cpu, -1);
	assert_int_equal(f->queues[1].n_allowed, 0);
	assert_false(f->queues[1].hinted);
	assert_int_equal(f->queues[2].effective_cpu, 3);
}

static void a_mask_of_several_names_no_cpu(void **state)
{
	struct fixture *f = *state;

	nb_tmp_write(f->dir, "proc/irq/25/smp_affinity", "0000001b\n");
	nb_tmp_write(f->dir, "proc/irq/25/effective_affinity_list", "3\n");
	nb_tmp_write(f->dir, "proc/irq/26/smp_affinity", "\n");
	nb_tmp_write(f->dir, "proc/irq/26/effective_affinity_list", "\n");
	assert_int_equal(read_audit(f), 0);
	assert_int_equal(f->queues[0].affinity_cpu, -1);
	assert_int_equal(f->queues[0].n_allowed, 4);
	assert_int_equal(f->queues[0].effective_cpu, 3);
	assert_int_equal(f->queues[1].affinity_cpu, -1);
	assert_int_equal(f->queues[1].n_allowed, 0);
	assert_int_equal(f->queues[1].effective_cpu, -1);
}

static void assert_cpus(const struct nb_cpumask *cpus, const char *expected)
{
	g_autofree char *list = nb_cpumask_format_list(cpus);

	assert_string_equal(list, expected);
}

static const struct nb_several *only_several(const struct fixture *f)
{
	assert_int_equal(f->several->len, 1);
	return &g_array_index(f->several, struct nb_several, 0);
}

/* CPU 2 is offline. */
static void a_mask_of_some_is_listed_and_one_of_all_or_the_default_is_not(void **state)
{
	struct fixture *f = *state;

	nb_tmp_write(f->dir, "proc/irq/25/smp_affinity", "0000000b\n");
	nb_tmp_write(f->dir, "proc/irq/26/smp_affinity", "ffffffff\n");
	nb_tmp_write(f->dir, "proc/irq/27/smp_affinity", "00000012\n");
	nb_cpumask_add(&f->snapshot.default_affinity, 1);
	nb_cpumask_add(&f->snapshot.default_affinity, 4);
	assert_int_equal(read_audit(f), 0);
	assert_int_equal(only_several(f)->key.index, 0);
	assert_false(only_several(f)->apart);
	assert_cpus(&only_several(f)->cpus, "0-1,3");
}

static void what_all_interrupts_of_a_queue_may_use_counts(void **state)
{
	struct fixture *f = *state;
	struct nb_queue *queue = &f->scan->machine.queues[0];

	queue->irqs[queue->n_irqs++] = 26;
	f->scan->machine.queues[1].irqs[0] = 27;
	nb_tmp_write(f->dir, "proc/irq/25/smp_affinity", "0000000b\n");
	nb_tmp_write(f->dir, "proc/irq/26/smp_affinity", "00000019\n");
	assert_int_equal(read_audit(f), 0);
	assert_false(only_several(f)->apart);
	assert_cpus(&only_several(f)->cpus, "0,3");
}

/* Read when an affinity is new or has changed, and only then. */
static void an_affinity_that_its_driver_asks_for_is_known(void **state)
{
	struct fixture *f = *state;

	nb_tmp_write(f->dir, "proc/irq/25/affinity_hint", "00000001\n");
	nb_tmp_write(f->dir, "proc/irq/26/affinity_hint", "00000000\n");
	assert_int_equal(read_audit(f), 0);
	assert_true(f->queues[0].hinted);
	assert_false(f->queues[1].hinted);
	nb_tmp_write(f->dir, "proc/irq/25/smp_affinity", "00000008\n");
	nb_tmp_write(f->dir, "proc/irq/26/affinity_hint", "00000010\n");
	nb_tmp_write(f->dir, "proc/irq/26/smp_affinity", "00000010\n");
	assert_int_equal(read_again(f), 0);
	assert_false(f->queues[0].hinted);
	assert_true(f->queues[1].hinted);
	nb_tmp_write(f->dir, "proc/irq/26/affinity_hint", "00000000\n");
	assert_int_equal(read_again(f), 0);
	assert_true(f->queues[1].hinted);
}

static void a_pair_held_apart_is_allowed_two_cpus(void **state)
{
	struct fixture *f = *state;
	struct nb_queue *queue = &f->scan->machine.queues[0];

	queue->irqs[queue->n_irqs++] = 26;
	assert_int_equal(read_audit(f), 0);
	assert_true(only_several(f)->apart);
	assert_cpus(&only_several(f)->cpus, "0-1");
	assert_int_equal(f->queues[0].affinity_cpu, -1);
	assert_int_equal(f->queues[0].n_allowed, 2);
	assert_int_equal(f->queues[0].effective_cpu, 0);
}

static void what_nobody_may_write_is_not_settable(void **state)
{
	struct fixture *f = *state;

	set_mode(f, "proc/irq/27/smp_affinity", 0444);
	assert_int_equal(read_audit(f), 0);
	assert_true(f->queues[1].settable);
	assert_false(f->queues[2].settable);
}

/* A device that lets nobody move its interrupts does not change its mind. */
static void whether_it_is_settable_is_a_matter_of_surveys(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(read_audit(f), 0);
	set_mode(f, "proc/irq/27/smp_affinity", 0444);
	assert_int_equal(read_again(f), 0);
	assert_true(f->queues[2].settable);
	assert_int_equal(read_audit(f), 0);
	assert_false(f->queues[2].settable);
}

/* The mask may show a move that is yet to come. */
static void delivery_is_looked_at_until_it_follows_the_mask(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(read_audit(f), 0);
	nb_tmp_write(f->dir, "proc/irq/25/smp_affinity", "00000010\n");
	assert_int_equal(read_again(f), 0);
	assert_int_equal(f->queues[0].affinity_cpu, 4);
	assert_int_equal(f->queues[0].effective_cpu, 0);
	nb_tmp_write(f->dir, "proc/irq/25/effective_affinity_list", "4\n");
	assert_int_equal(read_again(f), 0);
	assert_int_equal(f->queues[0].effective_cpu, 4);
	nb_tmp_write(f->dir, "proc/irq/25/smp_affinity", "00000012\n");
	nb_tmp_write(f->dir, "proc/irq/25/effective_affinity_list", "1\n");
	assert_int_equal(read_again(f), 0);
	assert_int_equal(f->queues[0].effective_cpu, 1);
}

static void what_stays_where_its_mask_is_costs_one_file(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(read_audit(f), 0);
	remove_file(f, "proc/irq/25/effective_affinity_list");
	remove_file(f, "sys/kernel/irq/25/per_cpu_count");
	remove_file(f, "proc/interrupts");
	assert_int_equal(read_again(f), 0);
	assert_int_equal(f->queues[0].effective_cpu, 0);
	assert_int_equal(f->queues[0].affinity_cpu, 0);
	assert_int_equal(f->queues[0].interrupts, 25000);
	assert_int_equal(read_audit(f), 0);
	assert_int_equal(f->queues[0].effective_cpu, -1);
}

static void the_same_interrupts_of_another_machine_are_still_compared(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(read_audit(f), 0);
	nb_affinities_commit(&f->affinities);
	f->scan->machine.queues[1].key.index += 100;
	nb_affinities_adopt(&f->affinities, &f->scan->machine);
	nb_tmp_write(f->dir, "sys/kernel/irq/25/per_cpu_count", "25005,0,0,0,0,0,0,0\n");
	assert_int_equal(read_audit(f), 0);
	assert_int_equal(f->queues[0].landed_cpu, 0);
	assert_int_equal(f->queues[1].landed_cpu, NB_LANDED_UNKNOWN);
	nb_affinities_commit(&f->affinities);
	assert_int_equal(read_audit(f), 0);
	assert_int_equal(f->queues[1].landed_cpu, -1);
}

static void interrupts_land_where_their_count_grew_most(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(read_audit(f), 0);
	nb_affinities_commit(&f->affinities);
	nb_tmp_write(f->dir, "sys/kernel/irq/25/per_cpu_count", "25005,0,0,0,0,0,9,3\n");
	nb_tmp_write(f->dir, "sys/kernel/irq/26/per_cpu_count", "0,26000,0,0,0,0,0,0\n");
	assert_int_equal(read_audit(f), 0);
	assert_int_equal(f->queues[0].landed_cpu, 6);
	assert_int_equal(f->queues[0].interrupts, 25017);
	assert_int_equal(f->queues[1].landed_cpu, -1);
}

static void a_count_that_wraps_has_grown(void **state)
{
	struct fixture *f = *state;

	nb_tmp_write(f->dir, "sys/kernel/irq/25/per_cpu_count", "4294967290,0,0,0,0,0,0,0\n");
	assert_int_equal(read_audit(f), 0);
	nb_affinities_commit(&f->affinities);
	nb_tmp_write(f->dir, "sys/kernel/irq/25/per_cpu_count", "4,0,0,3,0,0,0,0\n");
	assert_int_equal(read_audit(f), 0);
	assert_int_equal(f->queues[0].landed_cpu, 0);
	assert_int_equal(f->queues[0].interrupts, 7);
}

static void a_reading_that_is_dropped_is_not_compared_with(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(read_audit(f), 0);
	nb_affinities_commit(&f->affinities);
	nb_tmp_write(f->dir, "sys/kernel/irq/25/per_cpu_count", "25000,0,0,0,0,0,9,0\n");
	assert_int_equal(read_audit(f), 0);
	assert_int_equal(read_audit(f), 0);
	assert_int_equal(f->queues[0].landed_cpu, 6);
}

/* Queue 2 has channel 40 of the VMBus. */
static void make_channel(struct fixture *f, const char *cpu, const char *interrupts)
{
	nb_tmp_write(f->dir, "sys/class/net/lab0/device/channels/40/cpu", cpu);
	nb_tmp_write(f->dir, "sys/class/net/lab0/device/channels/40/interrupts", interrupts);
}

static void use_channel(struct fixture *f)
{
	make_channel(f, "7\n", "500\n");
	f->scan->machine.queues[2].irqs[0] = NB_IRQ_CHANNEL | 40;
	nb_affinities_adopt(&f->affinities, &f->scan->machine);
	f->queues[2].landed_cpu = NB_LANDED_UNKNOWN;
}

static void a_channel_is_where_it_says(void **state)
{
	struct fixture *f = *state;

	use_channel(f);
	assert_int_equal(read_audit(f), 0);
	assert_int_equal(f->queues[2].affinity_cpu, 7);
	assert_int_equal(f->queues[2].effective_cpu, 7);
	assert_int_equal(f->queues[2].n_allowed, 1);
	assert_int_equal(f->queues[2].interrupts, 500);
	assert_int_equal(f->queues[2].landed_cpu, NB_LANDED_UNKNOWN);
	assert_true(f->queues[2].settable);
	assert_false(f->queues[2].hinted);
	assert_int_equal(f->queues[3].interrupts, 28000);
}

/* Measured or not. */
static void what_a_channel_counts_comes_to_its_cpu(void **state)
{
	struct fixture *f = *state;

	use_channel(f);
	assert_int_equal(read_audit(f), 0);
	nb_affinities_commit(&f->affinities);
	make_channel(f, "5\n", "18446744073709551615\n");
	assert_int_equal(read_again(f), 0);
	assert_int_equal(f->queues[2].interrupts, UINT32_MAX);
	assert_int_equal(f->queues[2].landed_cpu, 5);
	assert_int_equal(read_audit(f), 0);
	assert_int_equal(f->queues[2].landed_cpu, -1);
	nb_affinities_commit(&f->affinities);
	make_channel(f, "5\n", "18446744073709551614\n");
	assert_int_equal(read_audit(f), 0);
	assert_int_equal(f->queues[2].landed_cpu, 5);
	make_channel(f, "5\n", "many\n");
	assert_int_equal(read_again(f), 0);
	assert_int_equal(f->queues[2].interrupts, UINT32_MAX - 1);
}

static void a_channel_that_is_gone_asks_for_a_rescan(void **state)
{
	struct fixture *f = *state;

	use_channel(f);
	assert_int_equal(read_audit(f), 0);
	remove_file(f, "sys/class/net/lab0/device/channels/40/cpu");
	assert_int_equal(read_again(f), -ESTALE);
}

static void an_interrupt_that_is_gone_asks_for_a_rescan(void **state)
{
	struct fixture *f = *state;
	g_autofree char *irq = g_build_filename(f->dir, "proc/irq/28", NULL);
	g_autofree char *aside = g_build_filename(f->dir, "proc/aside", NULL);

	assert_int_equal(rename(irq, aside), 0);
	assert_int_equal(read_audit(f), -ESTALE);
}

static void rps_masks_that_are_not_empty_are_told(void **state)
{
	struct fixture *f = *state;
	const struct nb_rps_state *rps;

	nb_tmp_write(f->dir, "sys/class/net/lab0/queues/rx-2/rps_cpus", "0000000a\n");
	nb_tmp_write(f->dir, "sys/class/net/lab0/queues/rx-1/rps_cpus", "garbage\n");
	assert_int_equal(read_audit(f), 0);
	assert_int_equal(f->rps->len, 1);
	rps = &g_array_index(f->rps, struct nb_rps_state, 0);
	assert_int_equal(rps->key.ifindex, 2);
	assert_int_equal(rps->key.index, 2);
	assert_int_equal(nb_cpumask_count(&rps->cpus), 2);
	assert_true(nb_cpumask_has(&rps->cpus, 1) && nb_cpumask_has(&rps->cpus, 3));
}

static void an_rps_mask_that_was_seen_is_looked_at_again(void **state)
{
	struct fixture *f = *state;
	const struct nb_rps_state *rps;

	nb_tmp_write(f->dir, "sys/class/net/lab0/queues/rx-2/rps_cpus", "0000000a\n");
	assert_int_equal(read_audit(f), 0);
	nb_tmp_write(f->dir, "sys/class/net/lab0/queues/rx-2/rps_cpus", "00000008\n");
	assert_int_equal(read_again(f), 0);
	assert_int_equal(f->rps->len, 1);
	rps = &g_array_index(f->rps, struct nb_rps_state, 0);
	assert_int_equal(nb_cpumask_next(&rps->cpus, 0), 3);
	assert_int_equal(nb_cpumask_count(&rps->cpus), 1);
}

int main(void)
{
#define claim(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		claim(each_queue_has_its_own_affinity),
		claim(a_queue_without_interrupts_has_none),
		claim(a_mask_of_several_names_no_cpu),
		claim(a_pair_held_apart_is_allowed_two_cpus),
		claim(a_mask_of_some_is_listed_and_one_of_all_or_the_default_is_not),
		claim(what_all_interrupts_of_a_queue_may_use_counts),
		claim(an_affinity_that_its_driver_asks_for_is_known),
		claim(what_nobody_may_write_is_not_settable),
		claim(whether_it_is_settable_is_a_matter_of_surveys),
		claim(delivery_is_looked_at_until_it_follows_the_mask),
		claim(what_stays_where_its_mask_is_costs_one_file),
		claim(the_same_interrupts_of_another_machine_are_still_compared),
		claim(interrupts_land_where_their_count_grew_most),
		claim(a_count_that_wraps_has_grown),
		claim(a_reading_that_is_dropped_is_not_compared_with),
		claim(a_channel_is_where_it_says),
		claim(what_a_channel_counts_comes_to_its_cpu),
		claim(a_channel_that_is_gone_asks_for_a_rescan),
		claim(an_interrupt_that_is_gone_asks_for_a_rescan),
		claim(rps_masks_that_are_not_empty_are_told),
		claim(an_rps_mask_that_was_seen_is_looked_at_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
