/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A host of which a CPU is saturated, though all of it could be served, is served soon after the
 * first look, and then left alone. NB_SEED and NB_MACHINES choose the hosts; NB_TEXT=1 prints their
 * scenarios and each look, NB_TEXT=2 all loads, too. What fails is told by its kind, with the first
 * seed of each. */
#include "best.h"
#include "saturated.h"

/* Sanitizers make it take ten times as long. */
#ifdef __SANITIZE_ADDRESS__
#define MACHINES 200
#else
#define MACHINES 2000
#endif
#define SERVED_NSEC (15 * SEC)
#define RESTS_FROM_NSEC (75 * SEC)
#define RESTS_UNTIL_NSEC (120 * SEC)
/* Of most machines: it takes a while to watch nothing happen. */
#define RESTS_SHORTLY_NSEC (110 * SEC)
/* As far as the tick tells a load, smoothed. */
#define SLACK 200u
/* A queue that costs more is too much for one CPU, as good as. */
#define BIG 9000u
/* Beside such a queue something is tried again now and then. */
#define ATTEMPT_CHANGES 3u

enum fault {
	TRESPASSED, /* polled on, or pointed at an isolated CPU */
	HOT,        /* a CPU is hotter than it would have to be */
	LOST,       /* packets */
	IDLE,       /* a CPU, beside one that is full */
	WORSE,      /* than without RPS */
	RESTLESS,
	MASKED, /* a mask that was to help for a moment is left */
	N_FAULTS,
};

static const char *const fault_words[N_FAULTS] = {
	"on an isolated CPU",     "too hot",  "lost packets", "idle beside full",
	"worse than without RPS", "restless", "masks left",
};

/* Of a thousand machines so many may fail. The search is local, and where it ends may be worse than
 * 1.25 times the best there is beside applications, which cannot be moved (docs/POLICY.md); the
 * tick tells loads with an error of some per cent, and a step that seemed not worthwhile comes
 * late. Where softirqs are fair each CPU that has more to do than it can loses packets, also one
 * within 1.25 times the best. Where all CPUs together cannot do the work, RPS to a CPU of
 * which an application has half may cost 5 % of it. */
static const unsigned allowed_permille[N_FAULTS] = {
	[HOT] = 1, [LOST] = 4, [IDLE] = 5, [WORSE] = 10, [RESTLESS] = 1,
};

struct tally {
	uint64_t counts[N_FAULTS], first[N_FAULTS];
	uint64_t n_machines;
};

static uint64_t env_number(const char *name, uint64_t fallback)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 0) : fallback;
}

static void count_faults(struct tally *tally, unsigned faults, uint64_t seed)
{
	tally->n_machines++;
	for (unsigned i = 0; i < N_FAULTS; i++) {
		if (!(faults >> i & 1))
			continue;
		if (tally->counts[i]++ == 0)
			tally->first[i] = seed;
		if (getenv("NB_TEXT"))
			print_message("%" PRIu64 ": %s\n", seed, fault_words[i]);
	}
}

static void judge_tally(const struct tally *tally)
{
	for (unsigned i = 0; i < N_FAULTS; i++)
		if (tally->counts[i])
			print_message("%s: %" PRIu64 " of %" PRIu64 " machines, first with "
				      "NB_SEED=%" PRIu64 " NB_MACHINES=1\n",
				      fault_words[i], tally->counts[i], tally->n_machines,
				      tally->first[i]);
	for (unsigned i = 0; i < N_FAULTS; i++)
		assert_true(tally->counts[i] * 1000 <= tally->n_machines * allowed_permille[i]);
}

/* --- what the host could be */

static uint32_t allowed_to(const struct nb_snapshot *snapshot, int ifindex)
{
	const struct nb_topology *topology = &snapshot->machine->topology;
	const struct nb_nic *nic = snapshot->machine->nics;
	uint32_t allowed = 0, all = 0;

	while (nic->ifindex != ifindex)
		nic++;
	for (unsigned i = 0; i < topology->n_cpus; i++) {
		if (nb_cpumask_has(&topology->isolated, topology->cpus[i].id))
			continue;
		all |= 1u << i;
		if (nic->node == NB_NODE_NONE || topology->cpus[i].node == nic->node)
			allowed |= 1u << i;
	}
	return allowed ? allowed : all;
}

