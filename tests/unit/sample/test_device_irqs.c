/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nicbalance/units.h"
#include "sample/device_irqs.h"
#include "unit/sample/machine.h"

#include <sys/stat.h>

#define SEC NB_NSEC_PER_SEC
#define N_IRQS 400u

/* eth0: 24 misc, 25 and 26 its queues. nvme1 of node 0: 27 admin, 28 to 31. */
struct fixture {
	char *dir;
	struct nb_sysroot *root;
	struct nb_device_irqs device_irqs;
	struct nb_scan *scan;
	const struct nb_device_rules *rules;
	uint32_t counts[N_IRQS];
};

static int set_up(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);

	f->dir =
		nb_machine("--cpus", "8", "--nodes", "2", "--nic", "eth0:ice:2:0", "--disk", "4:0");
	f->root = nb_machine_open(f->dir);
	nb_device_irqs_init(&f->device_irqs, f->root);
	assert_int_equal(nb_scan_new(f->root, NULL, NULL, NULL, 1, &f->scan), 0);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	nb_scan_unref(f->scan);
	nb_device_irqs_clear(&f->device_irqs);
	nb_sysroot_free(f->root);
	nb_tmp_remove(f->dir);
	g_free(f);
	return 0;
}

static const struct nb_machine *look(struct fixture *f, uint64_t now_nsec)
{
	g_autoptr(GString) text = g_string_new("cpu  1 1 1 1 1 1 1 1 0 0\nintr 5");

	for (unsigned i = 0; i < N_IRQS; i++)
		g_string_append_printf(text, " %u", f->counts[i]);
	g_string_append(text, "\nctxt 5\n");
	nb_tmp_write(f->dir, "proc/stat", text->str);
	nb_device_irqs_fill(&f->device_irqs, f->scan, f->rules, now_nsec);
	return &f->scan->machine;
}

static void write_irq(struct fixture *f, unsigned irq, const char *file, const char *text)
{
	g_autofree char *path = g_strdup_printf("proc/irq/%u/%s", irq, file);

	nb_tmp_write(f->dir, path, text);
}

static void those_that_came_are_told_with_their_rate_and_place(void **state)
{
	struct fixture *f = *state;
	const struct nb_machine *machine;

	write_irq(f, 29, "smp_affinity", "ff\n");
	write_irq(f, 29, "effective_affinity_list", "6\n");
	assert_int_equal(look(f, 100 * SEC)->n_device_irqs, 0);
	f->counts[28] = 59;
	f->counts[29] = 6000;
	machine = look(f, 160 * SEC);
	assert_int_equal(machine->n_device_irqs, 2);
	assert_int_equal(machine->device_irqs[0].irq, 28);
	assert_int_equal(machine->device_irqs[0].per_sec, 0);
	assert_int_equal(machine->device_irqs[0].cpu, 0);
	assert_int_equal(machine->device_irqs[0].n_allowed, 1);
	assert_int_equal(machine->device_irqs[1].irq, 29);
	assert_int_equal(machine->device_irqs[1].per_sec, 100);
	assert_int_equal(machine->device_irqs[1].cpu, 6);
	assert_int_equal(machine->device_irqs[1].n_allowed, 8);
	assert_int_equal(machine->device_irqs[1].node, 0);
	assert_true(machine->device_irqs[1].settable);
	assert_string_equal(machine->device_irqs[1].handlers, "nvme1q2");
	assert_string_equal(machine->device_irqs[1].device, "0001:01:00.0");
}

static void what_a_nic_has_is_left_out(void **state)
{
	struct fixture *f = *state;

	nb_tmp_write(f->dir, "sys/kernel/irq/50/actions", "eth0-mac\n");
	write_irq(f, 50, "smp_affinity", "ff\n");
	(void)look(f, 100 * SEC);
	for (unsigned irq = 24; irq <= 26; irq++)
		f->counts[irq] = 6000;
	f->counts[50] = 6000;
	assert_int_equal(look(f, 160 * SEC)->n_device_irqs, 0);
}

