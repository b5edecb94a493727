/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every folder of tests/replay is an incident: a scenario or a trace, and in the file "expected" a
 * bound a line on what becomes of it under the default policy:
 *
 *   alone fails                   left alone, it breaks a bound below; or "alone holds": the right
 *                                 thing to do was nothing
 *   after 10s hottest <= 40%      no CPU with network work is hotter, but for one second in a
 * hundred after 10s dropped <= 0        packets moves >= 3, moves <= 8        interrupts moved
 *   after 10s delay <= 5000       µs that 99 of 100 runs of NET_RX wait at most, on any CPU
 *   ping-pongs <= 0
 *   steered <= 0                  RPS masks written
 *   steered-at-end <= 0           and still there at the end
 *   verdict quiet even            the last is one of these
 *
 * Whatever they say, the daemon must not make it worse: neither the hottest CPU nor drops, after
 * the latest of these times. */
#include "support/host.h"
#include "support/support.h"

#include "nicbalance/names.h"
#include "rehearse/rehearse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER NB_SOURCE_DIR "/tests/replay"

struct incident {
	char *name;
	struct nb_rehearsal *alone;
	struct nb_rehearsal *ours;
	char **bounds; /* lines */
	bool alone_fails;
	uint64_t settled_nsec; /* the latest "after" */
};

static const struct nb_rehearsed_second *second_at(const struct nb_rehearsal *run, unsigned i)
{
	return &g_array_index(run->seconds, struct nb_rehearsed_second, i);
}

static int compare_shares(const void *a, const void *b)
{
	return (*(const uint32_t *)a > *(const uint32_t *)b) -
	       (*(const uint32_t *)a < *(const uint32_t *)b);
}

/* But for one second in a hundred. */
static uint64_t hottest_after(const struct nb_rehearsal *run, uint64_t nsec)
{
	g_autoptr(GArray) shares = g_array_new(FALSE, FALSE, sizeof(uint32_t));

	for (unsigned i = 0; i < run->seconds->len; i++)
		if (second_at(run, i)->at_nsec > nsec)
			g_array_append_val(shares, second_at(run, i)->hottest);
	assert_true(shares->len > 0);
	g_array_sort(shares, compare_shares);
	return g_array_index(shares, uint32_t, shares->len - 1 - shares->len / 100);
}

static uint64_t dropped_after(const struct nb_rehearsal *run, uint64_t nsec)
{
	uint64_t dropped = 0;

	for (unsigned i = 0; i < run->seconds->len; i++)
		if (second_at(run, i)->at_nsec > nsec)
			dropped += second_at(run, i)->dropped;
	return dropped;
}

static uint64_t delay_after(const struct nb_rehearsal *run, uint64_t nsec)
{
	uint32_t longest = 0;

	for (unsigned i = 0; i < run->seconds->len; i++)
		if (second_at(run, i)->at_nsec > nsec)
			longest = MAX(longest, second_at(run, i)->delay_usec);
	return longest;
}

/* RPS masks that were written and not taken off again. */
static uint64_t steered_at_end(const struct nb_rehearsal *run)
{
	uint64_t n = 0;

	for (unsigned i = run->records->len; i-- > 0;) {
		const struct nb_record *record = &g_array_index(run->records, struct nb_record, i);
		bool last = true;

		if (record->event != NB_EVENT_STEERED || record->outcome != NB_OUTCOME_APPLIED)
			continue;
		for (unsigned j = i + 1; j < run->records->len; j++) {
			const struct nb_record *later =
				&g_array_index(run->records, struct nb_record, j);

			if (later->event == NB_EVENT_STEERED &&
			    later->outcome == NB_OUTCOME_APPLIED &&
			    nb_queue_key_compare(later->key, record->key) == 0)
				last = false;
		}
		n += last && *record->rps_to != '\0';
	}
	return n;
}

static uint64_t figure(const struct nb_rehearsal *run, const char *what, uint64_t after_nsec)
{
	struct nb_rehearsal_sum sum;

	nb_rehearsal_sum(run, &sum);
	if (strcmp(what, "hottest") == 0)
		return hottest_after(run, after_nsec);
	if (strcmp(what, "dropped") == 0)
		return dropped_after(run, after_nsec);
	if (strcmp(what, "delay") == 0)
		return delay_after(run, after_nsec);
	if (strcmp(what, "moves") == 0)
		return sum.n_moves;
	if (strcmp(what, "ping-pongs") == 0)
		return sum.n_ping_pongs;
	if (strcmp(what, "steered") == 0)
		return sum.n_steered;
	if (strcmp(what, "steered-at-end") == 0)
		return steered_at_end(run);
	fail_msg("no figure is called \"%s\"", what);
	return 0;
}

