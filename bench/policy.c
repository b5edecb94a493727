/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy.h"

#include "nicbalance/units.h"
#include "support/host.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_SEEDS 5u
#define MOVES_BUDGET 50u
/* Of a saturated host. */
#define SETTLED_BUDGET 15u
#define BEGIN 5u /* second from which on packets count */

static const struct nb_bench_rule *const rules[] = {
	&nb_bench_static,    &nb_bench_irqbalance, &nb_bench_rsspp,  &nb_bench_lpt,
	&nb_bench_estimated, &nb_bench_measured,   &nb_bench_oracle,
};

#define N_RULES G_N_ELEMENTS(rules)
#define STATIC 0u
#define ORACLE (N_RULES - 1)

/* Of all seeds. */
struct total {
	uint64_t mean, p99, hot_seconds, dropped, received, moves, ping_pongs, rps;
	unsigned most_moves;
	unsigned settled;  /* worst seed: the hottest CPU is no hotter than 1.25 x the oracle's */
	uint64_t promptly; /* packets received from BEGIN on */
};

static void add(struct total *total, const struct nb_bench_score *score)
{
	total->mean += score->hottest_sum / score->n_seconds;
	total->p99 += score->hottest_p99;
	total->hot_seconds += score->hot_seconds;
	total->dropped += score->dropped;
	total->received += score->received;
	total->moves += score->n_moves;
	total->ping_pongs += score->n_ping_pongs;
	total->rps += score->n_rps;
	total->most_moves = MAX(total->most_moves, score->n_moves);
}

static unsigned n_watched(const struct nb_bench_score *score)
{
	return MIN(score->n_seconds, NB_BENCH_WATCHED);
}

/* The first second from which on it stays so. */
static unsigned settles(const struct nb_bench_score *score, const struct nb_bench_score *oracle)
{
	unsigned second = n_watched(score);

	while (second > 0 && score->hottest[second - 1] <= oracle->hottest[second - 1] * 5 / 4)
		second--;
	return second;
}

static void add_prompt(struct total *total, const struct nb_bench_score *score,
		       const struct nb_bench_score *oracle)
{
	unsigned n = n_watched(score);

	total->settled = MAX(total->settled, settles(score, oracle));
	if (n > BEGIN)
		total->promptly += score->received_until[n - 1] - score->received_until[BEGIN - 1];
}

static void print_row(const char *name, const struct total *total, unsigned n)
{
	uint64_t ppm = total->dropped + total->received
			       ? total->dropped * 1000000 / (total->dropped + total->received)
			       : 0;

	printf("| %-19s | %6.1f %% | %6.1f %% | %7.0f | %7" PRIu64 " | %7.1f | %5u | %6.1f | %4.1f "
	       "|\n",
	       name, (double)total->mean / n / 100, (double)total->p99 / n / 100,
	       (double)total->hot_seconds / n, ppm, (double)total->moves / n, total->most_moves,
	       (double)total->ping_pongs / n, (double)total->rps / n);
}

/* What may be tried on the command line, such as gap=1000. */
static const struct {
	const char *name;
	size_t offset;
	uint64_t unit;
	bool wide;
} knobs[] = {
	{"hot=", offsetof(struct nb_policy, hot), 1, false},
	{"gap=", offsetof(struct nb_policy, gap), 1, false},
	{"panic=", offsetof(struct nb_policy, panic), 1, false},
	{"gain=", offsetof(struct nb_policy, minimum_gain), 1, false},
	{"arm=", offsetof(struct nb_policy, arm_samples), 1, false},
	{"moves=", offsetof(struct nb_policy, moves_per_round), 1, false},
	{"dwell=", offsetof(struct nb_policy, dwell_nsec), NB_NSEC_PER_SEC, true},
	{"cooldown=", offsetof(struct nb_policy, cooldown_nsec), NB_NSEC_PER_SEC, true},
};

