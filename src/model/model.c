/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/model.h"

#include "base/delays.h"
#include "base/find.h"
#include "model/nic_drops.h"
#include "model/smooth.h"
#include "model/window.h"
#include "nicbalance/units.h"

#include <string.h>

/* The noise is averaged over some twenty windows, at first over all there are: the first one
 * contains what starts at the same time. */
#define NOISE_WINDOWS 20u
/* From the mean difference of a window from the one before it to the standard deviation of the
 * smoothed load: √(π ÷ 2) ÷ √2 = 0.89 for a normal distribution, times √(α ÷ (2 − α)) = 0.42 for
 * smoothing with α = 0.3. */
#define NOISE_OF_SMOOTHED 3720u

/* In a shorter window a tick is too much. */
#define TELLING_NSEC (NB_NSEC_PER_SEC / 2)

/* Runs of NET_RX that are too few for a p99 by then are of a CPU without much network work. */
#define RUNS_NSEC (5 * NB_NSEC_PER_SEC)

/* An application that was seen for less than LASTS_NSEC before its CPU was full, such as what
 * starts beside the daemon, has most likely ended after DOUBT_NSEC. */
#define LASTS_NSEC (3 * NB_NSEC_PER_SEC)
#define DOUBT_NSEC (10 * NB_NSEC_PER_SEC)

/* Smoothed values need finer steps than a basis point, or small ones would never move. */
#define FINE 1000u

struct smooth_cpu {
	unsigned id;
	uint64_t seen_nsec;
	uint64_t fixed;
	uint64_t backlog;
	uint32_t had;         /* fixed load but for the backlog, when it last had idle time … */
	uint64_t had_nsec;    /* … and for how long of such time it was about that */
	uint64_t full_nsec;   /* since it last had idle time */
	uint32_t other_share; /* as in struct nb_window, kept for a new machine */
	uint32_t last_fixed;  /* of the last window, unsmoothed */
	bool last_tells;      /* it counts for noise: measured, long enough, not disturbed */
	bool disturbed;       /* a known change makes this window differ from the last one */
	uint64_t delays_nsec; /* when its delays were … */
	uint32_t delays[NB_DELAYS]; /* … these, and counted since; 0: not */
};

struct smooth_queue {
	struct nb_queue_key key;
	int cpu;        /* in the last window */
	bool saturated; /* likewise */
	uint64_t seen_nsec;
	uint64_t time;
	uint32_t last_time; /* of the last window, unsmoothed */
	uint32_t had;       /* time when it last got what it wanted */
	uint64_t threaded;
	uint64_t interrupts_per_sec; /* between the last two complete samples, and so is the next */
	uint64_t tx_packets_per_sec;
};

struct nb_model {
	uint64_t generation;
	uint64_t complete_nsec; /* last complete sample */
	struct nb_loads loads;
	uint64_t noise;
	unsigned n_noise; /* windows in it, no more than NOISE_WINDOWS */
	/* Parallel to the CPUs and queues of the current machine. */
	GArray *smooth_cpus;
	GArray *smooth_queues;
	struct nb_window window;
	struct nb_nic_drops drops;
};

struct nb_model *nb_model_new(void)
{
	struct nb_model *model = g_new0(struct nb_model, 1);

	model->smooth_cpus = g_array_new(FALSE, TRUE, sizeof(struct smooth_cpu));
	model->smooth_queues = g_array_new(FALSE, TRUE, sizeof(struct smooth_queue));
	nb_nic_drops_init(&model->drops);
	return model;
}

void nb_model_free(struct nb_model *model)
{
	if (!model)
		return;
	g_array_unref(model->smooth_cpus);
	g_array_unref(model->smooth_queues);
	nb_window_clear(&model->window);
	nb_nic_drops_clear(&model->drops);
	g_free(model->loads.cpus);
	g_free(model->loads.queues);
	g_free(model);
}

