/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What must hold of every plan, on generated machines. NB_SEED and NB_MACHINES choose them; the
 * seed of a failing machine is printed. */
#include "plan/planner.h"

#include "plan/board.h"
#include "support/host.h"
#include "support/support.h"
#include "verify/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define SEC NB_NSEC_PER_SEC

static uint64_t env_number(const char *name, uint64_t fallback)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 0) : fallback;
}

/* SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014). */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static unsigned below(uint64_t *state, unsigned bound)
{
	return (unsigned)(next_random(state) % bound);
}

static void add_random_nic(struct nb_host *host, unsigned n_nodes, uint64_t *state)
{
	int node = n_nodes > 1 && below(state, 4) ? (int)below(state, n_nodes) : NB_NODE_NONE;
	unsigned n_queues = 1 + below(state, 12);
	bool piled = below(state, 4) == 0;
	unsigned first = nb_host_add_nic(host, node, n_queues, below(state, host->cpus->len), 0);

	for (unsigned i = first; i < first + n_queues; i++) {
		host->cost[i] = below(state, 3) ? below(state, 2500) : below(state, 9000);
		if (!piled)
			nb_host_place(host, i, below(state, host->cpus->len));
		host->snapshot.queues[i].settable = below(state, 20) != 0;
		if (below(state, 10) == 0) {
			host->snapshot.queues[i].n_allowed = 2 + below(state, 6);
			host->snapshot.queues[i].affinity_cpu = -1;
		}
	}
}

/* Any mix of SMT, nodes, isolation, bans, applications and NICs. CPU 0 stays eligible. */
static struct nb_host *random_host(uint64_t seed)
{
	static const unsigned cpu_counts[] = {2, 4, 8, 16, 32, 64};
	uint64_t state = seed;
	unsigned n_cpus = cpu_counts[below(&state, G_N_ELEMENTS(cpu_counts))];
	unsigned n_threads = below(&state, 2) ? 2 : 1;
	unsigned n_nodes = n_cpus / n_threads >= 4 && below(&state, 2) ? 2 : 1;
	struct nb_host *host = nb_host_new(n_cpus, n_threads, n_nodes);
	unsigned n_nics = 1 + below(&state, 3);

	for (unsigned i = 0; i < n_nics; i++)
		add_random_nic(host, n_nodes, &state);
	for (unsigned i = 0; i < n_cpus; i++) {
		host->rest[i] = below(&state, 4) ? below(&state, 1500) : below(&state, 9500);
		if (i && below(&state, 10) == 0)
			nb_host_isolate(host, i);
		if (i && below(&state, 12) == 0)
			nb_cpumask_add(&host->policy.banned, i);
	}
	return host;
}

static bool is_eligible(const struct nb_host *host, unsigned cpu)
{
	return nb_cpumask_has(&host->machine.topology.online, cpu) &&
	       !nb_cpumask_has(&host->machine.topology.isolated, cpu) &&
	       !nb_cpumask_has(&host->policy.banned, cpu);
}

/* The hottest CPU, with siblings, of all. */
static uint32_t predicted_maximum(struct nb_host *host)
{
	struct nb_board board;
	uint32_t hottest = 0;

	nb_board_init(&board);
	nb_board_set_up(&board, &host->snapshot, &host->loads, &host->policy, &host->memory);
	for (unsigned i = 0; i < board.n_cpus; i++)
		hottest = MAX(hottest, nb_board_load(&board, i));
	nb_board_clear(&board);
	return hottest;
}

static void check_rps(const struct nb_host *host, const struct nb_rps_change *change)
{
	unsigned queue = 0;

	while (nb_queue_key_compare(host->snapshot.queues[queue].key, change->key) != 0)
		queue++;
	NB_CPUMASK_FOREACH (cpu, &change->to) {
		assert_true(is_eligible(host, cpu));
		assert_int_not_equal(host->machine.topology.cpus[cpu].core,
				     host->machine.topology.cpus[nb_host_cpu_of(host, queue)].core);
	}
}

static void check_plan(const struct nb_host *host, const struct nb_plan *plan)
{
	for (unsigned i = 0; i < plan->n_moves; i++)
		assert_true(is_eligible(host, plan->moves[i].cpu_to));
	if (plan->verdict != NB_VERDICT_PLACING)
		assert_true(plan->n_moves <= host->policy.moves_per_round);
	if (plan->steer)
		check_rps(host, &plan->rps);
	assert_int_equal(plan->n_moves > 0, plan->verdict == NB_VERDICT_PLACING ||
						    plan->verdict == NB_VERDICT_BALANCING);
	assert_int_equal(plan->steer, plan->verdict == NB_VERDICT_STEERING);
}

