/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/scenario.h"

#include "nicbalance/units.h"
#include "support/support.h"

#include <errno.h>

#define HOST "[Host]\nLengthSec=1min\nCPUs=4\n"

static struct nb_scenario *parse(const char *text)
{
	g_autofree char *faults = NULL;
	struct nb_scenario *scenario = NULL;

	if (nb_scenario_parse(text, strlen(text), &scenario, &faults) < 0)
		fail_msg("%s", faults);
	return scenario;
}

/* The faults of text are exactly these. */
static void refuse(const char *text, const char *expected)
{
	g_autofree char *faults = NULL;
	struct nb_scenario *scenario = NULL;

	assert_int_equal(nb_scenario_parse(text, strlen(text), &scenario, &faults), -EINVAL);
	assert_null(scenario);
	assert_string_equal(faults, expected);
}

static void reads_every_section(void **state)
{
	g_autoptr(nb_scenario) scenario = NULL;
	const struct nb_sim_nic *nic;
	const struct nb_sim_traffic *traffic;
	const struct nb_sim_application *application;
	const struct nb_sim_event *event;

	(void)state;
	scenario = parse(
		"# a comment\n[Host]\r\nTitle=some host\nSeed=7\nLengthSec=15min\nCPUs=8\n"
		"ThreadsPerCore=2\nNodes=2\nIsolated=1,3\nSmallCPUs=2-3\nSmallCapacity=40%\nGrade=estimated\n"
		"Accounting=precise\nTicksPerSec=1000\nRPSCost=1us\nRefused=10%\n"
		"WriteDelaySec=2s\nInterruptRemapping=no\nFairSoftirqs=yes\n"
		"[Nic eth0]\n Node = 1 \nQueues=3\nPlacement=0,1,1\nInterruptCost=2us\n"
		"DriverCost=300ns\nCoalesceUSec=20\nFollows=yes\nRssTable=fixed\n"
		"RssHash=none\nDeferInterrupts=400us\nQueuesInUse=3\nChannels=2\nUdpHash=sdfn\n"
		"[Traffic eth0]\nBeginSec=1s\nEndSec=2s\nPacketsPerSec=1.5M\nFlows=77\n"
		"Skew=30%\nElephant=5%\nElephants=3\nElephantQueue=2\nAddressesOnly=yes\nProtocolCost=700ns\nNoise=3%\n"
		"[Application]\nShare=60%\nCPU=3\n"
		"[Application]\nShare=40%\nThreads=2\nWanderSec=5s\n"
		"[Event]\nAtSec=30s\nDo=foreign\nNic=eth0\nCPU=2\nQueues=2\n");
	assert_string_equal(scenario->title, "some host");
	assert_int_equal(scenario->seed, 7);
	assert_int_equal(scenario->length_nsec, 900 * NB_NSEC_PER_SEC);
	assert_int_equal(scenario->n_cpus, 8);
	assert_int_equal(scenario->n_threads, 2);
	assert_int_equal(scenario->n_nodes, 2);
	assert_int_equal(nb_cpumask_count(&scenario->isolated), 2);
	assert_int_equal(nb_cpumask_count(&scenario->small), 2);
	assert_int_equal(scenario->small_bp, 4000);
	assert_int_equal(scenario->grade, NB_GRADE_ESTIMATED);
	assert_int_equal(scenario->accounting, NB_ACCOUNTING_PRECISE);
	assert_int_equal(scenario->ticks_per_sec, 1000);
	assert_int_equal(scenario->rps_nsec, 1000);
	assert_int_equal(scenario->refuse_bp, 1000);
	assert_int_equal(scenario->delay_nsec, 2 * NB_NSEC_PER_SEC);
	assert_false(scenario->remaps);
	assert_true(scenario->fair);

	nic = &g_array_index(scenario->nics, struct nb_sim_nic, 0);
	assert_string_equal(nic->name, "eth0");
	assert_int_equal(nic->node, 1);
	assert_int_equal(nic->placement, NB_PLACEMENT_LISTED);
	assert_int_equal(nic->cpus[2], 1);
	assert_int_equal(nic->irq_nsec, 2000);
	assert_int_equal(nic->driver_nsec, 300);
	assert_int_equal(nic->coalesce_usec, 20);
	assert_true(nic->follows);
	assert_true(nic->fixed_table);
	assert_true(nic->no_hash);
	assert_int_equal(nic->defer_nsec, 400000);
	assert_int_equal(nic->n_in_use, 3);
	assert_int_equal(nic->channels_asked, 2);
	assert_true(nic->udp_ports_asked);

	traffic = &g_array_index(scenario->traffic, struct nb_sim_traffic, 0);
	assert_int_equal(traffic->nic, 0);
	assert_int_equal(traffic->packets_per_sec, 1500000);
	assert_int_equal(traffic->end_nsec, 2 * NB_NSEC_PER_SEC);
	assert_int_equal(traffic->n_flows, 77);
	assert_int_equal(traffic->skew_bp, 3000);
	assert_int_equal(traffic->elephant_bp, 500);
	assert_int_equal(traffic->n_elephants, 3);
	assert_int_equal(traffic->elephant_queue, 2);
	assert_true(traffic->addresses_only);
	assert_int_equal(traffic->protocol_nsec, 700);
	assert_int_equal(traffic->noise_bp, 300);

	assert_int_equal(scenario->applications->len, 3);
	application = &g_array_index(scenario->applications, struct nb_sim_application, 0);
	assert_int_equal(application->cpu, 3);
	assert_int_equal(application->share, 6000);
	application = &g_array_index(scenario->applications, struct nb_sim_application, 2);
	assert_int_equal(application->cpu, -1);
	assert_int_equal(application->wander_nsec, 5 * NB_NSEC_PER_SEC);

	event = &g_array_index(scenario->events, struct nb_sim_event, 0);
	assert_int_equal(event->kind, NB_SIM_FOREIGN);
	assert_int_equal(event->nic, 0);
	assert_int_equal(event->cpu, 2);
	assert_int_equal(event->n, 2);
}

