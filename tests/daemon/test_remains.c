/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an order could not make leave, and why. */
#include "daemon/orders.h"

static void assert_remains(struct fixture *f, const struct nb_order_request *wanted,
			   const char *expected)
{
	g_autofree char *remains = order(f, wanted, NULL);

	if (!strstr(remains, expected))
		fail_msg("\"%s\" does not hold \"%s\"", remains, expected);
}

static unsigned n_lines(const char *text)
{
	unsigned n = *text != '\0';

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static void set_refused(struct fixture *f, unsigned queue)
{
	f->daemon->loop.memory.queues[queue].refused = true;
}

static void an_interrupt_that_the_kernel_holds_is_told(void **state)
{
	struct fixture *f = *state;
	g_autofree char *cpu = g_strdup_printf("%d", pointed_at(f, 37));
	g_autofree char *line =
		g_strdup_printf("lab0 queue 2 (IRQ 37) on CPU %s: %s", cpu, "the kernel");
	struct nb_order_request ban = ban_of(cpu);

	set_refused(f, 2);
	assert_remains(f, &ban, line);
}

static void a_claim_that_its_target_does_not_follow_is_told(void **state)
{
	struct fixture *f = *state;
	struct nb_order_request claim = claim_of("lab0:2", pointed_at(f, 37) == 5 ? "6" : "5");

	set_refused(f, 2);
	assert_remains(f, &claim, "lab0 queue 2 (IRQ 37) on CPU ");
}

/* Of a claim that is not exclusive. */
static void what_may_stay_is_not_told(void **state)
{
	struct fixture *f = *state;
	g_autofree char *cpu = g_strdup_printf("%d", pointed_at(f, 37));
	struct nb_order_request claim = claim_of("lab0:0", cpu);

	set_refused(f, 2);
	obeyed(f, &claim);
	claim.exclusive = true;
	assert_remains(f, &claim, "lab0 queue 2 (IRQ 37) on CPU ");
}

static void a_daemon_that_is_paused_says_so(void **state)
{
	struct fixture *f = *state;
	struct nb_order_request ban = ban_of("0-3");
	g_autofree char *remains = NULL;

	assert_int_equal(nb_daemon_set_paused(f->daemon, true), 0);
	remains = order(f, &ban, NULL);
	assert_int_equal(n_lines(remains), 4);
	assert_non_null(strstr(remains, "observe mode"));
	assert_int_equal(nb_daemon_set_paused(f->daemon, false), 0);
	/* What would have been written is tried again after a while. */
	for (unsigned i = 0; i < 10; i++)
		look(f);
	obeyed(f, &ban);
}

static void a_mask_of_another_program_is_told(void **state)
{
	struct fixture *f = *state;
	struct nb_order_request ban = ban_of("2-3");

	nb_tmp_write(f->options.root, "sys/class/net/lab0/queues/rx-0/rps_cpus", "18\n");
	f->daemon->rescan_wanted = true;
	look(f);
	assert_remains(f, &ban, "lab0 queue 0 RPS on CPU 3: another program put it there");
}

static void a_device_interrupt_leaves_or_is_told(void **state)
{
	struct fixture *f = *state;
	struct nb_order_request ban = ban_of("0"), claim = claim_of("27", "3");
	struct nb_device_irq_memory *memory;

	disk_interrupts_come(f);
	look(f);
	obeyed(f, &ban);
	assert_int_not_equal(pointed_at(f, 27), 0);
	memory = f->daemon->loop.memory.device_irqs;
	assert_int_equal(memory->irq, 27);
	memory->refused = true;
	claim.exclusive = true;
	assert_remains(f, &claim, "(IRQ 27) on CPU ");
}

static void a_host_that_cannot_be_sampled_tells_nothing_else(void **state)
{
	struct fixture *f = *state;
	struct nb_order_request ban = ban_of("0");

	nb_tmp_write(f->options.root, "proc/stat", "");
	assert_remains(f, &ban, "this host cannot be sampled at the moment");
}

/* As on a host with hundreds of managed ones. */
static void many_are_told_by_their_number(void **state)
{
	static struct nb_device_irq many[50];
	struct fixture *f = *state;
	struct nb_machine *machine = (struct nb_machine *)f->daemon->loop.snapshot->machine;
	struct nb_machine before = *machine;
	struct nb_order ban = {.owner = "operator"};
	g_autofree char *remains = NULL;

	for (unsigned i = 0; i < G_N_ELEMENTS(many); i++)
		many[i] = (struct nb_device_irq){.irq = 100 + i, .cpu = 1, .settable = i > 0};
	machine->device_irqs = many;
	machine->n_device_irqs = G_N_ELEMENTS(many);
	nb_cpumask_add(&ban.cpus, 1);
	remains = nb_daemon_remains(f->daemon, &ban);
	assert_int_equal(n_lines(remains), 21);
	assert_true(g_str_has_suffix(remains, " more"));
	*machine = before;
}

#define ON_MACHINE(test) cmocka_unit_test_setup_teardown(test, set_up_spread, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_MACHINE(an_interrupt_that_the_kernel_holds_is_told),
		ON_MACHINE(a_claim_that_its_target_does_not_follow_is_told),
		ON_MACHINE(what_may_stay_is_not_told),
		ON_MACHINE(a_daemon_that_is_paused_says_so),
		ON_MACHINE(a_mask_of_another_program_is_told),
		ON_MACHINE(a_device_interrupt_leaves_or_is_told),
		ON_MACHINE(a_host_that_cannot_be_sampled_tells_nothing_else),
		ON_MACHINE(many_are_told_by_their_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