static uint32_t best_of(const struct site *site, const struct nb_snapshot *snapshot)
{
	struct best best = {.n_cpus = snapshot->n_cpus};

	for (unsigned i = 0; i < snapshot->n_cpus; i++)
		best.fixed[i] = nb_world_fixed(site->world, i);
	for (unsigned i = 0; i < snapshot->n_queues; i++)
		best_add(&best, nb_world_queue_demand(site->world, i),
			 allowed_to(snapshot, snapshot->queues[i].key.ifindex));
	return best_find(&best);
}

static uint32_t dearest(const struct site *site, const struct nb_snapshot *snapshot)
{
	uint32_t most = 0;

	for (unsigned i = 0; i < snapshot->n_queues; i++)
		most = MAX(most, nb_world_queue_demand(site->world, i));
	return most;
}

static bool is_saturated(const struct site *site)
{
	unsigned n;
	const struct nb_world_cpu *cpus = nb_world_cpus(site->world, &n);

	for (unsigned i = 0; i < n; i++)
		if (cpus[i].queues > NB_WHOLE)
			return true;
	return false;
}

static uint32_t applications_part(const struct site *site, unsigned cpu)
{
	return site->scenario->fair ? MIN(nb_world_fixed(site->world, cpu), NB_WHOLE / 2) : 0;
}

/* RPS takes the protocols' three quarters of the work away. Where what it leaves fills a CPU the
 * RSS table empties queues for a moment; but where a new affinity waits for the next interrupt
 * (kernel/irq/migration.c irq_move_irq()) that one comes to the old CPU again. */
static bool can_be_relieved(const struct site *site, const struct nb_snapshot *snapshot)
{
	uint32_t driver[BEST_CPUS] = {};

	if (site->scenario->remaps)
		return true;
	for (unsigned i = 0; i < snapshot->n_queues; i++) {
		unsigned cpu = nb_world_queue_cpu(site->world, i);

		driver[cpu] += nb_world_queue_demand(site->world, i) / 4;
		if (driver[cpu] + applications_part(site, cpu) > BIG)
			return false;
	}
	return true;
}

/* As irqbalance leaves it. */
static void point_apart(struct site *site, const struct draw *draw,
			const struct nb_snapshot *snapshot, uint64_t *state)
{
	for (unsigned i = 0; i < snapshot->n_queues; i++) {
		uint32_t allowed = allowed_to(snapshot, snapshot->queues[i].key.ifindex);
		struct nb_move move = {.key = snapshot->queues[i].key};
		struct nb_change change = nb_change_of_move(NB_KIND_QUEUE, &move);

		do
			move.cpu_to = nb_random_below(state, draw->n_cpus);
		while (!(allowed >> move.cpu_to & 1));
		nb_world_carry_out(site->world, &change);
	}
}

/* Draws until one is saturated that need not be. */
static struct site make_site(uint64_t seed, bool big, uint32_t *ret_best, char **ret_text)
{
	uint64_t state = seed;

	for (;;) {
		struct draw draw = draw_shape(big, &state);
		g_autofree char *text = draw_text(&draw, seed, &state);
		const struct nb_snapshot *snapshot;
		struct site site;

		begin_site(&site, text);
		pass(&site, POINTED_NSEC);
		snapshot = nb_world_snapshot(site.world);
		*ret_best = best_of(&site, snapshot);
		if (is_saturated(&site) && big == (dearest(&site, snapshot) > BIG) &&
		    (big || *ret_best < NB_WHOLE)) {
			if (draw.apart)
				point_apart(&site, &draw, snapshot, &state);
			pass(&site, BEGIN_NSEC);
			if (can_be_relieved(&site, snapshot)) {
				*ret_text = g_steal_pointer(&text);
				return site;
			}
		}
		end_site(&site);
	}
}

/* --- what becomes of it */

static bool has_help(const struct site *site)
{
	for (unsigned i = 0; i < site->loop.memory.n_rps; i++)
		if (site->loop.memory.rps[i].unsticks &&
		    !nb_cpumask_empty(&site->loop.memory.rps[i].cpus))
			return true;
	return false;
}

static unsigned rest(struct site *site, uint64_t until_nsec)
{
	unsigned changes, faults = 0;

	run_to(site, RESTS_FROM_NSEC);
	changes = site->changes;
	run_to(site, until_nsec);
	if (site->changes != changes)
		faults |= 1u << RESTLESS;
	if (has_help(site))
		faults |= 1u << MASKED;
	if (site->trespassed)
		faults |= 1u << TRESPASSED;
	return faults;
}

