/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the document and the properties say of a known status. */
#include "bus/client.h"
#include "config/config.h"
#include "ctl/show/value.h"
#include "document/document.h"
#include "nicbalance/names.h"
#include "version.h"

struct fixture {
	struct server server;
	sd_bus *bus;
	json_t *document;
};

static int set_up(void **state, const char *const *options)
{
	struct fixture *fixture = g_new0(struct fixture, 1);

	server_start(&fixture->server, options);
	fixture->bus = connect_private(fixture->server.socket);
	fixture->document = describe(fixture->bus);
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

	json_decref(fixture->document);
	sd_bus_close_unref(fixture->bus);
	server_stop(&fixture->server);
	g_free(fixture);
	return 0;
}

static json_t *part(void **state, const char *name)
{
	const struct fixture *fixture = *state;
	json_t *found = json_object_get(fixture->document, name);

	assert_non_null(found);
	return found;
}

static json_t *row(void **state, const char *table, size_t i)
{
	json_t *found = json_array_get(part(state, table), i);

	assert_non_null(found);
	return found;
}

static void assert_text(const json_t *object, const char *name, const char *expected)
{
	const char *text = json_string_value(json_object_get(object, name));

	assert_non_null(text);
	assert_string_equal(text, expected);
}

static void assert_number(const json_t *object, const char *name, json_int_t expected)
{
	assert_true(json_is_integer(json_object_get(object, name)));
	assert_int_equal(json_integer_value(json_object_get(object, name)), expected);
}

static void assert_share(const json_t *object, const char *name, uint32_t expected)
{
	assert_int_equal(nb_value_share(object, name), expected);
}

static void assert_null_field(const json_t *object, const char *name)
{
	assert_true(json_is_null(json_object_get(object, name)));
}

static void assert_words(const json_t *object, const char *name, const char *expected)
{
	const json_t *words = json_object_get(object, name);
	g_autoptr(GString) text = g_string_new(NULL);

	assert_true(json_is_array(words));
	for (size_t i = 0; i < json_array_size(words); i++)
		g_string_append_printf(text, "%s%s", i ? "," : "",
				       json_string_value(json_array_get(words, i)));
	assert_string_equal(text->str, expected);
}

static void assert_property(void **state, const char *property, const char *expected)
{
	struct fixture *fixture = *state;
	/* libsystemd allocates it. */
	char *text = get_text(fixture->bus, property);

	assert_string_equal(text, expected);
	free(text);
}

static void properties_are_what_is_watched(void **state)
{
	assert_property(state, "Version", NB_VERSION);
	assert_property(state, "Mode", "balance");
	assert_property(state, "Verdict", "balancing");
	assert_property(state, "VerdictText",
			"queues move off a hot CPU (CPU 0 at 93 %, mean 24 %)");
}

static void the_daemon_tells_how_it_stands(void **state)
{
	const struct fixture *fixture = *state;
	const json_t *daemon = part(state, "daemon");

	assert_number(fixture->document, "version", NB_DOCUMENT_VERSION);
	assert_text(daemon, "version", NB_VERSION);
	assert_text(daemon, "mode", "balance");
	assert_text(daemon, "grade", "estimated");
	assert_text(daemon, "grade-reason", "the kernel has no BTF");
	assert_text(daemon, "accounting", "tick");
	assert_text(daemon, "verdict", "balancing");
	assert_text(daemon, "started", "2026-01-01T00:00:00.000000Z");
	assert_text(daemon, "online-cpus", "0-7");
	assert_text(daemon, "eligible-cpus", "0-5");
	assert_text(daemon, "isolated-cpus", "7");
	assert_text(daemon, "banned-cpus", "6");
	assert_true(json_is_false(json_object_get(daemon, "paused")));
	assert_number(daemon, "cycles", 3600);
	assert_number(daemon, "cpu-time-nsec", 1234567890);
	assert_number(daemon, "start-cpu-time-nsec", 345678901);
	assert_number(daemon, "recent-cpu-time-nsec", 30000000);
	assert_number(daemon, "recent-nsec", 60000000000);
	assert_number(daemon, "probe-cost-nsec", 0);
	assert_number(daemon, "window-nsec", 1000000000);
	assert_share(daemon, "noise-percent", 120);
	assert_share(daemon, "hot-percent", 7000);
}