static void portals_are_told_from_other_interrupts(void **state)
{
	struct fixture *f = *state;
	const struct nb_machine *machine;

	nb_tmp_write(f->dir, "sys/kernel/irq/51/actions", "QMan portal 3\n");
	write_irq(f, 51, "smp_affinity", "08\n");
	nb_tmp_write(f->dir, "sys/kernel/irq/52/actions", "usdpaa_irq\n");
	write_irq(f, 52, "smp_affinity", "10\n");
	(void)look(f, 100 * SEC);
	f->counts[29] = f->counts[51] = f->counts[52] = 6000;
	machine = look(f, 160 * SEC);
	assert_int_equal(machine->n_device_irqs, 3);
	assert_false(machine->device_irqs[0].portal);
	assert_true(machine->device_irqs[1].portal);
	assert_int_equal(machine->device_irqs[1].cpu, 3);
	assert_true(machine->device_irqs[2].portal);
	/* One that is known already. */
	f->counts[51] = 12000;
	machine = look(f, 220 * SEC);
	assert_int_equal(machine->n_device_irqs, 1);
	assert_true(machine->device_irqs[0].portal);
}

static void one_without_handler_or_files_is_left_out(void **state)
{
	struct fixture *f = *state;

	nb_tmp_write(f->dir, "sys/kernel/irq/28/actions", "\n");
	(void)look(f, 100 * SEC);
	f->counts[28] = f->counts[399] = 6000;
	assert_int_equal(look(f, 160 * SEC)->n_device_irqs, 0);
	assert_int_equal(f->scan->machine.device_irqs_version, 1);
}

static void rules_count_for_rows_that_are_taken_over_too(void **state)
{
	struct fixture *f = *state;
	struct nb_interrupt_rule list[] = {
		{.match = (char *)"nvme1q2", .ignore = true},
		{.match = (char *)"driver:nvme"},
	};
	struct nb_device_rules rules = {.interrupts = {list, G_N_ELEMENTS(list)}};
	const struct nb_machine *machine;

	nb_cpumask_add(&list[1].cpus, 3);
	(void)look(f, 100 * SEC);
	f->counts[28] = f->counts[29] = 6000;
	machine = look(f, 160 * SEC);
	assert_true(machine->device_irqs[1].settable);
	assert_int_equal(machine->pools.n, 0);

	f->rules = &rules;
	machine = look(f, 161 * SEC);
	assert_int_equal(machine->n_device_irqs, 2);
	assert_true(machine->device_irqs[0].settable);
	assert_false(machine->device_irqs[1].settable);
	assert_int_equal(machine->pools.n, 1);
	assert_int_equal(nb_queue_key_compare(machine->pools.rows[0].key, nb_device_irq_key(28)),
			 0);
	assert_int_equal(machine->pools.rows[0].rule, NB_RULE_CONFIGURED);
	assert_true(nb_cpumask_has(&machine->pools.rows[0].cpus, 3));

	f->rules = NULL;
	machine = look(f, 162 * SEC);
	assert_true(machine->device_irqs[1].settable);
	assert_int_equal(machine->pools.n, 0);
}

static void a_look_too_soon_repeats_the_last(void **state)
{
	struct fixture *f = *state;

	(void)look(f, 100 * SEC);
	f->counts[28] = 6000;
	assert_int_equal(look(f, 160 * SEC)->device_irqs_version, 1);
	f->counts[29] = 6000;
	assert_int_equal(look(f, 165 * SEC)->device_irqs_version, 1);
	assert_int_equal(f->scan->machine.n_device_irqs, 1);
	assert_int_equal(look(f, 170 * SEC)->device_irqs_version, 2);
	assert_int_equal(f->scan->machine.n_device_irqs, 1);
	assert_int_equal(f->scan->machine.device_irqs[0].irq, 29);
	assert_int_equal(f->scan->machine.device_irqs[0].per_sec, 600);
}

