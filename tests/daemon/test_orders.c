/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bans and claims: obeyed in the call that orders them, and kept until they end. */
#include "claims/store.h"
#include "daemon/orders.h"

#include <errno.h>

static void assert_off(struct fixture *f, const char *list)
{
	for (unsigned irq = FIRST_IRQ; irq < FIRST_IRQ + N_IRQS; irq++) {
		g_autofree char *cpu = g_strdup_printf("%d", pointed_at(f, irq));

		if (strstr(list, cpu))
			fail_msg("IRQ %u is on CPU %s", irq, cpu);
	}
}

static void restart(struct fixture *f)
{
	nb_daemon_free(f->daemon);
	f->daemon = NULL;
	assert_int_equal(start_daemon(f), 0);
}

static void a_ban_empties_its_cpus_in_the_same_call(void **state)
{
	struct fixture *f = *state;
	struct nb_order_request ban = ban_of("0-1");

	obeyed(f, &ban);
	assert_off(f, "0,1");
	for (unsigned i = 0; i < 5; i++)
		look(f);
	assert_off(f, "0,1");
}

static void a_claim_brings_its_target_there(void **state)
{
	struct fixture *f = *state;
	struct nb_order_request queue = claim_of("lab0:2", "6"), irq = claim_of("36", "5");

	obeyed(f, &queue);
	obeyed(f, &irq);
	assert_int_equal(pointed_at(f, 37), 6);
	assert_int_equal(pointed_at(f, 36), 5);
	queue = claim_of("lab0", "2-7");
	obeyed(f, &queue);
	assert_off(f, "0,1");
}

static void an_exclusive_claim_drives_the_others_away(void **state)
{
	struct fixture *f = *state;
	struct nb_order_request claim = claim_of("lab0:0", "3");

	claim.exclusive = true;
	obeyed(f, &claim);
	assert_int_equal(pointed_at(f, 35), 3);
	assert_int_equal(n_on(f, 3), 1);
}

static void what_is_refused_changes_nothing(void **state)
{
	struct fixture *f = *state;
	struct nb_order_request ban = ban_of("0-7"), claim = claim_of("lab0/0", "1");

	order(f, &ban, "would leave no CPU");
	ban.cpus = "8-9";
	order(f, &ban, "CPU 8-9 does not exist");
	ban.cpus = "99999";
	order(f, &ban, "no such CPUs: 99999");
	ban.cpus = "one";
	order(f, &ban, "\"one\" is no list of CPUs");
	ban.cpus = "";
	order(f, &ban, "is no list of CPUs");
	order(f, &claim, "\"lab0/0\" is neither an interface");
	claim = claim_of("lab0", "1");
	claim.owner = "two words";
	order(f, &claim, "An owner is a word");
	claim.owner = "operator";
	claim.connection = "a-name-that-is-longer-than-any-connection-of-D-Bus-has-in-practice";
	order(f, &claim, "too long");
	assert_int_equal(n_orders(f), 0);
	assert_false(nb_sysroot_exists(f->daemon->root, NB_CLAIMS_PATH));
	assert_null(f->daemon->claims.pools.rows);
}

static void a_lease_ends_by_itself(void **state)
{
	struct fixture *f = *state;
	struct nb_order_request ban = ban_of("0-1");

	ban.lease_usec = 3000000;
	obeyed(f, &ban);
	cycle(f);
	cycle(f);
	assert_int_equal(n_orders(f), 1);
	f->daemon->settled = true;
	cycle(f);
	assert_int_equal(n_orders(f), 0);
	assert_true(nb_cpumask_empty(&f->daemon->claims.banned));
	assert_false(nb_sysroot_exists(f->daemon->root, NB_CLAIMS_PATH));
}

static void ordering_again_begins_a_lease_again(void **state)
{
	struct fixture *f = *state;
	struct nb_order_request ban = ban_of("0-1");

	ban.lease_usec = 2500000;
	for (unsigned i = 0; i < 5; i++)
		obeyed(f, &ban);
	assert_int_equal(n_orders(f), 1);
	ban.lease_usec = UINT64_MAX;
	obeyed(f, &ban);
	assert_int_equal(nb_orders_get(f->daemon->orders, 0)->ends_nsec, 0);
}