static void has_defaults_for_what_is_left_out(void **state)
{
	g_autoptr(nb_scenario) scenario = parse(HOST "[Nic eth0]\nQueues=2");
	const struct nb_sim_nic *nic = &g_array_index(scenario->nics, struct nb_sim_nic, 0);

	(void)state;
	assert_int_equal(scenario->grade, NB_GRADE_MEASURED);
	assert_int_equal(scenario->ticks_per_sec, 250);
	assert_int_equal(nic->node, NB_NODE_NONE);
	assert_int_equal(nic->placement, NB_PLACEMENT_LADDER);
	assert_false(nic->follows);
	assert_false(nic->fixed_table);
	assert_false(nic->no_hash);
	assert_int_equal(nic->defer_nsec, 0);
	assert_int_equal(nic->n_in_use, 2);
	assert_int_equal(nic->channels_asked, NB_CHANNELS_KEEP);
	assert_false(nic->udp_ports_asked);
}

static void names_the_line_and_the_remedy_of_each_fault(void **state)
{
	(void)state;
	refuse("", "1: there is no [Host]; write one");
	refuse("CPUs=4\n", "1: the assignment stands before the first section; write its "
			   "section above it, as [Name]");
	refuse("[Nic eth0]\nQueues=2\n",
	       "1: [Host] must come first; write it above all other sections");
	refuse("[Host]\nCPUs=4\n", "1: [Host] does not say LengthSec; write LengthSec=");
	refuse(HOST "[Host]\nLengthSec=1\nCPUs=2\n", "4: there is a second [Host]; write one");
	refuse(HOST "CPU=7\n[Nic eth0]\nQueues=none\n",
	       "4: [Host] has no key CPU; write one of Title, Seed, LengthSec, CPUs, "
	       "ThreadsPerCore, Nodes, CachesPerNode, Isolated, SmallCPUs, SmallCapacity, Grade, Accounting, TicksPerSec, "
	       "RPSCost, Refused, WriteDelaySec, InterruptRemapping, ThreadedBacklog, "
	       "FairSoftirqs\n"
	       "6: Queues=none is not understood; write a number such as 16, 20k or 1.5M");
	refuse(HOST "[Nic eth0]\nQueues=200\n", "5: Queues=200 is out of range; write 1 to 128");
	refuse(HOST "[Nic eth0]\nQueues=2\nChannels=most\n",
	       "6: Channels=most is not understood; write a number such as 8, or max");
	refuse(HOST "[Nic eth0]\nQueues=2\nChannels=129\n",
	       "6: Channels=129 is out of range; write 1 to 128");
	refuse(HOST "[Nic eth0]\nQueues=2\nUdpHash=sd\n",
	       "6: UdpHash=sd is not understood; write keep, sdfn");
	refuse(HOST "Grade=half\n", "4: Grade=half is not understood; write estimated, measured");
	refuse(HOST "[Nic\n",
	       "4: the section header does not end in ]; write it on a line of its own, as [Name]");
	refuse(HOST "[Nick eth0]\nQueues=3\n",
	       "4: the section is not known; write Host, Nic, Traffic, Application or Event in "
	       "the brackets");
	refuse(HOST "Seed\n", "4: the line is neither a section nor an assignment; write "
			      "Key=Value, or # in front of a comment");
	refuse(HOST "[Nic averyveryverylongname]\nQueues=1\n",
	       "4: a NIC needs a name of 1 to 15 letters; write one such as [Nic eth0]");
}