static const struct nb_plan *cycle(struct nb_host *host, struct nb_planner *planner)
{
	g_autofree enum nb_outcome *outcomes = g_new0(enum nb_outcome, host->snapshot.n_queues + 2);
	g_autoptr(GArray) findings = g_array_new(FALSE, FALSE, sizeof(struct nb_finding));
	const struct nb_plan *plan;
	uint32_t before;

	nb_host_tick(host, SEC);
	nb_memory_sync(&host->memory, &host->snapshot);
	before = predicted_maximum(host);
	plan = nb_planner_run(planner, &host->snapshot, &host->loads, &host->policy, &host->memory);
	check_plan(host, plan);
	nb_verify_judge(&host->snapshot, &host->loads, &host->policy, &host->memory, findings);
	nb_host_obey(host, plan, outcomes);
	nb_verify_note(plan, outcomes, NB_OUTCOME_APPLIED, host->snapshot.taken_nsec,
		       &host->memory);
	if (plan->verdict == NB_VERDICT_BALANCING) {
		nb_host_tick(host, 0);
		assert_true(predicted_maximum(host) <= before);
	}
	return plan;
}

/* Moves and mask changes of n cycles. */
static unsigned changes_in(struct nb_host *host, struct nb_planner *planner, unsigned n)
{
	unsigned changes = 0;

	for (unsigned i = 0; i < n; i++) {
		const struct nb_plan *plan = cycle(host, planner);

		changes += plan->n_moves + plan->steer;
	}
	return changes;
}

static void every_plan_is_allowed_and_comes_to_rest(void **state)
{
	uint64_t seed = env_number("NB_SEED", 1);
	uint64_t n_machines = env_number("NB_MACHINES", 1500);

	(void)state;
	print_message("seeds %" PRIu64 " to %" PRIu64 "\n", seed, seed + n_machines - 1);
	for (uint64_t i = 0; i < n_machines; i++) {
		struct nb_host *host = random_host(seed + i);
		struct nb_planner *planner = nb_planner_new();

		changes_in(host, planner, 900);
		if (changes_in(host, planner, 100) != 0)
			fail_msg("machine of seed %" PRIu64 " does not come to rest", seed + i);
		nb_planner_free(planner);
		nb_host_free(host);
	}
}

/* Constant load for 10 000 cycles, after which every dwell and back-off has long run out. */
static void never_goes_to_and_fro_under_constant_load(void **state)
{
	(void)state;
	for (uint64_t seed = 5000; seed < 5040; seed++) {
		struct nb_host *host = random_host(seed);
		struct nb_planner *planner = nb_planner_new();

		changes_in(host, planner, 1000);
		assert_int_equal(changes_in(host, planner, 10000), 0);
		nb_planner_free(planner);
		nb_host_free(host);
	}
}

/* The bound of plan/balance.h: no number of rounds goes beyond Σ load² ÷ (2 × gain²). */
static void balancing_ends_within_its_bound(void **state)
{
	(void)state;
	for (uint64_t seed = 9000; seed < 9200; seed++) {
		struct nb_host *host = random_host(seed);
		struct nb_planner *planner = nb_planner_new();
		uint64_t squares = 0, bound;
		unsigned moves = 0;

		changes_in(host, planner, 1);
		nb_host_tick(host, SEC);
		for (unsigned i = 0; i < host->loads.n_cpus; i++)
			squares += (uint64_t)host->loads.cpus[i].busy * host->loads.cpus[i].busy;
		bound = 2 * squares / (2 * host->policy.minimum_gain * host->policy.minimum_gain);
		moves = changes_in(host, planner, 2000);
		assert_true(moves <= bound);
		nb_planner_free(planner);
		nb_host_free(host);
	}
}

/* Shuffles the queues within the snapshot of a NIC's rows. */
static void swap_queues(struct nb_host *host, unsigned a, unsigned b)
{
	struct nb_queue queue = host->machine.queues[a];
	struct nb_queue_state queue_state = host->snapshot.queues[a];
	uint32_t cost = host->cost[a];

	host->machine.queues[a] = host->machine.queues[b];
	host->machine.queues[b] = queue;
	host->snapshot.queues[a] = host->snapshot.queues[b];
	host->snapshot.queues[b] = queue_state;
	host->cost[a] = host->cost[b];
	host->cost[b] = cost;
}