static void unbanning_gives_cpus_back(void **state)
{
	struct fixture *f = *state;
	struct nb_order_request ban = ban_of("0-2");
	g_auto(nb_refusal) refusal = {};

	obeyed(f, &ban);
	assert_int_equal(nb_daemon_unban(f->daemon, "0-1", "operator", f->now_nsec, &refusal), 0);
	assert_false(nb_cpumask_has(&f->daemon->claims.banned, 1));
	assert_true(nb_cpumask_has(&f->daemon->claims.banned, 2));
	assert_int_equal(nb_daemon_unban(f->daemon, "0-1", "operator", f->now_nsec, &refusal),
			 -ENOENT);
	assert_int_equal(refusal.cause, NB_REFUSAL_NO_ORDER);
	assert_non_null(strstr(refusal.text, "operator has banned none of the CPUs 0-1"));
}

static void what_is_released_is_free(void **state)
{
	struct fixture *f = *state;
	struct nb_order_request claim = claim_of("lab0", "2-3"), ban = ban_of("5");
	g_auto(nb_refusal) refusal = {}, unknown = {};
	unsigned n;

	obeyed(f, &claim);
	obeyed(f, &ban);
	assert_int_equal(
		nb_daemon_release(f->daemon, "lab1", "operator", f->now_nsec, &n, &refusal),
		-ENOENT);
	assert_non_null(strstr(refusal.text, "operator has ordered nothing that is called lab1"));
	assert_int_equal(
		nb_daemon_release(f->daemon, "lab/1", "operator", f->now_nsec, &n, &unknown),
		-EINVAL);
	assert_string_equal(unknown.argument, "what");
	assert_int_equal(nb_daemon_release(f->daemon, "lab0", "operator", f->now_nsec, &n, NULL),
			 0);
	assert_int_equal(n, 1);
	assert_int_equal(f->daemon->claims.pools.n, 0);
	assert_int_equal(nb_daemon_release(f->daemon, "all", "operator", f->now_nsec, &n, NULL), 0);
	assert_int_equal(n, 1);
	assert_int_equal(nb_daemon_release(f->daemon, "all", "operator", f->now_nsec, &n, NULL), 0);
	assert_int_equal(n, 0);
	assert_true(nb_cpumask_empty(&f->daemon->claims.banned));
}

static void a_restart_keeps_orders_but_those_of_connections(void **state)
{
	struct fixture *f = *state;
	struct nb_order_request ban = ban_of("0"), leased = ban_of("2"), connected = ban_of("1");

	leased.lease_usec = 60 * 1000000;
	connected.connection = "socket:1";
	obeyed(f, &ban);
	obeyed(f, &leased);
	obeyed(f, &connected);
	restart(f);
	assert_int_equal(n_orders(f), 2);
	point(f, 36, 0);
	look(f);
	look(f);
	assert_off(f, "0,2");
	f->now_nsec += 60 * NB_NSEC_PER_SEC;
	cycle(f);
	assert_int_equal(n_orders(f), 1);
	/* An id is not given again. */
	obeyed(f, &connected);
	assert_int_equal(nb_orders_get(f->daemon->orders, 1)->id, 3);
}

static void a_reload_keeps_orders(void **state)
{
	struct fixture *f = *state;
	struct nb_order_request ban = ban_of("0-1");
	unsigned n_restored;

	obeyed(f, &ban);
	configure(f, "[Balance]\nHot=50%\n");
	assert_int_equal(nb_daemon_reload(f->daemon, f->now_nsec, NULL), 0);
	/* All queues are back where they were found, and placed again by the new policy. */
	assert_int_equal(nb_daemon_restore(f->daemon, &n_restored), 0);
	assert_int_equal(n_on(f, 0), N_IRQS);
	assert_int_equal(nb_daemon_set_paused(f->daemon, false), 0);
	for (unsigned i = 0; i < 3; i++)
		look(f);
	assert_off(f, "0,1");
}

static void a_rescan_keeps_orders(void **state)
{
	struct fixture *f = *state;
	struct nb_order_request claim = claim_of("lab0:0", "6");

	obeyed(f, &claim);
	f->daemon->rescan_wanted = true;
	look(f);
	assert_int_equal(f->daemon->claims.pools.n, 1);
	assert_int_equal(pointed_at(f, 35), 6);
}

static void orders_end_with_their_connection(void **state)
{
	struct fixture *f = *state;
	struct nb_order_request mine = ban_of("0"), other = ban_of("1");

	mine.connection = ":1.7";
	other.connection = ":1.70";
	obeyed(f, &mine);
	obeyed(f, &other);
	nb_daemon_end_orders(f->daemon, ":1.7");
	assert_int_equal(n_orders(f), 1);
	assert_false(f->daemon->settled);
	look(f);
	assert_false(nb_cpumask_has(&f->daemon->claims.banned, 0));
	assert_true(nb_cpumask_has(&f->daemon->claims.banned, 1));
}

