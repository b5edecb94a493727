/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machines of tests/sysroots, which were captured from real guests. */

#include "nicbalance/units.h"
#include "sample/sampler.h"
#include "unit/sample/machine.h"

#define SEC NB_NSEC_PER_SEC

static void spawn(const char *const *argv)
{
	int status = -1;

	assert_true(g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL,
				 NULL, &status, NULL));
	assert_int_equal(status, 0);
}

/* Lays the tree of a captured machine over dir. */
static void lay_over(const char *dir, const char *machine)
{
	g_autofree char *from = g_strdup_printf(NB_SOURCE_DIR "/tests/sysroots/%s/.", machine);

	spawn((const char *const[]){"cp", "-a", from, dir, NULL});
}

static struct nb_sampler *open_sampler(struct nb_sysroot *root)
{
	struct nb_sampler *sampler = NULL;

	assert_int_equal(nb_sampler_new(root, NULL, NULL, &sampler), 0);
	assert_int_equal(nb_sampler_rescan(sampler), 0);
	return sampler;
}

static const struct nb_snapshot *read_good(struct nb_sampler *sampler, uint64_t now_nsec,
					   bool audit)
{
	const struct nb_snapshot *snapshot = NULL;

	assert_int_equal(nb_sampler_read(sampler, now_nsec,
					 audit ? NB_DEPTH_COMPLETE : NB_DEPTH_COUNTERS, &snapshot),
			 0);
	return snapshot;
}

static void assert_only_nic(const struct nb_machine *machine, const char *driver, unsigned n_queues)
{
	assert_int_equal(machine->n_nics, 1);
	assert_string_equal(machine->nics[0].name, "lab0");
	assert_string_equal(machine->nics[0].driver, driver);
	assert_int_equal(machine->nics[0].scope, NB_SCOPE_IN);
	assert_int_equal(machine->nics[0].mapping, NB_MAPPING_NAMES);
	assert_int_equal(machine->nics[0].node, NB_NODE_NONE);
	assert_int_equal(machine->nics[0].n_rx, n_queues);
	assert_int_equal(machine->nics[0].n_tx, n_queues);
	assert_int_equal(machine->nics[0].n_slow_path, 1);
	assert_int_equal(machine->n_queues, n_queues);
	for (unsigned i = 0; i < n_queues; i++) {
		assert_int_equal(machine->queues[i].key.ifindex, machine->nics[0].ifindex);
		assert_int_equal(machine->queues[i].key.index, i);
		assert_true(machine->queues[i].has_rx && machine->queues[i].has_tx);
	}
	assert_int_equal(machine->topology.n_cpus, 8);
	assert_int_equal(machine->topology.n_possible, 8);
	assert_true(nb_cpumask_empty(&machine->topology.isolated));
}

static void igb_has_one_interrupt_for_each_queue(void **state)
{
	g_autoptr(nb_sysroot) root = nb_machine_open(NB_SOURCE_DIR "/tests/sysroots/igb8");
	g_autoptr(nb_sampler) sampler = open_sampler(root);
	const struct nb_snapshot *snapshot = read_good(sampler, SEC, false);

	(void)state;
	assert_only_nic(snapshot->machine, "igb", 8);
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(snapshot->machine->queues[i].n_irqs, 1);
		assert_int_equal(snapshot->machine->queues[i].irqs[0], 35 + i);
		assert_int_equal(snapshot->queues[i].effective_cpu, (i + 1) % 8);
		assert_true(snapshot->queues[i].interrupts >= 1000);
		assert_true(snapshot->queues[i].settable);
	}
	assert_int_equal(snapshot->n_rps, 0);
}

static void virtio_has_one_for_each_direction(void **state)
{
	g_autoptr(nb_sysroot) root = nb_machine_open(NB_SOURCE_DIR "/tests/sysroots/virtio4");
	g_autoptr(nb_sampler) sampler = open_sampler(root);
	const struct nb_snapshot *snapshot = read_good(sampler, SEC, false);

	(void)state;
	assert_only_nic(snapshot->machine, "virtio_net", 4);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(snapshot->machine->queues[i].n_irqs, 2);
		assert_int_equal(snapshot->machine->queues[i].irqs[0], 35 + 2 * i);
		assert_int_equal(snapshot->machine->queues[i].irqs[1], 36 + 2 * i);
		assert_int_equal(snapshot->queues[i].effective_cpu, 2 * i + 1);
	}
}

static void vmxnet3_numbers_its_vectors(void **state)
{
	g_autoptr(nb_sysroot) root = nb_machine_open(NB_SOURCE_DIR "/tests/sysroots/vmxnet3");
	g_autoptr(nb_sampler) sampler = open_sampler(root);
	const struct nb_snapshot *snapshot = read_good(sampler, SEC, false);

	(void)state;
	assert_only_nic(snapshot->machine, "vmxnet3", 8);
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(snapshot->machine->queues[i].n_irqs, 1);
		assert_int_equal(snapshot->machine->queues[i].irqs[0], 32 + i);
	}
	/* Only the first queue has traffic. */
	assert_true(snapshot->queues[0].interrupts > 0);
	assert_int_equal(snapshot->queues[1].interrupts, 0);
}

static void a_second_of_load_is_seen(void **state)
{
	char *dir = nb_tmp_make();
	g_autoptr(nb_sysroot) root = nb_machine_open(dir);
	g_autoptr(nb_sampler) sampler = NULL;
	const struct nb_snapshot *before, *after;

	(void)state;
	lay_over(dir, "igb8");
	sampler = open_sampler(root);
	before = read_good(sampler, SEC, true);
	lay_over(dir, "igb8-later");
	after = read_good(sampler, 2 * SEC, true);

	for (unsigned i = 0; i < 8; i++) {
		uint32_t interrupts = after->queues[i].interrupts - before->queues[i].interrupts;

		assert_int_equal(after->queues[i].landed_cpu, (i + 1) % 8);
		assert_true(interrupts > 1000 && interrupts < 5000);
	}
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(after->cpus[i].id, i);
		assert_true(after->cpus[i].net_rx - before->cpus[i].net_rx > 500);
		assert_true(after->cpus[i].processed - before->cpus[i].processed > 1000);
		assert_true(after->cpus[i].softirq_nsec > before->cpus[i].softirq_nsec);
		assert_int_equal(after->cpus[i].dropped, before->cpus[i].dropped);
	}
	nb_tmp_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(igb_has_one_interrupt_for_each_queue),
		cmocka_unit_test(virtio_has_one_for_each_direction),
		cmocka_unit_test(vmxnet3_numbers_its_vectors),
		cmocka_unit_test(a_second_of_load_is_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
