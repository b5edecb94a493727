/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "apply/baseline_text.h"
#include "unit/apply/values.h"

#include <string.h>

#define HEADER "nicbalance baseline 1\n"

static struct nb_baseline *parse(const char *text, size_t len, char **ret_damaged)
{
	g_autoptr(GArray) damaged = g_array_new(FALSE, FALSE, sizeof(unsigned));
	struct nb_baseline *baseline = nb_baseline_parse(text, len, damaged);
	GString *numbers = g_string_new(NULL);

	for (unsigned i = 0; i < damaged->len; i++)
		g_string_append_printf(numbers, "%u;", g_array_index(damaged, unsigned, i));
	*ret_damaged = g_string_free(numbers, FALSE);
	return baseline;
}

static void assert_parses(const char *text, unsigned n_entries, const char *expected_damaged)
{
	g_autofree char *damaged = NULL;
	g_autoptr(nb_baseline) baseline = parse(text, strlen(text), &damaged);

	assert_int_equal(nb_baseline_count(baseline), n_entries);
	assert_string_equal(damaged, expected_damaged);
}

static void what_is_written_is_read_again(void **state)
{
	static const char text[] = HEADER "irq 40 ffffffff,ffffffff 00000001 "
					  "80000000,00000000 eth0 rxtx 1,other\n"
					  "rps 2 17 00000000 00000000 0000000c enp3s0f1\n"
					  "irq 41 0000000f 0000000f 00000001 eth0\t1@PCI-MSI X\n"
					  "irq 4294967295 0000000f 0000000f 00000001 \n"
					  "rss 2 default 0,2,0,2 1,1,1,1 enp3s0f1\n"
					  "threaded 2 0 0 1 enp3s0f1\n"
					  "threaded-queue 2 17 0 0 1 enp3s0f1\n"
					  "rfs 2 17 0 0 4096 enp3s0f1\n"
					  "rfs-host 1024 1024 32768 net.core\n"
					  "vmbus 2 3 1073741823 00000001 00000001 00000008 eth0\n";
	g_autofree char *damaged = NULL, *again = NULL;
	g_autoptr(nb_baseline) baseline = parse(text, strlen(text), &damaged);
	const struct nb_baseline_entry *entry;

	(void)state;
	assert_string_equal(damaged, "");
	again = nb_baseline_format(baseline);
	assert_string_equal(again, text);

	entry = nb_baseline_get(baseline, 0);
	assert_string_equal(entry->knob.name, "eth0 rxtx 1,other");
	assert_value(entry->before, "1");
	entry = nb_baseline_get(baseline, 1);
	assert_int_equal(entry->knob.queue.ifindex, 2);
	assert_int_equal(entry->knob.queue.index, 17);
	assert_value(entry->found, "0");
	assert_value(entry->ours, "c");
	/* As of an earlier version. */
	assert_null(nb_baseline_get(baseline, 0)->knob.vector);
	entry = nb_baseline_get(baseline, 2);
	assert_string_equal(entry->knob.name, "eth0");
	assert_string_equal(entry->knob.vector, "1@PCI-MSI X");
	assert_string_equal(nb_baseline_get(baseline, 3)->knob.name, "");
	entry = nb_baseline_get(baseline, 4);
	assert_int_equal(entry->knob.type, NB_KNOB_RSS);
	assert_int_equal(entry->knob.queue.ifindex, 2);
	assert_int_equal(g_bytes_get_size(entry->found), 0);
	assert_int_equal(g_bytes_get_size(entry->ours), 4 * sizeof(uint32_t));
	entry = nb_baseline_get(baseline, 6);
	assert_int_equal(entry->knob.type, NB_KNOB_NAPI);
	assert_int_equal(entry->knob.queue.index, 17);
	assert_int_equal(nb_value_number(entry->ours), 1);
	entry = nb_baseline_get(baseline, 8);
	assert_int_equal(entry->knob.type, NB_KNOB_RFS_HOST);
	assert_int_equal(nb_value_number(entry->found), 1024);
	assert_int_equal(nb_value_number(entry->ours), 32768);
	entry = nb_baseline_get(baseline, 9);
	assert_int_equal(entry->knob.type, NB_KNOB_VMBUS);
	assert_int_equal(entry->knob.queue.ifindex, 2);
	assert_int_equal(entry->knob.queue.index, 3);
	assert_int_equal(entry->knob.irq, NB_IRQ_CHANNEL | 1073741823);
	assert_value(entry->ours, "8");
}

static void a_mask_of_any_width_is_written_as_narrow_as_it_is(void **state)
{
	static const char text[] = HEADER "irq 40 00000000,0000000f f 1 eth0\n";
	g_autofree char *damaged = NULL, *again = NULL;
	g_autoptr(nb_baseline) baseline = parse(text, strlen(text), &damaged);

	(void)state;
	again = nb_baseline_format(baseline);
	assert_string_equal(again, HEADER "irq 40 0000000f 0000000f 00000001 eth0\n");
}

static void an_empty_ledger_is_its_header(void **state)
{
	g_autoptr(nb_baseline) baseline = nb_baseline_new();
	g_autofree char *text = nb_baseline_format(baseline);

	(void)state;
	assert_string_equal(text, HEADER);
	assert_parses(text, 0, "");
}

