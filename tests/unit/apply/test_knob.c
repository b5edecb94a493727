/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "apply/knob.h"
#include "unit/apply/fixture.h"
#include "unit/apply/values.h"

#include <errno.h>

static enum nb_outcome write_to(const struct nb_access *access, const struct nb_knob *knob,
				const char *mask)
{
	g_autoptr(GBytes) value = value_of(mask);

	return nb_knob_write(access, knob, value);
}

static void an_interrupt_is_named_by_its_handlers(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	g_auto(nb_knob) knob = {0}, nobody = {0};

	(void)state;
	nb_tmp_write(f->dir, "sys/kernel/irq/40/actions", "eth0 rx\nand more,eth1\n");
	assert_int_equal(nb_knob_irq(f->root, 40, &knob), 0);
	assert_string_equal(knob.name, "eth0 rx and more,eth1");
	assert_int_equal(nb_knob_irq(f->root, 999, &nobody), 0);
	assert_string_equal(nobody.name, "");
}

static void a_reused_number_is_another_interrupt(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	g_auto(nb_knob) knob = {0};

	(void)state;
	assert_int_equal(nb_knob_irq(f->root, 40, &knob), 0);
	assert_int_equal(nb_knob_find(&f->access, &knob), 0);
	nb_fake_kernel_reuse_irq(f->kernel, 40, "nvme0q1", "0-3");
	assert_int_equal(nb_knob_find(&f->access, &knob), -ENOENT);
}

/* A NIC that is gone may have thousands of knobs, and a host as many interfaces. */
static void all_interfaces_are_read_once(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	g_autoptr(GHashTable) names = NULL, later = NULL;
	g_auto(nb_knob) there = {0}, gone = {0}, renamed = {0};

	(void)state;
	nb_knob_rps((struct nb_queue_key){ETH0, 0}, "eth0", &there);
	nb_knob_follow_rename(&f->access, &there, &names);
	assert_null(names);
	nb_knob_rps((struct nb_queue_key){ETH0 + 1, 0}, "eth1", &gone);
	nb_knob_follow_rename(&f->access, &gone, &names);
	assert_string_equal(gone.name, "eth1");
	assert_int_equal(g_hash_table_size(names), 1);

	nb_tmp_write(f->dir, "sys/class/net/lan1/ifindex", "3\n");
	nb_knob_rps((struct nb_queue_key){ETH0 + 1, 1}, "eth1", &renamed);
	nb_knob_follow_rename(&f->access, &renamed, &names);
	assert_string_equal(renamed.name, "eth1");
	nb_knob_follow_rename(&f->access, &renamed, &later);
	assert_string_equal(renamed.name, "lan1");
}

static struct nb_knob irq_of(const char *name, const char *vector)
{
	return (struct nb_knob){NB_KNOB_IRQ, 40, {0}, (char *)name, (char *)vector};
}

static bool same(const char *name, const char *vector, const char *now, const char *now_vector)
{
	struct nb_knob a = irq_of(name, vector), b = irq_of(now, now_vector);

	return nb_knob_same_owner(&a, &b);
}

static void a_vector_stays_the_same_whoever_handles_it(void **state)
{
	static const char one[] = "1@PCI-MSIX-0000:3b:00.0", other[] = "1@PCI-MSIX-0000:3b:00.1";

	(void)state;
	assert_true(same("eth0-TxRx-0", one, "lan0-TxRx-0", one));
	assert_true(same("eth0-TxRx-0", one, "", one));
	assert_false(same("eth0-TxRx-0", one, "eth0-TxRx-0", other));
	assert_false(same("eth0-TxRx-0", one, "", other));
}

static void a_handler_may_join_a_line_or_leave_it(void **state)
{
	(void)state;
	assert_true(same("uhci,eth0", NULL, "uhci,i801,eth0", NULL));
	assert_true(same("uhci,eth0", NULL, "eth0", "16@IO-APIC"));
	assert_false(same("uhci,eth0", NULL, "uhci,i801", NULL));
	assert_false(same("eth0", NULL, "eth01", NULL));
	assert_false(same("", NULL, "eth0", NULL));
}

