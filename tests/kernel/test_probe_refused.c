/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When there is no probe, or no longer. */
#include "kernel/test_probe.h"

#include <linux/capability.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static void drop_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};

	if (syscall(SYS_capset, &header, none) < 0)
		_exit(EXIT_FAILURE);
}

/* In a process of its own, for what is dropped does not come back. */
static int try_without_capabilities(void)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		nb_probe *probe = NULL;
		char *reason = NULL;

		drop_capabilities();
		if (nb_await_probe(&probe, &reason) != -EPERM || probe)
			_exit(1);
		if (!reason || !strstr(reason, "CAP_BPF") || strchr(reason, '\n'))
			_exit(2);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void without_capabilities_it_says_which_are_needed(void **state)
{
	(void)state;
	assert_int_equal(try_without_capabilities(), 0);
}

static nb_probe *new_probe(void)
{
	nb_probe *probe = NULL;

	assert_int_equal(nb_await_probe(&probe, NULL), 0);
	assert_int_equal(nb_probe_attach(probe), 0);
	nb_probe_measure(probe, true);
	return probe;
}

static uint32_t sum_softirqs(const nb_probe *probe)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < probe->n_cpus; i++)
		sum += probe->cpus[i].softirqs;
	return sum;
}

static void await_softirqs(const nb_probe *probe)
{
	uint32_t before = sum_softirqs(probe);

	await(sum_softirqs(probe) != before);
}

static void programs_that_count_are_well(void **state)
{
	g_autoptr(nb_probe) probe = new_probe();

	(void)state;
	await_softirqs(probe);
	assert_int_equal(nb_probe_check(probe), 0);
	await_softirqs(probe);
	assert_int_equal(nb_probe_check(probe), 0);
	assert_string_equal(nb_probe_flavour(probe), "tp_btf");
}

static void programs_that_were_taken_off_are_missed(void **state)
{
	g_autoptr(nb_probe) probe = new_probe();

	(void)state;
	await_softirqs(probe);
	for (unsigned i = 0; i < NB_PROBE_PROGRAMS; i++)
		assert_int_equal(dup2(STDIN_FILENO, probe->links[i]), probe->links[i]);
	assert_int_equal(nb_probe_check(probe), -EIO);
}

static uint64_t sum_user(const nb_probe *probe, const struct nb_probe_cpustat *stats)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < probe->n_cpus; i++)
		sum += stats[i].user_nsec;
	return sum;
}

/* Ticks and all: this loop is time that has to show. */
static void read_times_that_grow(nb_probe *probe, struct nb_probe_cpustat *stats)
{
	uint64_t first = sum_user(probe, stats);

	assert_true(first > 0);
	await(nb_probe_read_cpustat(probe, stats, probe->n_cpus) == 0 &&
	      sum_user(probe, stats) > first);
}

static void times_of_cpus_grow(void **state)
{
	nb_probe *probe = new_probe();
	struct nb_probe_cpustat *stats = g_new0(struct nb_probe_cpustat, probe->n_cpus);
	int r = nb_probe_read_cpustat(probe, stats, probe->n_cpus);

	(void)state;
	if (r == 0)
		read_times_that_grow(probe, stats);
	g_free(stats);
	nb_probe_free(probe);
	if (r == -EOPNOTSUPP)
		nb_skip("this kernel has no CONFIG_KALLSYMS_ALL");
	assert_int_equal(r, 0);
}

static void an_interrupt_keeps_its_counters(void **state)
{
	g_autoptr(nb_probe) probe = new_probe();
	const uint32_t irqs[] = {7, 9, 11};
	struct nb_probe_view view;
	int position;

	(void)state;
	assert_int_equal(nb_probe_find_irq(probe, 9), -1);
	assert_int_equal(nb_probe_set_scope(probe, NULL, 0, irqs, 3), 0);
	position = nb_probe_find_irq(probe, 9);
	nb_probe_view(probe, &view);
	assert_int_equal(view.n_irqs, 3);
	assert_int_equal(view.irqs[position].irq, 9);

	assert_int_equal(nb_probe_set_scope(probe, NULL, 0, irqs + 2, 1), 0);
	assert_int_equal(nb_probe_find_irq(probe, 9), -1);
	assert_true(nb_probe_find_irq(probe, 11) >= 0);
	assert_int_equal(nb_probe_set_scope(probe, NULL, 0, irqs, 3), 0);
	assert_int_equal(nb_probe_find_irq(probe, 9), position);
}

static void too_many_interrupts_are_refused(void **state)
{
	g_autoptr(nb_probe) probe = new_probe();
	g_autofree uint32_t *irqs = g_new0(uint32_t, NB_PROBE_IRQS_MAX + 1);

	(void)state;
	for (unsigned i = 0; i <= NB_PROBE_IRQS_MAX; i++)
		irqs[i] = 1000 + i;
	assert_int_equal(nb_probe_set_scope(probe, NULL, 0, irqs, NB_PROBE_IRQS_MAX), 0);
	assert_int_equal(nb_probe_set_scope(probe, NULL, 0, irqs, NB_PROBE_IRQS_MAX + 1), -ENOSPC);
	assert_int_equal(nb_probe_find_irq(probe, 1000), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_capabilities_it_says_which_are_needed),
		cmocka_unit_test(programs_that_count_are_well),
		cmocka_unit_test(programs_that_were_taken_off_are_missed),
		cmocka_unit_test(times_of_cpus_grow),
		cmocka_unit_test(an_interrupt_keeps_its_counters),
		cmocka_unit_test(too_many_interrupts_are_refused),
	};

	if (!can_probe())
		return NB_TEST_SKIPPED;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