static void what_cannot_be_kept_is_refused(void **state)
{
	struct fixture *f = *state;
	struct nb_order_request ban = ban_of("0-1");
	int places[N_IRQS];

	for (unsigned i = 0; i < N_IRQS; i++)
		places[i] = pointed_at(f, FIRST_IRQ + i);
	nb_tmp_write(f->options.root, NB_CLAIMS_PATH "/in-the-way", "");
	order(f, &ban, "Failed to keep this in /run/nicbalance/claims: ");
	assert_int_equal(n_orders(f), 0);
	look(f);
	for (unsigned i = 0; i < N_IRQS; i++)
		assert_int_equal(pointed_at(f, FIRST_IRQ + i), places[i]);
}

static void of_a_damaged_file_the_good_lines_count(void **state)
{
	struct fixture *f = *state;

	nb_tmp_write(f->options.root, NB_CLAIMS_PATH,
		     "nicbalance claims 1\nban 1 0 0 0 0 operator\nban 2 x\n");
	restart(f);
	assert_int_equal(n_orders(f), 1);
	look(f);
	look(f);
	assert_off(f, "0");
}

static void before_the_first_sample_nothing_can_be_ordered(void **state)
{
	struct fixture *f = *state;
	struct nb_order_request ban = ban_of("0");

	restart(f);
	order(f, &ban, "has not been sampled yet");
}

static void orders_without_end_are_refused(void **state)
{
	struct fixture *f = *state;
	struct nb_order_request claim = claim_of("lab9", "1"), same = claim_of("lab9:1023", "1");

	for (unsigned i = 0; i < 1024; i++) {
		struct nb_order row = {.target = {NB_TARGET_QUEUE, "lab9", i}, .owner = "operator"};

		nb_cpumask_add(&row.cpus, 1);
		nb_orders_add(f->daemon->orders, &row);
	}
	order(f, &claim, "1024 bans and claims already");
	obeyed(f, &same);
}

static void the_bus_reaches_the_daemon(void **state)
{
	const struct nb_handlers *bus = &nb_daemon_handlers;
	struct fixture *f = *state;
	struct nb_order_request ban = ban_of("0");
	g_autofree char *remains = NULL, *none = NULL;
	g_auto(nb_refusal) refusal = {};
	struct nb_status status;
	uint64_t id;
	unsigned n;

	assert_int_equal(bus->order(f->daemon, &ban, &id, &remains, &refusal), 0);
	bus->get_status(f->daemon, &status);
	assert_int_equal(status.n_orders, 1);
	assert_int_equal(status.orders[0].id, id);
	assert_true(status.orders[0].since_realtime_usec > 0);
	assert_int_equal(bus->unban(f->daemon, "0", "operator", &refusal), 0);
	ban.connection = "socket:1";
	assert_int_equal(bus->order(f->daemon, &ban, &id, &none, &refusal), 0);
	bus->end_orders(f->daemon, "socket:1");
	assert_int_equal(bus->release(f->daemon, "all", "operator", &n, &refusal), 0);
	assert_int_equal(n, 0);
}

#define ON_MACHINE(test) cmocka_unit_test_setup_teardown(test, set_up_spread, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_MACHINE(a_ban_empties_its_cpus_in_the_same_call),
		ON_MACHINE(a_claim_brings_its_target_there),
		ON_MACHINE(an_exclusive_claim_drives_the_others_away),
		ON_MACHINE(what_is_refused_changes_nothing),
		ON_MACHINE(a_lease_ends_by_itself),
		ON_MACHINE(ordering_again_begins_a_lease_again),
		ON_MACHINE(unbanning_gives_cpus_back),
		ON_MACHINE(what_is_released_is_free),
		ON_MACHINE(a_restart_keeps_orders_but_those_of_connections),
		ON_MACHINE(a_reload_keeps_orders),
		ON_MACHINE(a_rescan_keeps_orders),
		ON_MACHINE(orders_end_with_their_connection),
		ON_MACHINE(what_cannot_be_kept_is_refused),
		ON_MACHINE(of_a_damaged_file_the_good_lines_count),
		ON_MACHINE(before_the_first_sample_nothing_can_be_ordered),
		ON_MACHINE(orders_without_end_are_refused),
		ON_MACHINE(the_bus_reaches_the_daemon),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
