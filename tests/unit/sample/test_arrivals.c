/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/arrivals.h"

#include "base/cpumask_text.h"
#include "nicbalance/units.h"
#include "unit/sample/machine.h"

#include <errno.h>
#include <string.h>

#define SEC NB_NSEC_PER_SEC
#define N_IRQS 30u
#define N_CPUS 4u

/* eth0: 24 misc, 25 and 26 its queues; 27 to 29 are free. */
struct fixture {
	char *dir;
	struct nb_sysroot *root;
	struct nb_scan *scan;
	struct nb_irq_files files;
	struct nb_arrivals_reader reader;
	struct nb_cpumask cpus;
	uint32_t irqs[N_IRQS][N_CPUS];
	uint32_t softirqs[_NB_SOFTIRQ_MAX][N_CPUS];
	uint64_t now_nsec;
	struct nb_arrivals arrivals;
};

static int set_up(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);

	f->dir = nb_machine("--cpus", "4", "--nic", "eth0:ice:2:0");
	f->root = nb_machine_open(f->dir);
	nb_irq_files_init(&f->files, f->root);
	nb_arrivals_reader_init(&f->reader, f->root);
	assert_int_equal(nb_scan_new(f->root, NULL, NULL, NULL, 1, &f->scan), 0);
	nb_cpumask_add(&f->cpus, 2);
	nb_cpumask_add(&f->cpus, 3);
	f->now_nsec = 100 * SEC;
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	nb_scan_unref(f->scan);
	nb_arrivals_reader_clear(&f->reader);
	nb_irq_files_clear(&f->files);
	nb_sysroot_free(f->root);
	nb_tmp_remove(f->dir);
	g_free(f);
	return 0;
}

static uint32_t total(const struct fixture *f, unsigned irq)
{
	uint32_t sum = 0;

	for (unsigned cpu = 0; cpu < N_CPUS; cpu++)
		sum += f->irqs[irq][cpu];
	return sum;
}

static void write_irq(struct fixture *f, unsigned irq, const char *file, const char *text)
{
	g_autofree char *path = g_strdup_printf(
		"%s/%u/%s", strstr(file, "affinity") ? "proc/irq" : "sys/kernel/irq", irq, file);

	nb_tmp_write(f->dir, path, text);
}

static void write_stat(struct fixture *f)
{
	g_autoptr(GString) stat = g_string_new("cpu  1 1 1 1 1 1 1 1 0 0\nintr 5");

	for (unsigned irq = 0; irq < N_IRQS; irq++)
		g_string_append_printf(stat, " %u", total(f, irq));
	g_string_append(stat, "\nctxt 5\n");
	nb_tmp_write(f->dir, "proc/stat", stat->str);
}

static void write_softirqs(struct fixture *f)
{
	static const char *const names[] = {"HI",    "NET_TX",   "NET_RX",
					    "BLOCK", "IRQ_POLL", "TASKLET"};
	g_autoptr(GString) text = g_string_new("  CPU0 CPU1 CPU2 CPU3\n");

	for (unsigned kind = 0; kind < _NB_SOFTIRQ_MAX; kind++)
		g_string_append_printf(text, "%s: %u %u %u %u\n", names[kind], f->softirqs[kind][0],
				       f->softirqs[kind][1], f->softirqs[kind][2],
				       f->softirqs[kind][3]);
	g_string_append(text, "TIMER: 1 2 3 4\n");
	nb_tmp_write(f->dir, "proc/softirqs", text->str);
}

static int try_to_read(struct fixture *f)
{
	f->now_nsec += 10 * SEC;
	return nb_arrivals_read(&f->reader, &f->files, f->scan, &f->cpus, f->now_nsec,
				&f->arrivals);
}

/* What is counted on this machine from now on. */
static void read_again(struct fixture *f)
{
	write_stat(f);
	write_softirqs(f);
	for (unsigned irq = 24; irq < N_IRQS; irq++) {
		const uint32_t *row = f->irqs[irq];
		g_autofree char *counts =
			g_strdup_printf("%u,%u,%u,%u\n", row[0], row[1], row[2], row[3]);

		write_irq(f, irq, "per_cpu_count", counts);
	}
	assert_int_equal(try_to_read(f), 0);
}

static void assert_row(const struct fixture *f, unsigned i, unsigned cpu, enum nb_source source,
		       uint32_t number, uint32_t count)
{
	assert_true(i < f->arrivals.n);
	assert_int_equal(f->arrivals.rows[i].cpu, cpu);
	assert_int_equal(f->arrivals.rows[i].source, source);
	assert_int_equal(f->arrivals.rows[i].number, number);
	assert_int_equal(f->arrivals.rows[i].count, count);
}

static void the_first_reading_tells_nothing(void **state)
{
	struct fixture *f = *state;

	f->irqs[25][2] = 7;
	f->softirqs[NB_SOFTIRQ_NET_RX][2] = 7;
	read_again(f);
	assert_int_equal(f->arrivals.n, 0);
	assert_int_equal(f->arrivals.since_nsec, 0);
	assert_int_equal(f->arrivals.read_nsec, f->now_nsec);
}