static void a_vector_is_its_number_and_its_chip(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	g_auto(nb_knob) knob = {0}, copy = {0};

	(void)state;
	nb_tmp_write(f->dir, "sys/kernel/irq/40/hwirq", "3\n");
	nb_tmp_write(f->dir, "sys/kernel/irq/40/chip_name", "PCI-MSIX-0000:3b:00.0\n");
	assert_int_equal(nb_knob_irq(f->root, 40, &knob), 0);
	assert_string_equal(knob.vector, "3@PCI-MSIX-0000:3b:00.0");
	nb_knob_copy(&knob, &copy);
	nb_tmp_write(f->dir, "sys/kernel/irq/40/actions", "renamed\n");
	assert_int_equal(nb_knob_find(&f->access, &copy), 0);
	nb_tmp_write(f->dir, "sys/kernel/irq/40/hwirq", "4\n");
	assert_int_equal(nb_knob_find(&f->access, &copy), -ENOENT);
}

static void an_interrupt_whose_interface_is_down_is_still_itself(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	g_auto(nb_knob) knob = {0};

	(void)state;
	assert_int_equal(nb_knob_irq(f->root, 40, &knob), 0);
	nb_tmp_write(f->dir, "sys/kernel/irq/40/actions", "\n");
	assert_int_equal(nb_knob_find(&f->access, &knob), 0);
}

static void an_interface_is_its_ifindex(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	g_auto(nb_knob) knob = {0};

	(void)state;
	nb_knob_rps((struct nb_queue_key){ETH0, 0}, "eth0", &knob);
	assert_int_equal(nb_knob_find(&f->access, &knob), 0);
	nb_tmp_write(f->dir, "sys/class/net/eth0/ifindex", "22\n");
	assert_int_equal(nb_knob_find(&f->access, &knob), -ENOENT);
}

static void knobs_of_different_types_and_numbers_differ(void **state)
{
	struct nb_knob irq = {.type = NB_KNOB_IRQ, .irq = 2};
	struct nb_knob other_irq = {.type = NB_KNOB_IRQ, .irq = 3};
	struct nb_knob rps = {.type = NB_KNOB_RPS, .queue = {2, 0}};
	struct nb_knob other_rps = {.type = NB_KNOB_RPS, .queue = {2, 1}};
	struct nb_knob rss = {.type = NB_KNOB_RSS, .queue = {2, 0}};

	(void)state;
	assert_true(nb_knob_equal(&irq, &irq));
	assert_false(nb_knob_equal(&irq, &other_irq));
	assert_false(nb_knob_equal(&irq, &rps));
	assert_false(nb_knob_equal(&rps, &other_rps));
	assert_false(nb_knob_equal(&rps, &rss));
	assert_int_not_equal(nb_knob_hash(&irq), nb_knob_hash(&other_irq));
	assert_int_not_equal(nb_knob_hash(&rps), nb_knob_hash(&other_rps));
}

static void only_a_mask_can_be_read(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	g_auto(nb_knob) knob = {0};
	g_autoptr(GBytes) all = value_of("f");
	GBytes *value = NULL;

	(void)state;
	assert_int_equal(nb_knob_irq(f->root, 40, &knob), 0);
	nb_tmp_write(f->dir, "proc/irq/40/smp_affinity", "\n");
	assert_int_equal(nb_knob_read(&f->access, &knob, &value), -EBADMSG);
	assert_null(value);
	nb_fake_kernel_remove_irq(f->kernel, 40);
	assert_int_equal(nb_knob_read(&f->access, &knob, &value), -ENOENT);
	assert_false(nb_knob_holds(&f->access, &knob, all));
}

