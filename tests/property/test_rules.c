/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who may run where, on generated machines with pools, claims, bans and default affinities that
 * change all the time: no plan of any kind ever uses another CPU, and what is where it may not be
 * any more is gone two cycles later. NB_SEED and NB_MACHINES choose the machines. */
#include "loop.h"
#include "machines.h"

#include "base/pools.h"
#include "base/rules.h"

#include <inttypes.h>

#ifdef __SANITIZE_ADDRESS__
#define MACHINES 10000
#else
#define MACHINES 100000
#endif

#define CYCLES 12
#define ROWS_MAX 8

struct orders {
	struct nb_claims claims;
	struct nb_pool claimed[ROWS_MAX], configured[ROWS_MAX];
};

/* At least one. */
static struct nb_cpumask some_cpus(const struct nb_host *host, uint64_t *state)
{
	struct nb_cpumask cpus = {};

	for (unsigned i = 0; i < host->cpus->len; i++)
		if (nb_random_below(state, 2))
			nb_cpumask_add(&cpus, i);
	nb_cpumask_add(&cpus, nb_random_below(state, host->cpus->len));
	return cpus;
}

/* Rows ascend by key: as many of them as come, of queues in their order, and each NIC's last. */
static void draw_pools(const struct nb_host *host, enum nb_rule rule, struct nb_pools *pools,
		       uint64_t *state)
{
	pools->n = 0;
	for (unsigned i = 0; i < host->queues->len && pools->n < ROWS_MAX; i++) {
		struct nb_queue_key key = host->snapshot.queues[i].key;
		bool last = i + 1 == host->queues->len ||
			    host->snapshot.queues[i + 1].key.ifindex != key.ifindex;
		struct nb_pool pool = {.key = key, .rule = rule};

		if (last && nb_random_below(state, 2))
			pool.key = nb_rules_every_queue(key);
		else if (nb_random_below(state, 4))
			continue;
		pool.cpus = some_cpus(host, state);
		pool.exclusive = rule == NB_RULE_CLAIM && nb_random_below(state, 4) == 0;
		pools->rows[pools->n++] = pool;
	}
}

/* Of some NICs; now and then RPS may use no CPU at all. */
static void draw_rps_pools(struct nb_host *host, struct nb_pools *pools, uint64_t *state)
{
	nb_pools_clear(pools);
	for (unsigned i = 0; i < host->queues->len; i++) {
		struct nb_pool pool = {
			.key = nb_rules_every_queue(host->snapshot.queues[i].key),
			.rule = NB_RULE_LINK,
			.cpus = some_cpus(host, state),
		};

		if (nb_random_below(state, 4) == 0)
			nb_cpumask_clear(&pool.cpus);
		if (nb_random_below(state, 4) == 0)
			nb_pools_set(pools, &pool);
	}
}

/* The mask keeps inside the pool of the NIC, if there is one. */
static void assert_steered_inside(const struct nb_host *host, struct nb_queue_key key,
				  struct nb_cpumask mask)
{
	const struct nb_pool *pool =
		nb_pools_find(&host->machine.rps_pools, nb_rules_every_queue(key));

	if (pool)
		nb_cpumask_andnot(&mask, &pool->cpus);
	assert_true(!pool || nb_cpumask_empty(&mask));
}

static void draw_orders(struct nb_host *host, struct orders *orders, uint64_t *state)
{
	nb_cpumask_clear(&orders->claims.banned);
	if (nb_random_below(state, 3) == 0)
		nb_cpumask_add(&orders->claims.banned, nb_random_below(state, host->cpus->len));
	orders->claims.pools.rows = orders->claimed;
	draw_pools(host, NB_RULE_CLAIM, &orders->claims.pools, state);
	if (nb_random_below(state, 2))
		orders->claims.pools.n = 0;
	host->machine.pools.rows = orders->configured;
	draw_pools(host, NB_RULE_CONFIGURED, &host->machine.pools, state);
	if (nb_random_below(state, 2))
		host->machine.pools.n = 0;
	draw_rps_pools(host, &host->machine.rps_pools, state);
	nb_cpumask_clear(&host->snapshot.default_affinity);
	if (nb_random_below(state, 2))
		host->snapshot.default_affinity = some_cpus(host, state);
	host->policy.claims = &orders->claims;
}

static bool names(const struct nb_pool *pool, struct nb_queue_key key)
{
	return pool->key.ifindex == key.ifindex &&
	       (pool->key.index == key.index || pool->key.index == NB_EVERY_QUEUE);
}

/* The rule as it stands in the manual, CPU by CPU. */
static bool passes_all(const struct nb_host *host, struct nb_queue_key key, unsigned cpu)
{
	const struct nb_pools *claims = &host->policy.claims->pools, *pools = &host->machine.pools;
	const struct nb_cpumask *affinity = &host->snapshot.default_affinity;

	if (!nb_cpumask_has(&host->machine.topology.online, cpu) ||
	    nb_cpumask_has(&host->machine.topology.isolated, cpu) ||
	    nb_cpumask_has(&host->policy.banned, cpu) ||
	    nb_cpumask_has(&host->policy.claims->banned, cpu) ||
	    (!nb_cpumask_empty(affinity) && !nb_cpumask_has(affinity, cpu)))
		return false;
	for (unsigned i = 0; i < claims->n; i++)
		if (names(&claims->rows[i], key)
			    ? !nb_cpumask_has(&claims->rows[i].cpus, cpu)
			    : claims->rows[i].exclusive &&
				      nb_cpumask_has(&claims->rows[i].cpus, cpu))
			return false;
	for (unsigned i = 0; i < pools->n; i++)
		if (names(&pools->rows[i], key) && !nb_cpumask_has(&pools->rows[i].cpus, cpu))
			return false;
	return true;
}

