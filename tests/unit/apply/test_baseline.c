/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "apply/baseline.h"
#include "unit/apply/values.h"

static struct nb_knob irq_knob(uint32_t irq, const char *handlers)
{
	return (struct nb_knob){.type = NB_KNOB_IRQ, .irq = irq, .name = (char *)handlers};
}

static void assert_entry(const struct nb_baseline *baseline, const struct nb_knob *knob,
			 const char *found, const char *before, const char *ours)
{
	const struct nb_baseline_entry *entry = nb_baseline_lookup(baseline, knob);

	assert_non_null(entry);
	assert_value(entry->found, found);
	assert_value(entry->before, before);
	assert_value(entry->ours, ours);
}

static void claim(struct nb_baseline *baseline, const struct nb_knob *knob, const char *now,
		  const char *ours)
{
	g_autoptr(GBytes) now_value = value_of(now), ours_value = value_of(ours);

	nb_baseline_claim(baseline, knob, now_value, ours_value);
}

static void settle(struct nb_baseline *baseline, const struct nb_knob *knob, const char *holds)
{
	g_autoptr(GBytes) value = value_of(holds);

	nb_baseline_settle(baseline, knob, value);
}

static bool is_ours(const struct nb_baseline_entry *entry, const char *now)
{
	g_autoptr(GBytes) value = value_of(now);

	return nb_baseline_entry_is_ours(entry, value);
}

static void found_stays_the_first_value(void **state)
{
	g_autoptr(nb_baseline) baseline = nb_baseline_new();
	struct nb_knob knob = irq_knob(40, "eth0-0");

	(void)state;
	claim(baseline, &knob, "f", "1");
	assert_entry(baseline, &knob, "f", "f", "1");
	settle(baseline, &knob, "1");
	claim(baseline, &knob, "1", "2");
	assert_entry(baseline, &knob, "f", "1", "2");
	settle(baseline, &knob, "2");
	claim(baseline, &knob, "00000002", "4");
	assert_entry(baseline, &knob, "f", "00000002", "4");
	assert_int_equal(nb_baseline_count(baseline), 1);
}

static void a_pending_move_that_the_kernel_dropped_does_not_lose_what_was_found(void **state)
{
	g_autoptr(nb_baseline) baseline = nb_baseline_new();
	struct nb_knob knob = irq_knob(40, "eth0-0");

	(void)state;
	claim(baseline, &knob, "f", "1");
	claim(baseline, &knob, "1", "2");
	claim(baseline, &knob, "1", "4");
	assert_entry(baseline, &knob, "f", "1", "4");
	claim(baseline, &knob, "f", "8");
	assert_entry(baseline, &knob, "f", "f", "8");
}

static void what_someone_else_wrote_is_found_anew(void **state)
{
	g_autoptr(nb_baseline) baseline = nb_baseline_new();
	struct nb_knob knob = irq_knob(40, "eth0-0");

	(void)state;
	claim(baseline, &knob, "f", "1");
	claim(baseline, &knob, "c", "2");
	assert_entry(baseline, &knob, "c", "c", "2");
}

static void a_reused_number_is_found_anew(void **state)
{
	g_autoptr(nb_baseline) baseline = nb_baseline_new();
	struct nb_knob knob = irq_knob(40, "eth0-0"), other = irq_knob(40, "nvme0q1");

	(void)state;
	claim(baseline, &knob, "f", "1");
	claim(baseline, &other, "1", "2");
	assert_entry(baseline, &knob, "1", "1", "2");
	assert_string_equal(nb_baseline_lookup(baseline, &knob)->knob.name, "nvme0q1");
}

static void a_renamed_interface_keeps_its_entry(void **state)
{
	g_autoptr(nb_baseline) baseline = nb_baseline_new();
	struct nb_knob knob = {.type = NB_KNOB_RPS, .queue = {2, 0}, .name = (char *)"eth0"};

	(void)state;
	claim(baseline, &knob, "0", "c");
	knob.name = (char *)"lan0";
	claim(baseline, &knob, "c", "e");
	assert_entry(baseline, &knob, "0", "c", "e");
	assert_string_equal(nb_baseline_lookup(baseline, &knob)->knob.name, "lan0");
}

static void handlers_that_are_away_do_not_lose_their_name(void **state)
{
	g_autoptr(nb_baseline) baseline = nb_baseline_new();
	struct nb_knob knob = irq_knob(40, "eth0-0"), down = irq_knob(40, "");

	(void)state;
	claim(baseline, &knob, "f", "1");
	claim(baseline, &down, "1", "2");
	assert_entry(baseline, &knob, "f", "1", "2");
	assert_string_equal(nb_baseline_lookup(baseline, &knob)->knob.name, "eth0-0");
}

