/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What must not be done again and again: moves and masks that gain nothing, on hosts where that
 * does not show at once. The whole loop, on simulated hosts. */
#include "loop/loop.h"
#include "sim/world.h"
#include "support/host.h"
#include "support/support.h"

#define AN_HOUR 3600u

struct site {
	nb_scenario *scenario;
	struct nb_world *world;
	struct nb_loop loop;
	struct nb_policy policy;
	unsigned n_moves, n_masks, n_worked, n_sent_back;
	/* Of the next writes so many fail like this. */
	unsigned n_failing;
	enum nb_outcome failure;
};

static struct site site_of(const char *text)
{
	struct site site = {.policy = nb_host_default_policy()};
	char *faults = NULL;

	if (nb_scenario_parse(text, strlen(text), &site.scenario, &faults) < 0)
		fail_msg("%s", faults);
	site.world = nb_world_new(site.scenario);
	nb_loop_init(&site.loop);
	return site;
}

static void site_clear(struct site *site)
{
	nb_loop_clear(&site->loop);
	nb_world_free(site->world);
	nb_scenario_free(site->scenario);
}

static void obey(void *host, struct nb_plan *plan)
{
	struct nb_plan counting = {.count_buckets = plan->count_buckets};
	struct site *site = host;

	nb_world_obey(site->world, &counting);
	for (unsigned i = 0; i < plan->n_changes; i++) {
		struct nb_change *change = &plan->changes[i];

		site->n_moves += change->kind == NB_KIND_QUEUE;
		site->n_masks += change->kind == NB_KIND_RPS;
		if (site->n_failing > 0) {
			site->n_failing--;
			change->outcome = site->failure;
		} else {
			change->outcome = nb_world_carry_out(site->world, change);
		}
	}
}

static void look(struct site *site)
{
	nb_loop_see(&site->loop, nb_world_snapshot(site->world), false);
	nb_loop_plan(&site->loop, &site->policy);
	nb_loop_carry_out(&site->loop, &site->policy, obey, site);
	for (unsigned i = 0; i < site->loop.findings->len; i++)
		site->n_worked += g_array_index(site->loop.findings, struct nb_finding, i).effect ==
				  NB_EFFECT_WORKED;
}

static void cycle(struct site *site)
{
	uint64_t again_nsec = site->loop.plan ? site->loop.plan->again_nsec : 0;

	nb_world_step(site->world, again_nsec ? again_nsec : NB_NSEC_PER_SEC);
	look(site);
}

static void run(struct site *site, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		cycle(site);
}

static unsigned queues_on(const struct site *site, unsigned cpu)
{
	unsigned n = 0;

	for (unsigned i = 0; i < site->loop.snapshot->n_queues; i++)
		n += nb_world_queue_cpu(site->world, i) == cpu;
	return n;
}

/* One queue of so many packets, each of 2 µs, and an application that is woken by them. */
static void keeps_company(unsigned share, const char *packets, const char *wander)
{
	g_autofree char *text = g_strdup_printf("[Host]\nLengthSec=2h\nCPUs=8\nGrade=measured\n"
						"[Nic eth0]\nQueues=8\nDriverCost=1us\n"
						"[Traffic eth0]\nPacketsPerSec=%s\nFlows=1\n"
						"ProtocolCost=1us\n"
						"[Application]\nShare=%u%%\nNic=eth0\nQueue=%u\n"
						"WanderSec=%s\n",
						packets, share, 0u, wander);
	struct site site = site_of(text);
	g_autofree char *again = NULL;
	unsigned busiest = 0;

	nb_world_step(site.world, NB_NSEC_PER_SEC);
	for (unsigned i = 0; i < 8; i++)
		if (nb_world_queue_demand(site.world, i) >
		    nb_world_queue_demand(site.world, busiest))
			busiest = i;
	site_clear(&site);

	again = g_strdup_printf("[Host]\nLengthSec=2h\nCPUs=8\nGrade=measured\n"
				"[Nic eth0]\nQueues=8\nDriverCost=1us\n"
				"[Traffic eth0]\nPacketsPerSec=%s\nFlows=1\n"
				"ProtocolCost=1us\n"
				"[Application]\nShare=%u%%\nNic=eth0\nQueue=%u\nWanderSec=%s\n",
				packets, share, busiest, wander);
	site = site_of(again);
	site.policy.rps = false;
	run(&site, AN_HOUR);
	assert_true(site.n_moves >= 1);
	assert_in_range(site.n_moves, 1, 4);
	site_clear(&site);
}

