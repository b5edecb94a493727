/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/meter.h"

#include "model/smooth.h"
#include "nicbalance/units.h"

/* As in src/model: weight of a window in the noise, and what the noise of single windows is to that
 * of smoothed loads. */
#define NOISE_SMOOTHING 500u
#define NOISE_OF_SMOOTHED 4850u
#define FINE 1000u

/* One load over time. */
struct metered {
	uint64_t value;
	uint64_t seen_nsec;
};

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
	g_clear_pointer(&meter->fixed, g_array_unref);
	g_clear_pointer(&meter->time, g_array_unref);
}

static struct metered *metered_at(GArray *values, unsigned i)
{
	if (i >= values->len)
		g_array_set_size(values, i + 1);
	return &g_array_index(values, struct metered, i);
}

static void smooth(struct metered *metered, uint64_t sample, uint32_t noise)
{
	if (nb_smooth_has_shifted(metered->value / FINE, sample, NB_NSEC_PER_SEC, noise))
		metered->seen_nsec = 0;
	nb_smooth(&metered->value, sample * FINE,
		  nb_smooth_weight(NB_NSEC_PER_SEC, metered->seen_nsec));
	metered->seen_nsec += NB_NSEC_PER_SEC;
}

static uint32_t smoothed(GArray *values, unsigned i)
{
	return (uint32_t)(metered_at(values, i)->value / FINE);
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
		rest += at >= cpu->queues && at < cpu->queues + cpu->fixed;
	}
	cpu->queues = queues * NB_WHOLE / meter->hz;
	cpu->fixed = rest * NB_WHOLE / meter->hz;
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
	cpu->fixed = blur(meter, cpu->fixed);
	for (unsigned i = 0; i < host->loads.n_queues; i++) {
		struct nb_queue_load *queue = &host->loads.queues[i];

		if (queue->cpu == (int)cpu->id && truth)
			queue->time = (uint32_t)blur(
				meter, (uint32_t)((uint64_t)queue->time * cpu->queues / truth));
	}
	cpu->queues = 0;
	for (unsigned i = 0; i < host->loads.n_queues; i++)
		if (host->loads.queues[i].cpu == (int)cpu->id)
			cpu->queues += host->loads.queues[i].time;
	cpu->window_busy = cpu->fixed + cpu->queues;
}

static uint32_t distance(uint32_t a, uint32_t b)
{
	return MAX(a, b) - MIN(a, b);
}

/* How far the window is from what was known before it, the more of a CPU the busier it is. */
static void learn_noise(struct nb_meter *meter, struct nb_host *host)
{
	struct nb_loads *loads = &host->loads;
	g_autofree uint32_t *queues = g_new0(uint32_t, loads->n_cpus);
	uint64_t sum = 0, weights = 0;

	for (unsigned i = 0; i < loads->n_queues; i++) {
		const struct nb_cpu_load *cpu = cpu_of(host, &loads->queues[i]);

		if (cpu)
			queues[cpu - loads->cpus] += smoothed(meter->time, i);
	}
	for (unsigned i = 0; i < loads->n_cpus; i++) {
		const struct nb_cpu_load *cpu = &loads->cpus[i];
		uint32_t all = queues[i] + smoothed(meter->fixed, i);
		uint64_t weight = (uint64_t)all * all;

		if (queues[i] == 0 || metered_at(meter->fixed, i)->seen_nsec == 0)
			continue;
		sum += weight *
		       MIN(MAX(distance(queues[i], cpu->queues), distance(all, cpu->window_busy)),
			   NB_SMOOTH_SHIFT);
		weights += weight;
	}
	if (weights)
		nb_smooth(&meter->noise, sum / weights * FINE,
			  meter->noise ? NOISE_SMOOTHING : NB_WHOLE);
	loads->noise = (uint32_t)(meter->noise * NOISE_OF_SMOOTHED / NB_WHOLE / FINE);
}

void nb_meter_read(struct nb_meter *meter, struct nb_host *host)
{
	struct nb_loads *loads = &host->loads;
	uint32_t noise = loads->noise;

	if (!meter->fixed) {
		meter->fixed = g_array_new(FALSE, TRUE, sizeof(struct metered));
		meter->time = g_array_new(FALSE, TRUE, sizeof(struct metered));
	}
	for (unsigned i = 0; i < loads->n_cpus; i++)
		measure_cpu(meter, host, i);
	learn_noise(meter, host);
	for (unsigned i = 0; i < loads->n_cpus; i++) {
		smooth(metered_at(meter->fixed, i), loads->cpus[i].fixed, noise);
		loads->cpus[i].fixed = smoothed(meter->fixed, i);
		loads->cpus[i].queues = 0;
	}
	for (unsigned i = 0; i < loads->n_queues; i++) {
		struct nb_cpu_load *cpu = cpu_of(host, &loads->queues[i]);

		smooth(metered_at(meter->time, i), loads->queues[i].time, noise);
		loads->queues[i].time = smoothed(meter->time, i);
		if (cpu)
			cpu->queues += loads->queues[i].time;
	}
	for (unsigned i = 0; i < loads->n_cpus; i++)
		loads->cpus[i].busy = loads->cpus[i].fixed + loads->cpus[i].queues;
}