static void a_refused_first_write_leaves_no_entry(void **state)
{
	g_autoptr(nb_baseline) baseline = nb_baseline_new();
	struct nb_knob knob = irq_knob(40, "eth0-0");

	(void)state;
	claim(baseline, &knob, "f", "1");
	settle(baseline, &knob, "f");
	assert_null(nb_baseline_lookup(baseline, &knob));
	assert_int_equal(nb_baseline_count(baseline), 0);
	settle(baseline, &knob, "1");
	assert_int_equal(nb_baseline_count(baseline), 0);
}

static void a_refused_later_write_leaves_the_one_before_it_ours(void **state)
{
	g_autoptr(nb_baseline) baseline = nb_baseline_new();
	struct nb_knob knob = irq_knob(40, "eth0-0");

	(void)state;
	claim(baseline, &knob, "f", "1");
	settle(baseline, &knob, "1");
	claim(baseline, &knob, "1", "2");
	settle(baseline, &knob, "1");
	assert_value(nb_baseline_lookup(baseline, &knob)->ours, "1");
	assert_value(nb_baseline_lookup(baseline, &knob)->found, "f");
}

static void a_knob_moved_back_to_what_was_found_is_not_ours(void **state)
{
	g_autoptr(nb_baseline) baseline = nb_baseline_new();
	struct nb_knob knob = irq_knob(40, "eth0-0");

	(void)state;
	claim(baseline, &knob, "00000000,00000008", "1");
	settle(baseline, &knob, "1");
	claim(baseline, &knob, "1", "8");
	settle(baseline, &knob, "8");
	assert_int_equal(nb_baseline_count(baseline), 0);
}

static void both_masks_of_the_last_write_are_ours(void **state)
{
	g_autoptr(GBytes) found = value_of("f"), before = value_of("1"), ours = value_of("2");
	struct nb_baseline_entry entry = {.found = found, .before = before, .ours = ours};

	(void)state;
	assert_true(is_ours(&entry, "00000001"));
	assert_true(is_ours(&entry, "00000002"));
	assert_false(is_ours(&entry, "4"));
	assert_false(is_ours(&entry, "f"));
}

static void keeps_the_order_of_first_writes(void **state)
{
	g_autoptr(nb_baseline) baseline = nb_baseline_new();

	(void)state;
	for (uint32_t irq = 50; irq > 40; irq--) {
		struct nb_knob knob = irq_knob(irq, "eth0");

		claim(baseline, &knob, "f", "1");
	}
	for (uint32_t irq = 41; irq <= 50; irq += 2) {
		struct nb_knob odd = irq_knob(irq, "eth0"), even = irq_knob(irq + 1, "eth0");

		nb_baseline_forget(baseline, &odd);
		claim(baseline, &even, "1", "2");
	}
	assert_int_equal(nb_baseline_count(baseline), 5);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(nb_baseline_get(baseline, i)->knob.irq, 50 - 2 * i);
}

static void one_entry_a_knob(void **state)
{
	g_autoptr(nb_baseline) baseline = nb_baseline_new();
	g_autoptr(GBytes) found = value_of("f"), ours = value_of("1");
	struct nb_baseline_entry entry = {irq_knob(40, "eth0"), found, found, ours};

	(void)state;
	assert_true(nb_baseline_add(baseline, &entry));
	assert_false(nb_baseline_add(baseline, &entry));
	assert_int_equal(nb_baseline_count(baseline), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(found_stays_the_first_value),
		cmocka_unit_test(
			a_pending_move_that_the_kernel_dropped_does_not_lose_what_was_found),
		cmocka_unit_test(what_someone_else_wrote_is_found_anew),
		cmocka_unit_test(a_reused_number_is_found_anew),
		cmocka_unit_test(a_renamed_interface_keeps_its_entry),
		cmocka_unit_test(handlers_that_are_away_do_not_lose_their_name),
		cmocka_unit_test(a_refused_first_write_leaves_no_entry),
		cmocka_unit_test(a_refused_later_write_leaves_the_one_before_it_ours),
		cmocka_unit_test(a_knob_moved_back_to_what_was_found_is_not_ours),
		cmocka_unit_test(both_masks_of_the_last_write_are_ours),
		cmocka_unit_test(keeps_the_order_of_first_writes),
		cmocka_unit_test(one_entry_a_knob),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