/* The second went back: a device that came again. */
static void counts_may_wrap(void **state)
{
	struct fixture *f = *state;

	f->counts[28] = UINT32_MAX - 999;
	f->counts[29] = 5000;
	(void)look(f, 100 * SEC);
	f->counts[28] = 5000;
	f->counts[29] = 10;
	assert_int_equal(look(f, 160 * SEC)->n_device_irqs, 1);
	assert_int_equal(f->scan->machine.device_irqs[0].irq, 28);
	assert_int_equal(f->scan->machine.device_irqs[0].per_sec, 100);
}

static void only_the_busiest_of_thousands_are_looked_at(void **state)
{
	struct fixture *f = *state;

	for (unsigned irq = 60; irq < N_IRQS; irq++) {
		g_autofree char *path = g_strdup_printf("sys/kernel/irq/%u/actions", irq);

		nb_tmp_write(f->dir, path, "disk\n");
		write_irq(f, irq, "smp_affinity", "01\n");
	}
	(void)look(f, 100 * SEC);
	for (unsigned irq = 60; irq < N_IRQS; irq++)
		f->counts[irq] = irq;
	assert_int_equal(look(f, 160 * SEC)->n_device_irqs, 256);
	for (unsigned i = 0; i < 256; i++)
		assert_int_equal(f->scan->machine.device_irqs[i].irq, N_IRQS - 256 + i);
}

static void none_are_told_when_they_are_not_wanted(void **state)
{
	struct fixture *f = *state;

	(void)look(f, 100 * SEC);
	f->counts[28] = 6000;
	assert_int_equal(look(f, 160 * SEC)->n_device_irqs, 1);
	f->device_irqs.wanted = false;
	assert_int_equal(look(f, 170 * SEC)->n_device_irqs, 0);
	f->device_irqs.wanted = true;
	f->counts[28] = 12000;
	assert_int_equal(look(f, 180 * SEC)->n_device_irqs, 0);
	f->counts[28] = 18000;
	assert_int_equal(look(f, 240 * SEC)->n_device_irqs, 1);
	assert_int_equal(f->scan->machine.device_irqs[0].per_sec, 100);
}

static void one_that_the_kernel_manages_says_so_by_its_mode(void **state)
{
	struct fixture *f = *state;
	g_autofree char *path = g_build_filename(f->dir, "proc/irq/28/smp_affinity", NULL);

	assert_int_equal(chmod(path, 0444), 0);
	(void)look(f, 100 * SEC);
	f->counts[28] = 6000;
	assert_int_equal(look(f, 160 * SEC)->n_device_irqs, 1);
	assert_false(f->scan->machine.device_irqs[0].settable);
}

static void counts_that_cannot_be_read_change_nothing(void **state)
{
	struct fixture *f = *state;

	(void)look(f, 100 * SEC);
	f->counts[28] = 6000;
	(void)look(f, 160 * SEC);
	nb_tmp_write(f->dir, "proc/stat", "cpu  1 1 1\n");
	nb_device_irqs_fill(&f->device_irqs, f->scan, NULL, 220 * SEC);
	assert_int_equal(f->scan->machine.device_irqs_version, 1);
	assert_int_equal(f->scan->machine.n_device_irqs, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(those_that_came_are_told_with_their_rate_and_place),
		TEST(what_a_nic_has_is_left_out),
		TEST(portals_are_told_from_other_interrupts),
		TEST(one_without_handler_or_files_is_left_out),
		TEST(rules_count_for_rows_that_are_taken_over_too),
		TEST(a_look_too_soon_repeats_the_last),
		TEST(counts_may_wrap),
		TEST(only_the_busiest_of_thousands_are_looked_at),
		TEST(none_are_told_when_they_are_not_wanted),
		TEST(one_that_the_kernel_manages_says_so_by_its_mode),
		TEST(counts_that_cannot_be_read_change_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