/* Below Hot= nothing is moved on purpose. */
static unsigned serve(struct site *site, uint32_t best)
{
	uint32_t limit = MAX(best + best / 4, site->policy.hot) + SLACK;
	unsigned faults = 0;
	uint64_t lost;

	run_to(site, SERVED_NSEC);
	if (hottest_of(site) > limit)
		faults |= 1u << HOT;
	lost = nb_world_dropped(site->world);
	run_to(site, SERVED_NSEC + 5 * SEC);
	if (nb_world_dropped(site->world) > lost)
		faults |= 1u << LOST;
	if (getenv("NB_TEXT"))
		print_message("hottest %u, best %u, limit %u\n", hottest_of(site), best, limit);
	return faults;
}

static void a_host_that_could_be_served_is_served_within_seconds(void **unused)
{
	uint64_t seed = env_number("NB_SEED", 1);
	uint64_t n_machines = env_number("NB_MACHINES", MACHINES);
	struct tally tally = {};

	(void)unused;
	for (uint64_t i = 0; i < n_machines; i++) {
		g_autofree char *text = NULL;
		uint32_t best;
		struct site site = make_site(seed + i, false, &best, &text);
		unsigned faults;

		if (getenv("NB_TEXT"))
			print_message("%s", text);
		faults = serve(&site, best);
		faults |= rest(&site, (seed + i) % 4 ? RESTS_SHORTLY_NSEC : RESTS_UNTIL_NSEC);
		count_faults(&tally, faults, seed + i);
		end_site(&site);
	}
	judge_tally(&tally);
}

/* --- with a queue that is too much for one CPU */

/* A CPU that may serve a queue of one that is full. */
static bool is_idle_beside_full(const struct site *site)
{
	unsigned n;
	const struct nb_world_cpu *cpus = nb_world_cpus(site->world, &n);
	uint32_t idle = 0;

	for (unsigned i = 0; i < n; i++)
		idle |= cpus[i].demand < 3000 ? 1u << i : 0;
	for (unsigned i = 0; i < site->loop.snapshot->n_queues; i++) {
		int ifindex = site->loop.snapshot->queues[i].key.ifindex;

		if (cpus[nb_world_queue_cpu(site->world, i)].queues > NB_WHOLE &&
		    (idle & allowed_to(site->loop.snapshot, ifindex)))
			return true;
	}
	return false;
}

static uint64_t received_without_rps(uint64_t seed)
{
	g_autofree char *text = NULL;
	uint32_t best;
	struct site site = make_site(seed, true, &best, &text);
	uint64_t received;

	site.policy.rps = false;
	run_to(&site, 30 * SEC);
	received = nb_world_received(site.world);
	run_to(&site, 40 * SEC);
	received = nb_world_received(site.world) - received;
	end_site(&site);
	return received;
}

static unsigned help(struct site *site, uint64_t seed)
{
	uint64_t without = received_without_rps(seed), received;
	unsigned changes, faults;

	run_to(site, RESTS_FROM_NSEC);
	changes = site->changes;
	faults = rest(site, RESTS_UNTIL_NSEC) & ~(1u << RESTLESS);
	if (site->changes > changes + ATTEMPT_CHANGES)
		faults |= 1u << RESTLESS;
	received = nb_world_received(site->world);
	run_to(site, RESTS_UNTIL_NSEC + 10 * SEC);
	received = nb_world_received(site->world) - received;
	if (received < without / 100 * 99)
		faults |= 1u << WORSE;
	if (is_idle_beside_full(site))
		faults |= 1u << IDLE;
	return faults;
}

static void of_a_queue_that_is_too_much_for_a_cpu_others_take_their_share(void **unused)
{
	uint64_t seed = env_number("NB_SEED", 1);
	uint64_t n_machines = env_number("NB_MACHINES", MACHINES / 10);
	struct tally tally = {};

	(void)unused;
	for (uint64_t i = 0; i < n_machines; i++) {
		g_autofree char *text = NULL;
		uint32_t best;
		struct site site = make_site(seed + i, true, &best, &text);

		if (getenv("NB_TEXT"))
			print_message("%s", text);
		count_faults(&tally, help(&site, seed + i), seed + i);
		end_site(&site);
	}
	judge_tally(&tally);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_host_that_could_be_served_is_served_within_seconds),
		cmocka_unit_test(of_a_queue_that_is_too_much_for_a_cpu_others_take_their_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
