/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every rung on at once, that of channels and hashes among them, on hosts that need several: what
 * is changed obeys the rules, what the configuration asks for is done once, it rests under constant
 * load, and nothing is worse than without. The whole loop, on simulated hosts; writes are refused
 * at times. */
#include "base/cpumask_text.h"
#include "nicbalance/names.h"
#include "rehearse/rehearse.h"
#include "support/host.h"
#include "support/support.h"

#include <inttypes.h>
#include <stdlib.h>

#define N_HOSTS 60u
#define LENGTH_SEC 1800u
#define RESTS_SEC 900u /* from then on */

struct host {
	unsigned seed, n_cpus, n_isolated; /* the last ones */
	struct nb_scenario *scenario;
	struct nb_rehearsal *alone, *ours;
};

static unsigned draw(GRand *random, unsigned least, unsigned most)
{
	return (unsigned)g_rand_int_range(random, (gint32)least, (gint32)most + 1);
}

/* All that arrives takes 20 to 60 % of the CPUs that it may use, at 800 ns a packet. */
static void add_traffic(GRand *random, const struct host *host, unsigned nic, unsigned n_nics,
			GString *text)
{
	static const char *const flows[] = {
		"Flows=2000\n", "Flows=300\nSkew=40%\n", "Flows=8\nAddressesOnly=yes\n",
		"Flows=1\nAddressesOnly=yes\n", "Flows=500\nElephant=30%\nElephants=6\n"};
	unsigned n_usable = host->n_cpus - host->n_isolated;

	g_string_append_printf(text, "[Traffic eth%u]\nPacketsPerSec=%u\n%s", nic,
			       n_usable * draw(random, 20, 60) * 12500 / n_nics,
			       flows[draw(random, 0, G_N_ELEMENTS(flows) - 1)]);
}

static void add_nic(GRand *random, const struct host *host, unsigned nic, unsigned n_nics,
		    GString *text)
{
	static const char *const asked[] = {"", "Channels=max\n", "Channels=3\n"};
	unsigned n_queues = draw(random, 1, 16);

	g_string_append_printf(
		text,
		"[Nic eth%u]\nQueues=%u\nQueuesInUse=%u\n%sUdpHash=%s\nPlacement=%s\n"
		"RssTable=%s\nFollows=%s\nSpill=yes\n",
		nic, n_queues, draw(random, 1, n_queues), asked[draw(random, 0, 2)],
		draw(random, 0, 2) ? "sdfn" : "keep", draw(random, 0, 1) ? "ladder" : "collapsed",
		draw(random, 0, 2) ? "settable" : "fixed", draw(random, 0, 1) ? "yes" : "no");
	add_traffic(random, host, nic, n_nics, text);
}

static char *text_of(struct host *host)
{
	g_autoptr(GRand) random = g_rand_new_with_seed(host->seed);
	unsigned n_nics = draw(random, 1, 3);
	GString *text = g_string_new(NULL);

	host->n_cpus = 2 * draw(random, 2, 8);
	host->n_isolated = draw(random, 0, host->n_cpus / 4);
	g_string_printf(text, "[Host]\nSeed=%u\nLengthSec=%u\nCPUs=%u\nNodes=%u\nRefused=%u%%\n",
			host->seed, LENGTH_SEC, host->n_cpus, draw(random, 1, 2),
			draw(random, 0, 2) * 10);
	if (host->n_isolated > 0)
		g_string_append_printf(text, "Isolated=%u-%u\n", host->n_cpus - host->n_isolated,
				       host->n_cpus - 1);
	if (draw(random, 0, 2) == 0)
		g_string_append_printf(text, "SmallCPUs=0-%u\nSmallCapacity=60%%\n",
				       draw(random, 0, host->n_cpus / 2 - 1));
	for (unsigned i = 0; i < n_nics; i++)
		add_nic(random, host, i, n_nics, text);
	if (draw(random, 0, 2) == 0)
		g_string_append(text, "[Nic wg0]\nQueues=1\nVirtual=yes\nPlacement=1\n"
				      "[Traffic wg0]\nPacketsPerSec=900k\nFlows=1000\n");
	if (draw(random, 0, 1) == 0)
		g_string_append_printf(text, "[Application]\nCPU=%u\nShare=%u%%\n",
				       draw(random, 0, host->n_cpus - host->n_isolated - 1),
				       draw(random, 20, 70));
	return g_string_free(text, FALSE);
}