static void a_cpu_tells_its_load_split_in_two_and_why_it_is_special(void **state)
{
	static const char *const notes[] = {"", "", "no-vector", "", "", "", "banned", "isolated"};
	static const unsigned n_queues[] = {2, 0, 0, 1, 0, 0, 0, 0};

	assert_int_equal(json_array_size(part(state, "cpus")), 8);
	for (unsigned i = 0; i < 8; i++) {
		const json_t *cpu = row(state, "cpus", i);

		assert_number(cpu, "cpu", i);
		assert_number(cpu, "node", i / 4);
		assert_int_equal(nb_value_share(cpu, "busy-percent"),
				 nb_value_share(cpu, "queues-percent") +
					 nb_value_share(cpu, "fixed-percent"));
		assert_number(cpu, "queues", n_queues[i]);
		assert_words(cpu, "note", notes[i]);
	}
	assert_share(row(state, "cpus", 0), "queues-percent", 8710);
	assert_number(row(state, "cpus", 0), "dropped", 3);
	assert_number(row(state, "cpus", 0), "squeezed", 17);
}

static void a_nic_names_its_master_and_how_its_queues_were_found(void **state)
{
	const json_t *nic = row(state, "nics", 1);

	assert_number(nic, "ifindex", 2);
	assert_text(nic, "nic", "eth0");
	assert_text(nic, "driver", "igb");
	assert_text(nic, "master", "bond0");
	assert_text(nic, "scope", "in");
	assert_text(nic, "mapping", "names");
	assert_text(nic, "packets", "ethtool");
	assert_number(nic, "queues", 4);
	assert_number(nic, "slow-path-vectors", 1);
	assert_number(nic, "dropped-per-second", 0);
	assert_text(nic, "drops-cause", "none");
	assert_true(json_is_true(json_object_get(nic, "spill")));
	assert_number(nic, "full-node-seconds", 240);
	assert_null_field(row(state, "nics", 0), "full-node-seconds");
	assert_number(nic, "channels", 4);
	assert_number(nic, "most-channels", 6);
	assert_text(nic, "udp-hash", "addresses");
	assert_int_equal(json_array_size(json_object_get(nic, "advice")), 2);
	assert_text(json_array_get(json_object_get(nic, "advice"), 0), "advice", "channels");
	assert_text(json_array_get(json_object_get(nic, "advice"), 1), "advice", "udp-hash");
	assert_null_field(row(state, "nics", 0), "channels");
	assert_null_field(row(state, "nics", 0), "udp-hash");
	assert_int_equal(json_array_size(json_object_get(row(state, "nics", 0), "advice")), 0);
	assert_null_field(row(state, "nics", 2), "dropped-per-second");
	assert_null_field(row(state, "nics", 2), "drops-cause");
	assert_null_field(row(state, "queues", 0), "dropped-per-second");
	assert_null_field(row(state, "nics", 0), "node");
	assert_number(row(state, "nics", 2), "queues", 0);
}

static void a_queue_tells_where_it_is_and_what_was_done_with_it(void **state)
{
	static const char *const rps[] = {"2-3", "", "", ""};
	static const char *const notes[] = {"moved", "yielded", "refused", "no-interrupt,fresh"};
	static const unsigned n_irqs[] = {1, 2, 1, 0};

	for (unsigned i = 0; i < G_N_ELEMENTS(notes); i++) {
		const json_t *queue = row(state, "queues", i);

		assert_text(queue, "nic", "eth0");
		assert_number(queue, "queue", i);
		assert_int_equal(json_array_size(json_object_get(queue, "irqs")), n_irqs[i]);
		assert_text(queue, "rps-cpus", rps[i]);
		assert_words(queue, "note", notes[i]);
		assert_true(json_is_false(json_object_get(queue, "saturated")));
		assert_share(queue, "threaded-percent", 0);
	}
	assert_number(row(state, "queues", 2), "cpu", 3);
	assert_null_field(row(state, "queues", 3), "cpu");
}

