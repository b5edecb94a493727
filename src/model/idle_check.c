/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/idle_check.h"

#include "model/cpu_time.h"
#include "model/smooth.h"
#include "nicbalance/units.h"

/* Bursts of 5 ms, for which others wait as long, come forty times a second with this. */
#define WARM (NB_WHOLE / 5)

/* Basis points of the time between. */
struct cpu {
	uint32_t network;
	uint32_t busy;
};

struct core {
	uint32_t busiest; /* of its threads */
	uint32_t second;
};

struct nb_idle_check {
	GArray *cpus;  /* struct cpu, parallel to the topology's */
	GArray *cores; /* struct core, by the CPU number that names it */
	/* int32_t, by CPU number: of its network time while nothing is sampled, basis points. */
	GArray *left_out;
	bool knows_hot;
	uint32_t n_hot;
};

struct nb_idle_check *nb_idle_check_new(void)
{
	struct nb_idle_check *check = g_new0(struct nb_idle_check, 1);

	check->cpus = g_array_new(FALSE, TRUE, sizeof(struct cpu));
	check->cores = g_array_new(FALSE, TRUE, sizeof(struct core));
	check->left_out = g_array_new(FALSE, TRUE, sizeof(int32_t));
	return check;
}

void nb_idle_check_free(struct nb_idle_check *check)
{
	if (!check)
		return;
	g_array_unref(check->cpus);
	g_array_unref(check->cores);
	g_array_unref(check->left_out);
	g_free(check);
}

static struct cpu count_cpu(const struct nb_cpu_counters *before, const struct nb_cpu_counters *now,
			    uint64_t elapsed_nsec)
{
	struct nb_cpu_time time = nb_cpu_time_between(before, now, elapsed_nsec);

	return (struct cpu){
		.network = nb_basis_points(time.softirq_nsec + time.irq_nsec, elapsed_nsec),
		.busy = nb_basis_points(time.busy_nsec, elapsed_nsec),
	};
}

static struct cpu time_cpu(const struct nb_cpu_counters *before, const struct nb_cpu_counters *now,
			   uint64_t elapsed_nsec, uint64_t times_nsec)
{
	uint32_t other_share = nb_cpu_other_share(before, now, times_nsec);
	struct nb_cpu_time time = nb_cpu_time_timed(before, now, other_share, elapsed_nsec);
	/* A sample of queues in between may tell some of the backlog's time to be that of queues.
	 */
	uint64_t network_nsec = nb_growth(before->queues_nsec + before->backlog_nsec,
					  now->queues_nsec + now->backlog_nsec);

	return (struct cpu){
		.network = nb_basis_points(network_nsec, elapsed_nsec),
		.busy = nb_basis_points(time.busy_nsec, elapsed_nsec),
	};
}

/* Softirqs and interrupts of the last window that were no queue's, but a disk's, a timer's or those
 * of a NIC that is not ours. Where there is little else their share may differ by as much as loads
 * may without having shifted. Queues that take about as much as a move has to gain do not count in
 * one second and not in the next: half of that is enough where they did, and twice as much has to
 * come where they did not. */
static int32_t left_out_of(const struct nb_cpu_load *load, uint32_t minimum_gain)
{
	uint64_t ours = nb_growth(load->window_fixed, load->window_busy) + load->window_backlog;
	int32_t others = (int32_t)nb_growth(ours, load->softirq + load->irq);
	int32_t gain = (int32_t)minimum_gain;

	if (load->queues + load->backlog >= minimum_gain)
		return others - gain / 2;
	return others + (others >= gain ? (int32_t)NB_SMOOTH_SHIFT : gain);
}

static void note_left_out(struct nb_idle_check *check, const struct nb_loads *loads,
			  unsigned n_possible, uint32_t minimum_gain)
{
	g_array_set_size(check->left_out, 0);
	g_array_set_size(check->left_out, n_possible);
	for (unsigned i = 0; i < loads->n_cpus; i++)
		g_array_index(check->left_out, int32_t, loads->cpus[i].id) =
			left_out_of(&loads->cpus[i], minimum_gain);
}

static int32_t left_out(const struct nb_idle_check *check, unsigned cpu)
{
	return cpu < check->left_out->len ? g_array_index(check->left_out, int32_t, cpu) : 0;
}

