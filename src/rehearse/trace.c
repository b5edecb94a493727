/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/find.h"
#include "rehearse/frame.h"
#include "rehearse/loop.h"
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

static void replay_window(struct nb_rehearse_loop *loop, struct nb_stage *stage,
			  const struct nb_trace_frame *frame, struct nb_rehearsal *rehearsal)
{
	const struct nb_topology *topology = &frame->machine->topology;
	g_autofree uint32_t *demand = g_new(uint32_t, topology->n_cpus);
	const struct nb_snapshot *before = loop->previous;
	const struct nb_snapshot *snapshot = nb_stage_advance(stage, frame);
	struct nb_cpumask network = nb_frame_network(frame, nb_stage_places(stage));
	struct nb_rehearsed_second second = {
		.at_nsec = frame->taken_nsec,
		.window_nsec = frame->window_nsec,
		.dropped = all_dropped(before, snapshot),
	};

	nb_frame_demand(frame, nb_stage_places(stage), demand);
	second.verdict = nb_rehearse_cycle(loop, snapshot, frame->taken_nsec, rehearsal);
	nb_records_add_others(rehearsal, frame);
	nb_rehearsal_add_second(rehearsal, &second, topology, demand, &network);
}

struct nb_rehearsal *nb_rehearse_trace(const struct nb_trace *trace, const struct nb_policy *policy)
{
	struct nb_rehearsal *rehearsal = nb_rehearsal_new();
	struct nb_stage *stage = nb_stage_new();
	struct nb_rehearse_loop loop;
	struct nb_trace_frame frame;

	nb_rehearse_loop_init(&loop, policy, nb_stage_obey, stage);
	nb_frame_add_cpus(trace, rehearsal);
	for (unsigned i = 0; i < nb_trace_n_frames(trace); i++) {
		nb_trace_frame(trace, i, &frame);
		if (i == 0)
			nb_rehearse_cycle(&loop, nb_stage_begin(stage, &frame), 0, rehearsal);
		replay_window(&loop, stage, &frame, rehearsal);
	}
	nb_rehearse_loop_clear(&loop);
	nb_stage_free(stage);
	return rehearsal;
}