static void an_application_that_follows_its_queue_is_not_chased(void **state)
{
	(void)state;
	keeps_company(45, "225k", "100ms");
	keeps_company(60, "150k", "100ms");
	keeps_company(90, "100k", "100ms");
	keeps_company(45, "225k", "1500ms");
	keeps_company(45, "225k", "5s");
}

/* Whose work kernel threads do is not seen in softirqs. */
static void a_mask_whose_work_is_not_seen_is_kept(void **state)
{
	struct site site = site_of("[Host]\nLengthSec=2h\nCPUs=8\nGrade=measured\n"
				   "ThreadedBacklog=yes\n"
				   "[Nic eth0]\nQueues=1\nDriverCost=200ns\n"
				   "[Traffic eth0]\nPacketsPerSec=400k\nFlows=1000\n"
				   "ProtocolCost=2us\n");

	(void)state;
	run(&site, AN_HOUR);
	assert_in_range(site.n_masks, 1, 3);
	site_clear(&site);
}

/* An hour of a host whose NIC defers its interrupts by 400 µs, which no queue of it ever enables.
 */
static struct site deferred_hour(const char *grade, const char *rest)
{
	g_autofree char *text =
		g_strdup_printf("[Host]\nLengthSec=2h\nCPUs=8\nGrade=%s\n%s", grade, rest);
	struct site site = site_of(text);

	run(&site, AN_HOUR);
	return site;
}

#define DEFERRED "DriverCost=1us\nDeferInterrupts=400us\n[Traffic eth0]\nProtocolCost=1us\n"

static void a_queue_whose_interrupt_is_deferred_stays(void **state)
{
	static const char *const hosts[] = {
		/* Beside an application, … */
		"[Nic eth0]\nQueues=1\n" DEFERRED "PacketsPerSec=225k\n"
		"[Application]\nCPU=0\nShare=45%\n",
		/* … another queue, … */
		"[Nic eth0]\nQueues=3\nPlacement=0,0,1\n" DEFERRED
		"PacketsPerSec=600k\nFlows=10000\n",
		/* … and where it should not be, which it leaves when there are no packets. */
		"Isolated=0\n[Nic eth0]\nQueues=1\n" DEFERRED "PacketsPerSec=100k\n",
	};

	(void)state;
	for (unsigned i = 0; i < 2 * G_N_ELEMENTS(hosts); i++) {
		struct site site = deferred_hour(i % 2 ? "measured" : "estimated", hosts[i / 2]);

		print_message("%u: %u moves, %u masks\n", i, site.n_moves, site.n_masks);
		assert_in_range(site.n_moves, 0, 1);
		assert_in_range(site.n_masks, 0, 1);
		site_clear(&site);
	}
}

/* Packets come 25 µs apart, so that the interrupt is enabled after each poll. */
static void a_queue_that_enables_its_interrupt_is_moved(void **state)
{
	struct site site = deferred_hour("measured", "[Nic eth0]\nQueues=1\nDriverCost=5us\n"
						     "DeferInterrupts=20us\n[Traffic eth0]\n"
						     "PacketsPerSec=40k\nProtocolCost=6us\n"
						     "[Application]\nCPU=0\nShare=45%\n");

	(void)state;
	assert_int_equal(site.n_moves, 1);
	assert_int_equal(site.n_worked, 1);
	assert_int_equal(queues_on(&site, 0), 0);
	site_clear(&site);
}

