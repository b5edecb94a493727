/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rehearse/frame.h"

#include "base/find.h"
#include "rehearse/rehearsal.h"

#include <string.h>

int nb_frame_find_cpu(const struct nb_trace_frame *frame, int id)
{
	const struct nb_topology *topology = &frame->machine->topology;
	unsigned low = 0, high = topology->n_cpus;

	while (id >= 0 && low < high) {
		unsigned middle = low + (high - low) / 2;

		if (topology->cpus[middle].id == (unsigned)id)
			return (int)middle;
		if (topology->cpus[middle].id < (unsigned)id)
			low = middle + 1;
		else
			high = middle;
	}
	return -1;
}

uint32_t nb_frame_time(const struct nb_trace_frame *frame, unsigned queue, int cpu)
{
	const struct nb_topology *topology = &frame->machine->topology;

	return nb_capacity_convert(frame->time[queue],
				   nb_topology_capacity(topology, frame->cpus[queue]),
				   nb_topology_capacity(topology, cpu));
}

void nb_frame_demand(const struct nb_trace_frame *frame, const int *places, uint32_t *ret)
{
	const struct nb_machine *machine = frame->machine;

	memcpy(ret, frame->fixed, machine->topology.n_cpus * sizeof(*ret));
	for (unsigned i = 0; i < machine->n_queues; i++) {
		int cpu = nb_frame_find_cpu(frame, places[i]);

		if (cpu >= 0)
			ret[cpu] += nb_frame_time(frame, i, places[i]);
	}
}

struct nb_cpumask nb_frame_network(const struct nb_trace_frame *frame, const int *places)
{
	struct nb_cpumask network = {};

	for (unsigned i = 0; i < frame->machine->n_queues; i++)
		if (frame->time[i] > 0 && nb_frame_find_cpu(frame, places[i]) >= 0)
			nb_cpumask_add(&network, (unsigned)places[i]);
	for (unsigned i = 0; i < frame->n_rps; i++)
		nb_cpumask_or(&network, &frame->rps[i].cpus);
	return network;
}

void nb_frame_add_cpus(const struct nb_trace *trace, struct nb_rehearsal *rehearsal)
{
	const struct nb_machine *last = NULL;

	for (unsigned i = 0; i < nb_trace_n_frames(trace); i++) {
		struct nb_trace_frame frame;

		nb_trace_frame(trace, i, &frame);
		if (frame.machine != last)
			nb_rehearsal_add_cpus(rehearsal, &frame.machine->topology);
		last = frame.machine;
	}
}