static void timed_queues_tell_of_threads_and_saturation(void **state)
{
	assert_text(part(state, "daemon"), "grade", "measured");
	assert_number(part(state, "daemon"), "probe-cost-nsec", 987654321);
	assert_true(json_is_true(json_object_get(row(state, "queues", 0), "saturated")));
	assert_share(row(state, "queues", 2), "threaded-percent", 1234);
	assert_words(row(state, "queues", 1), "note", "deferred,yielded");
	assert_number(row(state, "delays", 2), "cpu", 3);
}

static void a_move_is_told_in_words_and_in_numbers(void **state)
{
	const json_t *move = row(state, "moves", 0);

	assert_text(move, "kind", "queue");
	assert_text(move, "event", "moved");
	assert_text(move, "reason", "collapsed");
	assert_text(move, "effect", "worked");
	assert_number(move, "cpu-from", 1);
	assert_number(move, "cpu-to", 0);
	assert_share(move, "measured-percent", 5300);
	assert_text(move, "what", "eth0 queue 0 (IRQ 40): CPU 1 → CPU 0");
	assert_text(move, "result", "polled on the new CPU (53 % measured)");
	assert_null_field(move, "rps-to");
	assert_text(row(state, "moves", 3), "rps-from", "");
	assert_text(row(state, "moves", 3), "rps-to", "2-3");
	assert_null_field(row(state, "moves", 3), "rss-moved");
	assert_text(row(state, "moves", 4), "rss-queues", "0-3");
	assert_number(row(state, "moves", 4), "rss-moved", 12);
	assert_number(row(state, "moves", 4), "rss-entries", 128);
	assert_text(row(state, "moves", 4), "what",
		    "eth0: 12 of 128 RSS table entries moved to other queues");
}

static void what_others_did_has_no_reason_of_ours(void **state)
{
	assert_text(row(state, "moves", 2), "event", "yielded");
	assert_null_field(row(state, "moves", 2), "reason");
}

static void whatever_is_left_alone_is_listed_with_the_reason(void **state)
{
	static const char *const expected[][3] = {
		{"nic", "lo", "virtual"},
		{"nic", "eth1", "down"},
		{"nic", "bond0", "stacked"},
		{"nic", "0000:3b:02.1", "no-interface"},
		{"queue", "eth0 queue 1 (IRQ 41, 42)", "yielded"},
		{"queue", "eth0 queue 2 (IRQ 43)", "refused"},
		{"queue", "eth0 queue 3", "no-interrupt"},
		{"queue", "eth0 queue 3 RPS", "yielded"},
		{"cpu", "7", "domain"},
		{"cpu", "6", "banned"},
		{"nic", "eth0 RPS", "link"},
		{"irq", "IRQ 50", "written"},
		{"queue", "eth0 queue 1 (IRQ 41, 42)", "written"},
		{"queue", "eth0 queue 2 (IRQ 43)", "written"},
	};

	assert_int_equal(json_array_size(part(state, "excluded")), G_N_ELEMENTS(expected));
	for (unsigned i = 0; i < G_N_ELEMENTS(expected); i++) {
		const json_t *excluded = row(state, "excluded", i);

		assert_text(excluded, "kind", expected[i][0]);
		assert_text(excluded, "what", expected[i][1]);
		assert_text(excluded, "reason", expected[i][2]);
		assert_true(strlen(nb_value_text(excluded, "why")) > 5);
	}
	assert_text(row(state, "excluded", 9), "why", "banned by /etc/default/irqbalance:3");
	assert_text(row(state, "excluded", 11), "why",
		    "pinned to CPU 0 by another program, 90 s ago");
	assert_text(row(state, "excluded", 12), "why",
		    "limited to CPUs 0-1 by another program, 5 s ago");
}

