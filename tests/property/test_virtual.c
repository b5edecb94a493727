/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hosts with a device without hardware that fills a CPU, beside a NIC: with Virtual=yes its packets
 * are shared by RPS as long as that helps, none is lost that would not be lost otherwise, and it
 * rests. The whole loop, on simulated hosts. */
#include "rehearse/rehearse.h"
#include "support/host.h"
#include "support/support.h"

#define N_HOSTS 60u

static unsigned draw(GRand *random, unsigned least, unsigned most)
{
	return (unsigned)g_rand_int_range(random, (gint32)least, (gint32)most + 1);
}

/* Of a packet 1.2 µs are above the driver, and 0.3 in it: it takes 110 to 190 % of a CPU for three
 * minutes, and little then. */
static char *text_of(unsigned seed, bool one_flow)
{
	g_autoptr(GRand) random = g_rand_new_with_seed(seed);
	unsigned n_cpus = draw(random, 4, 12), cpu = draw(random, 0, n_cpus - 1);
	unsigned packets = 10000 * draw(random, 73, 126);

	return g_strdup_printf(
		"[Host]\nLengthSec=6min\nCPUs=%u\nSeed=%u\n"
		"[Nic eth0]\nQueues=%u\nFollows=yes\n"
		"[Nic wg0]\nQueues=1\nVirtual=yes\nPlacement=%u\nDriverCost=300ns\n"
		"[Traffic eth0]\nPacketsPerSec=%u\nFlows=2000\nNoise=2%%\n"
		"[Traffic wg0]\nEndSec=3min\nPacketsPerSec=%u\nFlows=%u\nProtocolCost=1200ns\n"
		"[Traffic wg0]\nBeginSec=3min\nPacketsPerSec=20k\nFlows=1000\n",
		n_cpus, seed, n_cpus, cpu, 20000 * n_cpus, packets, one_flow ? 1 : 1000);
}

static struct nb_rehearsal *rehearse(unsigned seed, bool one_flow, bool wanted)
{
	struct nb_policy policy = nb_host_default_policy();
	g_autofree char *text = text_of(seed, one_flow), *error = NULL;
	g_autoptr(nb_scenario) scenario = NULL;

	if (nb_scenario_parse(text, strlen(text), &scenario, &error) < 0)
		fail_msg("%s", error);
	policy.rps_virtual = wanted;
	return nb_rehearse_scenario(scenario, &policy, true);
}

static uint64_t dropped_between(const struct nb_rehearsal *run, unsigned from_sec, unsigned to_sec)
{
	uint64_t dropped = 0;

	for (unsigned i = 0; i < run->seconds->len; i++) {
		const struct nb_rehearsed_second *second =
			&g_array_index(run->seconds, struct nb_rehearsed_second, i);

		if (second->at_nsec > from_sec * NB_NSEC_PER_SEC &&
		    second->at_nsec <= to_sec * NB_NSEC_PER_SEC)
			dropped += second->dropped;
	}
	return dropped;
}

/* Masks of wg0 that were written. *ret_last is the list of the last one, "" of none. */
static unsigned count_masks(const struct nb_rehearsal *run, const char **ret_last)
{
	unsigned n = 0;

	*ret_last = "";
	for (unsigned i = 0; i < run->records->len; i++) {
		const struct nb_record *record = &g_array_index(run->records, struct nb_record, i);

		if (record->kind != NB_KIND_RPS || !g_str_equal(record->netdev, "wg0"))
			continue;
		*ret_last = record->rps_to;
		n++;
	}
	return n;
}

static void it_is_relieved_only_where_that_is_asked_for(void **state)
{
	unsigned n_helped = 0;

	(void)state;
	for (unsigned i = 0; i < N_HOSTS; i++) {
		g_autoptr(nb_rehearsal) off = rehearse(i, false, false);
		g_autoptr(nb_rehearsal) on = rehearse(i, false, true);
		const char *last;
		unsigned n_masks;

		assert_int_equal(count_masks(off, &last), 0);
		assert_true(dropped_between(off, 60, 180) > 0);
		n_masks = count_masks(on, &last);
		assert_in_range(n_masks, 2, 4);
		assert_true(*last == '\0');
		assert_int_equal(on->n_moves, off->n_moves);
		assert_true(dropped_between(on, 0, 360) < dropped_between(off, 0, 360));
		n_helped += dropped_between(on, 30, 360) == 0;
	}
	print_message("%u of %u lose nothing any more\n", n_helped, N_HOSTS);
	assert_int_equal(n_helped, N_HOSTS);
}

/* RPS cannot split it: it is tried, and less and less often. */
static void one_flow_is_left_alone(void **state)
{
	(void)state;
	for (unsigned i = 0; i < N_HOSTS; i++) {
		g_autoptr(nb_rehearsal) on = rehearse(i, true, true);
		const char *last;

		assert_in_range(count_masks(on, &last), 2, 2);
		assert_true(*last == '\0');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_relieved_only_where_that_is_asked_for),
		cmocka_unit_test(one_flow_is_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
