/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What must hold of every world, on generated scenarios. NB_SEED and NB_WORLDS choose them; the
 * scenario of a world that fails is printed. */
#include "nicbalance/units.h"
#include "sim/world.h"
#include "support/plan.h"
#include "support/support.h"

#include <inttypes.h>
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

static void add_nic(GString *text, unsigned number, unsigned n_cpus, uint64_t *state)
{
	static const char *const placements[] = {"ladder", "collapsed"};
	unsigned n_queues = 1 + below(state, 10);

	g_string_append_printf(text,
			       "[Nic eth%u]\nQueues=%u\nQueuesInUse=%u\nPlacement=%s\nFollows=%s\n"
			       "RssTable=%s\nRssHash=%s\n",
			       number, n_queues, 1 + below(state, n_queues),
			       placements[below(state, 2)], below(state, 2) ? "yes" : "no",
			       below(state, 5) ? "settable" : "fixed",
			       below(state, 5) ? "reported" : "none");
	for (unsigned n = below(state, 3); n > 0; n--)
		g_string_append_printf(
			text,
			"[Traffic eth%u]\nBeginSec=%u\nPacketsPerSec=%uk\nFlows=%u\n"
			"Skew=%u%%\nElephant=%u%%\nElephants=%u\nAddressesOnly=%s\nNoise=%u%%\n",
			number, below(state, 4), below(state, 6000), 1 + below(state, 300),
			below(state, 101), below(state, 60), 1 + below(state, 20),
			below(state, 2) ? "yes" : "no", below(state, 60));
	if (below(state, 3) == 0)
		g_string_append_printf(text, "[Event]\nAtSec=%u\nDo=%s\nNic=eth%u\nCPU=%u\n",
				       1 + below(state, 8), below(state, 2) ? "reset" : "foreign",
				       number, below(state, n_cpus));
	if (below(state, 5) == 0)
		g_string_append_printf(text, "[Event]\nAtSec=3\nDo=add\nNic=eth%u\n", number);
}

static char *random_text(uint64_t seed)
{
	static const unsigned cpu_counts[] = {2, 4, 8, 16};
	GString *text = g_string_new(NULL);
	uint64_t state = seed;
	unsigned n_cpus = cpu_counts[below(&state, G_N_ELEMENTS(cpu_counts))];

	g_string_append_printf(
		text,
		"[Host]\nSeed=%" PRIu64 "\nLengthSec=10\nCPUs=%u\nThreadsPerCore=%u\n"
		"Grade=%s\nAccounting=%s\nRefused=%u%%\nWriteDelaySec=%ums\n",
		seed, n_cpus, 1 + below(&state, 2), below(&state, 2) ? "measured" : "estimated",
		below(&state, 2) ? "tick" : "precise", below(&state, 30), below(&state, 1500));
	for (unsigned n = 1 + below(&state, 2), i = 0; i < n; i++)
		add_nic(text, i, n_cpus, &state);
	for (unsigned n = below(&state, 4); n > 0; n--)
		g_string_append_printf(text, "[Application]\nShare=%u%%\nThreads=%u\n",
				       below(&state, 101), 1 + below(&state, 3));
	if (n_cpus > 2 && below(&state, 4) == 0)
		g_string_append_printf(text, "[Event]\nAtSec=5\nDo=offline\nCPU=%u\n",
				       below(&state, n_cpus));
	return g_string_free(text, FALSE);
}

/* A table with an entry or so that names another queue, in place of one that was there at first. */
static void make_tables(uint64_t *state, uint32_t from[128], uint32_t to[128])
{
	unsigned n_queues = 1 + below(state, 10);

	for (unsigned b = 0; b < 128; b++)
		from[b] = to[b] = b % n_queues;
	for (unsigned n = below(state, 40); n > 0; n--)
		to[below(state, 128)] = below(state, n_queues + below(state, 2));
}

/* Any move, mask, table, hash and number of channels, sensible or not. */
static void meddle(struct nb_world *world, const struct nb_snapshot *snapshot, uint64_t *state)
{
	unsigned n_cpus = snapshot->machine->topology.n_possible;
	struct nb_queue_key key = {.ifindex = 2 + (int)below(state, 3), .index = below(state, 12)};
	struct nb_move move = {.key = key, .cpu_to = below(state, n_cpus + 1)};
	struct nb_rps_change rps = {.key = key};
	uint32_t from[128], to[128];
	struct nb_rss_change rss = {
		.key.ifindex = key.ifindex, .from = from, .to = to, .n_entries = 128};
	struct nb_setting_change hash = {.key = rss.key, .to = below(state, 3)};
	struct nb_setting_change channels = {.key = rss.key, .to = below(state, 12)};
	struct nb_plan plan =
		PLAN_OF(MOVE(&move), STEER(&rps), REDIRECT(&rss), SET(NB_KIND_UDP_HASH, &hash),
			SET(NB_KIND_CHANNELS, &channels));

	if (below(state, 2))
		rps.to.words[0] = next_random(state) & ((1u << n_cpus) - 1);
	make_tables(state, from, to);
	if (below(state, 3) == 0)
		rss.n_entries = 0;
	if (below(state, 4))
		plan.n_changes--;
	plan.count_buckets = below(state, 3) ? 2 : (int)below(state, 4);
	nb_world_obey(world, &plan);
	for (unsigned i = 0; i < plan.n_changes; i++)
		assert_int_not_equal(plan.changes[i].outcome, NB_OUTCOME_REHEARSED);
}