static bool turn_knob(struct nb_policy *policy, const char *text)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(knobs); i++) {
		char *field = (char *)policy + knobs[i].offset;
		uint64_t value;
		uint32_t narrow;

		if (!g_str_has_prefix(text, knobs[i].name))
			continue;
		value = strtoull(text + strlen(knobs[i].name), NULL, 10) * knobs[i].unit;
		narrow = (uint32_t)value;
		if (knobs[i].wide)
			memcpy(field, &value, sizeof(value));
		else
			memcpy(field, &narrow, sizeof(narrow));
		return true;
	}
	return false;
}

static void judge(const char *what, bool met, double is, double budget, unsigned *misses)
{
	printf("  %-6s %s: %.2f, at most %.2f\n", met ? "met" : "MISSED", what, is, budget);
	*misses += !met;
}

/* What not even the oracle can do is not asked for. */
static void judge_heat(const char *what, double is, double budget, double oracle, unsigned *misses)
{
	if (budget < oracle && is > budget)
		printf("  -      %s: %.2f, the oracle's %.2f\n", what, is, oracle);
	else
		judge(what, is <= budget, is, budget, misses);
}

/* The least of the rules that could run on a host: all but ours and the oracle. */
static uint64_t best_other(const struct total *totals, unsigned most_moves)
{
	uint64_t best = UINT64_MAX;

	for (unsigned i = 0; i < N_RULES; i++)
		if (!rules[i]->ours && !rules[i]->foresees && totals[i].most_moves <= most_moves)
			best = MIN(best, totals[i].hot_seconds);
	return best;
}

/* Not worse than nothing: a hundredth is what noise makes of equal placements. */
static bool no_worse(const struct total *ours, const struct total *nothing)
{
	return ours->mean <= nothing->mean * 101 / 100 &&
	       ours->hot_seconds <= nothing->hot_seconds * 101 / 100 &&
	       ours->dropped <= nothing->dropped * 101 / 100;
}

/* Nothing is moved on purpose while no CPU is hotter than that. */
static bool is_calm(const struct total *ours, unsigned n, const struct nb_policy *policy)
{
	return ours->mean / n <= policy->hot;
}

static void judge_rule(const struct nb_bench_rule *rule, const struct total *totals,
		       const struct total *ours, unsigned n, const struct nb_policy *policy,
		       unsigned *misses)
{
	double mean = (double)ours->mean / n / 100;
	double oracle = (double)totals[ORACLE].mean / n / 100;
	double other = (double)best_other(totals, UINT_MAX) / n;
	double frugal = (double)best_other(totals, MOVES_BUDGET) / n;
	double floor = (double)totals[ORACLE].hot_seconds / n;
	double hot = (double)ours->hot_seconds / n;

	printf("%s:\n", rule->name);
	judge(is_calm(ours, n, policy)
		      ? "mean of the hottest CPU, % (1.05 x the oracle's, or below Hot=)"
		      : "mean of the hottest CPU, % (1.05 x the oracle's)",
	      mean <= 1.05 * oracle || is_calm(ours, n, policy), mean, 1.05 * oracle, misses);
	judge("moves, of the worst seed", ours->most_moves <= MOVES_BUDGET, ours->most_moves,
	      MOVES_BUDGET, misses);
	judge("ping-pongs, of all seeds", ours->ping_pongs == 0, (double)ours->ping_pongs, 0,
	      misses);
	judge_heat("CPU-seconds above 90 % (half of the best other rule's)", hot, other / 2, floor,
		   misses);
	judge_heat("the same (half of the best that moves no more than ours may)", hot, frugal / 2,
		   floor, misses);
	printf("  %-6s no worse than doing nothing\n",
	       no_worse(ours, &totals[STATIC]) ? "met" : "MISSED");
	*misses += !no_worse(ours, &totals[STATIC]);
}

/* There what counts is how soon it is over, and that what cannot be served is served as well as by
 * the best placement. */
