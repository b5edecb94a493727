/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the methods and properties say of a known status. */
#include "bus/client.h"
#include "version.h"

#include "config/config.h"

struct fixture {
	struct server server;
	sd_bus *bus;
};

static int set_up(void **state, const char *const *options)
{
	struct fixture *fixture = g_new0(struct fixture, 1);

	server_start(&fixture->server, options);
	fixture->bus = connect_private(fixture->server.socket);
	*state = fixture;
	return 0;
}

static int with_status(void **state)
{
	return set_up(state, NULL);
}

static int timed(void **state)
{
	return set_up(state, (const char *const[]){"--full", NULL});
}

static int without_status(void **state)
{
	return set_up(state, (const char *const[]){"--empty", NULL});
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	sd_bus_close_unref(fixture->bus);
	server_stop(&fixture->server);
	g_free(fixture);
	return 0;
}

static sd_bus *bus_of(void **state)
{
	struct fixture *fixture = *state;

	return fixture->bus;
}

static void assert_text(void **state, const char *property, const char *expected)
{
	/* libsystemd allocates it. */
	char *text = get_text(bus_of(state), property);

	assert_string_equal(text, expected);
	free(text);
}

static uint64_t get_number(void **state, const char *property, char type)
{
	union {
		uint64_t u64;
		uint32_t u32;
		int boolean;
	} value = {0};

	assert_true(sd_bus_get_property_trivial(bus_of(state), NB_BUS_NAME, NB_BUS_PATH,
						NB_BUS_INTERFACE, property, NULL, type,
						&value) >= 0);
	return type == 't' ? value.u64 : type == 'u' ? value.u32 : (uint64_t)value.boolean;
}

static void properties_tell_how_the_daemon_stands(void **state)
{
	assert_text(state, "Version", NB_VERSION);
	assert_text(state, "Mode", "balance");
	assert_text(state, "Grade", "estimated");
	assert_text(state, "GradeReason", "the kernel has no BTF");
	assert_text(state, "Accounting", "tick");
	assert_text(state, "Verdict", "balancing");
	assert_text(state, "VerdictText", "queues move off a hot CPU (CPU 0 at 93 %, mean 24 %)");
	assert_text(state, "OnlineCPUs", "0-7");
	assert_text(state, "EligibleCPUs", "0-5");
	assert_text(state, "IsolatedCPUs", "7");
	assert_text(state, "BannedCPUs", "6");
	assert_int_equal(get_number(state, "Paused", 'b'), 0);
	assert_int_equal(get_number(state, "Cycles", 't'), 3600);
	assert_int_equal(get_number(state, "CpuTimeNSec", 't'), 1234567890);
	assert_int_equal(get_number(state, "ProbeCostNSec", 't'), 0);
	assert_int_equal(get_number(state, "StartedUSec", 't'), UINT64_C(1767225600000000));
	assert_int_equal(get_number(state, "WindowNSec", 't'), 1000000000);
	assert_int_equal(get_number(state, "NoisePermyriad", 'u'), 120);
	assert_int_equal(get_number(state, "HotPermyriad", 'u'), 7000);
}

/* Enters the next row and reads the start of it. */
#define READ_ROW(reply, signature, ...)                                                 \
	do {                                                                            \
		assert_true(sd_bus_message_enter_container(reply, 'r', signature) > 0); \
		assert_true(sd_bus_message_read(reply, __VA_ARGS__) > 0);               \
	} while (0)

static sd_bus_message *open_rows(void **state, const char *method, const char *signature)
{
	g_autofree char *contents = g_strdup_printf("(%s)", signature);
	sd_bus_message *reply = ask(bus_of(state), method);

	assert_true(sd_bus_message_enter_container(reply, 'a', contents) > 0);
	return reply;
}