/* Without packets for a moment, which is what the RSS table is for. */
static void saturated_queues_are_parted_though_their_interrupts_are_deferred(void **state)
{
	struct site site =
		deferred_hour("measured", "[Nic eth0]\nQueues=8\nPlacement=collapsed\n" DEFERRED
					  "PacketsPerSec=1M\nFlows=10000\n");

	(void)state;
	assert_int_equal(queues_on(&site, 0), 1);
	assert_in_range(site.n_moves, 7, 8);
	assert_int_equal(site.n_masks, 0);
	site_clear(&site);
}

static const char collapsed[] = "[Host]\nLengthSec=2h\nCPUs=8\nGrade=estimated\n"
				"[Nic eth0]\nQueues=8\nPlacement=collapsed\nDriverCost=300ns\n"
				"[Traffic eth0]\nPacketsPerSec=200k\nFlows=10000\n"
				"ProtocolCost=700ns\n";

static void one_failed_write_is_not_the_last_try(void **state)
{
	static const enum nb_outcome failures[] = {NB_OUTCOME_NO_VECTOR, NB_OUTCOME_BUSY,
						   NB_OUTCOME_STALE, NB_OUTCOME_UNSAFE,
						   NB_OUTCOME_GONE};

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(failures); i++) {
		struct site site = site_of(collapsed);

		site.n_failing = 4;
		site.failure = failures[i];
		run(&site, 20);
		assert_in_range(queues_on(&site, 0), 0, 2);
		site_clear(&site);
	}
}

static unsigned moves_if_always(enum nb_outcome failure)
{
	struct site site = site_of(collapsed);
	unsigned n;

	site.n_failing = UINT_MAX;
	site.failure = failure;
	run(&site, AN_HOUR);
	n = site.n_moves;
	site_clear(&site);
	return n;
}

static void what_always_fails_is_tried_less_and_less_often(void **state)
{
	(void)state;
	assert_in_range(moves_if_always(NB_OUTCOME_BUSY), 7, 7 * 12);
}

static void what_is_always_stale_is_given_up_after_three_tries(void **state)
{
	(void)state;
	assert_in_range(moves_if_always(NB_OUTCOME_STALE), 7, 8 * 3);
}

/* The two queues fill a CPU each. What ran beside the first of them while the daemon started has
 * ended long since when something runs beside the other. */
static void something_that_runs_for_a_moment_exchanges_no_queues(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 4; seed++)
		for (unsigned cpu = 0; cpu < 2; cpu++) {
			g_autofree char *text = g_strdup_printf(
				"[Host]\nLengthSec=1h\nCPUs=2\nGrade=estimated\nFairSoftirqs=yes\n"
				"Seed=%u\n[Nic eth0]\nQueues=2\nPlacement=0,0\n"
				"DriverCost=60us\nInterruptCost=5us\n[Traffic eth0]\n"
				"PacketsPerSec=12k\nFlows=2000\nProtocolCost=157us\nNoise=2%%\n"
				"[Application]\nCPU=%u\nShare=40%%\nEndSec=1500ms\n"
				"[Application]\nCPU=%u\nShare=80%%\nBeginSec=20\nEndSec=22\n",
				seed, cpu, 1 - cpu);
			struct site site = site_of(text);
			unsigned n_moves;

			look(&site);
			while (site.loop.snapshot->taken_nsec < 15 * NB_NSEC_PER_SEC)
				cycle(&site);
			n_moves = site.n_moves;
			assert_int_equal(queues_on(&site, 0), 1);
			run(&site, 60);
			assert_int_equal(site.n_moves, n_moves);
			site_clear(&site);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_application_that_follows_its_queue_is_not_chased),
		cmocka_unit_test(a_mask_whose_work_is_not_seen_is_kept),
		cmocka_unit_test(a_queue_whose_interrupt_is_deferred_stays),
		cmocka_unit_test(a_queue_that_enables_its_interrupt_is_moved),
		cmocka_unit_test(saturated_queues_are_parted_though_their_interrupts_are_deferred),
		cmocka_unit_test(one_failed_write_is_not_the_last_try),
		cmocka_unit_test(what_always_fails_is_tried_less_and_less_often),
		cmocka_unit_test(what_is_always_stale_is_given_up_after_three_tries),
		cmocka_unit_test(something_that_runs_for_a_moment_exchanges_no_queues),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