/* CPUs and queues that were known before keep their averages. */
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
		struct smooth_queue queue = {.key = cur->queues[i].key, .cpu = -1};
		struct smooth_queue *known = &g_array_index(old, struct smooth_queue, at);

		while (at < old->len && nb_queue_key_compare(known->key, queue.key) < 0)
			known = &g_array_index(old, struct smooth_queue, ++at);
		if (at < old->len && nb_queue_key_compare(known->key, queue.key) == 0)
			queue = *known;
		g_array_append_val(model->smooth_queues, queue);
	}
	g_array_unref(old);
}

/* Of what was there before its last window tells until the first on the new machine. */
static void remap_loads(struct nb_loads *loads, const struct nb_snapshot *cur)
{
	struct nb_loads old = *loads;

	loads->cpus = g_new0(struct nb_cpu_load, cur->n_cpus);
	loads->queues = g_new0(struct nb_queue_load, cur->n_queues);
	loads->n_cpus = cur->n_cpus;
	loads->n_queues = cur->n_queues;
	for (unsigned i = 0; i < cur->n_cpus; i++) {
		const struct nb_cpu_load *known = nb_loads_find_cpu(&old, cur->cpus[i].id);

		loads->cpus[i] = known ? *known : (struct nb_cpu_load){.id = cur->cpus[i].id};
	}
	for (unsigned i = 0; i < cur->n_queues; i++) {
		struct nb_queue_key key = cur->queues[i].key;
		const struct nb_queue_load *known = nb_loads_find_queue(&old, key);

		loads->queues[i] = known ? *known : (struct nb_queue_load){.key = key, .cpu = -1};
	}
	g_free(old.cpus);
	g_free(old.queues);
}

static void adopt_machine(struct nb_model *model, const struct nb_snapshot *cur)
{
	remap_cpus(model, cur);
	remap_queues(model, cur);
	nb_window_resize(&model->window, cur->n_cpus, cur->n_queues);
	for (unsigned i = 0; i < cur->n_cpus; i++)
		model->window.other_shares[i] =
			g_array_index(model->smooth_cpus, struct smooth_cpu, i).other_share;
	for (unsigned i = 0; i < cur->n_queues; i++) {
		const struct smooth_queue *known =
			&g_array_index(model->smooth_queues, struct smooth_queue, i);

		model->window.works[i].cpu = known->cpu;
		model->window.works[i].saturated = known->saturated;
	}
	remap_loads(&model->loads, cur);
	model->generation = cur->machine->generation;
}

/* Rates of what only a complete sample counts: interrupts in the estimated grade, sent packets in
 * the measured one. */
static void rate_complete(struct nb_model *model, const struct nb_snapshot *cur)
{
	uint64_t elapsed_nsec = nb_growth(model->complete_nsec, cur->taken_nsec);

	if (!cur->complete)
		return;
	for (unsigned i = 0; elapsed_nsec && i < model->window.n_queues; i++) {
		const struct nb_queue_work *work = &model->window.works[i];
		struct smooth_queue *queue =
			&g_array_index(model->smooth_queues, struct smooth_queue, i);

		queue->interrupts_per_sec = nb_per_second(work->interrupts, elapsed_nsec);
		queue->tx_packets_per_sec = nb_per_second(work->tx_packets, elapsed_nsec);
	}
	model->complete_nsec = cur->taken_nsec;
}

/* Times of the queues in the window before this one, on the CPUs where they are now. */
static void sum_last_times(struct nb_model *model)
{
	struct nb_loads *loads = &model->loads;

	for (unsigned i = 0; i < loads->n_cpus; i++)
		loads->cpus[i] = (struct nb_cpu_load){.id = model->window.splits[i].id};
	for (unsigned i = 0; i < loads->n_queues; i++) {
		int id = model->window.works[i].cpu;
		const struct nb_cpu_load *cpu =
			id < 0 ? NULL : nb_loads_find_cpu(loads, (unsigned)id);

		if (cpu)
			loads->cpus[cpu - loads->cpus].queues +=
				g_array_index(model->smooth_queues, struct smooth_queue, i)
					.last_time;
	}
}

