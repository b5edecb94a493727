/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interrupts that are no NIC's, beside queues on generated machines: where they may go, and that
 * they come to rest. */
#include "loop.h"
#include "machines.h"

#include "base/device_irq_memory.h"

#include <inttypes.h>

#define SECONDS 900u
#define LOOK_SEC 60u
/* Between two cycles: dwells are minutes. */
#define STEP_SEC 5u

/* Some devices with one interrupt, some with one for each of several CPUs, some in a pile. */
static void add_random_device(struct nb_host *host, unsigned number, uint64_t *state)
{
	g_autofree char *device = g_strdup_printf("0000:%02x:00.0", number);
	int node = nb_random_below(state, 3) ? host->machine.topology.cpus[0].node : NB_NODE_NONE;
	unsigned n = nb_random_below(state, 2) ? 1 : 1 + nb_random_below(state, 24);
	unsigned cpu = nb_random_below(state, host->cpus->len);
	unsigned spread = nb_random_below(state, 2);

	for (unsigned i = 0; i < n; i++) {
		unsigned at = nb_host_add_device_irq(host, node, device, cpu,
						     nb_random_below(state, 5000));
		struct nb_device_irq *other = &host->machine.device_irqs[at];

		other->settable = nb_random_below(state, 10) != 0;
		if (nb_random_below(state, 3) == 0)
			other->n_allowed = 2 + nb_random_below(state, 6);
		cpu = (cpu + spread) % host->cpus->len;
	}
}

static struct nb_host *random_host_with_others(uint64_t seed)
{
	struct nb_host *host = random_host(seed, 0);
	uint64_t state = seed + 1;
	unsigned n = 1 + nb_random_below(&state, 8);

	for (unsigned i = 0; i < n; i++)
		add_random_device(host, i, &state);
	return host;
}

static bool may_hold(const struct nb_host *host, unsigned cpu)
{
	return !nb_cpumask_has(&host->machine.topology.isolated, cpu) &&
	       !nb_cpumask_has(&host->policy.banned, cpu);
}

static bool has_room(const struct nb_host *host, int node)
{
	for (unsigned i = 0; i < host->machine.topology.n_cpus; i++)
		if (host->machine.topology.cpus[i].node == node &&
		    may_hold(host, host->machine.topology.cpus[i].id))
			return true;
	return false;
}

/* How much less than it is the planner may take a CPU's work for, beside another thread: the time
 * of each queue and of the rest is rounded down as it is measured, and again when the other
 * thread's part is taken out of it. */
static uint32_t work_rounding(const struct nb_host *host, unsigned cpu)
{
	return 2 * (nb_host_queues_on(host, cpu) + 1);
}

/* The same of its load; the other's weighted work is rounded, too. */
static uint32_t load_rounding(const struct nb_host *host, unsigned cpu)
{
	unsigned sibling = sibling_of(host, cpu);

	if (sibling == NB_CPUS_MAX)
		return 0;
	return work_rounding(host, cpu) + 1 +
	       work_rounding(host, sibling) * host->policy.sibling_weight / NB_WHOLE;
}

static void check_move(const struct nb_host *host, const struct nb_move *move)
{
	const struct nb_device_irq *other = &host->machine.device_irqs[move->key.index - 500];

	assert_int_equal(move->key.ifindex, 0);
	assert_int_not_equal(move->cpu_from, (int)move->cpu_to);
	assert_true(may_hold(host, move->cpu_to));
	assert_true(other->settable);
	if (other->node != NB_NODE_NONE && has_room(host, other->node))
		assert_int_equal(host->machine.topology.cpus[move->cpu_to].node, other->node);
	if (move->reason != NB_REASON_INELIGIBLE) {
		assert_true(other->per_sec >= 100);
		assert_true(effective_load(host, move->cpu_to) <=
			    host->policy.hot + load_rounding(host, move->cpu_to));
	}
}

/* Counts the moves of each over some time. */
static void run(struct loop *loop, unsigned *moves)
{
	for (unsigned second = 0; second < SECONDS; second += STEP_SEC) {
		const struct nb_plan *plan;

		if (second % LOOK_SEC == 0)
			nb_host_look(loop->host);
		loop_measure(loop);
		plan = loop_plan(loop);
		assert_true(n_irqs(plan) == 0 || n_moves(plan) + n_masks(plan) == 0);
		for (unsigned i = 0; i < n_irqs(plan); i++) {
			check_move(loop->host, plan->changes[i].move);
			moves[plan->changes[i].move->key.index - 500]++;
		}
		loop_act(loop);
		assert_int_equal(loop->yields, 0);
	}
}

/* What a restart leaves of the memory: where the interrupts are that we put there. Queues stay,
 * lest their moves make other CPUs hot than before. */
static void restart(struct loop *loop)
{
	struct nb_host *host = loop->host;
	struct nb_memory *memory = &loop->core.memory;
	g_auto(nb_memory) before = *memory;

	*memory = (struct nb_memory){};
	nb_host_look(host);
	loop_measure(loop);
	for (unsigned i = 0; i < memory->n_queues; i++)
		memory->queues[i].fresh = false;
	for (unsigned i = 0; i < host->machine.n_device_irqs; i++) {
		const struct nb_device_irq *other = &host->machine.device_irqs[i];
		const struct nb_device_irq_memory *known =
			nb_device_irq_memory_find(&before, other->irq);

		if (known && known->expected_cpu >= 0)
			nb_device_irq_memory_adopt(memory, other, (unsigned)known->expected_cpu);
	}
}

static unsigned sum(const unsigned *moves, unsigned n)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += moves[i];
	return sum;
}

/* Of the machine that is being made. */
static uint64_t current_seed;

static int tell_seed(void **state)
{
	(void)state;
	print_message("last seed %" PRIu64 "\n", current_seed);
	return 0;
}

static void none_is_moved_twice_and_a_restart_moves_none(void **state)
{
	uint64_t n_machines = env_number("NB_MACHINES", 100);
	uint64_t seed = env_number("NB_SEED", 1);

	(void)state;
	for (uint64_t i = 0; i < n_machines; i++, seed++) {
		struct loop loop = loop_of(random_host_with_others(seed));
		unsigned n = loop.host->machine.n_device_irqs;
		g_autofree unsigned *moves = g_new0(unsigned, n);

		current_seed = seed;
		run(&loop, moves);
		for (unsigned k = 0; k < n; k++)
			assert_in_range(moves[k], 0, 1);
		memset(moves, 0, n * sizeof(*moves));
		run(&loop, moves);
		assert_int_equal(sum(moves, n), 0);
		restart(&loop);
		run(&loop, moves);
		assert_int_equal(sum(moves, n), 0);
		loop_clear(&loop);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(none_is_moved_twice_and_a_restart_moves_none, tell_seed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