static void the_mode_of_a_managed_interrupt_says_no_since_6_12(void **state)
{
	g_autoptr(fixture) old = fixture_new(NB_FAKE_6_1), new = fixture_new(NB_FAKE_6_12);
	g_auto(nb_knob) knob = {0};

	(void)state;
	nb_fake_kernel_manage_irq(old->kernel, 40);
	nb_fake_kernel_manage_irq(new->kernel, 40);
	assert_int_equal(nb_knob_irq(new->root, 40, &knob), 0);
	assert_true(nb_knob_is_settable(&old->access, &knob));
	assert_false(nb_knob_is_settable(&new->access, &knob));
	assert_int_equal(write_to(&old->access, &knob, "00000001"), NB_OUTCOME_REFUSED);
	assert_int_equal(write_to(&new->access, &knob, "00000001"), NB_OUTCOME_REFUSED);
}

static int vanish(struct nb_sysroot *root, const char *path, const char *text, size_t len,
		  void *userdata)
{
	struct fixture *f = userdata;

	(void)root, (void)path, (void)text, (void)len;
	nb_fake_kernel_remove_irq(f->kernel, 40);
	return -EIO;
}

static void an_interrupt_that_vanishes_during_the_write_is_gone_not_managed(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_1);
	g_auto(nb_knob) knob = {0};

	(void)state;
	assert_int_equal(nb_knob_irq(f->root, 40, &knob), 0);
	nb_sysroot_set_writer(f->root, vanish, f);
	assert_int_equal(write_to(&f->access, &knob, "00000001"), NB_OUTCOME_GONE);
}

static void a_cpu_that_the_machine_does_not_have_is_stale(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	g_auto(nb_knob) knob = {0};

	(void)state;
	assert_int_equal(nb_knob_irq(f->root, 40, &knob), 0);
	assert_int_equal(write_to(&f->access, &knob, "00000001,00000001"), NB_OUTCOME_STALE);
	assert_int_equal(write_to(&f->access, &knob, "00000001"), NB_OUTCOME_APPLIED);
}

static void an_rps_mask_that_is_not_kept_is_stale(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	g_auto(nb_knob) knob = {0};

	(void)state;
	nb_knob_rps((struct nb_queue_key){ETH0, 0}, "eth0", &knob);
	nb_fake_kernel_set_online(f->kernel, 3, false);
	assert_int_equal(write_to(&f->access, &knob, "00000008"), NB_OUTCOME_STALE);
	assert_rps(f, 0, "");
	assert_int_equal(write_to(&f->access, &knob, "0000000c"), NB_OUTCOME_STALE);
	assert_int_equal(write_to(&f->access, &knob, "00000006"), NB_OUTCOME_APPLIED);
	assert_rps(f, 0, "1-2");
}

static int find_first(struct fixture *f, struct nb_knob *ret)
{
	return nb_knob_of_queue(&f->access, &f->machine, &f->queues[1], 0, ret);
}

static void a_channel_is_of_its_queue_and_its_interface(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	g_auto(nb_knob) knob = {0}, irq = {0};
	struct nb_knob none = {0};

	(void)state;
	synthesize(f);
	assert_int_equal(nb_knob_of_queue(&f->access, &f->machine, &f->queues[0], 1, &irq), 0);
	assert_int_equal(irq.type, NB_KNOB_IRQ);
	assert_int_equal(irq.irq, 41);
	assert_int_equal(find_first(f, &knob), 0);
	assert_int_equal(knob.type, NB_KNOB_VMBUS);
	assert_int_equal(knob.irq, NB_IRQ_CHANNEL | 21);
	assert_int_equal(nb_knob_find(&f->access, &knob), 0);
	nb_tmp_write(f->dir, "sys/class/net/eth0/device/channels/21/subchannel_id", "2\n");
	assert_int_equal(nb_knob_find(&f->access, &knob), -ENOENT);
	assert_int_equal(find_first(f, &none), -ENOENT);
	nb_tmp_write(f->dir, "sys/class/net/eth0/device/channels/21/subchannel_id", "1\n");
	nb_tmp_write(f->dir, "sys/class/net/eth0/ifindex", "22\n");
	assert_int_equal(find_first(f, &none), -ENOENT);
	f->queues[1].irqs[0] = NB_IRQ_CHANNEL | 29;
	assert_int_equal(find_first(f, &none), -ENOENT);
	assert_null(none.name);
}

