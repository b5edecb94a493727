/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What must hold of every plan, on generated machines. NB_SEED and NB_MACHINES choose them; the
 * seed of a failing machine is printed. */
#include "loop.h"
#include "machines.h"
#include "plan/board.h"

#include <inttypes.h>

/* Sanitizers make it take ten times as long; the release build tries them all. */
#ifdef __SANITIZE_ADDRESS__
#define MACHINES 10000
#else
#define MACHINES 100000
#endif

static bool is_eligible(const struct nb_host *host, unsigned cpu)
{
	return nb_cpumask_has(&host->machine.topology.online, cpu) &&
	       !nb_cpumask_has(&host->machine.topology.isolated, cpu) &&
	       !nb_cpumask_has(&host->policy.banned, cpu);
}

/* The load of each CPU, with siblings, and the hottest of all. */
static uint32_t hottest(const struct nb_host *host)
{
	uint32_t most = 0;

	for (unsigned cpu = 0; cpu < host->loads.n_cpus; cpu++)
		most = MAX(most, effective_load(host, cpu));
	return most;
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

static uint32_t queue_time(const struct nb_host *host, struct nb_queue_key key)
{
	unsigned queue = 0;

	while (nb_queue_key_compare(host->snapshot.queues[queue].key, key) != 0)
		queue++;
	return host->time[queue];
}

/* The time that a queue takes on a CPU, beside what its core's other thread does now. */
static uint32_t time_on(const struct nb_host *host, const struct nb_move *move)
{
	unsigned sibling = sibling_of(host, move->cpu_to);
	uint64_t busy = sibling == NB_CPUS_MAX ? 0 : host->loads.cpus[sibling].busy;
	uint64_t cost = queue_time(host, move->key);

	return (uint32_t)(cost + cost * MIN(busy, NB_WHOLE) * host->policy.sibling_weight /
					 NB_WHOLE / NB_WHOLE);
}

/* Time is rounded down, so is the work told from it, and the time told from that: less than 2
 * × 1.65
 * + 1 for each queue. */
static void assert_about(const struct nb_host *host, uint32_t predicted, uint32_t busy)
{
	unsigned slack = sibling_of(host, 0) == NB_CPUS_MAX ? 0 : 5 * host->snapshot.n_queues;

	assert_in_range(predicted + slack, busy, busy + 2 * slack);
}

/* Each move is weighed against loads that know of the moves before it: no two are sent to the same
 * idle CPU as if the other were not. */
static void check_predictions(const struct nb_host *host, const struct nb_plan *plan)
{
	g_autofree uint32_t *busy = g_new(uint32_t, host->loads.n_cpus);

	for (unsigned cpu = 0; cpu < host->loads.n_cpus; cpu++)
		busy[cpu] = host->loads.cpus[cpu].busy;
	for (unsigned i = 0; i < n_moves(plan); i++) {
		const struct nb_move *move = plan->changes[i].move;

		assert_true(is_eligible(host, move->cpu_to));
		assert_about(host, move->source_before, busy[move->cpu_from]);
		assert_about(host, move->target_before, busy[move->cpu_to]);
		busy[move->cpu_from] -= move->load;
		busy[move->cpu_to] += time_on(host, move);
		assert_about(host, move->source_after, busy[move->cpu_from]);
		assert_about(host, move->target_after, busy[move->cpu_to]);
	}
}

/* A thread of a core would have to be busy for more than all the time: how long work then takes
 * beside the other is beyond any prediction, and beyond any real host. */
static bool has_overfull_core(const struct nb_host *host)
{
	for (unsigned cpu = 0; cpu < host->loads.n_cpus; cpu++)
		if (sibling_of(host, cpu) != NB_CPUS_MAX && host->loads.cpus[cpu].busy > NB_WHOLE)
			return true;
	return false;
}

static void check_plan(const struct nb_host *host, const struct nb_plan *plan)
{
	bool undoes = plan->verdict == NB_VERDICT_UNDOING;
	bool places = plan->verdict == NB_VERDICT_PLACING;
	bool balances = plan->verdict == NB_VERDICT_BALANCING;

	/* Nothing is ever worse than predicted here. */
	assert_true(!undoes || has_overfull_core(host));
	if (n_moves(plan))
		check_predictions(host, plan);
	if (!places)
		assert_true(n_moves(plan) <= host->policy.moves_per_round);
	for (unsigned i = 0; i < n_masks(plan); i++)
		check_rps(host, plan->changes[i].rps);
	assert_int_equal(n_moves(plan) > 0, places || balances || undoes);
	assert_int_equal(n_masks(plan) > 0, plan->verdict == NB_VERDICT_STEERING);
}

static const struct nb_plan *checked_cycle(struct loop *loop)
{
	const struct nb_plan *plan;
	uint32_t before;

	loop_measure(loop);
	before = hottest(loop->host);
	plan = loop_plan(loop);
	check_plan(loop->host, plan);
	loop_act(loop);
	if (plan->verdict == NB_VERDICT_BALANCING) {
		nb_host_tick(loop->host, 0);
		assert_true(hottest(loop->host) <= before);
	}
	return plan;
}

/* RPS does nothing on these hosts, so that it is tried and taken back, ever more seldom. */
static unsigned moves_in(struct loop *loop, unsigned n)
{
	unsigned moves = 0;

	for (unsigned i = 0; i < n; i++)
		moves += n_moves(checked_cycle(loop));
	return moves;
}

static void comes_to_rest(struct nb_host *host, uint64_t seed, uint64_t step_nsec, unsigned n)
{
	struct loop loop = loop_of(host);

	loop.step_nsec = step_nsec;
	moves_in(&loop, n);
	if (moves_in(&loop, 10) != 0)
		fail_msg("machine of seed %" PRIu64 " does not come to rest", seed);
	loop_clear(&loop);
}

static const struct nb_nic *nic_of(const struct nb_host *host, struct nb_queue_key key)
{
	for (unsigned i = 0; i < host->machine.n_nics; i++)
		if (host->machine.nics[i].ifindex == key.ifindex)
			return &host->machine.nics[i];
	return NULL;
}

static bool is_on_node(const struct nb_host *host, const struct nb_nic *nic, unsigned cpu)
{
	return nic->node == NB_NODE_NONE || host->machine.topology.cpus[cpu].node == nic->node;
}

/* Its mean is hot. There are no siblings here. */
static bool is_node_full(const struct nb_host *host, int node)
{
	uint64_t sum = 0, n = 0;

	for (unsigned cpu = 0; cpu < host->loads.n_cpus; cpu++) {
		if (host->machine.topology.cpus[cpu].node != node || !is_eligible(host, cpu))
			continue;
		sum += host->work[cpu];
		n++;
	}
	return sum > n * host->policy.hot;
}

static bool has_node(const struct nb_host *host, int node)
{
	for (unsigned cpu = 0; cpu < host->loads.n_cpus; cpu++)
		if (host->machine.topology.cpus[cpu].node == node && is_eligible(host, cpu))
			return true;
	return false;
}

/* The first move of a plan is about the loads of the host, later ones about what those before make
 * of them. */
static unsigned check_nodes(const struct nb_host *host, const struct nb_plan *plan)
{
	unsigned n_spilled = 0;

	for (unsigned i = 0; i < n_moves(plan); i++) {
		const struct nb_move *move = plan->changes[i].move;
		const struct nb_nic *nic = nic_of(host, move->key);

		if (is_on_node(host, nic, move->cpu_to) || !has_node(host, nic->node))
			continue;
		assert_true(nic->spill);
		assert_int_equal(move->reason, NB_REASON_SPILL);
		assert_true(i > 0 || is_node_full(host, nic->node));
		n_spilled++;
	}
	return n_spilled;
}

/* Half of the NICs may spill; their queues are heavy, so that nodes are full. */
static struct nb_host *spilling_host(uint64_t seed)
{
	struct nb_host *host = random_host(seed, SMALL | ONE_THREAD);

	for (unsigned i = 0; i < host->machine.n_nics; i++)
		host->machine.nics[i].spill = (seed + i) % 2;
	for (unsigned i = 0; i < host->loads.n_cpus; i++)
		if (host->machine.topology.cpus[i].node == 0)
			host->fixed[i] += 3000;
	return host;
}

static void a_queue_leaves_its_node_only_if_it_is_full_and_rests(void **state)
{
	unsigned n_spilled = 0;

	(void)state;
	for (uint64_t seed = 60000; seed < 80000; seed++) {
		struct loop loop = loop_of(spilling_host(seed));

		loop.step_nsec = 7 * NB_NSEC_PER_SEC;
		for (unsigned i = 0; i < 100; i++) {
			loop_measure(&loop);
			n_spilled += check_nodes(loop.host, loop_plan(&loop));
			loop_act(&loop);
		}
		if (moves_in(&loop, 30) != 0)
			fail_msg("machine of seed %" PRIu64 " does not come to rest", seed);
		loop_clear(&loop);
	}
	assert_true(n_spilled > 100);
}

/* Of the machine that is being made. */
static uint64_t current_seed;

static int tell_seed(void **state)
{
	(void)state;
	print_message("last seed %" PRIu64 "\n", current_seed);
	return 0;
}

static void tell_progress(uint64_t n_made)
{
	if (n_made == 0 || n_made % 1000000 != 0)
		return;
	print_message("%" PRIu64 " machines, seed %" PRIu64 "\n", n_made, current_seed);
	fflush(stdout);
}

/* A cycle each seven seconds: a cooldown has always passed, a dwell has after five. */
static void every_plan_of_a_small_machine_is_allowed_and_comes_to_rest(void **state)
{
	uint64_t seed = env_number("NB_SEED", 1);
	uint64_t n_machines = env_number("NB_MACHINES", MACHINES);

	(void)state;
	print_message("seeds %" PRIu64 " to %" PRIu64 "\n", seed, seed + n_machines - 1);
	for (uint64_t i = 0; i < n_machines; i++) {
		current_seed = seed + i;
		tell_progress(i);
		comes_to_rest(random_host(current_seed, SMALL), current_seed, 7 * NB_NSEC_PER_SEC,
			      50);
	}
}

static void every_plan_of_a_large_machine_is_allowed_and_comes_to_rest(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 150; seed++)
		comes_to_rest(random_host(seed, LARGE), seed, NB_NSEC_PER_SEC, 900);
}

