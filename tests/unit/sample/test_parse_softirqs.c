/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/parse.h"
#include "support/support.h"

#include <errno.h>

static const char good[] = "                    CPU0       CPU1       CPU4       CPU5       \n"
			   "          HI:          1          0          0          0\n"
			   "      NET_TX:          1          2          3          4\n"
			   "      NET_RX:         10         20 4294967295         40\n"
			   "         RCU:          9          9          9          9\n";

static int parse(const char *text, struct nb_cpu_counters *cpus, unsigned n)
{
	return nb_parse_softirqs(text, strlen(text), cpus, n);
}

static void columns_are_found_by_their_cpu(void **state)
{
	struct nb_cpu_counters cpus[] = {{.id = 0}, {.id = 4}, {.id = 5}};

	(void)state;
	assert_int_equal(parse(good, cpus, 3), 0);
	assert_int_equal(cpus[0].net_rx, 10);
	assert_int_equal(cpus[0].net_tx, 1);
	assert_int_equal(cpus[1].net_rx, UINT32_MAX);
	assert_int_equal(cpus[1].net_tx, 3);
	assert_int_equal(cpus[2].net_rx, 40);
	assert_int_equal(cpus[2].net_tx, 4);
}

static void a_cpu_without_column_asks_for_a_rescan(void **state)
{
	struct nb_cpu_counters cpus[] = {{.id = 0}, {.id = 2}};

	(void)state;
	assert_int_equal(parse(good, cpus, 2), -ESTALE);
}

static void a_cut_text_is_bad_whatever_cpus_it_has(void **state)
{
	struct nb_cpu_counters cpu = {.id = 2};

	(void)state;
	assert_int_equal(parse("CPU0\nNET_TX: 1\nNET_RX: 1\nRCU: 1", &cpu, 1), -EBADMSG);
	assert_int_equal(parse("CPU0\nNET_TX: 1\nNET_RX: x\n", &cpu, 1), -EBADMSG);
}

static void rows_come_in_any_order(void **state)
{
	struct nb_cpu_counters cpu = {.id = 0};

	(void)state;
	assert_int_equal(parse("CPU0\nNET_RX: 2\nHI: 9\nNET_TX: 1\n", &cpu, 1), 0);
	assert_int_equal(cpu.net_rx, 2);
	assert_int_equal(cpu.net_tx, 1);
}

static void row_and_header_must_agree(void **state)
{
	struct nb_cpu_counters cpu = {.id = 0};

	(void)state;
	assert_int_equal(parse("CPU0 CPU1\nNET_TX: 1 2\nNET_RX: 1\n", &cpu, 1), -EBADMSG);
	assert_int_equal(parse("CPU0 CPU1\nNET_TX: 1 2\nNET_RX: 1 2 3\n", &cpu, 1), -EBADMSG);
	assert_int_equal(parse("CPU0 CPU1\nNET_TX: 1 2\nNET_RX: 1 x\n", &cpu, 1), -EBADMSG);
	assert_int_equal(parse("CPU0 CPU1\nNET_TX: 1\nNET_RX: 1 2\n", &cpu, 1), -EBADMSG);
	assert_int_equal(parse("CPU0\nNET_TX: 1 2\nNET_RX: 1\n", &cpu, 1), -EBADMSG);
	assert_int_equal(parse("CPU0\nNET_TX: 1\nNET_RX: 4294967296\n", &cpu, 1), -EBADMSG);
}

static void both_rows_must_be_there(void **state)
{
	struct nb_cpu_counters cpu = {.id = 0};

	(void)state;
	assert_int_equal(parse("CPU0\nNET_TX: 1\n", &cpu, 1), -EBADMSG);
	assert_int_equal(parse("CPU0\nNET_RX: 1\n", &cpu, 1), -EBADMSG);
	assert_int_equal(parse("CPU0\n", &cpu, 1), -EBADMSG);
	assert_int_equal(parse("", &cpu, 1), -EBADMSG);
	assert_int_equal(parse("XPU0\nNET_TX: 1\nNET_RX: 1\n", &cpu, 1), -EBADMSG);
}

static void a_text_cut_in_a_line_is_bad(void **state)
{
	(void)state;
	for (size_t len = 0; len < strlen(good); len++) {
		struct nb_cpu_counters cpus[] = {{.id = 0}, {.id = 4}, {.id = 5}};
		/* Cut between lines behind the two that count, nothing is missing. */
		bool whole = len > 0 && good[len - 1] == '\n' &&
			     len >= (size_t)(strstr(good, "         RCU") - good);

		assert_int_equal(nb_parse_softirqs(good, len, cpus, 3), whole ? 0 : -EBADMSG);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_found_by_their_cpu),
		cmocka_unit_test(a_cpu_without_column_asks_for_a_rescan),
		cmocka_unit_test(a_cut_text_is_bad_whatever_cpus_it_has),
		cmocka_unit_test(rows_come_in_any_order),
		cmocka_unit_test(row_and_header_must_agree),
		cmocka_unit_test(both_rows_must_be_there),
		cmocka_unit_test(a_text_cut_in_a_line_is_bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