static struct smooth_cpu *find_smooth(struct nb_model *model, int cpu)
{
	struct nb_cpu_split *splits = model->window.splits;
	struct nb_cpu_split *split = nb_split_find(splits, model->window.n_cpus, cpu);

	return split ? &g_array_index(model->smooth_cpus, struct smooth_cpu, split - splits) : NULL;
}

static void disturb(struct nb_model *model, int cpu, bool forget)
{
	struct smooth_cpu *smooth = find_smooth(model, cpu);

	if (!smooth)
		return;
	smooth->disturbed = true;
	if (forget)
		smooth->seen_nsec = 0;
}

static void disturb_queue(struct nb_model *model, struct nb_queue_key key)
{
	const struct nb_queue_load *load = nb_loads_find_queue(&model->loads, key);
	unsigned at;

	if (!load)
		return;
	at = (unsigned)(load - model->loads.queues);
	g_array_index(model->smooth_queues, struct smooth_queue, at).seen_nsec = 0;
	disturb(model, model->window.works[at].cpu, true);
}

/* An RPS mask changed: work of a queue is done elsewhere now. */
static void notice_rps(struct nb_model *model, const struct nb_snapshot *of,
		       const struct nb_snapshot *than)
{
	for (unsigned i = 0; i < of->n_rps; i++) {
		const struct nb_cpumask *other = nb_snapshot_find_rps(than, of->rps[i].key);

		if (other && nb_cpumask_equal(other, &of->rps[i].cpus))
			continue;
		disturb_queue(model, of->rps[i].key);
		NB_CPUMASK_FOREACH (cpu, &of->rps[i].cpus)
			disturb(model, (int)cpu, true);
	}
}

/* The same work takes other time on a CPU of another capacity. */
static void carry_over(struct smooth_queue *queue, int cpu, const struct nb_topology *topology)
{
	uint32_t from = nb_topology_capacity(topology, queue->cpu);
	uint32_t to = nb_topology_capacity(topology, cpu);

	if (from == to || queue->cpu < 0 || cpu < 0)
		return;
	queue->time = queue->time * from / to;
	queue->had = nb_capacity_convert(queue->had, from, to);
}

/* Where a queue came or went, the load changed, which is no noise. While a queue was saturated, it
 * and the load beside it got what there was and not what they want: earlier loads say nothing. */
static void notice_changes(struct nb_model *model, const struct nb_snapshot *prev,
			   const struct nb_snapshot *cur)
{
	for (unsigned i = 0; i < model->window.n_cpus; i++)
		g_array_index(model->smooth_cpus, struct smooth_cpu, i).disturbed = false;
	for (unsigned i = 0; i < model->window.n_queues; i++) {
		const struct nb_queue_work *work = &model->window.works[i];
		struct smooth_queue *queue =
			&g_array_index(model->smooth_queues, struct smooth_queue, i);
		/* By ticks and packets a nearly full CPU seems to be full and not to be full
		 * alternately. */
		bool freed = queue->saturated && !work->saturated && nb_grade_is_timed(cur->grade);

		if (freed)
			queue->seen_nsec = 0;
		if (queue->cpu == work->cpu && queue->saturated == work->saturated)
			continue;
		if (queue->cpu != work->cpu)
			carry_over(queue, work->cpu, &cur->machine->topology);
		disturb(model, queue->cpu, freed);
		disturb(model, work->cpu, freed);
	}
	notice_rps(model, prev, cur);
	notice_rps(model, cur, prev);
}

/* The mean difference of this window from the one before it, over the CPUs that serve queues (not
 * from the smoothed loads, which approach a new load for long without noise; von Neumann et al.,
 * Annals of Mathematical Statistics 12, 1941). CPUs count by the square of their load: among many
 * idle ones, those that may be too hot matter. A difference is limited to that of a shift. */