/* Constant load for 10 000 cycles, after which every dwell and back-off has long run out. */
static void never_goes_to_and_fro_under_constant_load(void **state)
{
	(void)state;
	for (uint64_t seed = 5000; seed < 5020; seed++) {
		struct loop loop = loop_of(random_host(seed, LARGE));

		moves_in(&loop, 1000);
		assert_int_equal(moves_in(&loop, 10000), 0);
		loop_clear(&loop);
	}
}

/* Steps of a round: a queue and the one that comes back for it are one. */
static unsigned count_steps(const struct nb_plan *plan)
{
	unsigned n = 0;

	for (unsigned i = 0; i < n_moves(plan); i++)
		n += plan->changes[i].move->reason != NB_REASON_SWAP;
	return n;
}

/* Each figure is rounded down by less than a basis point when work is told from time. */
#define ROUNDING 16u

/* docs/POLICY.md: each step takes 2 × gain² off the energy, so there are at most energy ÷ (2 ×
 * gain²) of them.
 */
static void each_step_pays_its_share_of_the_energy(void **state)
{
	(void)state;
	for (uint64_t seed = 9000; seed < 19000; seed++) {
		struct loop loop = loop_of(random_host(seed, SMALL));
		uint64_t gain = loop.host->policy.minimum_gain - ROUNDING;
		uint64_t steps = 0, bound;

		loop.step_nsec = 40 * NB_NSEC_PER_SEC;
		while (loop_cycle(&loop)->verdict == NB_VERDICT_PLACING)
			continue;
		nb_host_tick(loop.host, 0);
		bound = energy(loop.host) / (2 * gain * gain);
		for (unsigned i = 0; i < 30; i++) {
			uint64_t before = energy(loop.host);
			const struct nb_plan *plan = loop_cycle(&loop);
			unsigned n = plan->verdict == NB_VERDICT_BALANCING ? count_steps(plan) : 0;

			nb_host_tick(loop.host, 0);
			if (n)
				assert_true(energy(loop.host) + 2 * n * gain * gain <= before);
			steps += n;
		}
		assert_true(steps <= bound);
		loop_clear(&loop);
	}
}