static void damaged_lines_are_numbered_and_the_rest_kept(void **state)
{
	(void)state;
	assert_parses(HEADER "irq 40 f f 1 eth0\n"
			     "irq forty f f 1 eth0\n"
			     "irq 41 f f 1 eth0\n"
			     "\n"
			     "rps 2 0 0 0 c eth0\n",
		      3, "3;5;");
}

static void each_kind_of_damage_is_seen(void **state)
{
	static const char *const lines[] = {
		"irq 40 f f 1",
		"irq 40 f f",
		"irq -1 f f 1 eth0",
		"irq 4294967296 f f 1 eth0",
		"irq  40 f f 1 eth0",
		"irq 40 0 f 1 eth0",
		"irq 40 f 0 1 eth0",
		"irq 40 f f 0 eth0",
		"irq 40 f f 0-3 eth0",
		"irq 40 f  1 eth0",
		"xps 2 f f 1 eth0",
		"threaded 2 0 0 eth0",
		"threaded 2 0 0 1 ..",
		"threaded 2 0 0 f eth0",
		"threaded 2 0 0 0 1 eth0",
		"threaded-queue 2 0 0 1 eth0",
		"threaded-queue 2 0 0 0 1 ..",
		"threaded-queue 2 4294967296 0 0 1 eth0",
		"rps 2 0 0 0 1",
		"rps 2 0 0 0 1 ",
		"rps 2 0 0 0 1 eth0 x",
		"rps 2 0 0 0 1 ..",
		"rps 2 0 0 0 1 ../../../etc",
		"rps 2 0 0 0 1 a/b",
		"rps 2 0 0 0 1 sixteen-letters-",
		"rps 2147483648 0 0 0 1 eth0",
		"rps 2 x 0 0 1 eth0",
		"rps 2 0 zero 0 1 eth0",
		"thread 2 f f 1 napi/eth0-8193\t4711",
		"thread 2 901 f f 1 napi/eth0-8193",
		"thread 2 901 f f 1 napi/eth0-8193\t",
		"thread 2 901 f f 1 napi/eth0-8193\tx",
		"thread 2 901 f f 1 ksoftirqd/0\t4711",
		"thread 2 901 f f 0 napi/eth0-8193\t4711",
		"thread 2 4294967296 f f 1 napi/eth0-8193\t4711",
		"rss 2 default default 0,0",
		"rss 2 default 0,0 eth0",
		"rss 2 default default 0,0 a/b",
		"rss 2 default default 0,,0 eth0",
		"rss x default default 0,0 eth0",
		"rss 2 ffff default 0,0 eth0",
		"vmbus 2 3 1 1 8 eth0",
		"vmbus 2 3 1073741824 1 1 8 eth0",
		"vmbus 2147483648 3 21 1 1 8 eth0",
		"vmbus 2 3 21 0 1 8 eth0",
		"vmbus 2 3 21 1 3 8 eth0",
		"vmbus 2 3 21 1 1 c eth0",
		"vmbus 2 3 21 1 1 8 a/b",
	};

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(lines); i++) {
		g_autofree char *text = g_strconcat(HEADER, lines[i], "\n", NULL);

		assert_parses(text, 0, "2;");
	}
}

static void a_second_line_for_one_knob_is_damage(void **state)
{
	(void)state;
	assert_parses(HEADER "irq 40 f f 1 eth0\nirq 40 c c 2 eth0\n", 1, "3;");
}

static void nothing_is_kept_of_another_version(void **state)
{
	(void)state;
	assert_parses("nicbalance baseline 2\nirq 40 f f 1 eth0\n", 0, "1;2;");
	assert_parses("irq 40 f f 1 eth0\n", 0, "1;");
	assert_parses("", 0, "1;");
}

static void a_text_cut_anywhere_never_invents_a_value(void **state)
{
	static const char text[] = HEADER "irq 40 0000000f 0000000f 00000001 eth0-12\n"
					  "rps 2 0 00000000 00000000 0000000c eth0\n";

	(void)state;
	for (size_t len = 0; len < strlen(text); len++) {
		g_autofree char *cut = g_strndup(text, len), *damaged = NULL, *again = NULL;
		g_autoptr(nb_baseline) baseline = parse(cut, len, &damaged);

		again = nb_baseline_format(baseline);
		if (nb_baseline_count(baseline) > 0)
			assert_true(g_str_has_prefix(text, again));
		if (len > 0 && cut[len - 1] != '\n')
			assert_string_not_equal(damaged, "");
	}
}

static void a_nul_in_a_line_is_damage(void **state)
{
	static const char text[] = HEADER "irq 40 f f 1 eth0\0x\nirq 41 f f 1 eth0\n";
	g_autofree char *damaged = NULL;
	g_autoptr(nb_baseline) baseline = parse(text, sizeof(text) - 1, &damaged);

	(void)state;
	assert_string_equal(damaged, "2;");
	assert_int_equal(nb_baseline_count(baseline), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read_again),
		cmocka_unit_test(a_mask_of_any_width_is_written_as_narrow_as_it_is),
		cmocka_unit_test(an_empty_ledger_is_its_header),
		cmocka_unit_test(damaged_lines_are_numbered_and_the_rest_kept),
		cmocka_unit_test(each_kind_of_damage_is_seen),
		cmocka_unit_test(a_second_line_for_one_knob_is_damage),
		cmocka_unit_test(nothing_is_kept_of_another_version),
		cmocka_unit_test(a_text_cut_anywhere_never_invents_a_value),
		cmocka_unit_test(a_nul_in_a_line_is_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
