/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/irq_files.h"
#include "unit/sample/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct fixture {
	char *dir;
	struct nb_sysroot *root;
	struct nb_irq_files files;
};

/* The machine "holes": interrupts 24 to 28. */
static int setup(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);

	f->dir = nb_machine("holes");
	f->root = nb_machine_open(f->dir);
	nb_irq_files_init(&f->files, f->root);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	nb_irq_files_clear(&f->files);
	nb_sysroot_free(f->root);
	nb_tmp_remove(f->dir);
	g_free(f);
	return 0;
}

static void assert_reads(struct fixture *f, enum nb_irq_file file, uint32_t irq,
			 const char *expected)
{
	assert_int_equal(nb_irq_files_read(&f->files, file, irq), 0);
	assert_string_equal(f->files.text->str, expected);
}

static void each_interrupt_has_its_own_files(void **state)
{
	struct fixture *f = *state;

	assert_reads(f, NB_IRQ_AFFINITY, 25, "00000001\n");
	assert_reads(f, NB_IRQ_AFFINITY, 27, "00000008\n");
	assert_reads(f, NB_IRQ_EFFECTIVE, 27, "3\n");
	assert_reads(f, NB_IRQ_COUNTS, 27, "0,0,0,27000,0,0,0,0\n");
	assert_int_equal(nb_irq_files_read(&f->files, NB_IRQ_AFFINITY, 99), -ENOENT);
}

static void files_of_a_captured_machine_may_be_replaced(void **state)
{
	struct fixture *f = *state;

	assert_reads(f, NB_IRQ_AFFINITY, 25, "00000001\n");
	nb_tmp_write(f->dir, "proc/irq/25/smp_affinity", "00000010\n");
	assert_reads(f, NB_IRQ_AFFINITY, 25, "00000010\n");
	assert_int_equal(g_hash_table_size(f->files.kept), 0);
}

static void the_mode_says_what_may_be_set(void **state)
{
	struct fixture *f = *state;
	g_autofree char *path = g_build_filename(f->dir, "proc/irq/25/smp_affinity", NULL);

	assert_true(nb_irq_files_is_settable(&f->files, 25));
	assert_int_equal(chmod(path, 0444), 0);
	assert_false(nb_irq_files_is_settable(&f->files, 25));
	assert_false(nb_irq_files_is_settable(&f->files, 99));
}

static void a_channel_has_files_of_its_own(void **state)
{
	struct fixture *f = *state;
	uint32_t irq = NB_IRQ_CHANNEL | 25;
	struct nb_nic nic = {.ifindex = 3, .name = "eth0"};
	struct nb_queue queue = {.key = {3, 0}, .n_irqs = 1, .irqs = {irq}};
	const struct nb_machine machine = {
		.nics = &nic, .n_nics = 1, .queues = &queue, .n_queues = 1};
	struct nb_cpumask cpus;

	nb_tmp_write(f->dir, "sys/class/net/eth0/device/channels/25/cpu", "11\n");
	nb_tmp_write(f->dir, "sys/class/net/eth0/device/channels/25/interrupts", "4711\n");
	assert_int_equal(nb_irq_files_read(&f->files, NB_IRQ_AFFINITY, irq), -ENOENT);
	nb_irq_files_keep(&f->files, &machine);
	assert_reads(f, NB_IRQ_AFFINITY, irq, "11\n");
	assert_reads(f, NB_IRQ_EFFECTIVE, irq, "11\n");
	assert_reads(f, NB_IRQ_COUNTS, irq, "4711\n");
	assert_int_equal(nb_irq_files_read(&f->files, NB_IRQ_HINT, irq), -ENOENT);
	assert_int_equal(nb_irq_files_read_cpus(&f->files, NB_IRQ_AFFINITY, irq, &cpus), 0);
	assert_int_equal(nb_cpumask_only(&cpus), 11);
	assert_true(nb_irq_files_is_settable(&f->files, irq));
	assert_reads(f, NB_IRQ_AFFINITY, 25, "00000001\n");
	nb_irq_files_keep(&f->files, &(struct nb_machine){});
	assert_int_equal(nb_irq_files_read(&f->files, NB_IRQ_AFFINITY, irq), -ENOENT);
	assert_false(nb_irq_files_is_settable(&f->files, irq));
}

