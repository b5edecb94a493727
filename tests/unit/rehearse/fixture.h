/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Scenarios and traces in a few lines. */

#include "support/host.h"
#include "support/plan.h"
#include "support/support.h"

#include "model/model.h"
#include "rehearse/rehearse.h"

#include <string.h>

#define SEC NB_NSEC_PER_SEC

/* Eight queues on CPU 0 of eight, which is far too much for it. */
#define COLLAPSED                                                  \
	"[Host]\nLengthSec=60\nCPUs=8\n"                           \
	"[Nic eth0]\nQueues=8\nPlacement=collapsed\nFollows=yes\n" \
	"[Traffic eth0]\nPacketsPerSec=1.5M\n"
/* The same without too much to do. */
#define CALM                             \
	"[Host]\nLengthSec=20\nCPUs=4\n" \
	"[Nic eth0]\nQueues=4\n[Traffic eth0]\nPacketsPerSec=100k\n"

static inline struct nb_scenario *scenario_of(const char *text)
{
	g_autofree char *error = NULL;
	struct nb_scenario *scenario = NULL;

	if (nb_scenario_parse(text, strlen(text), &scenario, &error) < 0)
		fail_msg("%s", error);
	return scenario;
}

static inline struct nb_trace *trace_of(const char *text)
{
	g_autofree char *error = NULL;
	struct nb_trace *trace = NULL;

	if (nb_trace_parse(text, strlen(text), &trace, &error) < 0)
		fail_msg("%s", error);
	return trace;
}

/* What a daemon that only looks would have recorded of the scenario. */
static inline struct nb_trace *recorded(const char *text)
{
	g_autoptr(nb_scenario) scenario = scenario_of(text);
	g_autoptr(nb_world) world = nb_world_new(scenario);
	g_autoptr(nb_model) model = nb_model_new();
	g_autoptr(nb_trace_writer) writer = nb_trace_writer_new();
	g_autoptr(GString) lines = g_string_new(NULL);
	const struct nb_snapshot *before = nb_world_snapshot(world);
	const struct nb_plan nothing = {};

	for (uint64_t nsec = 0; nsec < scenario->length_nsec; nsec += SEC) {
		const struct nb_snapshot *now;
		struct nb_rules rules;

		nb_world_step(world, SEC);
		now = nb_world_snapshot(world);
		nb_rules_init(&rules, now, NULL, NULL);
		nb_trace_write(writer, now, &rules, nb_model_update(model, before, now), &nothing,
			       lines);
		before = now;
	}
	return trace_of(lines->str);
}

static inline const struct nb_rehearsed_second *second_at(const struct nb_rehearsal *rehearsal,
							  unsigned i)
{
	return &g_array_index(rehearsal->seconds, struct nb_rehearsed_second, i);
}

static inline const struct nb_record *record_at(const struct nb_rehearsal *rehearsal, unsigned i)
{
	return &g_array_index(rehearsal->records, struct nb_record, i);
}

static inline uint32_t demand_at(const struct nb_rehearsal *rehearsal, unsigned second,
				 unsigned cpu)
{
	return g_array_index(rehearsal->demand, uint32_t, second * rehearsal->n_cpus + cpu);
}
