/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "loop/loop.h"

#include "base/memory.h"
#include "sim/world.h"
#include "support/host.h"
#include "support/support.h"

#include <string.h>

/* Both queues on CPU 0, which they do not fill. */
static const char text[] = "[Host]\nSeed=1\nLengthSec=60\nCPUs=4\n"
			   "[Nic eth0]\nQueues=2\nPlacement=0,0\n"
			   "[Traffic eth0]\nPacketsPerSec=500000\nFlows=1000\n";

/* In a scenario of three queues, of which two share a CPU, that one is at some 80 %. */
#define HOT_PACKETS 1425000u

struct fixture {
	struct nb_scenario *scenario;
	struct nb_world *world;
	struct nb_policy policy;
	struct nb_loop loop;
	enum nb_outcome outcome; /* of all that is carried out, unless the world says it */
	unsigned n_obeyed;
};

static int set_up(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);
	g_autofree char *faults = NULL;

	if (nb_scenario_parse(text, strlen(text), &f->scenario, &faults) < 0)
		fail_msg("%s", faults);
	f->world = nb_world_new(f->scenario);
	f->policy = nb_host_default_policy();
	f->outcome = _NB_OUTCOME_INVALID;
	nb_loop_init(&f->loop);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	nb_loop_clear(&f->loop);
	nb_world_free(f->world);
	nb_scenario_free(f->scenario);
	g_free(f);
	return 0;
}

static void obey(void *host, struct nb_plan *plan)
{
	struct fixture *f = host;

	f->n_obeyed += plan->n_changes > 0;
	if (f->outcome == _NB_OUTCOME_INVALID) {
		nb_world_obey(f->world, plan);
		return;
	}
	for (unsigned i = 0; i < plan->n_changes; i++)
		plan->changes[i].outcome = f->outcome;
}

static void see(struct fixture *f, bool spoilt)
{
	nb_world_step(f->world, NB_NSEC_PER_SEC);
	nb_loop_see(&f->loop, nb_world_snapshot(f->world), spoilt);
}

static void cycle(struct fixture *f)
{
	see(f, false);
	nb_loop_plan(&f->loop, &f->policy);
	nb_loop_carry_out(&f->loop, &f->policy, obey, f);
}

static void measures_between_two_snapshots_unless_that_is_spoilt(void **state)
{
	struct fixture *f = *state;

	see(f, false);
	assert_int_equal(f->loop.loads->window_nsec, 0);
	see(f, false);
	assert_int_equal(f->loop.loads->window_nsec, NB_NSEC_PER_SEC);
	see(f, true);
	assert_int_equal(f->loop.loads->window_nsec, 0);
	see(f, false);
	assert_int_equal(f->loop.loads->window_nsec, NB_NSEC_PER_SEC);
}

static void what_was_carried_out_is_remembered_and_judged(void **state)
{
	struct fixture *f = *state;
	unsigned n_findings = 0;

	cycle(f);
	cycle(f);
	assert_int_equal(f->loop.plan->verdict, NB_VERDICT_PLACING);
	assert_int_equal(f->loop.plan->changes[0].outcome, NB_OUTCOME_APPLIED);
	assert_int_equal(f->n_obeyed, 1);
	assert_true(f->loop.memory.last_moves_nsec > 0);
	for (unsigned i = 0; i < 10; i++) {
		cycle(f);
		n_findings += f->loop.findings->len;
	}
	assert_int_equal(n_findings, 1);
	/* Findings are those of the last cycle, and nobody is asked to do nothing. */
	assert_int_equal(f->loop.findings->len, 0);
	assert_int_equal(f->n_obeyed, 1);
}

/* A plan that asks for the packets of a NIC by RSS table entry; 0: of none. */
static void cycle_that_counts(struct fixture *f, int ifindex)
{
	see(f, false);
	nb_loop_plan(&f->loop, &f->policy);
	assert_int_equal(f->loop.plan->n_changes, 0);
	f->loop.plan->count_buckets = ifindex;
	nb_loop_carry_out(&f->loop, &f->policy, obey, f);
}

static void a_plan_that_only_counts_is_carried_out(void **state)
{
	struct fixture *f = *state;

	cycle(f);
	cycle(f);
	cycle_that_counts(f, 2);
	cycle_that_counts(f, 2);
	assert_int_equal(f->loop.snapshot->buckets.ifindex, 2);
	cycle_that_counts(f, 0);
	cycle_that_counts(f, 0);
	assert_int_equal(f->loop.snapshot->buckets.ifindex, 0);
}

static void what_was_refused_is_remembered_as_that(void **state)
{
	struct fixture *f = *state;
	bool refused = false;

	f->outcome = NB_OUTCOME_REFUSED;
	cycle(f);
	cycle(f);
	for (unsigned i = 0; i < f->loop.memory.n_queues; i++)
		refused |= f->loop.memory.queues[i].refused;
	assert_true(refused);
	assert_int_equal(nb_world_queue_cpu(f->world, 0), 0);
	assert_int_equal(nb_world_queue_cpu(f->world, 1), 0);
}

