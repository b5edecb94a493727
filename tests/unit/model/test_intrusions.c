/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/intrusions.h"

#include "base/cpumask_text.h"
#include "nicbalance/units.h"
#include "support/host.h"
#include "support/support.h"

#include <stdio.h>
#include <string.h>

#define SEC NB_NSEC_PER_SEC
#define ROWS_MAX 8

/* Eight CPUs; eth0 has the interrupts 100 and 101. CPU 5 is isolated from second 1000 on. */
struct fixture {
	struct nb_host *host;
	struct nb_claims claims;
	struct nb_pool claim_rows[ROWS_MAX];
	struct nb_intrusions intrusions;
	uint64_t now_nsec, read_nsec;
	unsigned n_files;
};

static const struct nb_queue_key queue = {2, 0};

static struct nb_cpumask cpus(const char *list)
{
	struct nb_cpumask mask;

	assert_int_equal(nb_cpumask_parse_list(list, strlen(list), &mask), 0);
	return mask;
}

static struct nb_rules rules_of(const struct fixture *f)
{
	struct nb_rules rules;

	nb_rules_init(&rules, &f->host->snapshot, &f->host->policy, NULL);
	return rules;
}

static void watch(struct fixture *f)
{
	struct nb_rules rules = rules_of(f);

	nb_intrusions_watch(&f->intrusions, &rules, f->now_nsec, f->now_nsec / 1000);
}

static int set_up(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);

	f->host = nb_host_new(8, 1, 1);
	nb_host_add_nic(f->host, NB_NODE_NONE, 2, 0, 1000);
	nb_host_isolate(f->host, 5);
	f->claims.pools.rows = f->claim_rows;
	f->host->policy.claims = &f->claims;
	nb_intrusions_init(&f->intrusions);
	f->now_nsec = 1000 * SEC;
	f->n_files = 10;
	watch(f);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	nb_intrusions_clear(&f->intrusions);
	nb_host_free(f->host);
	g_free(f);
	return 0;
}

/* A reading now. row NULL: nothing came. */
static void take(struct fixture *f, const struct nb_arrival *row)
{
	struct nb_rules rules = rules_of(f);
	struct nb_arrivals arrivals = {
		.since_nsec = f->read_nsec,
		.read_nsec = f->now_nsec,
		.rows = row,
		.n = row ? 1 : 0,
		.n_files = f->n_files,
	};

	nb_intrusions_add(&f->intrusions, &f->host->machine, &rules, &arrivals, f->now_nsec / 1000);
	f->read_nsec = f->now_nsec;
}

static void take_after(struct fixture *f, unsigned seconds, const struct nb_arrival *row)
{
	f->now_nsec += seconds * SEC;
	watch(f);
	take(f, row);
}

/* CPU 5 is empty, and counts. */
static void settle(struct fixture *f)
{
	take(f, NULL);
	take_after(f, 2, NULL);
}

static struct nb_arrival irq_on(unsigned cpu, uint32_t irq, uint32_t count)
{
	return (struct nb_arrival){
		.cpu = cpu, .source = NB_SOURCE_IRQ, .number = irq, .count = count};
}

static struct nb_arrival net_rx_on(unsigned cpu, uint32_t count)
{
	return (struct nb_arrival){.cpu = cpu,
				   .source = NB_SOURCE_SOFTIRQ,
				   .number = NB_SOFTIRQ_NET_RX,
				   .count = count};
}

static const struct nb_intrusion *row(const struct fixture *f, unsigned i)
{
	assert_true(i < f->intrusions.rows->len);
	return &g_array_index(f->intrusions.rows, struct nb_intrusion, i);
}

static const struct nb_excluded_cpu *excluded(const struct fixture *f, unsigned i)
{
	assert_true(i < f->intrusions.cpus->len);
	return &g_array_index(f->intrusions.cpus, struct nb_excluded_cpu, i);
}

