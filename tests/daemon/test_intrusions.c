/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interrupts and softirqs on CPUs that are excluded: counted, shown and told. */
#include "daemon/orders.h"

#define CONFIG "[Balance]\nBannedCPUs=6-7\n"
/* Of a disk. */
#define DISK_IRQ 27u

static int set_up_banned(void **state)
{
	int r = set_up_machine(state, CONFIG);

	return r < 0 ? r : start_daemon(*state);
}

static void wait_for(struct fixture *f, unsigned seconds)
{
	for (unsigned i = 0; i < seconds; i++)
		cycle(f);
}

/* By so many on a CPU, in the file of the interrupt and in the line of /proc/stat. */
static void interrupt(struct fixture *f, unsigned irq, unsigned cpu, unsigned n)
{
	g_autofree char *path = g_strdup_printf("sys/kernel/irq/%u/per_cpu_count", irq);
	g_autofree char *counts = nb_tmp_read(f->options.root, path);
	g_autofree char *stat = nb_tmp_read(f->options.root, "proc/stat");
	g_auto(GStrv) columns = g_strsplit(g_strchomp(counts), ",", -1);
	g_auto(GStrv) lines = g_strsplit(stat, "\n", -1);
	g_autofree char *joined = NULL, *text = NULL;

	for (char **column = columns; *column; column++) {
		char *old = *column;

		if (column - columns != cpu)
			continue;
		*column = g_strdup_printf("%llu", strtoull(old, NULL, 10) + n);
		g_free(old);
	}
	joined = g_strjoinv(",", columns);
	text = g_strconcat(joined, "\n", NULL);
	nb_tmp_write(f->options.root, path, text);
	for (char **line = lines; *line; line++) {
		g_auto(GStrv) words = NULL;
		char *old;

		if (!g_str_has_prefix(*line, "intr "))
			continue;
		words = g_strsplit(*line, " ", -1);
		/* "intr", the sum, and a number for each interrupt. */
		old = words[2 + irq];
		words[2 + irq] = g_strdup_printf("%llu", strtoull(old, NULL, 10) + n);
		g_free(old);
		g_free(*line);
		*line = g_strjoinv(" ", words);
	}
	g_free(text);
	text = g_strjoinv("\n", lines);
	nb_tmp_write(f->options.root, "proc/stat", text);
}

static const struct nb_intrusion *intrusion(const struct fixture *f, unsigned i)
{
	assert_true(i < f->daemon->intrusions.rows->len);
	return &g_array_index(f->daemon->intrusions.rows, struct nb_intrusion, i);
}

static unsigned n_intrusions(const struct fixture *f)
{
	return f->daemon->intrusions.rows->len;
}

static void a_cpu_without_interrupts_is_shown_to_have_none(void **state)
{
	struct fixture *f = *state;

	wait_for(f, 60);
	assert_int_equal(n_intrusions(f), 0);
	assert_int_equal(f->daemon->intrusions.cpus->len, 2);
	for (unsigned i = 0; i < 2; i++) {
		const struct nb_excluded_cpu *cpu =
			&g_array_index(f->daemon->intrusions.cpus, struct nb_excluded_cpu, i);

		assert_int_equal(cpu->cpu, 6 + i);
		assert_true(cpu->counted_nsec > 0);
		assert_int_equal(cpu->count, 0);
	}
}

static void interrupts_on_other_cpus_are_none_of_them(void **state)
{
	struct fixture *f = *state;

	wait_for(f, 10);
	interrupt(f, DISK_IRQ, 5, 100);
	wait_for(f, 30);
	assert_int_equal(n_intrusions(f), 0);
}

static void one_on_an_excluded_cpu_is_counted_with_its_name(void **state)
{
	struct fixture *f = *state;

	wait_for(f, 10);
	interrupt(f, DISK_IRQ, 7, 3);
	interrupt(f, FIRST_IRQ, 6, 2);
	wait_for(f, 15);
	assert_int_equal(n_intrusions(f), 2);
	assert_int_equal(intrusion(f, 0)->cpu, 6);
	assert_int_equal(intrusion(f, 0)->number, FIRST_IRQ);
	assert_string_equal(intrusion(f, 0)->handlers, "lab0-TxRx-0");
	assert_int_equal(intrusion(f, 0)->count, 2);
	assert_int_equal(intrusion(f, 1)->cpu, 7);
	assert_int_equal(intrusion(f, 1)->count, 3);
	assert_int_equal(intrusion(f, 1)->leaving, 0);
}