static void host_init(struct host *host, unsigned seed)
{
	struct nb_policy policy = nb_host_default_policy();
	g_autofree char *text = NULL, *faults = NULL;

	*host = (struct host){.seed = seed};
	text = text_of(host);
	if (nb_scenario_parse(text, strlen(text), &host->scenario, &faults) < 0)
		fail_msg("%s%s", text, faults);
	for (unsigned i = 0; i < host->scenario->nics->len; i++) {
		struct nb_sim_nic *nic = &g_array_index(host->scenario->nics, struct nb_sim_nic, i);

		nic->threaded = true;
		nic->linked = (seed + i) % 2;
	}
	policy.xps = true;
	policy.rps_virtual = true;
	policy.threads = true;
	policy.rfs_flows = 32768;
	policy.delay_max_nsec = 5 * NB_NSEC_PER_SEC / 1000;
	host->alone = nb_rehearse_scenario(host->scenario, &policy, false);
	host->ours = nb_rehearse_scenario(host->scenario, &policy, true);
}

static void host_clear(struct host *host)
{
	nb_rehearsal_free(host->alone);
	nb_rehearsal_free(host->ours);
	nb_scenario_free(host->scenario);
}

static const struct nb_record *record_at(const struct host *host, unsigned i)
{
	return &g_array_index(host->ours->records, struct nb_record, i);
}

static bool is_isolated(const struct host *host, unsigned cpu)
{
	return cpu >= host->n_cpus - host->n_isolated;
}

static void check_mask(const struct host *host, const char *list)
{
	struct nb_cpumask cpus;

	assert_int_equal(nb_cpumask_parse_list(list, strlen(list), &cpus), 0);
	NB_CPUMASK_FOREACH (cpu, &cpus)
		assert_false(is_isolated(host, cpu));
}

static const struct nb_sim_nic *nic_of(const struct host *host, const struct nb_record *record)
{
	const GArray *nics = host->scenario->nics;

	for (unsigned i = 0; i < nics->len; i++)
		if (g_str_equal(g_array_index(nics, struct nb_sim_nic, i).name, record->netdev))
			return &g_array_index(nics, struct nb_sim_nic, i);
	fail_msg("there is no %s", record->netdev);
	return NULL;
}

/* No more than asked for, than it has, or than CPUs that may serve them. */
static void check_channels(const struct host *host, const struct nb_record *record)
{
	const struct nb_sim_nic *nic = nic_of(host, record);
	unsigned to = (unsigned)strtoul(record->setting_to, NULL, 10);

	assert_int_not_equal(nic->channels_asked, NB_CHANNELS_KEEP);
	assert_int_equal(to, nic->channels_asked == NB_CHANNELS_MAX
				     ? MIN(nic->n_queues, host->n_cpus - host->n_isolated)
				     : MIN(nic->n_queues, nic->channels_asked));
}

static void check_record(const struct host *host, const struct nb_record *record)
{
	switch (record->kind) {
	case NB_KIND_QUEUE:
		assert_false(is_isolated(host, (unsigned)record->cpu_to));
		break;
	case NB_KIND_RPS:
		check_mask(host, record->rps_to);
		break;
	case NB_KIND_CHANNELS:
		check_channels(host, record);
		break;
	case NB_KIND_UDP_HASH:
		assert_true(nic_of(host, record)->udp_ports_asked);
		assert_string_equal(record->setting_to, "addresses and ports");
		break;
	case NB_KIND_THREADED:
		assert_true(nic_of(host, record)->threaded);
		assert_int_equal(record->key.index != NB_EVERY_QUEUE, nic_of(host, record)->linked);
		break;
	case NB_KIND_DEVICE_IRQ: /* there are none */
	case NB_KIND_THREAD:
		fail();
		break;
	case NB_KIND_RSS:
	case NB_KIND_XPS:
	case NB_KIND_RFS:
	case _NB_KIND_MAX:
	case _NB_KIND_INVALID:
		break;
	}
}