static uint64_t columns(const struct nb_cpu_counters *cpu)
{
	return cpu->user_nsec + cpu->irq_nsec + cpu->softirq_nsec + cpu->idle_nsec;
}

/* No CPU does more than time allows, and nothing that only grows decreases. */
static void check_cpus(const struct nb_snapshot *before, const struct nb_snapshot *now)
{
	for (unsigned i = 0; i < now->n_cpus; i++) {
		const struct nb_cpu_counters *cpu = &now->cpus[i];

		assert_true(cpu->backlog_nsec <= cpu->softirq_nsec);
		/* Each counter is cut to whole nanoseconds by itself. */
		assert_true(cpu->queues_nsec <= cpu->softirq_nsec + cpu->irq_nsec + 2);
		if (before->machine != now->machine)
			continue;
		assert_true(cpu->softirq_nsec >= before->cpus[i].softirq_nsec);
		assert_true(cpu->user_nsec >= before->cpus[i].user_nsec);
		assert_true(cpu->idle_nsec >= before->cpus[i].idle_nsec);
		if (now->grade == NB_GRADE_MEASURED)
			assert_true(columns(cpu) - columns(&before->cpus[i]) <=
				    now->taken_nsec - before->taken_nsec + SEC / 1000);
	}
}

static void check_queues(const struct nb_snapshot *now)
{
	const struct nb_machine *machine = now->machine;

	assert_int_equal(now->n_queues, machine->n_queues);
	for (unsigned i = 0; i < now->n_queues; i++) {
		const struct nb_queue_state *queue = &now->queues[i];

		assert_int_equal(nb_queue_key_compare(queue->key, machine->queues[i].key), 0);
		assert_true(
			nb_cpumask_has(&machine->topology.online, (unsigned)queue->effective_cpu));
		assert_true(queue->n_allowed >= 1);
		assert_int_equal(queue->affinity_cpu<0, queue->n_allowed> 1);
		assert_true(queue->exhausted <= queue->polls);
		assert_true(queue->polled_packets <= queue->rx_packets);
		if (i > 0)
			assert_true(nb_queue_key_compare(now->queues[i - 1].key, queue->key) < 0);
	}
	for (unsigned i = 1; i < now->n_rps; i++)
		assert_true(nb_queue_key_compare(now->rps[i - 1].key, now->rps[i].key) < 0);
}

static uint64_t received_by(const struct nb_snapshot *snapshot, int ifindex)
{
	uint64_t received = 0;

	for (unsigned i = 0; i < snapshot->n_queues; i++)
		if (snapshot->queues[i].key.ifindex == ifindex)
			received += snapshot->queues[i].rx_packets;
	return received;
}

static uint64_t counted(const struct nb_bucket_counts *counts)
{
	uint64_t packets = counts->strayed;

	for (unsigned b = 0; b < counts->n; b++)
		packets += counts->packets[b];
	return packets;
}

/* Each packet that a NIC received is in one of its buckets, or strayed; each counter is cut to
 * whole packets by itself. */
static void check_buckets(const struct nb_snapshot *before, const struct nb_snapshot *now)
{
	const struct nb_bucket_counts *counts = &now->buckets;
	uint64_t received;

	assert_int_equal(counts->able, now->grade == NB_GRADE_MEASURED);
	assert_true(counts->able || counts->ifindex == 0);
	assert_true(counts->ifindex != 0 || counts->n == 0);
	for (unsigned b = 0; b < counts->n; b++)
		assert_true(counts->queues[b] < counts->n_rings);
	if (counts->n == 0)
		return;
	if (counts->since_nsec == now->taken_nsec)
		assert_int_equal(counted(counts), 0);
	/* What a channel that is gone received is in no row any more. */
	if (counts->since_nsec == now->taken_nsec || before->machine != now->machine ||
	    counts->since_nsec != before->buckets.since_nsec)
		return;
	received = received_by(now, counts->ifindex) - received_by(before, counts->ifindex);
	assert_in_range(counted(counts) - counted(&before->buckets) + 200, received,
			received + 400);
}

static void check_world(uint64_t seed)
{
	g_autofree char *text = random_text(seed);
	g_autofree char *faults = NULL;
	g_autoptr(nb_scenario) scenario = NULL;
	g_autoptr(nb_world) world = NULL;
	const struct nb_snapshot *before, *now;
	uint64_t state = ~seed;

	print_message("%s", getenv("NB_WORLDS") ? text : "");
	if (nb_scenario_parse(text, strlen(text), &scenario, &faults) < 0)
		fail_msg("%s%s", text, faults);
	world = nb_world_new(scenario);
	before = nb_world_snapshot(world);
	for (unsigned i = 0; i < 12; i++) {
		uint64_t lost = nb_world_dropped(world), received = nb_world_received(world);

		nb_world_step(world, SEC / 2 + below(&state, 1000) * (SEC / 1000));
		now = nb_world_snapshot(world);
		check_cpus(before, now);
		check_queues(now);
		check_buckets(before, now);
		assert_true(nb_world_dropped(world) >= lost);
		assert_true(nb_world_received(world) >= received);
		meddle(world, now, &state);
		before = now;
	}
}

static void no_world_breaks_what_must_hold(void **state)
{
	uint64_t seed = env_number("NB_SEED", 1);
	uint64_t n_worlds = env_number("NB_WORLDS", 600);

	(void)state;
	print_message("seeds %" PRIu64 " to %" PRIu64 "\n", seed, seed + n_worlds - 1);
	for (uint64_t i = 0; i < n_worlds; i++)
		check_world(seed + i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_world_breaks_what_must_hold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