static void the_plan_has_its_verdict_and_its_numbers(void **state)
{
	const json_t *plan = part(state, "plan");

	assert_text(plan, "verdict", "balancing");
	assert_number(plan, "hottest-cpu", 0);
	assert_share(plan, "hottest-percent", 9310);
	assert_share(plan, "mean-percent", 2410);
	assert_share(plan, "gain-needed-percent", 500);
}

static void the_plan_lists_changes_of_every_kind(void **state)
{
	const json_t *changes = json_object_get(part(state, "plan"), "changes");
	const json_t *move = json_array_get(changes, 0), *rps = json_array_get(changes, 1);
	const json_t *device = json_array_get(changes, 2), *rss = json_array_get(changes, 3);
	const json_t *change;

	assert_int_equal(json_array_size(changes), _NB_KIND_MAX);
	assert_text(move, "kind", "queue");
	assert_number(move, "queue", 1);
	assert_number(move, "cpu-to", 1);
	assert_share(move, "load-percent", 4200);
	assert_share(move, "source-after-percent", 5110);
	assert_share(move, "target-after-percent", 5400);

	assert_text(rps, "kind", "rps");
	assert_text(rps, "reason", "rps-widen");
	assert_text(rps, "rps-to", "2-3");
	assert_null_field(rps, "load-percent");

	assert_text(device, "kind", "device-irq");
	assert_null_field(device, "nic");
	assert_null_field(device, "queue");
	assert_int_equal(json_integer_value(json_array_get(json_object_get(device, "irqs"), 0)),
			 50);
	assert_number(device, "cpu-to", 4);
	assert_text(device, "what", "IRQ 50: CPU 0 → CPU 4");

	change = json_array_get(changes, 4);
	assert_text(change, "kind", "threaded");
	assert_null_field(change, "queue");
	assert_text(change, "reason", "threaded-on");
	assert_text(change, "setting-to", "on");
	assert_text(change, "what", "eth0: threaded NAPI off → on");

	change = json_array_get(changes, 5);
	assert_text(change, "kind", "xps");
	assert_text(change, "nic", "eth0");
	assert_null_field(change, "queue");
	assert_text(change, "reason", "xps-follow");
	assert_text(change, "what", "eth0: XPS follows interrupts");

	change = json_array_get(changes, 6);
	assert_text(change, "kind", "thread");
	assert_null_field(change, "queue");
	assert_text(change, "reason", "thread-follow");
	assert_text(change, "what", "eth0: NAPI threads follow interrupts");

	assert_text(rss, "kind", "rss");
	assert_text(rss, "nic", "eth0");
	assert_null_field(rss, "queue");
	assert_text(rss, "rss-queues", "0,2");
	assert_null_field(rss, "rss-moved");
	assert_null_field(rss, "rss-entries");
	change = json_array_get(changes, 7);
	assert_text(change, "kind", "rfs");
	assert_text(change, "nic", "eth0");
	assert_null_field(change, "queue");
	assert_text(change, "setting-to", "32768");
	assert_text(change, "what", "eth0: RFS for 32768 flows");
	change = json_array_get(changes, 8);
	assert_text(change, "kind", "udp-hash");
	assert_text(change, "nic", "eth0");
	assert_null_field(change, "queue");
	assert_text(change, "setting-from", "addresses");
	assert_text(change, "setting-to", "addresses and ports");
	change = json_array_get(changes, 9);
	assert_text(change, "kind", "channels");
	assert_text(change, "setting-from", "8");
	assert_text(change, "setting-to", "");
}

static void every_setting_is_listed_with_value_default_and_origin(void **state)
{
	assert_int_equal(json_array_size(part(state, "config")), nb_config_n_settings());
	for (unsigned i = 0; i < nb_config_n_settings(); i++) {
		const json_t *setting = row(state, "config", i);

		assert_text(setting, "section", nb_config_section(i));
		assert_text(setting, "key", nb_config_key(i));
		assert_text(setting, "default", nb_config_default(i));
		assert_text(setting, "origin", "");
		if (g_str_equal(nb_config_key(i), "BannedCPUs"))
			assert_text(setting, "value", "6");
	}
}

