/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/device_irq_memory.h"
#include "base/memory.h"
#include "support/support.h"

static struct nb_device_irq other_of(uint32_t irq, const char *handlers)
{
	struct nb_device_irq other = {.irq = irq, .cpu = 0, .n_allowed = 1, .settable = true};

	g_strlcpy(other.handlers, handlers, sizeof(other.handlers));
	return other;
}

static void entries_are_found_by_number_in_any_order(void **state)
{
	g_auto(nb_memory) memory = {};
	static const uint32_t irqs[] = {40, 12, 99, 41};

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(irqs); i++) {
		struct nb_device_irq other = other_of(irqs[i], "ahci");

		nb_device_irq_memory_adopt(&memory, &other, i);
	}
	assert_int_equal(memory.n_device_irqs, 4);
	for (unsigned i = 0; i < G_N_ELEMENTS(irqs); i++)
		assert_int_equal(nb_device_irq_memory_find(&memory, irqs[i])->expected_cpu, i);
	assert_null(nb_device_irq_memory_find(&memory, 13));
	assert_null(nb_device_irq_memory_find(&memory, 100));
}

static void an_entry_is_made_once_and_expects_nothing(void **state)
{
	g_auto(nb_memory) memory = {};
	struct nb_device_irq other = other_of(40, "ahci");

	(void)state;
	assert_int_equal(nb_device_irq_memory_get(&memory, &other)->expected_cpu, -1);
	nb_device_irq_memory_get(&memory, &other)->refused = true;
	assert_int_equal(memory.n_device_irqs, 1);
	assert_true(nb_device_irq_memory_find(&memory, 40)->refused);
}

/* Of 40 another driver has the number, 41 is silent, 42 came again. */
static void a_number_used_again_is_forgotten(void **state)
{
	g_auto(nb_memory) memory = {.generation = 1};
	struct nb_device_irq before[] = {other_of(40, "ahci"), other_of(41, "xhci_hcd"),
					 other_of(42, "mpt3sas0-msix3")};
	struct nb_device_irq now[] = {other_of(40, "nvme0q1"), other_of(42, "mpt3sas0-msix3")};
	struct nb_machine machine = {.generation = 2, .device_irqs = now, .n_device_irqs = 2};

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(before); i++)
		nb_device_irq_memory_adopt(&memory, &before[i], 3);
	nb_memory_sync(&memory, &(struct nb_snapshot){.machine = &machine});
	assert_null(nb_device_irq_memory_find(&memory, 40));
	assert_int_equal(nb_device_irq_memory_find(&memory, 41)->expected_cpu, 3);
	assert_int_equal(nb_device_irq_memory_find(&memory, 42)->expected_cpu, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_are_found_by_number_in_any_order),
		cmocka_unit_test(an_entry_is_made_once_and_expects_nothing),
		cmocka_unit_test(a_number_used_again_is_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