static void a_cpu_tells_its_load_split_in_two_and_why_it_is_special(void **state)
{
	g_autoptr(sd_bus_message) reply = open_rows(state, "ListCpus", NB_BUS_CPU);
	static const char *const notes[] = {"", "", "no-vector", "", "", "", "banned", "isolated"};
	static const unsigned n_queues[] = {2, 0, 0, 1, 0, 0, 0, 0};

	for (unsigned i = 0; i < 8; i++) {
		uint32_t id, core, llc, busy, queues, rest, unused, dropped, squeezed, n;
		const char *note;
		int node;

		READ_ROW(reply, NB_BUS_CPU, NB_BUS_CPU, &id, &core, &llc, &node, &busy, &queues,
			 &rest, &unused, &unused, &unused, &dropped, &squeezed, &n, &note);
		assert_int_equal(sd_bus_message_exit_container(reply), 1);
		assert_int_equal(id, i);
		assert_int_equal(node, (int)i / 4);
		assert_int_equal(busy, queues + rest);
		assert_int_equal(n, n_queues[i]);
		assert_string_equal(note, notes[i]);
		if (i == 0) {
			assert_int_equal(queues, 8710);
			assert_int_equal(dropped, 3);
			assert_int_equal(squeezed, 17);
		}
	}
	assert_true(sd_bus_message_at_end(reply, false));
}

static void a_nic_names_its_master_and_how_its_queues_were_found(void **state)
{
	g_autoptr(sd_bus_message) reply = open_rows(state, "ListNics", NB_BUS_NIC);
	const char *name, *driver, *master, *scope, *mapping, *packets;
	uint32_t n_rx, n_tx, n_queues, n_slow;
	int ifindex, node;

	assert_int_equal(sd_bus_message_skip(reply, "(" NB_BUS_NIC ")"), 1);
	READ_ROW(reply, NB_BUS_NIC, NB_BUS_NIC, &ifindex, &name, &driver, &node, &master, &scope,
		 &mapping, &packets, &n_rx, &n_tx, &n_queues, &n_slow);
	assert_int_equal(ifindex, 2);
	assert_string_equal(name, "eth0");
	assert_string_equal(driver, "igb");
	assert_string_equal(master, "bond0");
	assert_string_equal(scope, "in");
	assert_string_equal(mapping, "names");
	assert_string_equal(packets, "ethtool");
	assert_int_equal(n_queues, 4);
	assert_int_equal(n_slow, 1);
}

static void a_queue_tells_where_it_is_and_what_was_done_with_it(void **state)
{
	g_autoptr(sd_bus_message) reply = open_rows(state, "ListQueues", NB_BUS_QUEUE);
	static const struct {
		int cpu;
		const char *rps, *note;
		unsigned n_irqs;
	} expected[] = {
		{0, "2-3", "moved", 1},
		{0, "", "yielded", 2},
		{3, "", "refused", 1},
		{-1, "", "no-interrupt,fresh", 0},
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(expected); i++) {
		uint32_t index, cost, threaded;
		uint64_t rx, tx, interrupts;
		const char *name, *rps, *note;
		const void *irqs;
		size_t size;
		int ifindex, has_rx, has_tx, cpu, saturated;

		READ_ROW(reply, NB_BUS_QUEUE, "isubb", &ifindex, &name, &index, &has_rx, &has_tx);
		assert_true(sd_bus_message_read_array(reply, 'u', &irqs, &size) >= 0);
		assert_true(sd_bus_message_read(reply, "iuubtttss", &cpu, &cost, &threaded,
						&saturated, &rx, &tx, &interrupts, &rps,
						&note) > 0);
		assert_int_equal(sd_bus_message_exit_container(reply), 1);
		assert_string_equal(name, "eth0");
		assert_int_equal(index, i);
		assert_int_equal(size / sizeof(uint32_t), expected[i].n_irqs);
		assert_int_equal(cpu, expected[i].cpu);
		assert_string_equal(rps, expected[i].rps);
		assert_string_equal(note, expected[i].note);
		assert_false(saturated);
		assert_int_equal(threaded, 0);
	}
}

static void timed_queues_tell_of_threads_and_saturation(void **state)
{
	g_autoptr(sd_bus_message) reply = open_rows(state, "ListQueues", NB_BUS_QUEUE);

	assert_text(state, "Grade", "measured");
	assert_int_equal(get_number(state, "ProbeCostNSec", 't'), 987654321);
	for (unsigned i = 0; i < 3; i++) {
		uint32_t cost, threaded;
		int cpu, saturated;

		assert_true(sd_bus_message_enter_container(reply, 'r', NB_BUS_QUEUE) > 0);
		assert_true(sd_bus_message_skip(reply, "isubbau") > 0);
		assert_true(sd_bus_message_read(reply, "iuub", &cpu, &cost, &threaded, &saturated) >
			    0);
		assert_true(sd_bus_message_skip(reply, "tttss") > 0);
		assert_int_equal(sd_bus_message_exit_container(reply), 1);
		assert_int_equal(saturated, i == 0);
		assert_int_equal(threaded, i == 2 ? 1234 : 0);
	}
}