static void before_the_first_cycle_tables_are_empty(void **state)
{
	static const char *const tables[] = {"nics",  "queues",   "cpus",
					     "moves", "excluded", "delays"};

	for (unsigned i = 0; i < G_N_ELEMENTS(tables); i++)
		assert_int_equal(json_array_size(part(state, tables[i])), 0);
	assert_null_field(part(state, "plan"), "hottest-cpu");
	assert_int_equal(json_array_size(json_object_get(part(state, "plan"), "changes")), 0);
	assert_text(part(state, "daemon"), "grade", "");
	assert_text(part(state, "daemon"), "accounting", "unknown");
	assert_text(part(state, "daemon"), "online-cpus", "");
	assert_number(part(state, "daemon"), "window-nsec", 0);
	assert_property(state, "Verdict", "unknown");
}

static bool has_word(const json_t *words, const char *word)
{
	for (size_t i = 0; i < json_array_size(words); i++) {
		const char *known = json_string_value(json_array_get(words, i));

		if (known && g_str_equal(known, word))
			return true;
	}
	return false;
}

/* A field of the daemon, or of a row of a table, in the schema. */
static const json_t *words_of(const json_t *schema, const char *table, const char *field)
{
	const json_t *part = json_object_get(json_object_get(schema, "properties"), table);
	const json_t *items = json_object_get(part, "items");

	part = json_object_get(json_object_get(items ? items : part, "properties"), field);
	return json_object_get(part, "enum");
}