static bool verdict_holds(const struct nb_rehearsal *run, const char *words)
{
	g_auto(GStrv) list = g_strsplit(words, " ", -1);
	const char *verdict = nb_verdict_to_string(second_at(run, run->seconds->len - 1)->verdict);

	for (unsigned i = 0; list[i]; i++)
		if (nb_verdict_from_string(list[i]) == _NB_VERDICT_INVALID)
			fail_msg("no verdict is called \"%s\"", list[i]);
	return g_strv_contains((const char *const *)list, verdict);
}

/* "[after 10s ]moves <= 8" */
static bool bound_holds(const struct nb_rehearsal *run, const char *bound, uint64_t *ret_value)
{
	unsigned after = 0;
	uint64_t limit;
	char what[32], relation[3];
	char unit = 0;

	*ret_value = 0;
	if (g_str_has_prefix(bound, "verdict "))
		return verdict_holds(run, bound + strlen("verdict "));
	if (sscanf(bound, "after %us %31s %2s %" G_GUINT64_FORMAT "%c", &after, what, relation,
		   &limit, &unit) < 4 &&
	    sscanf(bound, "%31s %2s %" G_GUINT64_FORMAT "%c", what, relation, &limit, &unit) < 3)
		fail_msg("\"%s\" is no bound", bound);
	*ret_value = figure(run, what, after * NB_NSEC_PER_SEC);
	limit *= unit == '%' ? 100 : 1;
	if (strcmp(relation, "<=") == 0)
		return *ret_value <= limit;
	assert_string_equal(relation, ">=");
	return *ret_value >= limit;
}

static void check_bounds(const struct incident *incident)
{
	for (unsigned i = 0; incident->bounds[i]; i++) {
		const char *bound = incident->bounds[i];
		uint64_t value;

		if (*bound && !g_str_has_prefix(bound, "alone ") &&
		    !bound_holds(incident->ours, bound, &value))
			fail_msg("%s: not \"%s\", but %" G_GUINT64_FORMAT " (verdict %s)",
				 incident->name, bound, value,
				 nb_verdict_to_string(
					 second_at(incident->ours, incident->ours->seconds->len - 1)
						 ->verdict));
	}
}

/* Bounds that hold whatever is done would test nothing. */
static void check_alone(const struct incident *incident)
{
	bool broken = false;
	uint64_t value;

	for (unsigned i = 0; incident->bounds[i]; i++) {
		const char *bound = incident->bounds[i];

		if (*bound && !g_str_has_prefix(bound, "alone ") &&
		    !g_str_has_prefix(bound, "verdict "))
			broken |= !bound_holds(incident->alone, bound, &value);
	}
	if (broken != incident->alone_fails)
		fail_msg("%s: left alone it %s", incident->name,
			 broken ? "breaks a bound" : "breaks no bound");
}

/* A CPU that had more to do than it could is as full as it was, to the noise of the traffic. */
static void check_no_worse(const struct incident *incident)
{
	uint64_t before = hottest_after(incident->alone, incident->settled_nsec);
	uint64_t after = hottest_after(incident->ours, incident->settled_nsec);
	uint64_t lost = dropped_after(incident->ours, incident->settled_nsec);
	uint64_t lost_alone = dropped_after(incident->alone, incident->settled_nsec);

	if (after > before + before / 50)
		fail_msg("%s: the hottest CPU is worse: %" G_GUINT64_FORMAT
			 ", left alone %" G_GUINT64_FORMAT,
			 incident->name, after, before);
	if (lost > lost_alone + lost_alone / 50)
		fail_msg("%s: more is dropped: %" G_GUINT64_FORMAT
			 ", left alone %" G_GUINT64_FORMAT,
			 incident->name, lost, lost_alone);
}

static void is_within_its_bounds(void **state)
{
	check_bounds(*state);
}

static void its_bounds_can_be_broken(void **state)
{
	check_alone(*state);
}

static void is_never_worse_than_nothing(void **state)
{
	check_no_worse(*state);
}