static void refuses_what_does_not_fit_the_host(void **state)
{
	(void)state;
	refuse("[Host]\nLengthSec=1min\nCPUs=6\nThreadsPerCore=2\nNodes=2\n",
	       "1: 6 CPUs cannot be shared out evenly among threads, nodes and caches; write a "
	       "multiple of 4");
	refuse(HOST "Isolated=2-9\n", "1: CPU 9 is isolated but does not exist; write CPUs 0-3");
	refuse(HOST "SmallCPUs=4\n", "1: CPU 4 is small but does not exist; write CPUs 0-3");
	refuse(HOST "SmallCapacity=6%\n", "4: SmallCapacity=6% is out of range; write 7% to 100%");
	refuse(HOST "[Nic eth0]\nQueues=2\nNode=1\n",
	       "4: there is no node 1; write one of 0-0, or none");
	refuse(HOST "[Nic eth0]\nQueues=2\nPlacement=1\n",
	       "4: Placement= names 1 CPUs for 2 queues; write one for each");
	refuse(HOST "[Nic eth0]\nQueues=2\nPlacement=1,4\n",
	       "4: there is no CPU 4; write one of 0-3");
	refuse(HOST "[Nic eth0]\nQueues=2\nQueuesInUse=3\n",
	       "4: of 2 queues 3 cannot be in use; write 1 to 2");
	refuse(HOST "[Nic eth0]\nQueues=3\nQueuesInUse=2\n"
		    "[Traffic eth0]\nPacketsPerSec=1\nElephantQueue=2\n",
	       "7: eth0 has no queue 2; write 0 to 1");
	refuse(HOST "[Nic eth0]\nQueues=1\n[Nic eth0]\nQueues=1\n",
	       "6: [Nic eth0] is there already; write another name");
	refuse(HOST "[Traffic eth9]\nPacketsPerSec=1\n",
	       "4: there is no [Nic eth9] above; write the name of one, such as [Traffic eth0]");
	refuse(HOST "[Nic eth0]\nQueues=2\n[Traffic eth0]\nPacketsPerSec=1\nElephantQueue=2\n",
	       "6: eth0 has no queue 2; write 0 to 1");
	refuse(HOST "[Application]\nShare=1%\nCPU=4\n", "4: there is no CPU 4; write one of 0-3");
	refuse(HOST "[Application]\nShare=1%\nBeginSec=5s\nEndSec=4s\n",
	       "4: it ends before it begins; write a later EndSec=, or none");
	refuse(HOST "[Event]\nAtSec=1s\nDo=reset\n",
	       "4: it is about a NIC but names none; write Nic=");
	refuse(HOST "[Nic eth0]\nQueues=1\n[Event]\nAtSec=1s\nDo=foreign\nNic=eth0\nQueues=2\n",
	       "6: eth0 has no 2 queues; write 1 to 1");
}

static void refuses_a_nul_byte(void **state)
{
	static const char text[] = HOST "Title=a\0b\n";
	g_autofree char *faults = NULL;
	struct nb_scenario *scenario;

	(void)state;
	assert_int_equal(nb_scenario_parse(text, sizeof(text) - 1, &scenario, &faults), -EINVAL);
	assert_string_equal(faults,
			    "4: the line holds a NUL byte; save the file as plain UTF-8 text");
}

static void reads_the_scenarios_that_are_shipped(void **state)
{
	const char *path = NB_SOURCE_DIR "/conf/scenarios";
	GDir *dir = g_dir_open(path, 0, NULL);
	const char *name;
	unsigned n = 0;

	(void)state;
	assert_non_null(dir);
	while ((name = g_dir_read_name(dir))) {
		g_autofree char *file = g_build_filename(path, name, NULL);
		g_autofree char *text = NULL;

		assert_true(g_file_get_contents(file, &text, NULL, NULL));
		nb_scenario_free(parse(text));
		n++;
	}
	g_dir_close(dir);
	assert_true(n >= 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_every_section),
		cmocka_unit_test(has_defaults_for_what_is_left_out),
		cmocka_unit_test(names_the_line_and_the_remedy_of_each_fault),
		cmocka_unit_test(refuses_what_does_not_fit_the_host),
		cmocka_unit_test(refuses_a_nul_byte),
		cmocka_unit_test(reads_the_scenarios_that_are_shipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