static void a_channel_has_one_cpu_in_decimal(void **state)
{
	static const char *const odd[] = {"\n", "one\n", "0-1\n", "8192\n", "4294967297\n"};
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	g_autoptr(GBytes) value = NULL;
	g_auto(nb_knob) knob = {0};

	(void)state;
	synthesize(f);
	assert_int_equal(find_first(f, &knob), 0);
	assert_int_equal(write_to(&f->access, &knob, "00000004"), NB_OUTCOME_APPLIED);
	assert_int_equal(nb_fake_kernel_channel(f->kernel, 21), 2);
	assert_int_equal(nb_knob_read(&f->access, &knob, &value), 0);
	assert_value(value, "4");
	for (unsigned i = 0; i < G_N_ELEMENTS(odd); i++) {
		GBytes *none = NULL;

		nb_tmp_write(f->dir, "sys/class/net/eth0/device/channels/21/cpu", odd[i]);
		assert_int_equal(nb_knob_read(&f->access, &knob, &none), -EBADMSG);
		assert_null(none);
	}
}

/* EINVAL and EIO. */
static void a_cpu_that_a_channel_may_not_have_is_stale(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	g_auto(nb_knob) knob = {0};

	(void)state;
	synthesize(f);
	assert_int_equal(find_first(f, &knob), 0);
	nb_fake_kernel_set_online(f->kernel, 3, false);
	nb_fake_kernel_isolate(f->kernel, 2);
	assert_int_equal(write_to(&f->access, &knob, "00000008"), NB_OUTCOME_STALE);
	assert_int_equal(write_to(&f->access, &knob, "00000004"), NB_OUTCOME_STALE);
	assert_int_equal(write_to(&f->access, &knob, "00000002"), NB_OUTCOME_APPLIED);
	nb_fake_kernel_close_channel(f->kernel, 21);
	assert_int_equal(write_to(&f->access, &knob, "00000001"), NB_OUTCOME_STALE);
	assert_int_equal(nb_fake_kernel_channel(f->kernel, 21), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_interrupt_is_named_by_its_handlers),
		cmocka_unit_test(a_reused_number_is_another_interrupt),
		cmocka_unit_test(all_interfaces_are_read_once),
		cmocka_unit_test(a_vector_stays_the_same_whoever_handles_it),
		cmocka_unit_test(a_handler_may_join_a_line_or_leave_it),
		cmocka_unit_test(a_vector_is_its_number_and_its_chip),
		cmocka_unit_test(an_interrupt_whose_interface_is_down_is_still_itself),
		cmocka_unit_test(an_interface_is_its_ifindex),
		cmocka_unit_test(knobs_of_different_types_and_numbers_differ),
		cmocka_unit_test(only_a_mask_can_be_read),
		cmocka_unit_test(the_mode_of_a_managed_interrupt_says_no_since_6_12),
		cmocka_unit_test(an_interrupt_that_vanishes_during_the_write_is_gone_not_managed),
		cmocka_unit_test(a_cpu_that_the_machine_does_not_have_is_stale),
		cmocka_unit_test(an_rps_mask_that_is_not_kept_is_stale),
		cmocka_unit_test(a_channel_is_of_its_queue_and_its_interface),
		cmocka_unit_test(a_channel_has_one_cpu_in_decimal),
		cmocka_unit_test(a_cpu_that_a_channel_may_not_have_is_stale),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
