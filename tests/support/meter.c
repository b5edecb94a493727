/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/meter.h"

#include "nicbalance/units.h"

/* As in src/model: weight of a window of a second, of one in the noise, and what the noise of
 * single windows is to that of smoothed loads. */
#define SMOOTHING 3000u
#define NOISE_SMOOTHING 500u
#define NOISE_OF_SMOOTHED 5250u
#define FINE 1000u

uint64_t nb_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

unsigned nb_random_below(uint64_t *state, unsigned bound)
{
	return (unsigned)(nb_random(state) % bound);
}

void nb_meter_clear(struct nb_meter *meter)
{
	g_clear_pointer(&meter->rest, g_array_unref);
	g_clear_pointer(&meter->cost, g_array_unref);
}

static void smooth(GArray *values, unsigned i, uint64_t sample)
{
	uint64_t *value;

	if (i >= values->len) {
		sample *= FINE;
		g_array_append_val(values, sample);
		return;
	}
	value = &g_array_index(values, uint64_t, i);
	*value = (*value * (NB_WHOLE - SMOOTHING) + sample * FINE * SMOOTHING) / NB_WHOLE;
}

static uint32_t smoothed(const GArray *values, unsigned i)
{
	return (uint32_t)(g_array_index(values, uint64_t, i) / FINE);
}

static uint32_t blur(struct nb_meter *meter, uint32_t load)
{
	uint32_t off = load * meter->amplitude / NB_WHOLE;

	return off ? load - off + nb_random_below(&meter->random, 2 * off + 1) : load;
}

/* What the ticks of a second found a CPU doing. */
static void sample_ticks(struct nb_meter *meter, struct nb_cpu_load *cpu)
{
	unsigned queues = 0, rest = 0;

	for (unsigned i = 0; i < meter->hz; i++) {
		unsigned at = nb_random_below(&meter->random, NB_WHOLE);

		queues += at < cpu->queues;
		rest += at >= cpu->queues && at < cpu->queues + cpu->rest;
	}
	cpu->queues = queues * NB_WHOLE / meter->hz;
	cpu->rest = rest * NB_WHOLE / meter->hz;
}

static struct nb_cpu_load *cpu_of(struct nb_host *host, const struct nb_queue_load *queue)
{
	for (unsigned i = 0; i < host->loads.n_cpus; i++)
		if ((int)host->loads.cpus[i].id == queue->cpu)
			return &host->loads.cpus[i];
	return NULL;
}

/* A window of one CPU; its queues share what was measured by their packets, that is, by what they
 * truly cost. */
static void measure_cpu(struct nb_meter *meter, struct nb_host *host, unsigned position)
{
	struct nb_cpu_load *cpu = &host->loads.cpus[position];
	uint32_t truth = cpu->queues;

	if (meter->hz)
		sample_ticks(meter, cpu);
	cpu->rest = blur(meter, cpu->rest);
	for (unsigned i = 0; i < host->loads.n_queues; i++) {
		struct nb_queue_load *queue = &host->loads.queues[i];

		if (queue->cpu == (int)cpu->id && truth)
			queue->cost = (uint32_t)blur(
				meter, (uint32_t)((uint64_t)queue->cost * cpu->queues / truth));
	}
	cpu->queues = 0;
	for (unsigned i = 0; i < host->loads.n_queues; i++)
		if (host->loads.queues[i].cpu == (int)cpu->id)
			cpu->queues += host->loads.queues[i].cost;
	cpu->window_busy = cpu->rest + cpu->queues;
}

static void learn_noise(struct nb_meter *meter, struct nb_loads *loads)
{
	uint64_t sum = 0, n = 0;

	for (unsigned i = 0; i < loads->n_cpus; i++) {
		int64_t off = (int64_t)loads->cpus[i].busy - loads->cpus[i].window_busy;

		if (loads->cpus[i].queues == 0)
			continue;
		sum += (uint64_t)(off < 0 ? -off : off);
		n++;
	}
	if (n)
		meter->noise = (meter->noise * (NB_WHOLE - NOISE_SMOOTHING) +
				sum * FINE / n * NOISE_SMOOTHING) /
			       NB_WHOLE;
	loads->noise = (uint32_t)(meter->noise * NOISE_OF_SMOOTHED / NB_WHOLE / FINE);
}

void nb_meter_read(struct nb_meter *meter, struct nb_host *host)
{
	struct nb_loads *loads = &host->loads;

	if (!meter->rest) {
		meter->rest = g_array_new(FALSE, FALSE, sizeof(uint64_t));
		meter->cost = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	}
	for (unsigned i = 0; i < loads->n_cpus; i++) {
		measure_cpu(meter, host, i);
		smooth(meter->rest, i, loads->cpus[i].rest);
		loads->cpus[i].rest = smoothed(meter->rest, i);
		loads->cpus[i].queues = 0;
	}
	for (unsigned i = 0; i < loads->n_queues; i++) {
		struct nb_cpu_load *cpu = cpu_of(host, &loads->queues[i]);

		smooth(meter->cost, i, loads->queues[i].cost);
		loads->queues[i].cost = smoothed(meter->cost, i);
		if (cpu)
			cpu->queues += loads->queues[i].cost;
	}
	for (unsigned i = 0; i < loads->n_cpus; i++)
		loads->cpus[i].busy = loads->cpus[i].rest + loads->cpus[i].queues;
	learn_noise(meter, loads);
}