static void a_softirq_is_counted_too(void **state)
{
	struct fixture *f = *state;
	g_autofree char *text = nb_tmp_read(f->options.root, "proc/softirqs");
	g_auto(GStrv) parts = NULL;
	g_autofree char *later = NULL;

	wait_for(f, 10);
	parts = g_strsplit(text, " 4334\n", 2);
	later = g_strjoinv(" 4341\n", parts);
	assert_string_not_equal(text, later);
	nb_tmp_write(f->options.root, "proc/softirqs", later);
	wait_for(f, 15);
	assert_int_equal(n_intrusions(f), 1);
	assert_int_equal(intrusion(f, 0)->source, NB_SOURCE_SOFTIRQ);
	assert_int_equal(intrusion(f, 0)->number, NB_SOFTIRQ_NET_RX);
	assert_int_equal(intrusion(f, 0)->cpu, 7);
	assert_int_equal(intrusion(f, 0)->count, 7);
}

/* Until the moment of the ban they were where they may be, and then for two seconds on their way.
 */
static void what_comes_around_a_ban_does_not_count(void **state)
{
	struct nb_order_request ban = ban_of("3");
	struct fixture *f = *state;

	wait_for(f, 20);
	interrupt(f, DISK_IRQ, 3, 1000);
	obeyed(f, &ban);
	wait_for(f, 1);
	interrupt(f, DISK_IRQ, 3, 5);
	wait_for(f, 15);
	assert_int_equal(n_intrusions(f), 1);
	assert_int_equal(intrusion(f, 0)->leaving, 5);
	assert_int_equal(intrusion(f, 0)->count, 0);
	interrupt(f, DISK_IRQ, 3, 2);
	wait_for(f, 15);
	assert_int_equal(intrusion(f, 0)->leaving, 5);
	assert_int_equal(intrusion(f, 0)->count, 2);
}

static void what_has_claimed_its_cpu_is_shown_as_allowed(void **state)
{
	struct nb_order_request claim = claim_of("lab0:2", "3");
	struct fixture *f = *state;

	claim.exclusive = true;
	wait_for(f, 20);
	obeyed(f, &claim);
	wait_for(f, 15);
	interrupt(f, FIRST_IRQ + 2, 3, 500);
	interrupt(f, DISK_IRQ, 3, 1);
	wait_for(f, 15);
	assert_int_equal(n_intrusions(f), 2);
	assert_int_equal(intrusion(f, 0)->number, DISK_IRQ);
	assert_int_equal(intrusion(f, 0)->count, 1);
	assert_int_equal(intrusion(f, 1)->allowed, 500);
	assert_int_equal(intrusion(f, 1)->count, 0);
}

/* Ten minutes with an interrupt in each ten seconds. */
static void intrude(struct fixture *f)
{
	for (unsigned i = 0; i < 60; i++) {
		interrupt(f, DISK_IRQ, 6, 1);
		wait_for(f, 10);
	}
}

static void wait_for_an_hour(struct fixture *f)
{
	f->now_nsec += 3600 * NB_NSEC_PER_SEC;
	wait_for(f, 15);
}

static void a_cpu_is_told_once_an_hour(void **state)
{
	struct fixture *f = *state;
	g_autofree char *first = NULL, *second = NULL, *third = NULL;

	wait_for(f, 10);
	first = said_by(intrude, f);
	assert_int_equal(count_in(first, "softirqs on CPU 6, which is banned by the configuration"),
			 1);
	assert_int_equal(count_in(first, " of IRQ 27 ("), 1);
	assert_int_equal(count_in(first, "softirqs on CPU 7"), 0);
	second = said_by(intrude, f);
	assert_int_equal(count_in(second, "softirqs on CPU 6"), 0);
	third = said_by(wait_for_an_hour, f);
	assert_int_equal(count_in(third, "softirqs on CPU 6"), 1);
}

/* Nothing to keep free, nothing to read. */
static void without_excluded_cpus_nothing_is_read(void **state)
{
	struct fixture *f = *state;

	wait_for(f, 30);
	assert_int_equal(f->daemon->intrusions.read_nsec, 0);
	assert_int_equal(f->daemon->intrusions.cpus->len, 0);
}

static int set_up_plain(void **state)
{
	int r = set_up_machine(state, "");

	return r < 0 ? r : start_daemon(*state);
}

#define BANNED(test) cmocka_unit_test_setup_teardown(test, set_up_banned, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BANNED(a_cpu_without_interrupts_is_shown_to_have_none),
		BANNED(interrupts_on_other_cpus_are_none_of_them),
		BANNED(one_on_an_excluded_cpu_is_counted_with_its_name),
		BANNED(a_softirq_is_counted_too),
		BANNED(what_comes_around_a_ban_does_not_count),
		BANNED(what_has_claimed_its_cpu_is_shown_as_allowed),
		BANNED(a_cpu_is_told_once_an_hour),
		cmocka_unit_test_setup_teardown(without_excluded_cpus_nothing_is_read, set_up_plain,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