/* Each reading of a CPU is off by almost half of the least gain, another way each second. */
static void blur_loads(struct nb_host *host, uint64_t *random)
{
	uint32_t most = host->policy.minimum_gain / 2 - 1;

	for (unsigned i = 0; i < host->loads.n_cpus; i++) {
		struct nb_cpu_load *cpu = &host->loads.cpus[i];
		uint32_t off = nb_random_below(random, 2 * most + 1);

		cpu->fixed = cpu->fixed + off > most ? cpu->fixed + off - most : 0;
		cpu->busy = cpu->fixed + cpu->queues;
		cpu->window_busy = cpu->busy;
	}
}

static char *placement_of(const struct nb_host *host)
{
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < host->snapshot.n_queues; i++)
		g_string_append_printf(text, "%u ", nb_host_cpu_of(host, i));
	return g_string_free(text, FALSE);
}

/* No step is ever reversed, not even by way of others: the energy of the true loads falls with
 * each, and so no placement comes a second time. */
static void noise_below_half_the_gain_brings_no_placement_back(void **state)
{
	(void)state;
	for (uint64_t seed = 40000; seed < 50000; seed++) {
		struct loop loop = loop_of(random_host(seed, SMALL | ONE_THREAD));
		g_autoptr(GHashTable) seen =
			g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
		uint64_t random = seed;

		loop.step_nsec = 40 * NB_NSEC_PER_SEC;
		for (unsigned i = 0; i < 60; i++) {
			const struct nb_plan *plan;
			uint64_t before;

			loop_measure(&loop);
			before = energy(loop.host);
			blur_loads(loop.host, &random);
			plan = loop_plan(&loop);
			loop_act(&loop);
			if (plan->verdict != NB_VERDICT_BALANCING)
				continue;
			nb_host_tick(loop.host, 0);
			assert_true(energy(loop.host) < before);
			assert_true(g_hash_table_add(seen, placement_of(loop.host)));
		}
		loop_clear(&loop);
	}
}