/* An interrupt of this host, or 0. */
static uint32_t any_irq(void)
{
	g_autoptr(GDir) dir = g_dir_open("/proc/irq", 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_strdup_printf("/proc/irq/%s/smp_affinity", name);

		if (g_ascii_isdigit(*name) && access(path, R_OK) == 0)
			return (uint32_t)strtoul(name, NULL, 10);
	}
	return 0;
}

static bool is_writable_file(uint32_t irq)
{
	g_autofree char *path = g_strdup_printf("/proc/irq/%u/smp_affinity", irq);
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_mode & S_IWUSR;
}

static void those_of_the_host_are_kept_as_long_as_their_queue(void **state)
{
	g_autoptr(nb_sysroot) root = NULL;
	uint32_t irq = any_irq();
	struct nb_queue queue = {.n_irqs = 1, .irqs = {irq}};
	g_autofree char *first = NULL;
	struct nb_irq_files files;

	(void)state;
	if (irq == 0)
		skip();
	assert_int_equal(nb_sysroot_open(NULL, &root), 0);
	nb_irq_files_init(&files, root);
	assert_int_equal(nb_irq_files_read(&files, NB_IRQ_AFFINITY, irq), 0);
	first = g_strdup(files.text->str);
	assert_int_equal(nb_irq_files_is_settable(&files, irq), is_writable_file(irq));
	assert_true(strlen(first) > 0);
	assert_int_equal(g_hash_table_size(files.kept), 1);
	assert_int_equal(nb_irq_files_read(&files, NB_IRQ_AFFINITY, irq), 0);
	assert_string_equal(files.text->str, first);

	nb_irq_files_keep(&files, &(struct nb_machine){.queues = &queue, .n_queues = 1});
	assert_int_equal(g_hash_table_size(files.kept), 1);
	nb_irq_files_keep(&files, &(struct nb_machine){});
	assert_int_equal(g_hash_table_size(files.kept), 0);
	nb_irq_files_clear(&files);
}

/* A file that the kernel has removed answers EIO, and so does the memory at address 0. */
static void spoil(const struct nb_irq_files *files)
{
	int fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	GHashTableIter iter;
	gpointer kept;

	assert_true(fd >= 0);
	g_hash_table_iter_init(&iter, files->kept);
	while (g_hash_table_iter_next(&iter, NULL, &kept))
		assert_int_equal(dup2(fd, GPOINTER_TO_INT(kept)), GPOINTER_TO_INT(kept));
	close(fd);
}

static void one_that_was_removed_is_gone_until_it_is_opened_anew(void **state)
{
	g_autoptr(nb_sysroot) root = NULL;
	uint32_t irq = any_irq();
	struct nb_irq_files files;

	(void)state;
	if (irq == 0)
		skip();
	assert_int_equal(nb_sysroot_open(NULL, &root), 0);
	nb_irq_files_init(&files, root);
	assert_int_equal(nb_irq_files_read(&files, NB_IRQ_AFFINITY, irq), 0);
	spoil(&files);
	assert_int_equal(nb_irq_files_read(&files, NB_IRQ_AFFINITY, irq), -ENOENT);
	assert_int_equal(nb_irq_files_read(&files, NB_IRQ_AFFINITY, irq), 0);
	nb_irq_files_clear(&files);
}

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
#define claim(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		claim(each_interrupt_has_its_own_files),
		claim(files_of_a_captured_machine_may_be_replaced),
		claim(the_mode_says_what_may_be_set),
		claim(a_channel_has_files_of_its_own),
		claim(those_of_the_host_are_kept_as_long_as_their_queue),
		claim(one_that_was_removed_is_gone_until_it_is_opened_anew),
		cmocka_unit_test(counts_of_several_interrupts_add_up),
		cmocka_unit_test(a_cut_list_is_looked_up_in_the_interrupts_file),
		cmocka_unit_test(a_malformed_interrupts_file_counts_for_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