#define ASSERT_WORDS(schema, table, field, type, TYPE)       \
	for (int i = 0; i < _NB_##TYPE##_MAX; i++)           \
	assert_true(has_word(words_of(schema, table, field), \
			     nb_##type##_to_string((enum nb_##type)i)))

static void the_schema_knows_every_word(void **state)
{
	json_t *schema = json_load_file(NB_SOURCE_DIR "/systemd/status.schema.json", 0, NULL);

	(void)state;
	ASSERT_WORDS(schema, "daemon", "mode", mode, MODE);
	ASSERT_WORDS(schema, "daemon", "grade", grade, GRADE);
	ASSERT_WORDS(schema, "daemon", "accounting", accounting, ACCOUNTING);
	ASSERT_WORDS(schema, "daemon", "verdict", verdict, VERDICT);
	ASSERT_WORDS(schema, "plan", "verdict", verdict, VERDICT);
	ASSERT_WORDS(schema, "nics", "scope", scope, SCOPE);
	ASSERT_WORDS(schema, "nics", "mapping", mapping, MAPPING);
	ASSERT_WORDS(schema, "nics", "packets", packets_source, PACKETS);
	ASSERT_WORDS(schema, "intrusions", "source", source, SOURCE);
	for (int i = 0; i < _NB_SOFTIRQ_MAX; i++)
		assert_true(has_word(words_of(schema, "intrusions", "softirq"),
				     nb_softirq_name((enum nb_softirq)i)));
	ASSERT_WORDS(schema, "moves", "event", event, EVENT);
	ASSERT_WORDS(schema, "moves", "reason", reason, REASON);
	ASSERT_WORDS(schema, "moves", "outcome", outcome, OUTCOME);
	ASSERT_WORDS(schema, "moves", "effect", effect, EFFECT);
	json_decref(schema);
}

#define RENDER_TEST(name) cmocka_unit_test_setup_teardown(name, with_status, tear_down)

static void bans_and_claims_are_told(void **state)
{
	const json_t *claim = row(state, "claims", 0), *ban = row(state, "claims", 1);

	assert_number(claim, "id", 3);
	assert_text(claim, "kind", "claim");
	assert_text(claim, "target", "eth1:2");
	assert_true(json_is_false(json_object_get(claim, "present")));
	assert_text(claim, "cpus", "4-5");
	assert_true(json_is_true(json_object_get(claim, "exclusive")));
	assert_text(claim, "owner", "kubelet");
	assert_text(claim, "since", "2026-01-01T00:00:00.000000Z");
	assert_text(claim, "ends", "2026-01-01T00:01:00.000000Z");
	assert_true(json_is_false(json_object_get(claim, "while-connected")));

	assert_text(ban, "kind", "ban");
	assert_null_field(ban, "target");
	assert_null_field(ban, "present");
	assert_null_field(ban, "ends");
	assert_true(json_is_true(json_object_get(ban, "while-connected")));
	assert_int_equal(json_array_size(part(state, "claims")), 2);
}

/* CPU 3 is no longer excluded, and CPU 7 not long enough. */
static void an_excluded_cpu_tells_since_when_and_how_much_ran_on_it(void **state)
{
	const json_t *counted = row(state, "cpus", 6), *fresh = row(state, "cpus", 7);

	assert_text(counted, "excluded-since", "2026-01-01T00:00:00.000000Z");
	assert_text(counted, "counted-since", "2026-01-01T00:00:02.000000Z");
	assert_number(counted, "intrusions", 9);
	assert_text(fresh, "excluded-since", "2026-01-01T00:00:01.000000Z");
	assert_null_field(fresh, "counted-since");
	assert_null_field(fresh, "intrusions");
	assert_null_field(row(state, "cpus", 3), "excluded-since");
}

static void what_ran_there_is_told_with_its_name_and_why(void **state)
{
	const json_t *queue = row(state, "intrusions", 0), *softirq = row(state, "intrusions", 2);

	assert_int_equal(json_array_size(part(state, "intrusions")), 6);
	assert_number(queue, "cpu", 6);
	assert_text(queue, "source", "irq");
	assert_number(queue, "irq", 43);
	assert_null_field(queue, "softirq");
	assert_text(queue, "nic", "eth0");
	assert_number(queue, "queue", 2);
	assert_number(queue, "count", 7);
	assert_number(queue, "leaving", 3);
	assert_text(queue, "last", "2026-01-01T00:00:09.000000Z");
	assert_text(queue, "what", "IRQ 43 (eth0-rx-2)");
	assert_text(queue, "why",
		    "the CPU is banned by the configuration; the kernel does not allow moving it");
	assert_text(softirq, "softirq", "NET_RX");
	assert_null_field(softirq, "irq");
	assert_null_field(softirq, "nic");
	assert_text(softirq, "why", "before it had to be gone");
	assert_text(row(state, "intrusions", 3), "why", "was allowed when it came");
	assert_number(row(state, "intrusions", 3), "allowed", 5);
	assert_text(row(state, "intrusions", 4), "why",
		    "the CPU is isolated; it is of a DPAA portal, which stays on its CPU");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_schema_knows_every_word),
		RENDER_TEST(properties_are_what_is_watched),
		RENDER_TEST(the_daemon_tells_how_it_stands),
		RENDER_TEST(bans_and_claims_are_told),
		RENDER_TEST(an_excluded_cpu_tells_since_when_and_how_much_ran_on_it),
		RENDER_TEST(what_ran_there_is_told_with_its_name_and_why),
		RENDER_TEST(a_cpu_tells_its_load_split_in_two_and_why_it_is_special),
		RENDER_TEST(a_nic_names_its_master_and_how_its_queues_were_found),
		RENDER_TEST(a_queue_tells_where_it_is_and_what_was_done_with_it),
		RENDER_TEST(a_move_is_told_in_words_and_in_numbers),
		RENDER_TEST(what_others_did_has_no_reason_of_ours),
		RENDER_TEST(whatever_is_left_alone_is_listed_with_the_reason),
		RENDER_TEST(the_plan_has_its_verdict_and_its_numbers),
		RENDER_TEST(the_plan_lists_changes_of_every_kind),
		RENDER_TEST(every_setting_is_listed_with_value_default_and_origin),
		cmocka_unit_test_setup_teardown(timed_queues_tell_of_threads_and_saturation, timed,
						tear_down),
		cmocka_unit_test_setup_teardown(before_the_first_cycle_tables_are_empty,
						without_status, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
