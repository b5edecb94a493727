/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/random.h"
#include "sim/state.h"

/* One CPU's time, of NB_NSEC_PER_SEC. */
struct shares {
	uint64_t softirq;
	uint64_t apps;
	uint64_t idle;
};

static struct shares shares_of(const struct nb_world *world, const struct nb_sim_cpu *cpu)
{
	uint64_t threads = world->scenario->threaded_backlog ? cpu->backlog_done : 0;
	uint64_t softirqs = cpu->polls_done + cpu->backlog_done - threads;

	return (struct shares){
		.softirq = nb_sim_portion(softirqs, NB_NSEC_PER_SEC, cpu->speed),
		.apps = nb_sim_portion(cpu->apps_done + threads + cpu->threads_done,
				       NB_NSEC_PER_SEC, cpu->speed),
		.idle = nb_growth(cpu->busy, NB_NSEC_PER_SEC),
	};
}

/* An idle CPU stops its tick (CONFIG_NO_HZ_IDLE), the sooner the longer it expects to sleep
 * (drivers/cpuidle/governors/menu.c), and what an interrupt does then before the CPU sleeps again
 * falls into no column: tick_nohz_stop_idle() ends the idle time and no tick comes. Softirqs meet
 * the CPU idle or in an application as often as it is either; of those that meet it idle the tick
 * misses as much as it is idle. Measured with RPS to an otherwise idle CPU: of 14 % of its
 * time, 2.5 in the column and 13 in none; this gives 2 and 12. */
static uint64_t unseen(const struct shares *shares)
{
	uint64_t from_idle =
		nb_sim_portion(shares->softirq, shares->idle, shares->idle + shares->apps);

	return nb_sim_portion(from_idle, shares->idle, NB_NSEC_PER_SEC);
}

/* A whole tick for what runs when it comes (kernel/sched/cputime.c account_process_tick()): never a
 * hard interrupt, in which the tick itself has to wait. */
static void see(struct nb_sim_cpu *cpu, const struct shares *shares, uint64_t tick_nsec,
		uint64_t draw)
{
	uint64_t seen = shares->softirq - unseen(shares);
	uint64_t at = draw % NB_NSEC_PER_SEC;

	if (at < seen)
		cpu->tick_softirq_nsec += tick_nsec;
	else if (at < seen + shares->apps)
		cpu->tick_user_nsec += tick_nsec;
}

void nb_sim_tick(struct nb_world *world, uint64_t nsec)
{
	uint64_t hz = world->scenario->ticks_per_sec;
	uint64_t first = nb_sim_portion(world->now_nsec, hz, NB_NSEC_PER_SEC);
	uint64_t end = nb_sim_portion(world->now_nsec + nsec, hz, NB_NSEC_PER_SEC);

	if (world->scenario->grade == NB_GRADE_MEASURED)
		return;
	for (unsigned i = 0; i < world->scenario->n_cpus; i++) {
		struct nb_sim_cpu *cpu = &world->cpus[i];
		struct shares shares = shares_of(world, cpu);

		for (uint64_t tick = first; cpu->online && tick < end; tick++)
			see(cpu, &shares, NB_NSEC_PER_SEC / hz,
			    nb_sim_draw(world->scenario->seed, NB_SIM_STREAM_TICK, i, tick));
	}
}