static void learn_noise(struct nb_model *model, uint64_t window_nsec)
{
	struct nb_loads *loads = &model->loads;
	uint64_t sum = 0, weights = 0;

	sum_last_times(model);
	for (unsigned i = 0; i < loads->n_cpus; i++) {
		const struct smooth_cpu *cpu =
			&g_array_index(model->smooth_cpus, struct smooth_cpu, i);
		uint32_t last_queues = loads->cpus[i].queues;
		uint32_t last_all = last_queues + cpu->last_fixed;
		uint32_t queues = nb_basis_points(model->window.splits[i].queues_nsec, window_nsec);
		uint32_t all = nb_basis_points(model->window.times[i].busy_nsec, window_nsec);
		uint64_t weight = (uint64_t)last_all * last_all;

		if (!cpu->last_tells || cpu->disturbed || window_nsec < TELLING_NSEC ||
		    last_queues == 0)
			continue;
		sum += weight *
		       MIN(MAX(nb_distance(queues, last_queues), nb_distance(all, last_all)),
			   NB_SMOOTH_SHIFT);
		weights += weight;
	}
	if (weights) {
		model->n_noise = MIN(model->n_noise + 1, NOISE_WINDOWS);
		nb_smooth(&model->noise, (uint64_t)((unsigned __int128)sum * FINE / weights),
			  NB_WHOLE / model->n_noise);
	}
	loads->noise = (uint32_t)(model->noise * NOISE_OF_SMOOTHED / NB_WHOLE / FINE);
}

static void smooth_share(uint64_t *smoothed, uint32_t share, uint64_t weight)
{
	nb_smooth(smoothed, (uint64_t)share * FINE, weight);
}

/* Averages from before a shift say nothing of the time after it. */
static bool notice_shift(uint64_t smoothed, uint32_t share, uint64_t window_nsec, uint32_t noise,
			 uint64_t *seen_nsec)
{
	bool shifted = nb_smooth_has_shifted(smoothed / FINE, share, window_nsec, noise);

	if (shifted)
		*seen_nsec = 0;
	return shifted;
}

/* Whether its load has shifted. */
static bool weigh_queue(const struct nb_queue_work *work, struct smooth_queue *queue, bool full,
			uint64_t window_nsec, uint32_t noise, struct nb_queue_load *ret)
{
	uint32_t time = nb_basis_points(work->time_nsec, window_nsec);
	uint32_t threaded = nb_basis_points(work->threaded_nsec, window_nsec);
	bool shifted = false;
	uint64_t weight;

	/* A queue that moved in this window may have been polled on either CPU. */
	if (queue->cpu == work->cpu) {
		shifted |= notice_shift(queue->time, time, window_nsec, noise, &queue->seen_nsec);
		shifted |= notice_shift(queue->threaded, threaded, window_nsec, noise,
					&queue->seen_nsec);
	}
	queue->cpu = work->cpu;
	queue->saturated = work->saturated;
	queue->last_time = time;
	weight = nb_smooth_weight(window_nsec, queue->seen_nsec);
	smooth_share(&queue->time, time, weight);
	smooth_share(&queue->threaded, threaded, weight);
	queue->seen_nsec += work->measured ? window_nsec : 0;
	*ret = (struct nb_queue_load){
		.key = work->key,
		.cpu = work->cpu,
		.time = (uint32_t)(queue->time / FINE),
		.window_time = time,
		.threaded = (uint32_t)(queue->threaded / FINE),
		.window_threaded = threaded,
		.saturated = work->saturated,
		.never_done = work->never_done,
		.rx_packets_per_sec = nb_per_second(work->rx_packets, window_nsec),
		.tx_packets_per_sec = full ? queue->tx_packets_per_sec
					   : nb_per_second(work->tx_packets, window_nsec),
		.interrupts_per_sec = full ? nb_per_second(work->interrupts, window_nsec)
					   : queue->interrupts_per_sec,
	};
	ret->deferred = work->defers && work->time_nsec > 0 && ret->interrupts_per_sec == 0;
	return shifted;
}

static void weigh_queues(struct nb_model *model, bool full, uint64_t window_nsec, uint32_t noise)
{
	for (unsigned i = 0; i < model->window.n_queues; i++)
		model->loads.shifted |=
			weigh_queue(&model->window.works[i],
				    &g_array_index(model->smooth_queues, struct smooth_queue, i),
				    full, window_nsec, noise, &model->loads.queues[i]);
}