static void assert_counts(const struct fixture *f, unsigned i, uint64_t count, uint64_t leaving,
			  uint64_t allowed)
{
	assert_int_equal(row(f, i)->count, count);
	assert_int_equal(row(f, i)->leaving, leaving);
	assert_int_equal(row(f, i)->allowed, allowed);
}

static bool is_due_at(const struct fixture *f, uint64_t now_nsec)
{
	return nb_intrusions_are_due(&f->intrusions, now_nsec);
}

static void without_excluded_cpus_nothing_is_read(void **state)
{
	struct fixture *f = *state;

	assert_true(is_due_at(f, f->now_nsec));
	nb_cpumask_clear(&f->host->machine.topology.isolated);
	watch(f);
	assert_false(is_due_at(f, f->now_nsec));
	assert_false(is_due_at(f, f->now_nsec + 3600 * SEC));
}

static void what_came_before_a_cpu_was_excluded_does_not_count(void **state)
{
	struct nb_arrival arrival = irq_on(3, 77, 9);
	struct fixture *f = *state;

	settle(f);
	f->now_nsec += 5 * SEC;
	f->host->policy.banned = cpus("3");
	watch(f);
	assert_int_equal(f->intrusions.cpus->len, 2);
	take_after(f, 1, &arrival);
	assert_int_equal(f->intrusions.rows->len, 0);
}

static void what_comes_while_a_cpu_is_emptied_is_told_apart(void **state)
{
	struct nb_arrival arrival = irq_on(5, 77, 9);
	struct fixture *f = *state;

	take(f, NULL);
	take_after(f, 1, &arrival);
	take_after(f, 1, &arrival);
	assert_counts(f, 0, 0, 18, 0);
	assert_int_equal(excluded(f, 0)->counted_nsec, f->now_nsec);
	assert_int_equal(excluded(f, 0)->count, 0);
	take_after(f, 10, &arrival);
	assert_counts(f, 0, 9, 18, 0);
	assert_int_equal(excluded(f, 0)->count, 9);
	assert_int_equal(row(f, 0)->last_realtime_usec, f->now_nsec / 1000);
}

/* It is read at once, when it is to be empty, and seldom from then on. */
static void a_cpu_that_becomes_excluded_is_read_sooner(void **state)
{
	struct fixture *f = *state;

	take(f, NULL);
	assert_false(is_due_at(f, f->now_nsec + 2 * SEC - 1));
	assert_true(is_due_at(f, f->now_nsec + 2 * SEC));
	take_after(f, 2, NULL);
	assert_false(is_due_at(f, f->now_nsec + 10 * SEC - 1));
	assert_true(is_due_at(f, f->now_nsec + 10 * SEC));
	f->now_nsec += 4 * SEC;
	f->host->policy.banned = cpus("3");
	watch(f);
	assert_true(is_due_at(f, f->now_nsec));
}

static void those_that_come_and_go_are_not_read_without_end(void **state)
{
	struct fixture *f = *state;
	unsigned n = 0;

	settle(f);
	for (unsigned i = 0; i < 100; i++) {
		f->now_nsec += SEC / 10;
		f->host->policy.banned = cpus(i % 2 ? "1" : "2-3");
		watch(f);
		if (!is_due_at(f, f->now_nsec))
			continue;
		take(f, NULL);
		n++;
	}
	assert_true(n >= 4 && n <= 5);
}

static void what_is_dear_is_read_less_often(void **state)
{
	struct fixture *f = *state;

	f->n_files = 4000;
	settle(f);
	assert_false(is_due_at(f, f->now_nsec + 160 * SEC - 1));
	assert_true(is_due_at(f, f->now_nsec + 160 * SEC));
}