static bool is_setting(const struct nb_record *record)
{
	return record->kind == NB_KIND_CHANNELS || record->kind == NB_KIND_UDP_HASH;
}

/* Again only where the kernel did not carry it out. */
static unsigned check_settings(const struct host *host)
{
	unsigned n_applied = 0;

	for (unsigned i = 0; i < host->ours->records->len; i++) {
		const struct nb_record *record = record_at(host, i);

		if (!is_setting(record) || record->outcome != NB_OUTCOME_APPLIED)
			continue;
		n_applied++;
		for (unsigned k = i + 1; k < host->ours->records->len; k++)
			assert_false(record_at(host, k)->kind == record->kind &&
				     g_str_equal(record_at(host, k)->netdev, record->netdev));
	}
	return n_applied;
}

/* What RPS was tried for in vain it may be tried for again, less and less often. */
static void check_rest(const struct host *host)
{
	unsigned n_masks = 0;

	for (unsigned i = 0; i < host->ours->records->len; i++) {
		const struct nb_record *record = record_at(host, i);

		if (record->realtime_usec < RESTS_SEC * G_USEC_PER_SEC)
			continue;
		if (record->kind != NB_KIND_RPS || ++n_masks > 2)
			fail_msg("seed %u: a change of kind %s after %u seconds", host->seed,
				 nb_kind_to_string(record->kind),
				 (unsigned)(record->realtime_usec / G_USEC_PER_SEC));
	}
}

struct late {
	uint64_t hottest, dropped; /* mean of the hottest CPU; packets */
};

static struct late late_of(const struct nb_rehearsal *run)
{
	struct late late = {};
	uint64_t n = 0;

	for (unsigned i = 0; i < run->seconds->len; i++) {
		const struct nb_rehearsed_second *second =
			&g_array_index(run->seconds, struct nb_rehearsed_second, i);

		if (second->at_nsec <= RESTS_SEC * NB_NSEC_PER_SEC)
			continue;
		late.hottest += second->hottest;
		late.dropped += second->dropped;
		n++;
	}
	late.hottest /= n;
	return late;
}

/* What is below Hot= nobody asked to be even. */
static bool check_no_harm(const struct host *host)
{
	struct late alone = late_of(host->alone), ours = late_of(host->ours);
	uint64_t hot = nb_host_default_policy().hot;

	if (ours.hottest > MAX(alone.hottest + alone.hottest / 50, hot))
		fail_msg("seed %u: the hottest CPU is at %" PRIu64 " instead of %" PRIu64,
			 host->seed, ours.hottest, alone.hottest);
	if (ours.dropped > alone.dropped + alone.dropped / 50)
		fail_msg("seed %u: %" PRIu64 " packets are dropped instead of %" PRIu64, host->seed,
			 ours.dropped, alone.dropped);
	return ours.hottest < alone.hottest;
}

static void all_rungs_together_obey_rest_and_do_no_harm(void **state)
{
	unsigned n_settings = 0, n_better = 0;

	(void)state;
	for (unsigned seed = 0; seed < N_HOSTS; seed++) {
		struct host host;

		host_init(&host, seed);
		for (unsigned i = 0; i < host.ours->records->len; i++)
			check_record(&host, record_at(&host, i));
		n_settings += check_settings(&host);
		check_rest(&host);
		n_better += check_no_harm(&host);
		host_clear(&host);
	}
	print_message("%u settings are changed, %u of %u hosts are better\n", n_settings, n_better,
		      N_HOSTS);
	assert_true(n_settings >= N_HOSTS);
	assert_true(n_better >= N_HOSTS * 9 / 10);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_rungs_together_obey_rest_and_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