/* True when no CPU spends as much on the network as a move has to gain. */
static bool weigh_cpus(struct nb_idle_check *check, const struct nb_cpu_sample *before,
		       const struct nb_cpu_sample *now, uint32_t minimum_gain, bool between_slices)
{
	uint64_t elapsed_nsec = now->taken_nsec - before->taken_nsec;
	uint64_t times_nsec = nb_growth(before->times_nsec, now->times_nsec);
	bool calm = true;

	g_array_set_size(check->cpus, now->topology->n_cpus);
	for (unsigned i = 0; i < now->topology->n_cpus; i++) {
		struct cpu *cpu = &g_array_index(check->cpus, struct cpu, i);

		*cpu = nb_grade_is_timed(now->grade)
			       ? time_cpu(&before->cpus[i], &now->cpus[i], elapsed_nsec, times_nsec)
			       : count_cpu(&before->cpus[i], &now->cpus[i], elapsed_nsec);
		if (between_slices)
			cpu->network = (uint32_t)MAX(
				(int32_t)cpu->network - left_out(check, now->topology->cpus[i].id),
				0);
		calm = calm && cpu->network < minimum_gain;
	}
	return calm;
}

static void weigh_cores(struct nb_idle_check *check, const struct nb_topology *topology)
{
	g_array_set_size(check->cores, 0);
	g_array_set_size(check->cores, topology->n_possible);
	for (unsigned i = 0; i < topology->n_cpus; i++) {
		struct core *core =
			&g_array_index(check->cores, struct core, topology->cpus[i].core);
		uint32_t busy = g_array_index(check->cpus, struct cpu, i).busy;

		core->second = MAX(core->second, MIN(busy, core->busiest));
		core->busiest = MAX(core->busiest, busy);
	}
}

/* The planner's load: the CPU's own, and a share of that of its busiest sibling. */
static uint32_t load_of(const struct nb_idle_check *check, const struct nb_cpu *where,
			const struct cpu *cpu, const struct nb_policy *policy)
{
	const struct core *core = &g_array_index(check->cores, struct core, where->core);
	uint32_t beside = cpu->busy == core->busiest ? core->second : core->busiest;

	return cpu->busy + (uint32_t)((uint64_t)beside * policy->sibling_weight / NB_WHOLE);
}

/* Of the CPUs that spend as much on the network as a move has to gain. */
static uint32_t count_hot(struct nb_idle_check *check, const struct nb_topology *topology,
			  const struct nb_policy *policy)
{
	uint32_t n = 0;

	weigh_cores(check, topology);
	for (unsigned i = 0; i < topology->n_cpus; i++) {
		const struct cpu *cpu = &g_array_index(check->cpus, struct cpu, i);

		n += cpu->network >= policy->minimum_gain &&
		     load_of(check, &topology->cpus[i], cpu, policy) > policy->hot;
	}
	return n;
}

static bool look(struct nb_idle_check *check, const struct nb_cpu_sample *before,
		 const struct nb_cpu_sample *now, const struct nb_policy *policy,
		 bool between_slices)
{
	bool calm;

	check->knows_hot = false;
	check->n_hot = 0;
	if (now->taken_nsec <= before->taken_nsec)
		return false;
	calm = weigh_cpus(check, before, now, policy->minimum_gain, between_slices);
	check->knows_hot = calm || now->times_nsec > before->times_nsec;
	if (check->knows_hot && !calm)
		check->n_hot = count_hot(check, now->topology, policy);
	return check->knows_hot && check->n_hot == 0;
}

bool nb_idle_check_passes(struct nb_idle_check *check, const struct nb_cpu_sample *before,
			  const struct nb_cpu_sample *now, const struct nb_policy *policy)
{
	return look(check, before, now, policy, false);
}

void nb_idle_check_watch(struct nb_idle_check *check, const struct nb_cpu_sample *before,
			 const struct nb_cpu_sample *now, const struct nb_policy *policy)
{
	(void)look(check, before, now, policy, true);
}

bool nb_idle_check_is_warm(const struct nb_idle_check *check)
{
	for (unsigned i = 0; i < check->cpus->len; i++)
		if (g_array_index(check->cpus, struct cpu, i).network >= WARM)
			return true;
	return false;
}

bool nb_idle_check_knows_hot(const struct nb_idle_check *check, uint32_t *ret)
{
	if (check->knows_hot)
		*ret = check->n_hot;
	return check->knows_hot;
}

uint32_t nb_idle_check_count_hot(struct nb_idle_check *check, const struct nb_loads *loads,
				 const struct nb_topology *topology, const struct nb_policy *policy)
{
	g_array_set_size(check->cpus, loads->n_cpus);
	for (unsigned i = 0; i < loads->n_cpus; i++)
		g_array_index(check->cpus, struct cpu, i) = (struct cpu){
			.network = loads->cpus[i].queues + loads->cpus[i].backlog,
			.busy = loads->cpus[i].window_busy,
		};
	note_left_out(check, loads, topology->n_possible, policy->minimum_gain);
	return count_hot(check, topology, policy);
}