static void run_scenario(struct incident *incident, const char *text)
{
	struct nb_policy policy = nb_host_default_policy();
	g_autoptr(nb_scenario) scenario = NULL;
	g_autofree char *error = NULL;

	if (nb_scenario_parse(text, strlen(text), &scenario, &error) < 0)
		fail_msg("%s: %s", incident->name, error);
	incident->alone = nb_rehearse_scenario(scenario, &policy, false);
	incident->ours = nb_rehearse_scenario(scenario, &policy, true);
}

static void run_trace(struct incident *incident, const char *text)
{
	struct nb_policy policy = nb_host_default_policy();
	g_autoptr(nb_trace) trace = NULL;
	g_autofree char *error = NULL;

	if (nb_trace_parse(text, strlen(text), &trace, &error) < 0)
		fail_msg("%s: %s", incident->name, error);
	incident->alone = nb_rehearse_actual(trace);
	incident->ours = nb_rehearse_trace(trace, &policy);
}

static char *read_of(const struct incident *incident, const char *file)
{
	g_autofree char *path = g_build_filename(FOLDER, incident->name, file, NULL);
	char *text = NULL;

	g_file_get_contents(path, &text, NULL, NULL);
	return text;
}

static void read_bounds(struct incident *incident)
{
	g_autofree char *text = read_of(incident, "expected");

	assert_non_null(text);
	incident->bounds = g_strsplit(text, "\n", -1);
	incident->alone_fails =
		g_strv_contains((const char *const *)incident->bounds, "alone fails");
	if (!incident->alone_fails &&
	    !g_strv_contains((const char *const *)incident->bounds, "alone holds"))
		fail_msg("%s: neither \"alone fails\" nor \"alone holds\"", incident->name);
	for (unsigned i = 0; incident->bounds[i]; i++) {
		unsigned after;

		if (sscanf(incident->bounds[i], "after %us", &after) == 1)
			incident->settled_nsec =
				MAX(incident->settled_nsec, after * NB_NSEC_PER_SEC);
	}
}

static int set_up(void **state)
{
	struct incident *incident = *state;
	g_autofree char *scenario = read_of(incident, "scenario");
	g_autofree char *trace = read_of(incident, "trace");

	if (incident->bounds)
		return 0;
	read_bounds(incident);
	if (scenario)
		run_scenario(incident, scenario);
	else if (trace)
		run_trace(incident, trace);
	else
		fail_msg("%s: neither scenario nor trace", incident->name);
	return 0;
}

static void incident_free(void *data)
{
	struct incident *incident = data;

	nb_rehearsal_free(incident->alone);
	nb_rehearsal_free(incident->ours);
	g_strfreev(incident->bounds);
	g_free(incident->name);
	g_free(incident);
}

static GPtrArray *find_incidents(void)
{
	GPtrArray *incidents = g_ptr_array_new_with_free_func(incident_free);
	g_autoptr(GDir) dir = g_dir_open(FOLDER, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(FOLDER, name, NULL);
		struct incident *incident;

		if (!g_file_test(path, G_FILE_TEST_IS_DIR))
			continue;
		incident = g_new0(struct incident, 1);
		incident->name = g_strdup(name);
		g_ptr_array_add(incidents, incident);
	}
	return incidents;
}

static void add_test(GArray *tests, GPtrArray *names, const char *claim, CMUnitTestFunction run,
		     struct incident *incident)
{
	struct CMUnitTest test = {
		.name = g_strdup_printf("%s %s", incident->name, claim),
		.test_func = run,
		.setup_func = set_up,
		.initial_state = incident,
	};

	g_ptr_array_add(names, (char *)test.name);
	g_array_append_val(tests, test);
}

int main(void)
{
	g_autoptr(GPtrArray) incidents = find_incidents();
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GArray) tests = g_array_new(FALSE, FALSE, sizeof(struct CMUnitTest));

	for (unsigned i = 0; i < incidents->len; i++) {
		struct incident *incident = incidents->pdata[i];

		add_test(tests, names, "is within its bounds", is_within_its_bounds, incident);
		add_test(tests, names, "has bounds that can be broken", its_bounds_can_be_broken,
			 incident);
		add_test(tests, names, "is never worse than nothing", is_never_worse_than_nothing,
			 incident);
	}
	if (tests->len == 0)
		return EXIT_FAILURE;
	return _cmocka_run_group_tests("incidents",
				       (const struct CMUnitTest *)(const void *)tests->data,
				       tests->len, NULL, NULL);
}
