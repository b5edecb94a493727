/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/model.h"

#include "base/find.h"
#include "model/cpu_time.h"
#include "model/smooth.h"
#include "model/split.h"
#include "nicbalance/units.h"

/* The noise itself is averaged over some twenty windows. */
#define NOISE_SMOOTHING 500u
/* From the mean deviation of single windows to the standard deviation of the smoothed load: 1.25
 * for a normal distribution, times √(α ÷ (2 − α)) = 0.42 for smoothing with α = 0.3. */
#define NOISE_OF_SMOOTHED 5250u

/* Smoothed values need finer steps than a permyriad, or small ones would never move. */
#define FINE 1000u

struct smooth_cpu {
	unsigned id;
	uint64_t seen_nsec;
	uint64_t rest;
	uint64_t backlog;
};

struct smooth_queue {
	struct nb_queue_key key;
	uint64_t seen_nsec;
	uint64_t cost;
	uint64_t interrupts_per_sec; /* between the last two audits */
};

struct nb_model {
	uint64_t generation;
	uint64_t audited_nsec; /* when interrupts were counted last */
	struct nb_loads loads;
	uint64_t noise;
	/* Parallel to the CPUs and queues of the current machine. */
	GArray *smooth_cpus;
	GArray *smooth_queues;
	/* Of the window at hand. */
	GArray *times;
	GArray *splits;
	GArray *works;
};

struct nb_model *nb_model_new(void)
{
	struct nb_model *model = g_new0(struct nb_model, 1);

	model->smooth_cpus = g_array_new(FALSE, TRUE, sizeof(struct smooth_cpu));
	model->smooth_queues = g_array_new(FALSE, TRUE, sizeof(struct smooth_queue));
	model->times = g_array_new(FALSE, TRUE, sizeof(struct nb_cpu_time));
	model->splits = g_array_new(FALSE, TRUE, sizeof(struct nb_cpu_split));
	model->works = g_array_new(FALSE, TRUE, sizeof(struct nb_queue_work));
	return model;
}

void nb_model_free(struct nb_model *model)
{
	if (!model)
		return;
	g_array_unref(model->smooth_cpus);
	g_array_unref(model->smooth_queues);
	g_array_unref(model->times);
	g_array_unref(model->splits);
	g_array_unref(model->works);
	g_free(model->loads.cpus);
	g_free(model->loads.queues);
	g_free(model);
}

/* CPUs and queues that were known before keep what was learnt of them. */
static void remap_cpus(struct nb_model *model, const struct nb_snapshot *cur)
{
	GArray *old = model->smooth_cpus;
	unsigned at = 0;

	model->smooth_cpus = g_array_sized_new(FALSE, TRUE, sizeof(struct smooth_cpu), cur->n_cpus);
	for (unsigned i = 0; i < cur->n_cpus; i++) {
		struct smooth_cpu cpu = {.id = cur->cpus[i].id};

		while (at < old->len && g_array_index(old, struct smooth_cpu, at).id < cpu.id)
			at++;
		if (at < old->len && g_array_index(old, struct smooth_cpu, at).id == cpu.id)
			cpu = g_array_index(old, struct smooth_cpu, at);
		g_array_append_val(model->smooth_cpus, cpu);
	}
	g_array_unref(old);
}

static void remap_queues(struct nb_model *model, const struct nb_snapshot *cur)
{
	GArray *old = model->smooth_queues;
	unsigned at = 0;

	model->smooth_queues =
		g_array_sized_new(FALSE, TRUE, sizeof(struct smooth_queue), cur->n_queues);
	for (unsigned i = 0; i < cur->n_queues; i++) {
		struct smooth_queue queue = {.key = cur->queues[i].key};
		struct smooth_queue *known = &g_array_index(old, struct smooth_queue, at);

		while (at < old->len && nb_queue_key_compare(known->key, queue.key) < 0)
			known = &g_array_index(old, struct smooth_queue, ++at);
		if (at < old->len && nb_queue_key_compare(known->key, queue.key) == 0)
			queue = *known;
		g_array_append_val(model->smooth_queues, queue);
	}
	g_array_unref(old);
}

static void adopt_machine(struct nb_model *model, const struct nb_snapshot *cur)
{
	remap_cpus(model, cur);
	remap_queues(model, cur);
	g_array_set_size(model->times, cur->n_cpus);
	g_array_set_size(model->splits, cur->n_cpus);
	g_array_set_size(model->works, cur->n_queues);
	model->loads.cpus = g_renew(struct nb_cpu_load, model->loads.cpus, cur->n_cpus);
	model->loads.queues = g_renew(struct nb_queue_load, model->loads.queues, cur->n_queues);
	model->loads.n_cpus = cur->n_cpus;
	model->loads.n_queues = cur->n_queues;
	model->generation = cur->machine->generation;
}

