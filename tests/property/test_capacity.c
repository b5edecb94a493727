/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hosts whose CPUs differ in capacity: what is predicted of a move is what comes of it, on the old
 * CPU and on the new one; it rests; and the hottest CPU is no hotter than it was. The whole loop,
 * on simulated hosts under constant load. */
#include "base/find.h"
#include "loop/loop.h"
#include "sim/world.h"
#include "support/host.h"
#include "support/support.h"

#define N_HOSTS 200u
#define N_CPUS_MAX 16u

/* Tolerance of a prediction, basis points: loads are smoothed when they are predicted. */
#define CLOSE 150u

struct site {
	nb_scenario *scenario;
	struct nb_world *world;
	struct nb_loop loop;
	struct nb_policy policy;
	/* Loads as the last cycle that moved something predicts them; 0: nothing is predicted. */
	uint32_t predicted[N_CPUS_MAX];
	bool unknown[N_CPUS_MAX];
	unsigned n_moves, n_across, n_checked;
};

static unsigned draw(GRand *random, unsigned least, unsigned most)
{
	return (unsigned)g_rand_int_range(random, (gint32)least, (gint32)most + 1);
}

/* Costs are those of packets alone, so that they do not depend on how busy a CPU is. Queues are
 * where they happen to be, and take 20 to 60 % of all that the CPUs do together. */
static char *text_of(unsigned seed)
{
	g_autoptr(GRand) random = g_rand_new_with_seed(seed);
	unsigned n_small = draw(random, 1, N_CPUS_MAX / 2),
		 n_large = draw(random, 1, N_CPUS_MAX / 2);
	unsigned n_queues = draw(random, 2, 16), share = draw(random, 30, 80);
	unsigned whole = n_large * 100 + n_small * share, used = draw(random, 20, 60);
	GString *text = g_string_new(NULL);

	g_string_printf(text,
			"[Host]\nSeed=%u\nLengthSec=1h\nCPUs=%u\nSmallCPUs=%u-%u\n"
			"SmallCapacity=%u%%\n[Nic eth0]\nQueues=%u\nInterruptCost=0ns\n"
			"Follows=yes\nPlacement=",
			seed, n_small + n_large, n_large, n_small + n_large - 1, share, n_queues);
	for (unsigned i = 0; i < n_queues; i++)
		g_string_append_printf(text, "%s%u", i ? "," : "",
				       draw(random, 0, n_small + n_large - 1));
	/* 800 ns a packet. */
	g_string_append_printf(text,
			       "\n[Traffic eth0]\nPacketsPerSec=%u\nFlows=%u\nSkew=%u%%\n"
			       "[Application]\nCPU=%u\nShare=%u%%\n",
			       whole * used * 125, draw(random, 20, 2000), draw(random, 0, 50),
			       draw(random, 0, n_small + n_large - 1), draw(random, 0, 25));
	return g_string_free(text, FALSE);
}

static void site_init(struct site *site, unsigned seed)
{
	g_autofree char *text = text_of(seed);
	char *faults = NULL;

	*site = (struct site){.policy = nb_host_default_policy()};
	site->policy.rps = false;
	site->policy.rss = false;
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

/* What a full CPU wants to do is not known, nor what one does whose average still approaches it. */
static bool is_unknown(const struct site *site, unsigned cpu)
{
	const struct nb_cpu_load *load = nb_loads_find_cpu(site->loop.loads, cpu);
	uint32_t busy = load->busy, window = load->window_busy;

	return window >= NB_FULL || MAX(busy, window) - MIN(busy, window) > CLOSE / 3;
}

static void predict(struct site *site, const struct nb_move *move)
{
	const struct nb_topology *topology = &site->loop.snapshot->machine->topology;
	unsigned from = (unsigned)move->cpu_from, to = move->cpu_to;

	site->n_across += topology->cpus[from].capacity != topology->cpus[to].capacity;
	site->unknown[from] |= is_unknown(site, from);
	site->unknown[to] |= site->unknown[from] || is_unknown(site, to);
	site->predicted[from] = move->source_after;
	site->predicted[to] = move->target_after;
}

static void obey(void *host, struct nb_plan *plan)
{
	struct site *site = host;
	unsigned n_moves = nb_plan_count(plan, NB_KIND_QUEUE);

	for (unsigned i = 0; i < plan->n_changes; i++)
		if (plan->changes[i].kind == NB_KIND_QUEUE && plan->changes[i].move->cpu_from >= 0)
			predict(site, plan->changes[i].move);
	site->n_moves += n_moves;
	nb_world_obey(site->world, plan);
}

/* A step of the world after the moves, by what it really does. */
static void check_predictions(struct site *site, unsigned seed)
{
	unsigned n;
	const struct nb_world_cpu *cpus = nb_world_cpus(site->world, &n);

	for (unsigned i = 0; i < n; i++) {
		uint32_t predicted = site->predicted[i], came = cpus[i].demand;

		if (predicted == 0 || site->unknown[i])
			continue;
		if (MAX(predicted, came) - MIN(predicted, came) > CLOSE)
			fail_msg("seed %u: CPU %u is at %u, and %u was predicted", seed, i, came,
				 predicted);
		site->n_checked++;
	}
	memset(site->predicted, 0, sizeof(site->predicted));
	memset(site->unknown, 0, sizeof(site->unknown));
}

static void run(struct site *site, unsigned seed, unsigned n)
{
	site->n_moves = 0;
	for (unsigned i = 0; i < n; i++) {
		uint64_t again_nsec = site->loop.plan ? site->loop.plan->again_nsec : 0;

		nb_world_step(site->world, again_nsec ? again_nsec : NB_NSEC_PER_SEC);
		check_predictions(site, seed);
		nb_loop_see(&site->loop, nb_world_snapshot(site->world), false);
		nb_loop_plan(&site->loop, &site->policy);
		nb_loop_carry_out(&site->loop, &site->policy, obey, site);
	}
}

static uint32_t hottest(const struct site *site)
{
	uint32_t hottest = 0;
	unsigned n;
	const struct nb_world_cpu *cpus = nb_world_cpus(site->world, &n);

	for (unsigned i = 0; i < n; i++)
		if (cpus[i].queues > 0)
			hottest = MAX(hottest, cpus[i].demand);
	return hottest;
}

static void check(unsigned seed, unsigned *n_across, unsigned *n_checked)
{
	struct site site;
	uint32_t before;

	site_init(&site, seed);
	nb_world_step(site.world, NB_NSEC_PER_SEC);
	before = hottest(&site);
	run(&site, seed, 900);
	run(&site, seed, 900);
	if (site.n_moves > 0)
		fail_msg("seed %u: %u moves after a quarter of an hour", seed, site.n_moves);
	if (hottest(&site) > MAX(before, site.policy.hot) + CLOSE)
		fail_msg("seed %u: %u instead of %u", seed, hottest(&site), before);
	*n_across += site.n_across;
	*n_checked += site.n_checked;
	site_clear(&site);
}

static void what_is_predicted_comes_and_it_rests(void **state)
{
	unsigned n_across = 0, n_checked = 0;

	(void)state;
	for (unsigned seed = 0; seed < N_HOSTS; seed++)
		check(seed, &n_across, &n_checked);
	print_message("%u moves between kinds, %u predictions\n", n_across, n_checked);
	assert_true(n_across >= N_HOSTS / 2);
	assert_true(n_checked >= N_HOSTS);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_predicted_comes_and_it_rests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