static void a_move_is_told_in_words_and_in_numbers(void **state)
{
	g_autoptr(sd_bus_message) reply = open_rows(state, "ListMoves", NB_BUS_MOVE);
	const char *event, *reason, *outcome, *effect, *name, *from, *to, *what, *why, *result;
	uint32_t queue, cost, before, predicted, measured;
	int ifindex, cpu_from, cpu_to;
	uint64_t when;

	READ_ROW(reply, NB_BUS_MOVE, "tssssisu", &when, &event, &reason, &outcome, &effect,
		 &ifindex, &name, &queue);
	assert_int_equal(sd_bus_message_skip(reply, "au"), 1);
	assert_true(sd_bus_message_read(reply, "iissuuuusss", &cpu_from, &cpu_to, &from, &to, &cost,
					&before, &predicted, &measured, &what, &why, &result) > 0);
	assert_string_equal(event, "moved");
	assert_string_equal(reason, "collapsed");
	assert_string_equal(effect, "worked");
	assert_int_equal(cpu_from, 1);
	assert_int_equal(cpu_to, 0);
	assert_int_equal(measured, 5300);
	assert_string_equal(what, "eth0 queue 0 (IRQ 40): CPU 1 → CPU 0");
	assert_string_equal(result, "polled on the new CPU (53 % measured)");
}

static void what_others_did_has_no_reason_of_ours(void **state)
{
	g_autoptr(sd_bus_message) reply = open_rows(state, "ListMoves", NB_BUS_MOVE);
	const char *event, *reason;
	uint64_t when;

	assert_int_equal(sd_bus_message_skip(reply, "(" NB_BUS_MOVE ")(" NB_BUS_MOVE ")"), 1);
	READ_ROW(reply, NB_BUS_MOVE, "tss", &when, &event, &reason);
	assert_string_equal(event, "yielded");
	assert_string_equal(reason, "");
}

static void whatever_is_left_alone_is_listed_with_the_reason(void **state)
{
	g_autoptr(sd_bus_message) reply = open_rows(state, "ListExcluded", NB_BUS_EXCLUDED);
	static const char *const expected[][3] = {
		{"nic", "lo", "virtual"},
		{"nic", "eth1", "down"},
		{"nic", "bond0", "stacked"},
		{"queue", "eth0 queue 1 (IRQ 41, 42)", "yielded"},
		{"queue", "eth0 queue 2 (IRQ 43)", "refused"},
		{"queue", "eth0 queue 3", "no-interrupt"},
		{"queue", "eth0 queue 3 RPS", "yielded"},
		{"cpu", "7", "domain"},
		{"cpu", "6", "banned"},
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(expected); i++) {
		const char *kind, *what, *word, *why;

		assert_true(sd_bus_message_read(reply, "(" NB_BUS_EXCLUDED ")", &kind, &what, &word,
						&why) > 0);
		assert_string_equal(kind, expected[i][0]);
		assert_string_equal(what, expected[i][1]);
		assert_string_equal(word, expected[i][2]);
		assert_true(strlen(why) > 5);
	}
	assert_true(sd_bus_message_at_end(reply, false));
}

