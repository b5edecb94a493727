/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is refused is said with line and remedy; what is taken fits its host, and can be run. */

#include "fuzz/fuzz.h"
#include "sim/world.h"

#include <stdlib.h>
#include <string.h>

#define MSEC UINT64_C(1000000)

static void check_faults(const char *faults)
{
	g_auto(GStrv) lines = g_strsplit(faults, "\n", -1);

	FUZZ_CLAIM(*lines);
	for (char **line = lines; *line; line++) {
		size_t n = strspn(*line, "0123456789");

		FUZZ_CLAIM(n > 0 && **line != '0' && g_str_has_prefix(*line + n, ": "));
		FUZZ_CLAIM(strstr(*line, "; "));
	}
}

static void check_nics(const struct nb_scenario *scenario)
{
	for (unsigned i = 0; i < scenario->nics->len; i++) {
		const struct nb_sim_nic *nic = &g_array_index(scenario->nics, struct nb_sim_nic, i);

		FUZZ_CLAIM(*nic->name && memchr(nic->name, '\0', sizeof(nic->name)));
		FUZZ_CLAIM(nic->n_queues > 0 && nic->node < (int)scenario->n_nodes);
		FUZZ_CLAIM(nic->n_in_use > 0 && nic->n_in_use <= nic->n_queues);
		for (unsigned j = 0; nic->placement == NB_PLACEMENT_LISTED && j < nic->n_queues;
		     j++)
			FUZZ_CLAIM(nic->cpus[j] < scenario->n_cpus);
	}
}

static void check_rest(const struct nb_scenario *scenario)
{
	for (unsigned i = 0; i < scenario->traffic->len; i++) {
		const struct nb_sim_traffic *traffic =
			&g_array_index(scenario->traffic, struct nb_sim_traffic, i);

		FUZZ_CLAIM(traffic->nic < scenario->nics->len);
		FUZZ_CLAIM(traffic->n_elephants > 0);
		FUZZ_CLAIM(traffic->elephant_queue == UINT_MAX ||
			   traffic->elephant_queue <
				   g_array_index(scenario->nics, struct nb_sim_nic, traffic->nic)
					   .n_in_use);
	}
	for (unsigned i = 0; i < scenario->applications->len; i++)
		FUZZ_CLAIM(g_array_index(scenario->applications, struct nb_sim_application, i).cpu <
			   (int)scenario->n_cpus);
	for (unsigned i = 0; i < scenario->events->len; i++) {
		const struct nb_sim_event *event =
			&g_array_index(scenario->events, struct nb_sim_event, i);

		FUZZ_CLAIM(event->kind == NB_SIM_OFFLINE || event->nic < scenario->nics->len);
		FUZZ_CLAIM((event->kind != NB_SIM_OFFLINE && event->kind != NB_SIM_FOREIGN) ||
			   event->cpu < scenario->n_cpus);
	}
}

/* A world of any size would take any time. */
static bool is_small(const struct nb_scenario *scenario)
{
	uint64_t n = scenario->n_cpus + scenario->applications->len;

	for (unsigned i = 0; i < scenario->traffic->len; i++)
		n += g_array_index(scenario->traffic, struct nb_sim_traffic, i).n_flows;
	return n < 5000 && scenario->n_cpus <= 64;
}

static void run(const struct nb_scenario *scenario)
{
	g_autoptr(nb_world) world = nb_world_new(scenario);
	const struct nb_snapshot *snapshot;

	nb_world_step(world, 2 * MSEC);
	snapshot = nb_world_snapshot(world);
	FUZZ_CLAIM(snapshot->taken_nsec == 2 * MSEC);
	FUZZ_CLAIM(snapshot->n_queues == snapshot->machine->n_queues);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(nb_scenario) scenario = NULL;
	g_autofree char *faults = NULL;

	if (nb_scenario_parse((const char *)data, size, &scenario, &faults) < 0) {
		FUZZ_CLAIM(!scenario);
		check_faults(faults);
		return 0;
	}
	FUZZ_CLAIM(!faults);
	FUZZ_CLAIM(scenario->n_cpus > 0 && scenario->n_cpus <= NB_CPUS_MAX);
	check_nics(scenario);
	check_rest(scenario);
	if (is_small(scenario))
		run(scenario);
	return 0;
}
