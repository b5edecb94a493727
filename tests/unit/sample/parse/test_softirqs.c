/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/parse/parse.h"
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

#define ZEROS6 "00000000 00000000 00000000 00000000 00000000 00000000 "

/* 13 columns as in 5.10. */
static const char good_softnet[] =
	"0000000a 0000000b 0000000c " ZEROS6 "0000000d 00000000 00000000 00000000\n"
	"ffffffff 00000001 00000002 " ZEROS6 "00000003 00000000 00000000 00000006\n";

static int parse_softnet(const char *text, struct nb_cpu_counters *cpus, unsigned n)
{
	return nb_parse_softnet(text, strlen(text), cpus, n);
}

static void rows_are_found_by_the_cpu_they_name(void **state)
{
	struct nb_cpu_counters cpus[] = {{.id = 0}, {.id = 6}};

	(void)state;
	assert_int_equal(parse_softnet(good_softnet, cpus, 2), 0);
	assert_int_equal(cpus[0].processed, 10);
	assert_int_equal(cpus[0].dropped, 11);
	assert_int_equal(cpus[0].squeezed, 12);
	assert_int_equal(cpus[0].received_rps, 13);
	assert_int_equal(cpus[1].processed, UINT32_MAX);
	assert_int_equal(cpus[1].received_rps, 3);
}

static void more_columns_are_welcome(void **state)
{
	struct nb_cpu_counters cpu = {.id = 1};

	(void)state;
	assert_int_equal(parse_softnet("00000001 00000002 00000003 " ZEROS6
				       "00000004 00000000 00000000 00000001 00000007 00000008\n",
				       &cpu, 1),
			 0);
	assert_int_equal(cpu.squeezed, 3);
	assert_int_equal(parse_softnet("1 2 9 0 0 0 0 0 0 4 0 0 1 0 0 0 new\n", &cpu, 1), 0);
	assert_int_equal(cpu.squeezed, 9);
}

static void digits_are_hex_in_either_case(void **state)
{
	struct nb_cpu_counters cpu = {.id = 0xa1};

	(void)state;
	assert_int_equal(parse_softnet("09afAF00 00000000 0000000a " ZEROS6
				       "00000000 00000000 00000000 000000A1\n",
				       &cpu, 1),
			 0);
	assert_int_equal(cpu.processed, 0x09afaf00);
	assert_int_equal(cpu.dropped, 0);
	assert_int_equal(cpu.squeezed, 10);
}

static void other_cpus_ask_for_a_rescan(void **state)
{
	struct nb_cpu_counters cpus[] = {{.id = 0}, {.id = 6}, {.id = 7}};
	struct nb_cpu_counters other[] = {{.id = 0}, {.id = 1}};

	(void)state;
	assert_int_equal(parse_softnet(good_softnet, cpus, 3), -ESTALE);
	assert_int_equal(parse_softnet(good_softnet, cpus, 1), -ESTALE);
	assert_int_equal(parse_softnet(good_softnet, other, 2), -ESTALE);
}

static void a_cut_text_is_never_good(void **state)
{
	(void)state;
	for (size_t len = 0; len < strlen(good_softnet); len++) {
		struct nb_cpu_counters cpus[] = {{.id = 0}, {.id = 6}};

		assert_true(nb_parse_softnet(good_softnet, len, cpus, 2) < 0);
	}
}

static void garbage_is_refused(void **state)
{
	static const char *const bad[] = {
		"\n",
		"1 2 3 0 0 0 0 0 0 4 0 0\n",
		"1 2 3 0 0 0 0 0 0 4 0 0 g\n",
		"100000000 2 3 0 0 0 0 0 0 4 0 0 0\n",
		"000000001 2 3 0 0 0 0 0 0 4 0 0 0\n",
		"00000000g 2 3 0 0 0 0 0 0 4 0 0 0\n",
		"1 2 3 00000000\t0 0 0 0 0 4 0 0 0\n",
		"0x1 2 3 0 0 0 0 0 0 4 0 0 0\n",
		"1,2 3 0 0 0 0 0 0 4 0 0 0 0\n",
	};

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(bad); i++) {
		struct nb_cpu_counters cpu = {.id = 0};

		assert_int_equal(parse_softnet(bad[i], &cpu, 1), -EBADMSG);
	}
}

struct kinds {
	unsigned n;
	unsigned cpus[8];
	uint32_t counts[8][_NB_SOFTIRQ_MAX];
};

static void note_kinds(unsigned cpu, const uint32_t counts[_NB_SOFTIRQ_MAX], void *userdata)
{
	struct kinds *kinds = userdata;

	kinds->cpus[kinds->n] = cpu;
	memcpy(kinds->counts[kinds->n++], counts, sizeof(kinds->counts[0]));
}

/* Those that this kernel does not have are 0. */
static void kinds_are_told_of_each_cpu(void **state)
{
	struct kinds kinds = {0};

	(void)state;
	assert_int_equal(nb_parse_softirq_kinds(good, strlen(good), note_kinds, &kinds), 0);
	assert_int_equal(kinds.n, 4);
	assert_int_equal(kinds.cpus[2], 4);
	assert_int_equal(kinds.counts[0][NB_SOFTIRQ_HI], 1);
	assert_int_equal(kinds.counts[1][NB_SOFTIRQ_HI], 0);
	assert_int_equal(kinds.counts[2][NB_SOFTIRQ_NET_RX], UINT32_MAX);
	assert_int_equal(kinds.counts[3][NB_SOFTIRQ_NET_TX], 4);
	assert_int_equal(kinds.counts[3][NB_SOFTIRQ_TASKLET], 0);
}

static void kinds_of_a_malformed_text_are_refused(void **state)
{
	static const char *const bad[] = {"",
					  "CPU0\nNET_RX: 1",
					  "CPU0\nNET_RX: x\n",
					  "CPU0 CPU1\nNET_RX: 1\n",
					  "CPU0\nNET_RX: 4294967296\n",
					  "CPU8192\nNET_RX: 1\n",
					  "0\nNET_RX: 1\n"};

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(bad); i++) {
		struct kinds kinds = {0};

		assert_int_equal(nb_parse_softirq_kinds(bad[i], strlen(bad[i]), note_kinds, &kinds),
				 -EBADMSG);
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
		cmocka_unit_test(kinds_are_told_of_each_cpu),
		cmocka_unit_test(kinds_of_a_malformed_text_are_refused),
		cmocka_unit_test(rows_are_found_by_the_cpu_they_name),
		cmocka_unit_test(more_columns_are_welcome),
		cmocka_unit_test(digits_are_hex_in_either_case),
		cmocka_unit_test(other_cpus_ask_for_a_rescan),
		cmocka_unit_test(a_cut_text_is_never_good),
		cmocka_unit_test(garbage_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