static void a_cpu_that_is_excluded_again_begins_anew(void **state)
{
	struct nb_arrival arrival = irq_on(5, 77, 9);
	struct fixture *f = *state;

	settle(f);
	take_after(f, 10, &arrival);
	nb_cpumask_clear(&f->host->machine.topology.isolated);
	f->now_nsec += SEC;
	watch(f);
	assert_false(excluded(f, 0)->is_excluded);
	assert_int_equal(f->intrusions.rows->len, 0);
	f->now_nsec += SEC;
	nb_host_isolate(f->host, 5);
	watch(f);
	assert_true(excluded(f, 0)->is_excluded);
	assert_int_equal(excluded(f, 0)->count, 0);
	assert_int_equal(excluded(f, 0)->counted_nsec, 0);
	assert_int_equal(excluded(f, 0)->since_nsec, f->now_nsec);
}

static void claim(struct fixture *f, const char *list)
{
	f->claim_rows[0] = (struct nb_pool){
		.key = queue, .rule = NB_RULE_CLAIM, .exclusive = true, .cpus = cpus(list)};
	f->claims.pools.n = 1;
	watch(f);
}

/* Its softirqs are, too; others are not. */
static void what_has_claimed_a_cpu_may_be_there(void **state)
{
	struct nb_arrival own = irq_on(6, 100, 9), other = irq_on(6, 101, 2);
	struct nb_arrival softirq = net_rx_on(6, 5), elsewhere = net_rx_on(5, 3);
	struct fixture *f = *state;

	claim(f, "6");
	settle(f);
	take_after(f, 10, &own);
	take_after(f, 10, &other);
	take_after(f, 10, &softirq);
	take_after(f, 10, &elsewhere);
	assert_counts(f, 0, 3, 0, 0);
	assert_counts(f, 1, 0, 0, 9);
	assert_counts(f, 2, 2, 0, 0);
	assert_counts(f, 3, 0, 0, 5);
	assert_int_equal(excluded(f, 1)->count, 2);
}

static void what_its_pool_leaves_nothing_else_is_allowed(void **state)
{
	struct nb_arrival arrival = irq_on(5, 100, 9);
	struct fixture *f = *state;

	claim(f, "5");
	f->claim_rows[0].exclusive = false;
	settle(f);
	take_after(f, 10, &arrival);
	assert_counts(f, 0, 0, 0, 9);
	assert_true(row(f, 0)->is_allowed);
}

/* But for what has a CPU of its own. */
static void where_no_cpu_is_left_everything_is_allowed(void **state)
{
	struct nb_arrival arrival = irq_on(5, 101, 9), softirq = net_rx_on(5, 2);
	struct fixture *f = *state;

	f->host->policy.banned = cpus("0-7");
	claim(f, "2");
	f->claim_rows[0].exclusive = false;
	settle(f);
	take_after(f, 10, &arrival);
	take_after(f, 10, &softirq);
	assert_counts(f, 0, 0, 0, 9);
	assert_counts(f, 1, 0, 0, 2);
}

/* The claim may have ended at any time since the reading before. */
static void what_is_no_longer_allowed_is_leaving_at_first(void **state)
{
	struct nb_arrival arrival = irq_on(5, 100, 9);
	struct fixture *f = *state;

	claim(f, "5");
	settle(f);
	take_after(f, 10, &arrival);
	f->claims.pools.n = 0;
	take_after(f, 10, &arrival);
	assert_counts(f, 0, 0, 9, 9);
	take_after(f, 10, &arrival);
	assert_counts(f, 0, 9, 9, 9);
}

static void other_handlers_are_another_source(void **state)
{
	struct nb_arrival first = irq_on(5, 77, 9), second = irq_on(5, 77, 4);
	struct fixture *f = *state;

	strcpy(first.handlers, "nvme0q1");
	strcpy(second.handlers, "ahci");
	settle(f);
	take_after(f, 10, &first);
	take_after(f, 10, &second);
	take_after(f, 10, &first);
	assert_counts(f, 0, 4, 0, 0);
	assert_string_equal(row(f, 0)->handlers, "ahci");
	assert_counts(f, 1, 18, 0, 0);
}

