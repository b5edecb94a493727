/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machines of tests/sysroots, which were captured from real guests. */

#include "unit/sample/sampler_fixture.h"

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
	struct fixture f;
	const struct nb_snapshot *snapshot;

	(void)state;
	open_stored(&f, "igb8");
	snapshot = read_good(&f, SEC, false);
	assert_only_nic(snapshot->machine, "igb", 8);
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(snapshot->machine->queues[i].n_irqs, 1);
		assert_int_equal(snapshot->machine->queues[i].irqs[0], 35 + i);
		assert_int_equal(snapshot->queues[i].effective_cpu, (i + 1) % 8);
		assert_true(snapshot->queues[i].interrupts >= 1000);
		assert_true(snapshot->queues[i].settable);
	}
	assert_int_equal(snapshot->n_rps, 0);
	close_machine(&f);
}

static void virtio_has_one_for_each_direction(void **state)
{
	struct fixture f;
	const struct nb_snapshot *snapshot;

	(void)state;
	open_stored(&f, "virtio4");
	snapshot = read_good(&f, SEC, false);
	assert_only_nic(snapshot->machine, "virtio_net", 4);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(snapshot->machine->queues[i].n_irqs, 2);
		assert_int_equal(snapshot->machine->queues[i].irqs[0], 35 + 2 * i);
		assert_int_equal(snapshot->machine->queues[i].irqs[1], 36 + 2 * i);
		assert_int_equal(snapshot->queues[i].effective_cpu, 2 * i + 1);
	}
	close_machine(&f);
}

static void vmxnet3_numbers_its_vectors(void **state)
{
	struct fixture f;
	const struct nb_snapshot *snapshot;

	(void)state;
	open_stored(&f, "vmxnet3");
	snapshot = read_good(&f, SEC, false);
	assert_only_nic(snapshot->machine, "vmxnet3", 8);
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(snapshot->machine->queues[i].n_irqs, 1);
		assert_int_equal(snapshot->machine->queues[i].irqs[0], 32 + i);
	}
	/* Only the first queue has traffic. */
	assert_true(snapshot->queues[0].interrupts > 0);
	assert_int_equal(snapshot->queues[1].interrupts, 0);
	close_machine(&f);
}

static void a_second_of_load_is_seen(void **state)
{
	struct fixture f;
	const struct nb_snapshot *before, *after;

	(void)state;
	open_stored(&f, "igb8");
	before = read_good(&f, SEC, true);
	nb_tmp_unpack(f.dir, "igb8-later");
	after = read_good(&f, 2 * SEC, true);

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
	close_machine(&f);
}

/* lab1, of a network namespace of its own. */
static void a_nic_of_another_namespace_is_foreign(void **state)
{
	const struct nb_machine *machine;
	struct fixture f;

	(void)state;
	open_stored(&f, "igb8");
	read_good(&f, SEC, true);
	nb_tmp_unpack(f.dir, "igb8-later");
	assert_int_equal(nb_sampler_rescan(f.sampler), 0);
	machine = read_good(&f, 61 * SEC, true)->machine;
	assert_true(machine->n_device_irqs >= 8);
	for (unsigned i = 0; i < machine->n_device_irqs; i++) {
		const struct nb_device_irq *device_irq = &machine->device_irqs[i];

		assert_int_equal(device_irq->foreign, device_irq->irq >= 43);
		assert_string_equal(device_irq->device, device_irq->foreign ? "0000:02:00.0" : "");
	}
	close_machine(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(igb_has_one_interrupt_for_each_queue),
		cmocka_unit_test(virtio_has_one_for_each_direction),
		cmocka_unit_test(vmxnet3_numbers_its_vectors),
		cmocka_unit_test(a_second_of_load_is_seen),
		cmocka_unit_test(a_nic_of_another_namespace_is_foreign),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
