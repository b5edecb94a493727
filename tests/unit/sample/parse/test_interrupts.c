/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/parse/parse.h"
#include "support/support.h"

#include <errno.h>

static const char good[] =
	"            CPU0       CPU2       CPU3       \n"
	"   1:          9          0          7   IO-APIC   1-edge      i8042\n"
	"  24:          1          2 4294967295   Hyper-V PCIe MSI 12-edge      nvme0q1\n"
	"  25:          0          0          0     GICv3  35 Level     QMan portal 0\n"
	"  26:          0          5          0   PCI-MSIX-0000:00:03.0   0-edge      virtio0-input.0, "
	"other\n"
	"  27:          3          0          0   PCI-MSI 0-edge    \n"
	" NMI:          0          0          0   Non-maskable interrupts\n"
	" ERR:          0\n";

/* "irq:name:sum" of every row. */
static void note(const struct nb_interrupt_row *row, void *userdata)
{
	uint64_t sum = 0;

	assert_int_equal(row->n_counts, 3);
	assert_int_equal(row->cpus[1], 2);
	for (unsigned i = 0; i < row->n_counts; i++)
		sum += row->counts[i];
	g_string_append_printf(userdata, "%u:%.*s:%" G_GUINT64_FORMAT "\n", row->irq,
			       (int)row->actions_len, row->actions, sum);
}

static int parse(const char *text, size_t len, GString *notes)
{
	g_string_truncate(notes, 0);
	return nb_parse_interrupts(text, len, note, notes);
}

static void names_are_found_behind_any_chip(void **state)
{
	g_autoptr(GString) notes = g_string_new(NULL);

	(void)state;
	assert_int_equal(parse(good, strlen(good), notes), 0);
	assert_string_equal(notes->str, "1:i8042:16\n"
					"24:nvme0q1:4294967298\n"
					"25:QMan portal 0:0\n"
					"26:virtio0-input.0, other:5\n"
					"27::3\n");
}

static void a_row_of_more_or_fewer_cpus_is_bad(void **state)
{
	g_autoptr(GString) notes = g_string_new(NULL);
	static const char *const bad[] = {
		"CPU0 CPU2 CPU3\n1: 1 2\n",
		"CPU0 CPU2 CPU3\n1: 1 2 PCI-MSI 1-edge  eth0\n",
		"CPU0 CPU2 CPU3\n1: 1 2 3 4 PCI-MSI 1-edge  eth0\n",
		"CPU0 CPU2 CPU3\n1: 1 2 4294967296 PCI-MSI 1-edge  eth0\n",
	};

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(bad); i++)
		assert_int_equal(parse(bad[i], strlen(bad[i]), notes), -EBADMSG);
}

static void the_header_must_name_ascending_cpus(void **state)
{
	g_autoptr(GString) notes = g_string_new(NULL);
	static const char *const bad[] = {"",         "\n",        "CPU1 CPU0\n", "CPU0 CPU0\n",
					  "CPU0 X\n", "CPU0 CPU2", "0 1\n"};

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(bad); i++)
		assert_int_equal(parse(bad[i], strlen(bad[i]), notes), -EBADMSG);
}

static void a_line_that_is_cut_is_bad(void **state)
{
	g_autoptr(GString) notes = g_string_new(NULL);

	(void)state;
	for (size_t len = 1; len < strlen(good); len++)
		assert_int_equal(parse(good, len, notes), good[len - 1] == '\n' ? 0 : -EBADMSG);
}

static int parse_counts(const char *text, uint32_t *counts, unsigned n)
{
	return nb_parse_cpu_counts(text, strlen(text), counts, n);
}

static void reads_one_count_for_each_possible_cpu(void **state)
{
	uint32_t counts[3];

	(void)state;
	assert_int_equal(parse_counts("1,4294967295,0\n", counts, 3), 0);
	assert_int_equal(counts[0], 1);
	assert_int_equal(counts[1], UINT32_MAX);
	assert_int_equal(counts[2], 0);
}

static void refuses_any_other_number_of_counts(void **state)
{
	uint32_t counts[3];

	(void)state;
	assert_int_equal(parse_counts("1,2\n", counts, 3), -EBADMSG);
	assert_int_equal(parse_counts("1,2,3,4\n", counts, 3), -EBADMSG);
	assert_int_equal(parse_counts("", counts, 3), -EBADMSG);
	assert_int_equal(parse_counts("1,,3\n", counts, 3), -EBADMSG);
	assert_int_equal(parse_counts("1, 2,3\n", counts, 3), -EBADMSG);
	assert_int_equal(parse_counts("1,2,4294967296\n", counts, 3), -EBADMSG);
}

/* A page of counts ends without newline, in the middle of a number perhaps. */
static void a_list_cut_at_a_page_is_refused(void **state)
{
	uint32_t counts[512];
	g_autoptr(GString) text = g_string_new("4000000000");

	(void)state;
	for (unsigned i = 1; i < G_N_ELEMENTS(counts); i++)
		g_string_append(text, ",4000000000");
	g_string_append(text, "\n");
	assert_int_equal(parse_counts(text->str, counts, 512), 0);
	g_string_truncate(text, 4095);
	assert_int_equal(parse_counts(text->str, counts, 512), -EBADMSG);
	/* Even where the cut falls on the last digit of the last count. */
	assert_int_equal(parse_counts("1,2,3", counts, 3), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_found_behind_any_chip),
		cmocka_unit_test(a_row_of_more_or_fewer_cpus_is_bad),
		cmocka_unit_test(the_header_must_name_ascending_cpus),
		cmocka_unit_test(a_line_that_is_cut_is_bad),
		cmocka_unit_test(reads_one_count_for_each_possible_cpu),
		cmocka_unit_test(refuses_any_other_number_of_counts),
		cmocka_unit_test(a_list_cut_at_a_page_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
