/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/find.h"
#include "rehearse/cycle.h"
#include "rehearse/frame.h"
#include "rehearse/rehearsal.h"
#include "rehearse/stage.h"

static uint64_t all_dropped(const struct nb_snapshot *before, const struct nb_snapshot *now)
{
	uint64_t dropped = 0;

	for (unsigned i = 0; i < now->n_cpus; i++) {
		const struct nb_cpu_counters *cpu = nb_snapshot_find_cpu(before, now->cpus[i].id);

		dropped += now->cpus[i].dropped - (cpu ? cpu->dropped : 0);
	}
	return dropped;
}

static void replay_window(struct nb_rehearsing *rehearsing, struct nb_stage *stage,
			  const struct nb_trace_frame *frame)
{
	const struct nb_topology *topology = &frame->machine->topology;
	g_autofree uint32_t *demand = g_new(uint32_t, topology->n_cpus);
	const struct nb_snapshot *before = rehearsing->loop.snapshot;
	const struct nb_snapshot *snapshot = nb_stage_advance(stage, frame);
	struct nb_cpumask network = nb_frame_network(frame, nb_stage_places(stage));
	struct nb_rehearsed_second second = {
		.at_nsec = frame->taken_nsec,
		.window_nsec = frame->window_nsec,
		.dropped = all_dropped(before, snapshot),
	};

	nb_frame_demand(frame, nb_stage_places(stage), demand);
	nb_rehearse_cycle(rehearsing, snapshot, frame->taken_nsec);
	second.verdict = rehearsing->loop.plan->verdict;
	nb_records_add_device_irqs(rehearsing->rehearsal, frame);
	nb_rehearsal_add_second(rehearsing->rehearsal, &second, topology, demand, &network);
}

struct nb_rehearsal *nb_rehearse_trace(const struct nb_trace *trace, const struct nb_policy *policy)
{
	struct nb_stage *stage = nb_stage_new();
	struct nb_rehearsing rehearsing = {.policy = policy,
					   .obey = nb_stage_obey,
					   .host = stage,
					   .rehearsal = nb_rehearsal_new()};
	struct nb_trace_frame frame;

	nb_loop_init(&rehearsing.loop);
	nb_frame_add_cpus(trace, rehearsing.rehearsal);
	for (unsigned i = 0; i < nb_trace_n_frames(trace); i++) {
		nb_trace_frame(trace, i, &frame);
		if (i == 0)
			nb_rehearse_cycle(&rehearsing, nb_stage_begin(stage, &frame), 0);
		replay_window(&rehearsing, stage, &frame);
	}
	nb_loop_clear(&rehearsing.loop);
	nb_stage_free(stage);
	return rehearsing.rehearsal;
}
