/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an idle check at the CPUs passes over, no plan would change. */
#include "loop.h"
#include "machines.h"
#include "model/idle_check.h"

#define MACHINES 5000

/* The second that the loads of a host would have taken of each CPU. */
static bool is_quiet(const struct nb_host *host, nb_idle_check *quiet)
{
	unsigned n_cpus = host->loads.n_cpus;
	g_autofree struct nb_cpu_counters *cpus = g_new0(struct nb_cpu_counters, 2 * n_cpus);
	struct nb_cpu_sample before = {.taken_nsec = NB_NSEC_PER_SEC,
				       .times_nsec = NB_NSEC_PER_SEC,
				       .grade = NB_GRADE_MEASURED,
				       .topology = &host->machine.topology,
				       .cpus = cpus};
	struct nb_cpu_sample now = before;

	now.taken_nsec = now.times_nsec = 2 * NB_NSEC_PER_SEC;
	now.cpus = cpus + n_cpus;
	for (unsigned i = 0; i < n_cpus; i++) {
		struct nb_cpu_counters *cpu = &cpus[n_cpus + i];
		const struct nb_cpu_load *load = &host->loads.cpus[i];

		cpu->queues_nsec = load->queues * (NB_NSEC_PER_SEC / NB_WHOLE);
		cpu->softirq_nsec = cpu->queues_nsec;
		cpu->user_nsec = load->fixed * (NB_NSEC_PER_SEC / NB_WHOLE);
	}
	return nb_idle_check_passes(quiet, &before, &now, &host->policy);
}

static uint32_t change(uint32_t share, unsigned scale, uint64_t *state)
{
	return share * (scale / 2 + nb_random_below(state, scale)) / NB_WHOLE;
}

/* All loads grow or shrink, and not by the same. */
static void change_loads(struct nb_host *host, uint64_t *state)
{
	unsigned scale = 2000 + nb_random_below(state, 14000);

	for (unsigned i = 0; i < host->machine.topology.n_cpus; i++)
		host->fixed[i] = change(host->fixed[i], scale, state);
	for (unsigned i = 0; i < host->machine.n_queues; i++)
		host->time[i] = change(host->time[i], scale, state);
}

/* Whether something is done within ten seconds. */
static bool acts(struct loop *loop)
{
	for (unsigned i = 0; i < 10; i++) {
		const struct nb_plan *plan;

		loop_measure(loop);
		plan = loop_plan(loop);
		if (n_moves(plan) + n_masks(plan) > 0)
			return true;
	}
	return false;
}

static void no_plan_changes_what_a_glance_passes_over(void **state)
{
	g_autoptr(nb_idle_check) quiet = nb_idle_check_new();
	unsigned n = (unsigned)env_number("NB_MACHINES", MACHINES);
	unsigned n_settled = 0, n_quiet = 0, n_acting = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= n; seed++) {
		struct loop loop = loop_of(random_host(seed, 0));
		uint64_t random = seed;

		loop_run(&loop, 60);
		change_loads(loop.host, &random);
		loop_measure(&loop);
		/* As the daemon does: masks of ours have to be looked at. */
		if (loop.core.memory.n_rps == 0) {
			bool quiet_now = is_quiet(loop.host, quiet), acting = acts(&loop);

			n_settled++;
			n_quiet += quiet_now;
			n_acting += acting;
			if (quiet_now && acting)
				fail_msg("seed %lu: a quiet host has a plan", (unsigned long)seed);
		}
		loop_clear(&loop);
	}
	print_message("%u machines, %u of them settled, %u quiet, %u act\n", n, n_settled, n_quiet,
		      n_acting);
	assert_in_range(n_quiet, n_settled / 10, n_settled * 9 / 10);
	assert_true(n_acting > n_settled / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_plan_changes_what_a_glance_passes_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
