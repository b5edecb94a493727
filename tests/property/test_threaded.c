/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hosts with NICs whose interrupts stay where they are beside applications: with ThreadedNapi=yes
 * threaded NAPI is switched on where that helps and nothing else does, off again with the load, no
 * packet is lost that would not be lost otherwise, and it rests. The whole loop, on simulated
 * hosts. */
#include "rehearse/rehearse.h"
#include "support/host.h"
#include "support/support.h"

#define N_HOSTS 200u
#define N_CPUS_MOST 8u

static unsigned draw(GRand *random, unsigned least, unsigned most)
{
	return (unsigned)g_rand_int_range(random, (gint32)least, (gint32)most + 1);
}

/* Of a packet 1.5 µs: three minutes of load, three with next to none. Queue 0 shares its CPU with
 * an application; some of the other CPUs have one, too. */
enum asked { NOT_ASKED, OF_THE_NIC, OF_A_QUEUE };

static char *text_of(unsigned seed, enum asked asked)
{
	static const char *const stays[] = {"Managed=yes", "DeferInterrupts=1ms"};
	g_autoptr(GRand) random = g_rand_new_with_seed(seed);
	unsigned n_cpus = draw(random, 2, N_CPUS_MOST), n_queues = draw(random, 1, n_cpus);
	unsigned per_queue = 1000 * draw(random, 150, 500), beside = draw(random, 20, 90);
	GString *text = g_string_new(NULL);

	g_string_printf(
		text,
		"[Host]\nLengthSec=6min\nCPUs=%u\nSeed=%u\nGrade=measured\n"
		"FairSoftirqs=%s\n"
		"[Nic eth0]\nQueues=%u\nFollows=%s\nRssTable=fixed\n%s\nThreadedNapi=%s\nLinkedNapis=%s\n"
		"[Traffic eth0]\nEndSec=3min\nPacketsPerSec=%u\nFlows=%u\n"
		"ProtocolCost=1200ns\nNoise=2%%\n"
		"[Traffic eth0]\nBeginSec=3min\nPacketsPerSec=20k\nFlows=1000\n"
		"[Application]\nCPU=0\nShare=%u%%\n",
		n_cpus, seed, draw(random, 0, 1) ? "yes" : "no", n_queues,
		draw(random, 0, 1) ? "yes" : "no", stays[draw(random, 0, 1)], asked ? "yes" : "no",
		asked == OF_A_QUEUE ? "yes" : "no", per_queue * n_queues,
		draw(random, 0, 3) ? 5000 : 3, beside);
	for (unsigned i = 1; i < n_cpus; i++)
		if (draw(random, 0, 2) == 0)
			g_string_append_printf(text, "[Application]\nCPU=%u\nShare=%u%%\n", i,
					       draw(random, 20, 90));
	return g_string_free(text, FALSE);
}

static struct nb_rehearsal *rehearse(unsigned seed, enum asked asked)
{
	struct nb_policy policy = nb_host_default_policy();
	g_autofree char *text = text_of(seed, asked), *error = NULL;
	g_autoptr(nb_scenario) scenario = NULL;

	if (nb_scenario_parse(text, strlen(text), &scenario, &error) < 0)
		fail_msg("%s", error);
	return nb_rehearse_scenario(scenario, &policy, true);
}

struct sums {
	uint64_t dropped; /* in the minutes of load, after the first half of one */
	uint64_t hot;     /* and the sum of the hottest CPU's load, second by second */
};

static struct sums sum_up(const struct nb_rehearsal *run)
{
	struct sums sums = {};

	for (unsigned i = 0; i < run->seconds->len; i++) {
		const struct nb_rehearsed_second *second =
			&g_array_index(run->seconds, struct nb_rehearsed_second, i);

		if (second->at_nsec <= 30 * NB_NSEC_PER_SEC ||
		    second->at_nsec > 180 * NB_NSEC_PER_SEC)
			continue;
		sums.dropped += second->dropped;
		sums.hot += second->hottest;
	}
	return sums;
}

/* How often it was switched, for one queue or for all at most; *ret_helped: for good. */
static unsigned count_switches(const struct nb_rehearsal *run, enum asked asked, bool *ret_helped)
{
	unsigned n_of[N_CPUS_MOST + 1] = {}, most = 0;

	*ret_helped = false;
	for (unsigned i = 0; i < run->records->len; i++) {
		const struct nb_record *record = &g_array_index(run->records, struct nb_record, i);
		unsigned *n;

		if (record->kind != NB_KIND_THREADED)
			continue;
		assert_int_equal(record->key.index == NB_EVERY_QUEUE, asked == OF_THE_NIC);
		n = &n_of[MIN(record->key.index, N_CPUS_MOST)];
		(*n)++;
		*ret_helped |= record->effect == NB_EFFECT_WORKED;
		/* The last one is off. */
		assert_string_equal(record->setting_to, *n % 2 ? "on" : "off");
	}
	for (unsigned i = 0; i <= N_CPUS_MOST; i++) {
		assert_int_equal(n_of[i] % 2, 0);
		most = MAX(most, n_of[i]);
	}
	return most;
}

struct counts {
	unsigned n_tried, n_helped, n_saved;
};

static void compare(unsigned seed, struct sums without, enum asked asked, struct counts *counts)
{
	g_autoptr(nb_rehearsal) on = rehearse(seed, asked);
	struct sums with = sum_up(on);
	bool helped;
	unsigned n_switches = count_switches(on, asked, &helped);

	if (n_switches > 4 || with.dropped > without.dropped + without.dropped / 50)
		fail_msg("host %u: switched %u times, %lu packets lost instead of %lu", seed,
			 n_switches, (unsigned long)with.dropped, (unsigned long)without.dropped);
	if (with.hot > without.hot + without.hot / 100)
		fail_msg("host %u: hotter, %lu instead of %lu", seed, (unsigned long)with.hot,
			 (unsigned long)without.hot);
	counts->n_tried += n_switches > 0;
	counts->n_helped += helped;
	counts->n_saved += with.dropped < without.dropped;
}

static void tell(const char *what, const struct counts *counts)
{
	print_message("%s: tried on %u of %u, helped on %u, fewer packets lost on %u\n", what,
		      counts->n_tried, N_HOSTS, counts->n_helped, counts->n_saved);
	assert_in_range(counts->n_helped, counts->n_tried - counts->n_tried / 8, counts->n_tried);
	assert_in_range(counts->n_tried, N_HOSTS / 4, N_HOSTS);
}

static void it_helps_where_that_is_asked_for_and_harms_nowhere(void **state)
{
	struct counts of_nic = {}, of_queue = {};

	(void)state;
	for (unsigned i = 0; i < N_HOSTS; i++) {
		g_autoptr(nb_rehearsal) off = rehearse(i, NOT_ASKED);
		struct sums without = sum_up(off);
		bool helped;

		assert_int_equal(count_switches(off, NOT_ASKED, &helped), 0);
		compare(i, without, OF_THE_NIC, &of_nic);
		compare(i, without, OF_A_QUEUE, &of_queue);
	}
	tell("whole NICs", &of_nic);
	tell("single queues", &of_queue);
	/* Where not all threads of a NIC find time, one may. */
	assert_true(of_queue.n_tried >= of_nic.n_tried);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_helps_where_that_is_asked_for_and_harms_nowhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