static void remember_fixed(struct smooth_cpu *cpu, uint32_t has, uint64_t window_nsec)
{
	if (nb_distance(has, cpu->had) >= NB_SMOOTH_SHIFT)
		cpu->had_nsec = 0;
	cpu->had = has;
	cpu->had_nsec += window_nsec;
	cpu->full_nsec = 0;
}

/* What applications want shows as long as a CPU has idle time. On one that is full softirqs may
 * leave them half of it, or nothing. */
static uint32_t find_starved(struct smooth_cpu *cpu, uint32_t window_busy, uint64_t window_nsec)
{
	uint32_t has = (uint32_t)(nb_growth(cpu->backlog, cpu->fixed) / FINE);
	uint32_t starved;

	if (window_busy < NB_FULL) {
		remember_fixed(cpu, has, window_nsec);
		return 0;
	}
	cpu->full_nsec += window_nsec;
	if (cpu->had_nsec < LASTS_NSEC && cpu->full_nsec > DOUBT_NSEC)
		cpu->had = 0;
	starved = nb_growth(has, cpu->had);
	return starved >= NB_SMOOTH_SHIFT ? starved : 0;
}

static bool weigh_cpu(const struct nb_cpu_time *time, const struct nb_cpu_split *split,
		      struct smooth_cpu *cpu, uint64_t window_nsec, uint32_t noise,
		      struct nb_cpu_load *ret)
{
	uint32_t fixed =
		nb_basis_points(nb_growth(split->queues_nsec, time->busy_nsec), window_nsec);
	uint32_t backlog = nb_basis_points(split->backlog_nsec, window_nsec);
	uint32_t window_busy = nb_basis_points(time->busy_nsec, window_nsec);
	uint64_t weight;
	bool shifted;

	shifted = notice_shift(cpu->fixed, fixed, window_nsec, noise, &cpu->seen_nsec);
	weight = nb_smooth_weight(window_nsec, cpu->seen_nsec);
	smooth_share(&cpu->fixed, fixed, weight);
	smooth_share(&cpu->backlog, backlog, weight);
	cpu->seen_nsec += split->measured ? window_nsec : 0;
	cpu->last_fixed = fixed;
	cpu->last_tells = split->measured && !cpu->disturbed && window_nsec >= TELLING_NSEC;
	*ret = (struct nb_cpu_load){
		.id = split->id,
		.fixed = (uint32_t)(cpu->fixed / FINE),
		.backlog = (uint32_t)(cpu->backlog / FINE),
		.starved = find_starved(cpu, window_busy, window_nsec),
		.steady_nsec = cpu->seen_nsec,
		.window_busy = window_busy,
		.window_fixed = fixed,
		.window_backlog = backlog,
		.softirq = nb_basis_points(time->softirq_nsec, window_nsec),
		.irq = nb_basis_points(time->irq_nsec, window_nsec),
		.dropped = time->dropped,
		.squeezed = time->squeezed,
	};
	return shifted;
}

static void weigh_cpus(struct nb_model *model, uint64_t window_nsec, uint32_t noise)
{
	const struct nb_window *window = &model->window;

	for (unsigned i = 0; i < window->n_cpus; i++) {
		struct smooth_cpu *cpu = &g_array_index(model->smooth_cpus, struct smooth_cpu, i);

		cpu->other_share = window->other_shares[i];
		model->loads.shifted |= weigh_cpu(&window->times[i], &window->splits[i], cpu,
						  window_nsec, noise, &model->loads.cpus[i]);
	}
}