/* The key of a queue decides, not its row: rows of equal content swapped change nothing but the
 * rows. Names and interrupt numbers are nothing to the planner at all. */
static void renamed_input_gives_the_same_plan(void **state)
{
	(void)state;
	for (uint64_t seed = 20000; seed < 20300; seed++) {
		struct nb_host *a = random_host(seed), *b = random_host(seed);
		struct nb_planner *planner_a = nb_planner_new(), *planner_b = nb_planner_new();

		for (unsigned i = 0; i < b->nics->len; i++)
			snprintf(b->machine.nics[i].name, NB_IFNAME_MAX, "wan%u", 9 - i);
		for (unsigned i = 0; i < b->machine.n_queues; i++)
			b->machine.queues[i].irqs[0] = 9999 - i;
		for (unsigned i = 0; i < 40; i++) {
			const struct nb_plan *plan_a = cycle(a, planner_a);
			const struct nb_plan *plan_b = cycle(b, planner_b);

			assert_int_equal(plan_a->verdict, plan_b->verdict);
			assert_int_equal(plan_a->n_moves, plan_b->n_moves);
			if (plan_a->n_moves)
				assert_memory_equal(plan_a->moves, plan_b->moves,
						    plan_a->n_moves * sizeof(*plan_a->moves));
		}
		nb_planner_free(planner_a);
		nb_planner_free(planner_b);
		nb_host_free(a);
		nb_host_free(b);
	}
}

static int compare_moves(const void *a, const void *b)
{
	const struct nb_move *left = a, *right = b;

	return nb_queue_key_compare(left->key, right->key);
}

/* The first plan of a machine whose queue rows come in another order. */
static GArray *first_moves(struct nb_host *host)
{
	struct nb_planner *planner = nb_planner_new();
	GArray *moves = g_array_new(FALSE, FALSE, sizeof(struct nb_move));

	for (unsigned i = 0; i < host->machine.n_queues; i++)
		host->snapshot.queues[i].landed_cpu = -1;
	for (unsigned i = 0; i < 4; i++) {
		const struct nb_plan *plan;

		nb_host_tick(host, SEC);
		if (i == 0)
			nb_memory_sync(&host->memory, &host->snapshot);
		plan = nb_planner_run(planner, &host->snapshot, &host->loads, &host->policy,
				      &host->memory);
		g_array_append_vals(moves, plan->moves, plan->n_moves);
	}
	g_array_sort(moves, compare_moves);
	nb_planner_free(planner);
	return moves;
}

static int compare_memory(const void *a, const void *b)
{
	const struct nb_queue_memory *left = a, *right = b;

	return nb_queue_key_compare(left->key, right->key);
}

static void shuffled_input_gives_the_same_plan(void **state)
{
	(void)state;
	for (uint64_t seed = 30000; seed < 30300; seed++) {
		struct nb_host *a = random_host(seed), *b = random_host(seed);
		uint64_t random = seed;
		g_autoptr(GArray) moves_a = NULL;
		g_autoptr(GArray) moves_b = NULL;

		nb_memory_sync(&b->memory, &b->snapshot);
		qsort(b->memory.queues, b->memory.n_queues, sizeof(*b->memory.queues),
		      compare_memory);
		for (unsigned first = 0, i = 0; i < b->nics->len;
		     first += b->machine.nics[i++].n_rx)
			for (unsigned k = b->machine.nics[i].n_rx; k > 1; k--)
				swap_queues(b, first + k - 1, first + below(&random, k));
		moves_a = first_moves(a);
		moves_b = first_moves(b);
		assert_int_equal(moves_a->len, moves_b->len);
		if (moves_a->len)
			assert_memory_equal(moves_a->data, moves_b->data,
					    moves_a->len * sizeof(struct nb_move));
		nb_host_free(a);
		nb_host_free(b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_plan_is_allowed_and_comes_to_rest),
		cmocka_unit_test(never_goes_to_and_fro_under_constant_load),
		cmocka_unit_test(balancing_ends_within_its_bound),
		cmocka_unit_test(renamed_input_gives_the_same_plan),
		cmocka_unit_test(shuffled_input_gives_the_same_plan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