static void judge_saturated(const struct nb_bench_rule *rule, const struct total *totals,
			    const struct total *ours, unsigned *misses)
{
	double part = (double)ours->promptly / (double)totals[ORACLE].promptly;

	printf("%s:\n", rule->name);
	judge("seconds until the hottest CPU is at 1.25 x the oracle's for good, of the worst seed",
	      ours->settled <= SETTLED_BUDGET, ours->settled, SETTLED_BUDGET, misses);
	judge("packets after 5 s that the oracle's placement takes and ours does not, %",
	      part >= 0.95, 100 - 100 * part, 5, misses);
	judge("moves, of the worst seed", ours->most_moves <= MOVES_BUDGET, ours->most_moves,
	      MOVES_BUDGET, misses);
	judge("ping-pongs, of all seeds", ours->ping_pongs == 0, (double)ours->ping_pongs, 0,
	      misses);
}

static struct nb_scenario *load(const char *path)
{
	g_autofree char *text = NULL, *faults = NULL;
	struct nb_scenario *scenario;
	gsize len;

	if (!g_file_get_contents(path, &text, &len, NULL)) {
		fprintf(stderr, "%s cannot be read\n", path);
		exit(2);
	}
	if (nb_scenario_parse(text, len, &scenario, &faults) < 0) {
		fprintf(stderr, "%s:%s\n", path, faults);
		exit(2);
	}
	return scenario;
}

static struct nb_bench_score *run_seeds(const struct nb_bench_rule *rule,
					struct nb_scenario *scenario, unsigned n_seeds,
					const struct nb_policy *policy)
{
	struct nb_bench_score *scores = g_new0(struct nb_bench_score, n_seeds);

	for (unsigned i = 0; i < n_seeds; i++) {
		scenario->seed = i + 1;
		scores[i] = nb_bench_run(rule, scenario, policy);
	}
	return scores;
}

static void run_rules(struct nb_scenario *scenario, unsigned n_seeds,
		      const struct nb_policy *policy, struct total *totals)
{
	g_autofree struct nb_bench_score *oracle =
		run_seeds(rules[ORACLE], scenario, n_seeds, policy);

	for (unsigned i = 0; i < N_RULES; i++) {
		g_autofree struct nb_bench_score *scores =
			i == ORACLE ? NULL : run_seeds(rules[i], scenario, n_seeds, policy);

		for (unsigned seed = 0; seed < n_seeds; seed++) {
			const struct nb_bench_score *score = scores ? &scores[seed] : &oracle[seed];

			add(&totals[i], score);
			add_prompt(&totals[i], score, &oracle[seed]);
		}
		print_row(rules[i]->name, &totals[i], n_seeds);
		fflush(stdout);
	}
}

static unsigned run_scenario(const char *path, unsigned n_seeds, const struct nb_policy *policy)
{
	g_autoptr(nb_scenario) scenario = load(path);
	g_autofree char *name = g_path_get_basename(path);
	struct total totals[N_RULES] = {};
	unsigned misses = 0;

	printf("\n### %s: %s\n\n", name, scenario->title ? scenario->title : "");
	printf("| rule                | hottest  | p99      | CPU-s > 90 %% | lost, ppm | moves | "
	       "worst | ping-pongs | RPS |\n|---|---|---|---|---|---|---|---|---|\n");
	run_rules(scenario, n_seeds, policy, totals);
	printf("\n");
	for (unsigned i = 0; i < N_RULES; i++) {
		if (!rules[i]->ours)
			continue;
		if (g_str_has_prefix(name, "saturated"))
			judge_saturated(rules[i], totals, &totals[i], &misses);
		else
			judge_rule(rules[i], totals, &totals[i], n_seeds, policy, &misses);
	}
	return misses;
}

/* policy SEEDS [KNOB=VALUE…] SCENARIO… */
int main(int argc, char **argv)
{
	unsigned n_seeds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : DEFAULT_SEEDS;
	struct nb_policy policy = nb_host_default_policy();
	unsigned misses = 0;

	if (argc < 3 || n_seeds == 0) {
		fprintf(stderr, "usage: policy SEEDS [KNOB=VALUE...] SCENARIO...\n");
		return 2;
	}
	for (int i = 2; i < argc; i++)
		if (!turn_knob(&policy, argv[i]))
			misses += run_scenario(argv[i], n_seeds, &policy);
	printf("\n%u budgets missed\n", misses);
	return 0;
}
