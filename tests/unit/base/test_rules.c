/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/rules.h"

#include "base/cpumask_text.h"
#include "support/support.h"

#include <glib.h>

#define ROWS_MAX 8

/* Eight CPUs, and nothing that is against any of them. */
struct fixture {
	struct nb_topology topology;
	struct nb_cpumask banned, default_affinity;
	struct nb_claims claims;
	struct nb_pools configured, written;
	struct nb_pool claim_rows[ROWS_MAX], configured_rows[ROWS_MAX], written_rows[ROWS_MAX];
	struct nb_rules rules;
	struct nb_allowed allowed;
};

static const struct nb_queue_key nic = {2, NB_EVERY_QUEUE}, queue = {2, 3}, neighbour = {2, 4},
				 stranger = {5, 0};

static struct nb_cpumask cpus(const char *list)
{
	struct nb_cpumask mask;

	assert_int_equal(nb_cpumask_parse_list(list, strlen(list), &mask), 0);
	return mask;
}

static int set_up(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);

	f->topology.online = cpus("0-7");
	f->claims.pools.rows = f->claim_rows;
	f->configured.rows = f->configured_rows;
	f->written.rows = f->written_rows;
	f->rules = (struct nb_rules){
		.topology = &f->topology,
		.banned = &f->banned,
		.claims = &f->claims,
		.configured = &f->configured,
		.written = &f->written,
		.default_affinity = &f->default_affinity,
	};
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	g_free(*state);
	return 0;
}

/* Rows must be added in the order of their keys. */
static void limit(struct nb_pools *pools, enum nb_rule rule, struct nb_queue_key key,
		  const char *list)
{
	assert_true(pools->n < ROWS_MAX);
	pools->rows[pools->n++] = (struct nb_pool){.key = key, .rule = rule, .cpus = cpus(list)};
}

static void claim(struct fixture *f, struct nb_queue_key key, const char *list, bool exclusive)
{
	limit(&f->claims.pools, NB_RULE_CLAIM, key, list);
	f->claims.pools.rows[f->claims.pools.n - 1].exclusive = exclusive;
}

static void assert_allowed(struct fixture *f, struct nb_queue_key key, const char *list,
			   unsigned set_aside)
{
	g_autofree char *text = NULL;

	nb_rules_allow(&f->rules, key, &f->allowed);
	text = nb_cpumask_format_list(&f->allowed.cpus);
	assert_string_equal(text, list);
	assert_int_equal(f->allowed.set_aside, set_aside);
}

static enum nb_rule excluded_by(struct fixture *f, struct nb_queue_key key, unsigned cpu)
{
	nb_rules_allow(&f->rules, key, &f->allowed);
	return nb_rules_excluded_by(&f->rules, key, &f->allowed, cpu);
}

static void each_rule_takes_its_cpus_away(void **state)
{
	struct fixture *f = *state;

	assert_allowed(f, queue, "0-7", 0);
	f->topology.online = cpus("0-6");
	assert_allowed(f, queue, "0-6", 0);
	f->claims.banned = cpus("6");
	assert_allowed(f, queue, "0-5", 0);
	f->banned = cpus("5");
	assert_allowed(f, queue, "0-4", 0);
	f->topology.isolated = cpus("4");
	assert_allowed(f, queue, "0-3", 0);
	limit(&f->configured, NB_RULE_CONFIGURED, nic, "0-2,4-7");
	assert_allowed(f, queue, "0-2", 0);
	limit(&f->written, NB_RULE_WRITTEN, queue, "1-7");
	assert_allowed(f, queue, "1-2", 0);
	f->default_affinity = cpus("0-1,3-7");
	assert_allowed(f, queue, "1", 0);
	claim(f, queue, "1-2", false);
	assert_allowed(f, queue, "1", 0);

	assert_int_equal(excluded_by(f, queue, 0), NB_RULE_CLAIM);
	assert_int_equal(excluded_by(f, queue, 1), _NB_RULE_INVALID);
	assert_int_equal(excluded_by(f, queue, 2), NB_RULE_DEFAULT);
	assert_int_equal(excluded_by(f, neighbour, 3), NB_RULE_CONFIGURED);
	assert_int_equal(excluded_by(f, neighbour, 4), NB_RULE_ISOLATED);
	assert_int_equal(excluded_by(f, neighbour, 5), NB_RULE_BANNED);
	assert_int_equal(excluded_by(f, queue, 6), NB_RULE_TAKEN);
	assert_int_equal(excluded_by(f, queue, 7), NB_RULE_OFFLINE);
	f->claims.pools.n = 0;
	assert_int_equal(excluded_by(f, queue, 0), NB_RULE_WRITTEN);
}

static void a_pin_takes_no_cpu_away(void **state)
{
	struct fixture *f = *state;

	limit(&f->written, NB_RULE_WRITTEN, queue, "1");
	assert_allowed(f, queue, "1", 0);
	assert_true(nb_rules_has_pool(&f->rules, queue));
	f->written.rows[0].pin = true;
	assert_allowed(f, queue, "0-7", 0);
	assert_false(nb_rules_has_pool(&f->rules, queue));
}

/* What has no pool may use what is common. */
static void pools_are_for_what_they_name(void **state)
{
	struct fixture *f = *state;
	struct nb_allowed common;

	limit(&f->configured, NB_RULE_CONFIGURED, queue, "0-1");
	limit(&f->configured, NB_RULE_LINK, nic, "0-3");
	assert_allowed(f, queue, "0-1", 0);
	assert_allowed(f, neighbour, "0-3", 0);
	assert_allowed(f, stranger, "0-7", 0);
	nb_rules_allow_common(&f->rules, &common);
	assert_true(nb_cpumask_equal(&common.cpus, &f->allowed.cpus));
	assert_true(nb_rules_has_pool(&f->rules, queue));
	assert_false(nb_rules_has_pool(&f->rules, neighbour));
	assert_true(nb_rules_has_pool(&f->rules, nb_rules_every_queue(neighbour)));
	assert_false(nb_rules_has_pool(&f->rules, nb_rules_every_queue(stranger)));
}

