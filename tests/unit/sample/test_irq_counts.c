/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/irq_counts.h"
#include "unit/sample/machine.h"

#include <errno.h>

static void counts_of_several_interrupts_add_up(void **state)
{
	char *dir = nb_machine("holes");
	g_autoptr(nb_sysroot) root = nb_machine_open(dir);
	struct nb_cpumask possible = {.words = {0xff}};
	struct nb_irq_files files;
	struct nb_irq_counts counts;
	uint32_t sums[8] = {0};

	(void)state;
	nb_irq_files_init(&files, root);
	nb_irq_counts_init(&counts, &files, &possible);
	assert_int_equal(counts.n_cpus, 8);
	assert_int_equal(nb_irq_counts_add(&counts, 27, sums), 0);
	assert_int_equal(nb_irq_counts_add(&counts, 28, sums), 0);
	assert_int_equal(sums[0], 0);
	assert_int_equal(sums[3], 27000);
	assert_int_equal(sums[4], 28000);
	nb_irq_counts_clear(&counts);
	nb_irq_files_clear(&files);
	nb_tmp_remove(dir);
}

/* proc/interrupts has columns for online CPUs only: counts must land on the same CPUs. */
static void a_cut_list_is_looked_up_in_the_interrupts_file(void **state)
{
	char *dir = nb_machine("holes");
	g_autoptr(nb_sysroot) root = nb_machine_open(dir);
	struct nb_cpumask possible = {.words = {0xff}};
	struct nb_irq_files files;
	struct nb_irq_counts counts;
	uint32_t sums[8] = {0};

	(void)state;
	nb_tmp_write(dir, "sys/kernel/irq/28/per_cpu_count", "0,0,0,0,28");
	nb_irq_files_init(&files, root);
	nb_irq_counts_init(&counts, &files, &possible);
	assert_int_equal(nb_irq_counts_add(&counts, 28, sums), 0);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(sums[i], i == 4 ? 28000 : 0);
	assert_int_equal(nb_irq_counts_add(&counts, 99, sums), -ENOENT);
	nb_irq_counts_clear(&counts);
	nb_irq_files_clear(&files);
	nb_tmp_remove(dir);
}

static void a_malformed_interrupts_file_counts_for_nothing(void **state)
{
	char *dir = nb_machine("holes");
	g_autoptr(nb_sysroot) root = nb_machine_open(dir);
	struct nb_cpumask possible = {.words = {0xff}};
	struct nb_irq_files files;
	struct nb_irq_counts counts;
	uint32_t sums[8] = {0};

	(void)state;
	nb_tmp_write(dir, "sys/kernel/irq/28/per_cpu_count", "");
	nb_tmp_write(dir, "proc/interrupts", "CPU0 CPU1\n 28: 5 6 PCI-MSI 1-edge  x\n 29: 1\n");
	nb_irq_files_init(&files, root);
	nb_irq_counts_init(&counts, &files, &possible);
	assert_int_equal(nb_irq_counts_add(&counts, 28, sums), -ENOENT);
	assert_int_equal(sums[0], 0);
	nb_irq_counts_clear(&counts);
	nb_irq_files_clear(&files);
	nb_tmp_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_of_several_interrupts_add_up),
		cmocka_unit_test(a_cut_list_is_looked_up_in_the_interrupts_file),
		cmocka_unit_test(a_malformed_interrupts_file_counts_for_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
