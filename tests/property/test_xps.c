/* SPDX-License-Identifier: GPL-2.0-or-later */
/* XPS masks follow interrupts, come to rest with them, and return. The whole loop, on simulated
 * hosts, with writes that the kernel refuses at times. */
#include "loop/loop.h"
#include "sim/world.h"
#include "support/host.h"
#include "support/support.h"

#define N_HOSTS 40u

struct site {
	nb_scenario *scenario;
	struct nb_world *world;
	struct nb_loop loop;
	struct nb_policy policy;
	unsigned n_moves, n_xps;
};

/* Several NICs of various sizes, all collapsed, on 4 to 16 CPUs; a CPU leaves. */
static char *text_of(unsigned seed)
{
	unsigned n_cpus = 4u << seed % 3;
	GString *text = g_string_new(NULL);

	g_string_printf(
		text,
		"[Host]\nSeed=%u\nLengthSec=2h\nCPUs=%u\nThreadsPerCore=%u\nGrade=measured\n"
		"Refused=%u%%\n",
		seed, n_cpus, 1 + seed / 3 % 2, seed % 4 * 10);
	for (unsigned i = 0; i <= seed % 2; i++)
		g_string_append_printf(text,
				       "[Nic eth%u]\nQueues=%u\nPlacement=collapsed\n"
				       "[Traffic eth%u]\nPacketsPerSec=%uk\nFlows=200\n",
				       i, 1 + (seed * 7 + i) % 10, i, 50 + seed * 37 % 900);
	if (seed % 5 == 0)
		g_string_append_printf(text, "[Event]\nAtSec=60\nDo=offline\nCPU=%u\n", n_cpus - 1);
	return g_string_free(text, FALSE);
}

static void site_init(struct site *site, unsigned seed)
{
	g_autofree char *text = text_of(seed);
	char *faults = NULL;

	*site = (struct site){.policy = nb_host_default_policy()};
	site->policy.xps = true;
	if (nb_scenario_parse(text, strlen(text), &site->scenario, &faults) < 0)
		fail_msg("%s%s", text, faults);
	site->world = nb_world_new(site->scenario);
	nb_loop_init(&site->loop);
}

static void site_clear(struct site *site)
{
	nb_loop_clear(&site->loop);
	nb_world_free(site->world);
	nb_scenario_free(site->scenario);
}

/* Nothing else is done in a cycle in which masks follow, and a NIC with one queue has none. */
static void obey(void *host, struct nb_plan *plan)
{
	struct site *site = host;
	unsigned n_xps = nb_plan_count(plan, NB_KIND_XPS);

	assert_true(n_xps == 0 || plan->n_changes == 1);
	if (n_xps > 0)
		assert_true(plan->changes[0].follow->n > 1);
	site->n_xps += n_xps;
	site->n_moves += nb_plan_count(plan, NB_KIND_QUEUE);
	nb_world_obey(site->world, plan);
	/* What came of it is the same if it is done again. */
	if (n_xps > 0 && plan->changes[0].outcome == NB_OUTCOME_APPLIED)
		assert_int_equal(nb_world_carry_out(site->world, &plan->changes[0]),
				 NB_OUTCOME_UNCHANGED);
}

static void run(struct site *site, unsigned n)
{
	site->n_xps = 0;
	site->n_moves = 0;
	for (unsigned i = 0; i < n; i++) {
		uint64_t again_nsec = site->loop.plan ? site->loop.plan->again_nsec : 0;

		nb_world_step(site->world, again_nsec ? again_nsec : NB_NSEC_PER_SEC);
		nb_loop_see(&site->loop, nb_world_snapshot(site->world), false);
		nb_loop_plan(&site->loop, &site->policy);
		nb_loop_carry_out(&site->loop, &site->policy, obey, site);
	}
}

/* Each CPU has a queue of each NIC, those that serve one that very one. */
static void assert_followed(const struct site *site, const struct nb_nic *nic)
{
	const struct nb_machine *machine = site->loop.snapshot->machine;
	struct nb_cpumask all = {};

	for (unsigned i = 0; i < machine->n_queues; i++) {
		int cpu = site->loop.snapshot->queues[i].affinity_cpu;

		if (machine->queues[i].key.ifindex != nic->ifindex)
			continue;
		assert_true(cpu >= 0);
		assert_true(nb_cpumask_has(nb_world_xps(site->world, i), (unsigned)cpu));
		nb_cpumask_or(&all, nb_world_xps(site->world, i));
	}
	assert_true(nb_cpumask_equal(&all, &machine->topology.online));
}

static void assert_all_unset(const struct site *site)
{
	for (unsigned i = 0; i < site->loop.snapshot->machine->n_queues; i++)
		assert_true(nb_cpumask_empty(nb_world_xps(site->world, i)));
}

static unsigned check(unsigned seed)
{
	const struct nb_machine *machine;
	struct site site;
	unsigned n_followed = 0;

	site_init(&site, seed);
	run(&site, 900);
	run(&site, 300);
	if (site.n_moves == 0)
		assert_int_equal(site.n_xps, 0);
	machine = site.loop.snapshot->machine;
	for (unsigned i = 0; i < machine->n_nics && site.n_moves == 0; i++) {
		if (machine->nics[i].n_tx < 2)
			continue;
		assert_followed(&site, &machine->nics[i]);
		n_followed++;
	}
	site.policy.xps = false;
	run(&site, 600);
	assert_all_unset(&site);
	site_clear(&site);
	return n_followed;
}

static void masks_follow_rest_and_return(void **state)
{
	unsigned n_followed = 0;

	(void)state;
	for (unsigned seed = 0; seed < N_HOSTS; seed++) {
		print_message("seed %u\n", seed);
		n_followed += check(seed);
	}
	assert_true(n_followed >= N_HOSTS * 3 / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(masks_follow_rest_and_return),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