static void an_exclusive_claim_takes_cpus_from_all_others(void **state)
{
	struct fixture *f = *state;

	claim(f, queue, "2-3", true);
	assert_allowed(f, queue, "2-3", 0);
	assert_allowed(f, neighbour, "0-1,4-7", 0);
	assert_allowed(f, stranger, "0-1,4-7", 0);
	assert_int_equal(excluded_by(f, stranger, 2), NB_RULE_TAKEN);
	f->claims.pools.rows[0].key = nic;
	assert_allowed(f, neighbour, "2-3", 0);
	f->claims.pools.rows[0].exclusive = false;
	assert_allowed(f, stranger, "0-7", 0);
}

/* The weaker of two that exclude each other. */
static void what_would_leave_nothing_is_set_aside(void **state)
{
	struct fixture *f = *state;

	limit(&f->configured, NB_RULE_CONFIGURED, nic, "0-1");
	f->default_affinity = cpus("2-3");
	assert_allowed(f, queue, "0-1", 1u << NB_RULE_DEFAULT);
	assert_int_equal(excluded_by(f, queue, 2), NB_RULE_CONFIGURED);
	claim(f, queue, "3", false);
	assert_allowed(f, queue, "3", 1u << NB_RULE_CONFIGURED);
	assert_int_equal(excluded_by(f, queue, 0), NB_RULE_CLAIM);
	f->topology.online = cpus("4-7");
	assert_allowed(f, queue, "4-7",
		       1u << NB_RULE_CLAIM | 1u << NB_RULE_CONFIGURED | 1u << NB_RULE_DEFAULT);
	limit(&f->written, NB_RULE_WRITTEN, stranger, "0");
	assert_allowed(f, stranger, "4-7", 1u << NB_RULE_WRITTEN | 1u << NB_RULE_DEFAULT);
}

/* A CPU that is isolated for the network is named by whoever wants it there. */
static void a_pool_that_names_isolated_cpus_alone_has_them(void **state)
{
	struct fixture *f = *state;

	f->topology.isolated = cpus("2-3");
	f->banned = cpus("4");
	limit(&f->configured, NB_RULE_CONFIGURED, nic, "2-3");
	assert_allowed(f, queue, "2-3", 1u << NB_RULE_ISOLATED);
	f->configured.rows[0].cpus = cpus("1-3");
	assert_allowed(f, queue, "1", 0);
	f->configured.rows[0].cpus = cpus("4");
	assert_allowed(f, queue, "4", 1u << NB_RULE_BANNED);
	f->configured.rows[0].cpus = cpus("3-4");
	assert_allowed(f, queue, "3", 1u << NB_RULE_ISOLATED);
	limit(&f->written, NB_RULE_WRITTEN, stranger, "2-3");
	assert_allowed(f, stranger, "0-1,5-7", 1u << NB_RULE_WRITTEN);
}

/* Not even if a pool names it. */
static void what_is_taken_is_nobody_elses(void **state)
{
	struct fixture *f = *state;

	limit(&f->configured, NB_RULE_CONFIGURED, nic, "2-3");
	claim(f, stranger, "2-3", true);
	assert_allowed(f, queue, "0-1,4-7", 1u << NB_RULE_CONFIGURED);
	f->claims.banned = cpus("0-1,4-7");
	assert_allowed(f, queue, "", 0);
}

/* Nothing is placed where everything is banned. */
static void without_a_pool_nothing_that_is_banned_comes_back(void **state)
{
	struct fixture *f = *state;

	f->banned = cpus("0-3");
	f->topology.isolated = cpus("4-7");
	f->default_affinity = cpus("0");
	assert_allowed(f, queue, "", 0);
	f->rules.claims = NULL;
	assert_allowed(f, queue, "", 0);
	f->banned = cpus("1-3");
	assert_allowed(f, queue, "0", 0);
}

static void assert_excluded(const struct fixture *f, const char *list)
{
	struct nb_cpumask excluded;
	g_autofree char *text = NULL;

	nb_rules_excluded(&f->rules, &excluded);
	text = nb_cpumask_format_list(&excluded);
	assert_string_equal(text, list);
}

/* Pools and the default affinity limit something, and exclude from nothing. */
static void taken_banned_and_isolated_cpus_are_excluded(void **state)
{
	struct fixture *f = *state;

	f->default_affinity = cpus("0");
	limit(&f->configured, NB_RULE_CONFIGURED, nic, "1");
	claim(f, nic, "2", false);
	assert_excluded(f, "");
	claim(f, queue, "3", true);
	assert_excluded(f, "3");
	f->claims.banned = cpus("4");
	f->banned = cpus("5");
	f->topology.isolated = cpus("6,9");
	assert_excluded(f, "3-6");
	f->rules.claims = NULL;
	assert_excluded(f, "5-6");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_rule_takes_its_cpus_away, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_pin_takes_no_cpu_away, set_up, tear_down),
		cmocka_unit_test_setup_teardown(pools_are_for_what_they_name, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_exclusive_claim_takes_cpus_from_all_others,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_would_leave_nothing_is_set_aside, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_pool_that_names_isolated_cpus_alone_has_them,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_taken_is_nobody_elses, set_up, tear_down),
		cmocka_unit_test_setup_teardown(taken_banned_and_isolated_cpus_are_excluded, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(without_a_pool_nothing_that_is_banned_comes_back,
						set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