/* Where its interrupts are delivered. Where they landed is the next best word, its mask the last.
 */
static int serving_cpu(const struct nb_queue_state *queue)
{
	if (queue->effective_cpu >= 0)
		return queue->effective_cpu;
	return queue->landed_cpu >= 0 ? queue->landed_cpu : queue->affinity_cpu;
}

static bool counts_packets(const struct nb_machine *machine, int ifindex)
{
	const struct nb_nic *nic = nb_machine_find_nic(machine, ifindex);

	return nic && nic->packets != NB_PACKETS_NONE;
}

/* All that a CPU did for the network. A CPU that ran no network softirq spent nothing on it. */
static uint64_t network_nsec(const struct nb_cpu_time *time)
{
	return time->net_rx || time->net_tx ? time->softirq_nsec + time->irq_nsec : 0;
}

static void measure_cpus(struct nb_model *model, const struct nb_snapshot *prev,
			 const struct nb_snapshot *cur)
{
	uint64_t window_nsec = cur->taken_nsec - prev->taken_nsec;

	for (unsigned i = 0; i < cur->n_cpus; i++) {
		const struct nb_cpu_counters *before = nb_snapshot_find_cpu(prev, cur->cpus[i].id);
		struct nb_cpu_time time = {};

		if (before)
			time = nb_cpu_time_between(before, &cur->cpus[i], window_nsec);
		g_array_index(model->times, struct nb_cpu_time, i) = time;
		g_array_index(model->splits, struct nb_cpu_split, i) = (struct nb_cpu_split){
			.id = cur->cpus[i].id,
			.measured = before,
			.network_nsec = network_nsec(&time),
			.processed = time.processed,
		};
	}
}

static void measure_queues(struct nb_model *model, const struct nb_snapshot *prev,
			   const struct nb_snapshot *cur)
{
	for (unsigned i = 0; i < cur->n_queues; i++) {
		const struct nb_queue_state *now = &cur->queues[i];
		const struct nb_queue_state *before = nb_snapshot_find_queue(prev, now->key);
		struct nb_queue_work work = {
			.key = now->key,
			.cpu = serving_cpu(now),
			.measured = before,
			.counts_packets = counts_packets(cur->machine, now->key.ifindex),
			.steered = nb_snapshot_find_rps(cur, now->key) != NULL,
		};

		if (before) {
			work.rx_packets = nb_growth(before->rx_packets, now->rx_packets);
			work.tx_packets = nb_growth(before->tx_packets, now->tx_packets);
			work.interrupts = now->interrupts - before->interrupts;
		}
		g_array_index(model->works, struct nb_queue_work, i) = work;
	}
}

static uint64_t per_second(uint64_t count, uint64_t window_nsec)
{
	return (uint64_t)((unsigned __int128)count * NB_NSEC_PER_SEC / window_nsec);
}

/* Only an audit counts interrupts: what has come since the one before it is spread over that time.
 */
static void rate_interrupts(struct nb_model *model, const struct nb_snapshot *cur)
{
	uint64_t elapsed_nsec = nb_growth(model->audited_nsec, cur->taken_nsec);

	if (!cur->audited)
		return;
	for (unsigned i = 0; elapsed_nsec && i < model->works->len; i++)
		g_array_index(model->smooth_queues, struct smooth_queue, i).interrupts_per_sec =
			per_second(g_array_index(model->works, struct nb_queue_work, i).interrupts,
				   elapsed_nsec);
	model->audited_nsec = cur->taken_nsec;
}

static void weigh_queues(struct nb_model *model, uint64_t window_nsec)
{
	for (unsigned i = 0; i < model->works->len; i++) {
		const struct nb_queue_work *work =
			&g_array_index(model->works, struct nb_queue_work, i);
		struct smooth_queue *queue =
			&g_array_index(model->smooth_queues, struct smooth_queue, i);
		uint64_t cost = (uint64_t)nb_permyriad(work->cost_nsec, window_nsec) * FINE;

		nb_smooth(&queue->cost, cost, nb_smooth_weight(window_nsec, queue->seen_nsec));
		queue->seen_nsec += work->measured ? window_nsec : 0;
		model->loads.queues[i] = (struct nb_queue_load){
			.key = work->key,
			.cpu = work->cpu,
			.cost = (uint32_t)(queue->cost / FINE),
			.rx_packets_per_sec = per_second(work->rx_packets, window_nsec),
			.tx_packets_per_sec = per_second(work->tx_packets, window_nsec),
			.interrupts_per_sec = queue->interrupts_per_sec,
		};
	}
}

