/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/state.h"

void nb_sim_set_up_threads(struct nb_world *world)
{
	const GArray *applications = world->scenario->applications;

	world->threads = g_array_new(FALSE, TRUE, sizeof(struct nb_sim_thread));
	for (unsigned i = 0; i < applications->len; i++) {
		struct nb_sim_thread thread = {
			.application = &g_array_index(applications, struct nb_sim_application, i)};

		g_array_append_val(world->threads, thread);
	}
}

static uint64_t work_of(const struct nb_sim_thread *thread)
{
	return thread->application->share * (NB_NSEC_PER_SEC / NB_WHOLE);
}

static bool runs_now(const struct nb_world *world, const struct nb_sim_application *application)
{
	return world->now_nsec >= application->begin_nsec &&
	       (application->end_nsec == 0 || world->now_nsec < application->end_nsec);
}

/* What the scheduler goes by: what the CPU has to do for its size, and half of what its core's
 * other threads do, for it looks for an idle core first (kernel/sched/fair.c
 * select_idle_sibling()). */
static uint64_t load_seen(const struct nb_world *world, unsigned cpu)
{
	const struct nb_sim_cpu *own = &world->cpus[cpu];
	uint64_t load = own->hard + own->polls + own->backlog + own->threads + own->apps;

	for (unsigned i = own->next_thread; i != cpu; i = world->cpus[i].next_thread) {
		const struct nb_sim_cpu *sibling = &world->cpus[i];

		load += (sibling->hard + sibling->polls + sibling->backlog + sibling->threads +
			 sibling->apps) /
			2;
	}
	return nb_sim_portion(load, NB_WHOLE, own->capacity);
}

/* The scheduler spreads nothing onto isolated CPUs. */
static bool is_open(const struct nb_world *world, unsigned cpu)
{
	return world->cpus[cpu].online && !nb_cpumask_has(&world->scenario->isolated, cpu);
}

unsigned nb_sim_idlest(const struct nb_world *world, unsigned present)
{
	bool found = is_open(world, present);
	unsigned best = present;

	for (unsigned i = 0; i < world->scenario->n_cpus; i++) {
		if (!is_open(world, i))
			continue;
		if (!found || load_seen(world, i) < load_seen(world, best))
			best = i;
		found = true;
	}
	return best;
}

/* Its packets wake it where they are received, and the scheduler lets it run there
 * (kernel/sched/fair.c wake_affine(): the wakeup is a synchronous one). NULL: it follows none. */
static const struct nb_sim_queue *followed(const struct nb_world *world,
					   const struct nb_sim_application *application)
{
	return application->nic < 0
		       ? NULL
		       : &world->queues[world->first_queue[application->nic] + application->queue];
}

/* A pinned thread whose CPU goes offline may run anywhere (kernel/sched/core.c
 * select_fallback_rq()). */
static void choose_cpu(struct nb_world *world, struct nb_sim_thread *thread)
{
	const struct nb_sim_queue *queue = followed(world, thread->application);
	int pinned = thread->application->cpu;

	if (pinned >= 0 && world->cpus[pinned].online) {
		thread->cpu = (unsigned)pinned;
		return;
	}
	if (world->now_nsec < thread->wander_nsec && world->cpus[thread->cpu].online)
		return;
	thread->cpu = queue ? nb_sim_polled_on(queue) : nb_sim_idlest(world, thread->cpu);
	thread->wander_nsec = world->now_nsec + thread->application->wander_nsec;
}

void nb_sim_run_threads(struct nb_world *world)
{
	for (unsigned i = 0; i < world->threads->len; i++) {
		struct nb_sim_thread *thread =
			&g_array_index(world->threads, struct nb_sim_thread, i);

		if (thread->runs)
			world->cpus[thread->cpu].apps -= work_of(thread);
		thread->runs = runs_now(world, thread->application);
		if (!thread->runs)
			continue;
		choose_cpu(world, thread);
		world->cpus[thread->cpu].apps += work_of(thread);
	}
}