/* Counts since the last delay that was known; anew where they were not counted all the time. */
static void weigh_delay(struct smooth_cpu *cpu, const struct nb_cpu_counters *now,
			uint64_t now_nsec, struct nb_cpu_load *load)
{
	bool counted = now->delays_known && cpu->delays_nsec > 0;

	load->delay_known = counted && nb_delays_p99(cpu->delays, now->delays, &load->delay_usec);
	if (load->delay_known)
		load->delay_msec = (uint32_t)((now_nsec - cpu->delays_nsec) / NB_NSEC_PER_MSEC);
	else if (counted && now_nsec < cpu->delays_nsec + RUNS_NSEC)
		return;
	cpu->delays_nsec = now->delays_known ? now_nsec : 0;
	memcpy(cpu->delays, now->delays, sizeof(cpu->delays));
}

static void weigh_delays(struct nb_model *model, const struct nb_snapshot *cur, bool anew)
{
	for (unsigned i = 0; nb_grade_is_timed(cur->grade) && i < cur->n_cpus; i++) {
		struct smooth_cpu *cpu = &g_array_index(model->smooth_cpus, struct smooth_cpu, i);

		if (anew)
			cpu->delays_nsec = 0;
		weigh_delay(cpu, &cur->cpus[i], cur->taken_nsec, &model->loads.cpus[i]);
	}
}

/* What a queue wants shows as long as its CPU has idle time. */
static void weigh_wanted(const struct nb_snapshot *cur, const struct nb_cpu_load *cpu,
			 struct smooth_queue *queue, struct nb_queue_load *load)
{
	if (load->saturated)
		load->wanted = queue->had > load->time ? queue->had : 0;
	else if (cpu->window_busy < NB_FULL && queue->seen_nsec >= TELLING_NSEC &&
		 !nb_snapshot_find_rps(cur, load->key))
		queue->had = load->time;
}

/* The smoothed time of a queue counts where the queue is now, so that a move shows at once. */
static void sum_queues(struct nb_model *model, const struct nb_snapshot *cur)
{
	struct nb_loads *loads = &model->loads;

	for (unsigned i = 0; i < loads->n_queues; i++) {
		int id = loads->queues[i].cpu;
		const struct nb_cpu_load *cpu =
			id < 0 ? NULL : nb_loads_find_cpu(loads, (unsigned)id);

		if (!cpu)
			continue;
		loads->cpus[cpu - loads->cpus].queues += loads->queues[i].time;
		weigh_wanted(cur, cpu, &g_array_index(model->smooth_queues, struct smooth_queue, i),
			     &loads->queues[i]);
	}
	for (unsigned i = 0; i < loads->n_cpus; i++)
		loads->cpus[i].busy = loads->cpus[i].fixed + loads->cpus[i].queues;
}

const struct nb_loads *nb_model_update(struct nb_model *model, const struct nb_snapshot *prev,
				       const struct nb_snapshot *cur)
{
	/* The counters of two grades cannot be subtracted. */
	bool comparable = prev && prev->grade == cur->grade;
	uint64_t window_nsec = comparable ? nb_growth(prev->taken_nsec, cur->taken_nsec) : 0;
	uint32_t noise;
	bool full;

	if (model->generation != cur->machine->generation || model->loads.n_cpus != cur->n_cpus)
		adopt_machine(model, cur);
	model->loads.taken_nsec = cur->taken_nsec;
	model->loads.window_nsec = window_nsec;
	if (window_nsec == 0) {
		/* What else it has of queues is still that of the last complete sample. */
		if (cur->complete || model->complete_nsec == 0)
			model->complete_nsec = cur->taken_nsec;
		weigh_delays(model, cur, true);
		nb_nic_drops_update(&model->drops, cur, &model->loads);
		return &model->loads;
	}

	full = nb_grade_is_timed(cur->grade);
	nb_window_measure(&model->window, prev, cur);
	rate_complete(model, cur);
	notice_changes(model, prev, cur);
	/* A shift does not hide behind the noise that it makes itself. */
	noise = model->loads.noise;
	learn_noise(model, window_nsec);
	model->loads.shifted = false;
	weigh_queues(model, full, window_nsec, noise);
	weigh_cpus(model, window_nsec, noise);
	weigh_delays(model, cur, false);
	sum_queues(model, cur);
	nb_nic_drops_update(&model->drops, cur, &model->loads);
	return &model->loads;
}