/* Shuffles the queues within the snapshot of a NIC's rows. */
static void swap_queues(struct nb_host *host, unsigned a, unsigned b)
{
	struct nb_queue queue = host->machine.queues[a];
	struct nb_queue_state queue_state = host->snapshot.queues[a];
	uint32_t cost = host->time[a];

	host->machine.queues[a] = host->machine.queues[b];
	host->machine.queues[b] = queue;
	host->snapshot.queues[a] = host->snapshot.queues[b];
	host->snapshot.queues[b] = queue_state;
	host->time[a] = host->time[b];
	host->time[b] = cost;
}

/* The key of a queue decides, not its row: rows of equal content swapped change nothing but the
 * rows. Names and interrupt numbers are nothing to the planner at all. */
static void renamed_input_gives_the_same_plan(void **state)
{
	(void)state;
	for (uint64_t seed = 20000; seed < 20300; seed++) {
		struct loop a = loop_of(random_host(seed, LARGE));
		struct loop b = loop_of(random_host(seed, LARGE));

		for (unsigned i = 0; i < b.host->nics->len; i++)
			snprintf(b.host->machine.nics[i].name, NB_IFNAME_MAX, "wan%u", 9 - i);
		for (unsigned i = 0; i < b.host->machine.n_queues; i++)
			b.host->machine.queues[i].irqs[0] = 9999 - i;
		for (unsigned i = 0; i < 40; i++) {
			const struct nb_plan *plan_a = checked_cycle(&a);
			const struct nb_plan *plan_b = checked_cycle(&b);

			assert_int_equal(plan_a->verdict, plan_b->verdict);
			assert_int_equal(plan_a->n_changes, plan_b->n_changes);
			for (unsigned j = 0; j < n_moves(plan_a); j++)
				assert_memory_equal(plan_a->changes[j].move,
						    plan_b->changes[j].move,
						    sizeof(struct nb_move));
		}
		loop_clear(&a);
		loop_clear(&b);
	}
}

static int compare_moves(const void *a, const void *b)
{
	const struct nb_move *left = a, *right = b;

	return nb_queue_key_compare(left->key, right->key);
}

/* The first plans of a machine whose queue rows come in another order. */
static GArray *first_moves(struct nb_host *host)
{
	struct nb_planner *planner = nb_planner_new();
	GArray *moves = g_array_new(FALSE, FALSE, sizeof(struct nb_move));

	for (unsigned i = 0; i < host->machine.n_queues; i++)
		host->snapshot.queues[i].landed_cpu = -1;
	for (unsigned i = 0; i < 4; i++) {
		const struct nb_plan *plan;

		nb_host_tick(host, NB_NSEC_PER_SEC);
		if (i == 0)
			nb_memory_sync(&host->memory, &host->snapshot);
		plan = nb_planner_run(planner, &host->snapshot, &host->loads, &host->policy,
				      &host->memory);
		for (unsigned j = 0; j < n_moves(plan); j++)
			g_array_append_vals(moves, plan->changes[j].move, 1);
	}
	g_array_sort(moves, compare_moves);
	nb_planner_free(planner);
	return moves;
}

static void shuffled_input_gives_the_same_plan(void **state)
{
	(void)state;
	for (uint64_t seed = 30000; seed < 30300; seed++) {
		struct nb_host *a = random_host(seed, LARGE), *b = random_host(seed, LARGE);
		uint64_t random = seed;
		g_autoptr(GArray) moves_a = NULL;
		g_autoptr(GArray) moves_b = NULL;

		nb_memory_sync(&b->memory, &b->snapshot);
		for (unsigned first = 0, i = 0; i < b->nics->len;
		     first += b->machine.nics[i++].n_rx)
			for (unsigned k = b->machine.nics[i].n_rx; k > 1; k--)
				swap_queues(b, first + k - 1, first + nb_random_below(&random, k));
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
		cmocka_unit_test_teardown(
			every_plan_of_a_small_machine_is_allowed_and_comes_to_rest, tell_seed),
		cmocka_unit_test(every_plan_of_a_large_machine_is_allowed_and_comes_to_rest),
		cmocka_unit_test(never_goes_to_and_fro_under_constant_load),
		cmocka_unit_test(a_queue_leaves_its_node_only_if_it_is_full_and_rests),
		cmocka_unit_test(each_step_pays_its_share_of_the_energy),
		cmocka_unit_test(noise_below_half_the_gain_brings_no_placement_back),
		cmocka_unit_test(renamed_input_gives_the_same_plan),
		cmocka_unit_test(shuffled_input_gives_the_same_plan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