static void what_came_to_these_cpus_since_is_told(void **state)
{
	struct fixture *f = *state;

	f->irqs[25][2] = 7;
	read_again(f);
	f->irqs[25][2] += 3;
	f->irqs[25][1] += 5;
	f->irqs[26][3] += 1;
	f->softirqs[NB_SOFTIRQ_TASKLET][3] += 2;
	f->softirqs[NB_SOFTIRQ_NET_RX][0] += 2;
	read_again(f);
	assert_int_equal(f->arrivals.n, 3);
	assert_row(f, 0, 3, NB_SOURCE_SOFTIRQ, NB_SOFTIRQ_TASKLET, 2);
	assert_row(f, 1, 2, NB_SOURCE_IRQ, 25, 3);
	assert_string_equal(f->arrivals.rows[1].handlers, "ice-eth0-TxRx-0");
	assert_row(f, 2, 3, NB_SOURCE_IRQ, 26, 1);
	assert_int_equal(f->arrivals.since_nsec, f->now_nsec - 10 * SEC);
	read_again(f);
	assert_int_equal(f->arrivals.n, 0);
}

/* What a CPU had is known whether it was asked for or not. */
static void other_cpus_may_be_asked_for_each_time(void **state)
{
	struct fixture *f = *state;

	f->irqs[25][1] = 7;
	read_again(f);
	nb_cpumask_add(&f->cpus, 1);
	f->irqs[25][1] += 2;
	read_again(f);
	assert_int_equal(f->arrivals.n, 1);
	assert_row(f, 0, 1, NB_SOURCE_IRQ, 25, 2);
}

/* Its file says something else, and is not looked at. */
static void an_interrupt_that_did_not_come_is_not_read(void **state)
{
	struct fixture *f = *state;

	f->irqs[25][2] = 7;
	read_again(f);
	write_irq(f, 25, "per_cpu_count", "0,0,9,9\n");
	assert_int_equal(try_to_read(f), 0);
	assert_int_equal(f->arrivals.n, 0);
	assert_int_equal(f->arrivals.n_files, 0);
	f->irqs[25][2]++;
	read_again(f);
	assert_int_equal(f->arrivals.n, 1);
	assert_int_equal(f->arrivals.n_files, 3);
}

static void counts_wrap(void **state)
{
	struct fixture *f = *state;

	f->irqs[25][2] = UINT32_MAX - 1;
	read_again(f);
	f->irqs[25][2] += 5;
	read_again(f);
	assert_row(f, 0, 2, NB_SOURCE_IRQ, 25, 5);
}

static void a_number_that_another_interrupt_got_begins_with_0(void **state)
{
	struct fixture *f = *state;

	f->irqs[25][2] = 1000;
	read_again(f);
	f->irqs[25][2] = 4;
	read_again(f);
	assert_row(f, 0, 2, NB_SOURCE_IRQ, 25, 4);
	f->irqs[25][2] = 0;
	read_again(f);
	assert_int_equal(f->arrivals.n, 0);
	f->irqs[25][2] = 6;
	read_again(f);
	assert_row(f, 0, 2, NB_SOURCE_IRQ, 25, 6);
}

static void one_that_is_new_counts_from_its_first_time_on(void **state)
{
	struct fixture *f = *state;

	read_again(f);
	f->irqs[29][3] = 1;
	read_again(f);
	assert_int_equal(f->arrivals.n, 1);
	assert_row(f, 0, 3, NB_SOURCE_IRQ, 29, 1);
	assert_string_equal(f->arrivals.rows[0].handlers, "");
}

/* As the timer of arm64, which has a number. */
static void one_that_each_cpu_has_by_itself_is_left_out(void **state)
{
	struct fixture *f = *state;

	write_irq(f, 28, "effective_affinity_list", "\n");
	write_irq(f, 29, "effective_affinity_list", "2\n");
	read_again(f);
	f->irqs[28][2] = f->irqs[28][3] = f->irqs[29][2] = 9;
	read_again(f);
	assert_int_equal(f->arrivals.n, 1);
	assert_row(f, 0, 2, NB_SOURCE_IRQ, 29, 9);
}

static void what_a_reading_that_failed_did_not_tell_the_next_one_does(void **state)
{
	struct fixture *f = *state;
	uint64_t first_nsec;

	read_again(f);
	first_nsec = f->now_nsec;
	f->irqs[25][2] += 3;
	f->softirqs[NB_SOFTIRQ_NET_RX][2] += 4;
	write_stat(f);
	nb_tmp_write(f->dir, "proc/softirqs", "CPU0\nNET_RX: x\n");
	assert_int_equal(try_to_read(f), -EBADMSG);
	nb_tmp_write(f->dir, "proc/stat", "cpu  1\n");
	assert_int_equal(try_to_read(f), -EBADMSG);
	read_again(f);
	assert_int_equal(f->arrivals.n, 2);
	assert_row(f, 0, 2, NB_SOURCE_SOFTIRQ, NB_SOFTIRQ_NET_RX, 4);
	assert_row(f, 1, 2, NB_SOURCE_IRQ, 25, 3);
	assert_int_equal(f->arrivals.since_nsec, first_nsec);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_first_reading_tells_nothing),
		TEST(what_came_to_these_cpus_since_is_told),
		TEST(other_cpus_may_be_asked_for_each_time),
		TEST(an_interrupt_that_did_not_come_is_not_read),
		TEST(counts_wrap),
		TEST(a_number_that_another_interrupt_got_begins_with_0),
		TEST(one_that_is_new_counts_from_its_first_time_on),
		TEST(one_that_each_cpu_has_by_itself_is_left_out),
		TEST(what_a_reading_that_failed_did_not_tell_the_next_one_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