static void weigh_cpus(struct nb_model *model, uint64_t window_nsec)
{
	for (unsigned i = 0; i < model->times->len; i++) {
		const struct nb_cpu_time *time =
			&g_array_index(model->times, struct nb_cpu_time, i);
		const struct nb_cpu_split *split =
			&g_array_index(model->splits, struct nb_cpu_split, i);
		struct smooth_cpu *cpu = &g_array_index(model->smooth_cpus, struct smooth_cpu, i);
		uint64_t weight = nb_smooth_weight(window_nsec, cpu->seen_nsec);
		uint64_t rest_nsec = nb_growth(split->queues_nsec, time->busy_nsec);

		nb_smooth(&cpu->rest, (uint64_t)nb_permyriad(rest_nsec, window_nsec) * FINE,
			  weight);
		nb_smooth(&cpu->backlog,
			  (uint64_t)nb_permyriad(split->backlog_nsec, window_nsec) * FINE, weight);
		cpu->seen_nsec += split->measured ? window_nsec : 0;
		model->loads.cpus[i] = (struct nb_cpu_load){
			.id = split->id,
			.rest = (uint32_t)(cpu->rest / FINE),
			.backlog = (uint32_t)(cpu->backlog / FINE),
			.window_busy = nb_permyriad(time->busy_nsec, window_nsec),
			.softirq = nb_permyriad(time->softirq_nsec, window_nsec),
			.irq = nb_permyriad(time->irq_nsec, window_nsec),
			.dropped = time->dropped,
			.squeezed = time->squeezed,
		};
	}
}

/* A queue's smoothed cost is counted where the queue is now, so that a move shows at once. */
static void sum_queues(struct nb_model *model)
{
	struct nb_loads *loads = &model->loads;

	for (unsigned i = 0; i < loads->n_queues; i++) {
		int id = loads->queues[i].cpu;
		const struct nb_cpu_load *cpu =
			id < 0 ? NULL : nb_loads_find_cpu(loads, (unsigned)id);

		if (cpu)
			loads->cpus[cpu - loads->cpus].queues += loads->queues[i].cost;
	}
	for (unsigned i = 0; i < loads->n_cpus; i++)
		loads->cpus[i].busy = loads->cpus[i].rest + loads->cpus[i].queues;
}

/* The mean deviation of this window from the smoothed loads, over the CPUs that serve queues. */
static void learn_noise(struct nb_model *model)
{
	const struct nb_loads *loads = &model->loads;
	uint64_t sum = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < loads->n_cpus; i++) {
		const struct nb_cpu_load *cpu = &loads->cpus[i];

		if (cpu->queues == 0)
			continue;
		sum += cpu->busy > cpu->window_busy ? cpu->busy - cpu->window_busy
						    : cpu->window_busy - cpu->busy;
		n++;
	}
	if (n)
		nb_smooth(&model->noise, sum * FINE / n, model->noise ? NOISE_SMOOTHING : NB_WHOLE);
	model->loads.noise = (uint32_t)(model->noise * NOISE_OF_SMOOTHED / NB_WHOLE / FINE);
}

const struct nb_loads *nb_model_update(struct nb_model *model, const struct nb_snapshot *prev,
				       const struct nb_snapshot *cur)
{
	uint64_t window_nsec = prev ? nb_growth(prev->taken_nsec, cur->taken_nsec) : 0;

	if (model->generation != cur->machine->generation || model->loads.n_cpus != cur->n_cpus)
		adopt_machine(model, cur);
	model->loads.taken_nsec = cur->taken_nsec;
	model->loads.window_nsec = window_nsec;
	if (window_nsec == 0) {
		model->audited_nsec = cur->taken_nsec;
		return &model->loads;
	}

	measure_cpus(model, prev, cur);
	measure_queues(model, prev, cur);
	if (cur->n_cpus)
		nb_split_by_packets(
			&g_array_index(model->splits, struct nb_cpu_split, 0), model->splits->len,
			&g_array_index(model->works, struct nb_queue_work, 0), model->works->len);
	rate_interrupts(model, cur);
	weigh_queues(model, window_nsec);
	weigh_cpus(model, window_nsec);
	sum_queues(model);
	learn_noise(model);
	return &model->loads;
}