/* As those that have the name of a session. */
static void of_handlers_with_ever_new_names_the_last_are_kept(void **state)
{
	struct nb_arrival other = irq_on(5, 78, 3), changing = irq_on(5, 77, 1);
	struct fixture *f = *state;

	strcpy(other.handlers, "ahci");
	settle(f);
	take_after(f, 10, &other);
	/* Neither ascending nor descending, so that they come before and behind the oldest. */
	for (unsigned i = 0; i < 100; i++) {
		snprintf(changing.handlers, sizeof(changing.handlers), "session-%02u",
			 i * 37 % 100);
		take_after(f, 10, &changing);
	}
	assert_int_equal(f->intrusions.rows->len, 8 + 1);
	for (unsigned i = 92; i < 100; i++) {
		unsigned n_found = 0;

		snprintf(changing.handlers, sizeof(changing.handlers), "session-%02u",
			 i * 37 % 100);
		for (unsigned k = 0; k < 8; k++)
			n_found += g_str_equal(row(f, k)->handlers, changing.handlers);
		assert_int_equal(n_found, 1);
	}
	for (unsigned k = 1; k < 8; k++)
		assert_true(strcmp(row(f, k - 1)->handlers, row(f, k)->handlers) < 0);
	assert_string_equal(row(f, 8)->handlers, "ahci");
	assert_int_equal(excluded(f, 0)->count, 103);
}

static void each_cpu_is_told_once_an_hour(void **state)
{
	struct nb_arrival arrival = irq_on(5, 77, 9);
	struct nb_excluded_cpu told;
	struct fixture *f = *state;

	settle(f);
	assert_false(nb_intrusions_tell(&f->intrusions, f->now_nsec, &told));
	take_after(f, 10, &arrival);
	assert_true(nb_intrusions_tell(&f->intrusions, f->now_nsec, &told));
	assert_int_equal(told.cpu, 5);
	assert_int_equal(told.untold, 9);
	take_after(f, 10, &arrival);
	assert_false(nb_intrusions_tell(&f->intrusions, f->now_nsec, &told));
	assert_false(nb_intrusions_tell(&f->intrusions, f->now_nsec + 3580 * SEC, &told));
	assert_true(nb_intrusions_tell(&f->intrusions, f->now_nsec + 3590 * SEC, &told));
	assert_int_equal(told.untold, 9);
	assert_int_equal(told.count, 18);
}

/* Not even if it was not excluded in between. */
static void a_cpu_that_comes_and_goes_is_told_no_oftener(void **state)
{
	struct nb_arrival arrival = irq_on(5, 77, 9);
	struct nb_excluded_cpu told;
	struct fixture *f = *state;

	settle(f);
	take_after(f, 10, &arrival);
	assert_true(nb_intrusions_tell(&f->intrusions, f->now_nsec, &told));
	nb_cpumask_clear(&f->host->machine.topology.isolated);
	take_after(f, 10, NULL);
	nb_host_isolate(f->host, 5);
	take_after(f, 10, NULL);
	take_after(f, 10, NULL);
	take_after(f, 10, &arrival);
	assert_int_equal(excluded(f, 0)->count, 9);
	assert_false(nb_intrusions_tell(&f->intrusions, f->now_nsec, &told));
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(without_excluded_cpus_nothing_is_read),
		TEST(what_came_before_a_cpu_was_excluded_does_not_count),
		TEST(what_comes_while_a_cpu_is_emptied_is_told_apart),
		TEST(a_cpu_that_becomes_excluded_is_read_sooner),
		TEST(those_that_come_and_go_are_not_read_without_end),
		TEST(what_is_dear_is_read_less_often),
		TEST(a_cpu_that_is_excluded_again_begins_anew),
		TEST(what_has_claimed_a_cpu_may_be_there),
		TEST(what_its_pool_leaves_nothing_else_is_allowed),
		TEST(where_no_cpu_is_left_everything_is_allowed),
		TEST(what_is_no_longer_allowed_is_leaving_at_first),
		TEST(other_handlers_are_another_source),
		TEST(of_handlers_with_ever_new_names_the_last_are_kept),
		TEST(each_cpu_is_told_once_an_hour),
		TEST(a_cpu_that_comes_and_goes_is_told_no_oftener),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