/* Where rules exclude each other some are set aside (unit-base-rules); else it is all of them. */
static struct nb_allowed allowed_for(const struct nb_host *host, struct nb_queue_key key)
{
	const struct nb_pools none = {};
	const struct nb_rules rules = {
		.topology = &host->machine.topology,
		.banned = &host->policy.banned,
		.claims = host->policy.claims,
		.configured = &host->machine.pools,
		.written = &none,
		.default_affinity = &host->snapshot.default_affinity,
	};
	struct nb_cpumask all = {};
	struct nb_allowed allowed;

	nb_rules_allow(&rules, key, &allowed);
	for (unsigned i = 0; i < host->cpus->len; i++)
		if (passes_all(host, key, i))
			nb_cpumask_add(&all, i);
	if (!nb_cpumask_empty(&all))
		assert_true(nb_cpumask_equal(&all, &allowed.cpus));
	return allowed;
}

static void check_change(const struct nb_host *host, const struct nb_change *change)
{
	if (change->kind == NB_KIND_QUEUE) {
		struct nb_allowed allowed = allowed_for(host, change->move->key);

		assert_true(nb_cpumask_has(&allowed.cpus, change->move->cpu_to));
	} else if (change->kind == NB_KIND_RPS) {
		struct nb_allowed allowed = allowed_for(host, change->rps->key);
		struct nb_cpumask outside = change->rps->to;

		nb_cpumask_andnot(&outside, &allowed.cpus);
		assert_true(nb_cpumask_empty(&outside));
		assert_steered_inside(host, change->rps->key, change->rps->to);
	}
}

static void check_places(const struct nb_host *host, const struct nb_memory *memory)
{
	for (unsigned i = 0; i < host->snapshot.n_queues; i++) {
		const struct nb_queue_state *queue = &host->snapshot.queues[i];
		struct nb_allowed allowed = allowed_for(host, queue->key);

		if (queue->settable && !nb_cpumask_empty(&allowed.cpus))
			assert_true(nb_cpumask_has(&allowed.cpus, nb_host_cpu_of(host, i)));
	}
	for (unsigned i = 0; i < memory->n_rps; i++) {
		struct nb_allowed allowed = allowed_for(host, memory->rps[i].key);
		struct nb_cpumask outside = memory->rps[i].cpus;

		nb_cpumask_andnot(&outside, &allowed.cpus);
		assert_true(nb_cpumask_empty(&outside));
		assert_steered_inside(host, memory->rps[i].key, memory->rps[i].cpus);
	}
}

/* Loads of some windows are unknown, as when the probe was loaded in them. */
static void cycle(struct loop *loop, uint64_t *state)
{
	const struct nb_plan *plan;

	loop_measure(loop);
	if (nb_random_below(state, 4) == 0)
		loop->host->loads.window_nsec = 0;
	plan = loop_plan(loop);
	for (unsigned i = 0; i < plan->n_changes; i++)
		check_change(loop->host, &plan->changes[i]);
	loop_act(loop);
}

/* As a run before this one left them. */
static void adopt_masks(struct loop *loop, uint64_t *state)
{
	struct nb_host *host = loop->host;

	for (unsigned i = 0; i < host->queues->len; i++) {
		struct nb_cpumask mask = some_cpus(host, state);

		if (nb_random_below(state, 3))
			continue;
		nb_host_set_rps(host, i, &mask);
		nb_memory_adopt_rps(&loop->core.memory, host->snapshot.queues[i].key, &mask,
				    host->snapshot.taken_nsec);
	}
}

static void run(uint64_t seed)
{
	uint64_t state = seed;
	struct loop loop = loop_of(random_host(seed, SMALL));
	struct orders orders = {};

	loop_cycle(&loop);
	adopt_masks(&loop, &state);
	for (unsigned i = 0; i < CYCLES; i++) {
		draw_orders(loop.host, &orders, &state);
		cycle(&loop, &state);
		if (nb_random_below(&state, 2))
			continue;
		cycle(&loop, &state);
		nb_host_tick(loop.host, 0);
		check_places(loop.host, &loop.core.memory);
	}
	nb_pools_clear(&loop.host->machine.rps_pools);
	loop_clear(&loop);
}

static uint64_t current_seed;

static int tell_seed(void **state)
{
	(void)state;
	print_message("last seed %" PRIu64 "\n", current_seed);
	return 0;
}

static void nothing_uses_a_cpu_that_it_may_not(void **state)
{
	uint64_t seed = env_number("NB_SEED", 1);
	uint64_t n_machines = env_number("NB_MACHINES", MACHINES);

	(void)state;
	for (current_seed = seed; current_seed < seed + n_machines; current_seed++)
		run(current_seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(nothing_uses_a_cpu_that_it_may_not, tell_seed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