static void withdraws_what_was_set_for_a_moment_and_nothing_else(void **state)
{
	struct fixture *f = *state;
	struct nb_rss_memory *rss;

	cycle(f);
	cycle(f);
	f->n_obeyed = 0;
	assert_false(nb_loop_withdraw(&f->loop, obey, f));
	assert_int_equal(f->n_obeyed, 0);

	rss = nb_memory_get_rss(&f->loop.memory, f->loop.snapshot->queues[0].key.ifindex);
	nb_cpumask_add(&rss->queues, 1);
	assert_true(nb_loop_withdraw(&f->loop, obey, f));
	assert_int_equal(f->n_obeyed, 1);
	assert_int_equal(f->loop.plan->n_changes, 1);
	assert_int_equal(f->loop.plan->changes[0].reason, NB_REASON_RSS_BACK);
	assert_int_equal(f->loop.memory.n_rss, 0);
}

/* A NIC that drops 100000 packets a second, all of queue 0, laid over what the world shows. */
struct dropping {
	struct nb_snapshot snapshots[2];
	struct nb_queue_state queues[2][3];
	struct nb_nic_state nics[2];
	uint64_t dropped;
};

static const struct nb_snapshot *add_drops(struct dropping *dropping,
					   const struct nb_snapshot *snapshot, unsigned i)
{
	struct nb_snapshot *with = &dropping->snapshots[i % 2];
	struct nb_queue_state *queues = dropping->queues[i % 2];
	struct nb_nic_state *nic = &dropping->nics[i % 2];

	assert_int_equal(snapshot->n_queues, 3);
	memcpy(queues, snapshot->queues, sizeof(dropping->queues[0]));
	dropping->dropped += 100000;
	queues[0].dropped = dropping->dropped;
	*nic = (struct nb_nic_state){
		.ifindex = queues[0].key.ifindex,
		.read_nsec = snapshot->taken_nsec,
		.missed = dropping->dropped,
		.by_queue = true,
	};
	*with = *snapshot;
	with->queues = queues;
	with->nics = nic;
	with->n_nics = 1;
	return with;
}

/* CPU 0 is hot by two queues, and not full; a third one is by itself. Cycles until one moves. */
static unsigned cycles_to_move(struct fixture *f, struct dropping *dropping)
{
	unsigned i;

	for (i = 0; i < 20 && f->n_obeyed == 0; i++) {
		const struct nb_snapshot *snapshot;

		nb_world_step(f->world, NB_NSEC_PER_SEC);
		snapshot = nb_world_snapshot(f->world);
		nb_loop_see(&f->loop, dropping ? add_drops(dropping, snapshot, i) : snapshot,
			    false);
		nb_loop_plan(&f->loop, &f->policy);
		nb_loop_carry_out(&f->loop, &f->policy, obey, f);
	}
	assert_in_range(f->loop.plan->hottest, 7100, 8900);
	return i;
}

static unsigned cycles_of_a_new_host(unsigned packets_per_sec, struct dropping *dropping)
{
	struct fixture f = {.policy = nb_host_default_policy(), .outcome = _NB_OUTCOME_INVALID};
	g_autofree char *faults = NULL;
	g_autofree char *hot = g_strdup_printf("[Host]\nSeed=1\nLengthSec=60\nCPUs=4\n"
					       "[Nic eth0]\nQueues=3\nPlacement=0,0,1\n"
					       "[Traffic eth0]\nPacketsPerSec=%u\nFlows=3000\n",
					       packets_per_sec);
	unsigned cycles;

	if (nb_scenario_parse(hot, strlen(hot), &f.scenario, &faults) < 0)
		fail_msg("%s", faults);
	f.world = nb_world_new(f.scenario);
	nb_loop_init(&f.loop);
	cycles = cycles_to_move(&f, dropping);
	nb_loop_clear(&f.loop);
	nb_world_free(f.world);
	nb_scenario_free(f.scenario);
	return cycles;
}

static void drops_of_a_nic_without_a_full_cpu_hasten_nothing(void **state)
{
	struct dropping dropping = {};
	unsigned calm = cycles_of_a_new_host(HOT_PACKETS, NULL);

	(void)state;
	assert_in_range(calm, 3, 19);
	assert_int_equal(cycles_of_a_new_host(HOT_PACKETS, &dropping), calm);
}

#define WITH_WORLD(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_WORLD(measures_between_two_snapshots_unless_that_is_spoilt),
		WITH_WORLD(what_was_carried_out_is_remembered_and_judged),
		WITH_WORLD(a_plan_that_only_counts_is_carried_out),
		WITH_WORLD(what_was_refused_is_remembered_as_that),
		cmocka_unit_test(drops_of_a_nic_without_a_full_cpu_hasten_nothing),
		WITH_WORLD(withdraws_what_was_set_for_a_moment_and_nothing_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