static void the_plan_has_its_verdict_its_numbers_and_what_it_wants(void **state)
{
	g_autoptr(sd_bus_message) reply = ask(bus_of(state), "Plan");
	const char *verdict, *text, *name, *reason, *why, *from, *to;
	uint32_t hottest, mean, gain, queue, cpu_to, cost, before, after, to_before, to_after;
	int cpu, ifindex, cpu_from;

	assert_true(sd_bus_message_has_signature(reply, NB_BUS_PLAN));
	assert_true(sd_bus_message_read(reply, "ssiuuu", &verdict, &text, &cpu, &hottest, &mean,
					&gain) > 0);
	assert_string_equal(verdict, "balancing");
	assert_int_equal(cpu, 0);
	assert_int_equal(hottest, 9310);
	assert_int_equal(mean, 2410);
	assert_int_equal(gain, 500);

	assert_true(sd_bus_message_read(reply, "a(" NB_BUS_PLANNED_MOVE ")", 1, &ifindex, &name,
					&queue, &reason, &cpu_from, &cpu_to, &cost, &before, &after,
					&to_before, &to_after, &why) > 0);
	assert_string_equal(name, "eth0");
	assert_int_equal(queue, 1);
	assert_int_equal(cpu_to, 1);
	assert_int_equal(before - after, cost);
	assert_int_equal(to_after - to_before, cost);

	assert_true(sd_bus_message_read(reply, "a(" NB_BUS_PLANNED_RPS ")", 1, &ifindex, &name,
					&queue, &reason, &from, &to, &why) > 0);
	assert_string_equal(reason, "rps-widen");
	assert_string_equal(from, "");
	assert_string_equal(to, "2-3");
}

static void every_setting_is_listed_with_value_default_and_origin(void **state)
{
	g_autoptr(sd_bus_message) reply = open_rows(state, "Config", NB_BUS_SETTING);

	for (unsigned row = 0; row < nb_config_n_settings(); row++) {
		const char *section, *key, *value, *initial, *origin;

		assert_true(sd_bus_message_read(reply, "(" NB_BUS_SETTING ")", &section, &key,
						&value, &initial, &origin) > 0);
		assert_string_equal(section, nb_config_section(row));
		assert_string_equal(key, nb_config_key(row));
		assert_string_equal(initial, nb_config_default(row));
		assert_string_equal(origin, "");
		if (g_str_equal(key, "BannedCPUs"))
			assert_string_equal(value, "6");
	}
	assert_true(sd_bus_message_at_end(reply, false));
}

static void before_the_first_cycle_lists_are_empty_and_no_errors(void **state)
{
	static const char *const methods[][2] = {
		{"ListCpus", NB_BUS_CPU},          {"ListNics", NB_BUS_NIC},
		{"ListQueues", NB_BUS_QUEUE},      {"ListMoves", NB_BUS_MOVE},
		{"ListExcluded", NB_BUS_EXCLUDED},
	};
	g_autoptr(sd_bus_message) plan = ask(bus_of(state), "Plan");

	for (unsigned i = 0; i < G_N_ELEMENTS(methods); i++) {
		g_autoptr(sd_bus_message) reply = open_rows(state, methods[i][0], methods[i][1]);

		assert_true(sd_bus_message_at_end(reply, false));
	}
	assert_true(sd_bus_message_has_signature(plan, NB_BUS_PLAN));
	assert_text(state, "Grade", "");
	assert_text(state, "GradeReason", "");
	assert_text(state, "Accounting", "unknown");
	assert_text(state, "Verdict", "unknown");
	assert_text(state, "OnlineCPUs", "");
	assert_int_equal(get_number(state, "WindowNSec", 't'), 0);
	assert_int_equal(get_number(state, "NoisePermyriad", 'u'), 0);
}

#define RENDER_TEST(name) cmocka_unit_test_setup_teardown(name, with_status, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RENDER_TEST(properties_tell_how_the_daemon_stands),
		RENDER_TEST(a_cpu_tells_its_load_split_in_two_and_why_it_is_special),
		RENDER_TEST(a_nic_names_its_master_and_how_its_queues_were_found),
		RENDER_TEST(a_queue_tells_where_it_is_and_what_was_done_with_it),
		RENDER_TEST(a_move_is_told_in_words_and_in_numbers),
		RENDER_TEST(what_others_did_has_no_reason_of_ours),
		RENDER_TEST(whatever_is_left_alone_is_listed_with_the_reason),
		RENDER_TEST(the_plan_has_its_verdict_its_numbers_and_what_it_wants),
		RENDER_TEST(every_setting_is_listed_with_value_default_and_origin),
		cmocka_unit_test_setup_teardown(timed_queues_tell_of_threads_and_saturation, timed,
						tear_down),
		cmocka_unit_test_setup_teardown(
			before_the_first_cycle_lists_are_empty_and_no_errors, without_status,
			tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
