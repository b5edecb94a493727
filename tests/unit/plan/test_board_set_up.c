/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/board.h"

#include "base/follow.h"
#include "unit/plan/fixture.h"

/* Four CPUs in two cores: 0 and 2, 1 and 3. */
static int set_up(void **state)
{
	struct nb_host *host = nb_host_new(4, 2, 1);

	nb_host_add_nic(host, NB_NODE_NONE, 2, 0, 1000);
	return begin_with(state, host);
}

static void domain_means_leave_out_ineligible_cpus(void **state)
{
	struct fixture *f = *state;
	const struct nb_domain *domain;

	f->host->fixed[1] = 6000;
	nb_host_isolate(f->host, 3);
	look(f);
	domain = domain_of(f, 0);
	assert_int_equal(domain->n_cpus, 3);
	assert_int_equal(domain->mean_busy, (2000 + 6000 + 0) / 3);
	assert_int_equal(domain->hottest, 0);
	assert_int_equal(domain->hottest_load, 2000);
}

static void a_pending_or_refused_queue_is_not_movable(void **state)
{
	struct fixture *f = *state;

	look(f);
	assert_true(f->board.queues[0].movable);
	f->host->memory.queues[0].pending.active = true;
	f->host->memory.queues[1].refused = true;
	look(f);
	assert_false(f->board.queues[0].movable);
	assert_false(f->board.queues[1].movable);
}

static void lay_out_deferred(struct fixture *f, unsigned queue)
{
	look(f);
	f->host->loads.queues[queue].deferred = true;
	lay_out(f);
}

/* When it is new, and off a CPU where nothing may be. */
static void a_queue_that_a_timer_polls_is_put_in_its_place_alone(void **state)
{
	struct fixture *f = *state;

	lay_out_deferred(f, 0);
	assert_true(f->board.queues[0].movable);
	f->host->memory.queues[0].fresh = false;
	lay_out_deferred(f, 0);
	assert_true(f->board.queues[0].deferred);
	assert_false(f->board.queues[0].movable);
	nb_host_isolate(f->host, nb_host_cpu_of(f->host, 0));
	lay_out_deferred(f, 0);
	assert_true(f->board.queues[0].movable);
}

/* Its transmit queue raises interrupts, say. */
static void one_that_defers_and_did_not_follow_would_not_the_next_time(void **state)
{
	struct fixture *f = *state;
	unsigned cpu = nb_host_cpu_of(f->host, 0);

	nb_host_place(f->host, 0, cpu + 1);
	f->host->snapshot.queues[0].effective_cpu = (int)cpu;
	look(f);
	assert_false(f->board.queues[0].deferred);
	f->host->snapshot.queues[0].defers = true;
	look(f);
	assert_true(f->board.queues[0].deferred);
	assert_false(f->board.queues[0].movable);
	f->host->memory.queues[0].pending.active = true;
	look(f);
	assert_false(f->board.queues[0].deferred);
}

static void knows_each_domain_that_a_queue_has(void **state)
{
	struct fixture *f = *state;

	nb_host_free(f->host);
	f->host = nb_host_new(8, 1, 2);
	nb_host_add_nic(f->host, 1, 2, 5, 3000);
	nb_host_add_nic(f->host, 0, 1, 2, 1000);
	nb_host_add_nic(f->host, 1, 1, 4, 7000);
	look(f);
	assert_int_equal(f->board.n_domains, 2);
	assert_int_equal(domain_of(f, 0)->hottest, 4);
	assert_int_equal(domain_of(f, 0)->mean, 13000 / 4);
	assert_int_equal(domain_of(f, 2)->hottest, 2);
	assert_ptr_equal(domain_of(f, 3), domain_of(f, 0));
}

static bool is_urgent(struct fixture *f)
{
	lay_out(f);
	return domain_of(f, 0)->urgent;
}

static void only_a_hot_cpu_with_queues_makes_its_domain_urgent(void **state)
{
	struct fixture *f = *state;

	look(f);
	f->host->loads.cpus[0].dropped = 9;
	f->host->loads.cpus[1].squeezed = 9;
	assert_false(is_urgent(f));
	f->host->policy.hot = 1500;
	assert_true(is_urgent(f));
	assert_true(f->board.cpus[0].panics);
}

static void a_squeeze_is_urgent_and_no_panic(void **state)
{
	struct fixture *f = *state;

	look(f);
	f->host->policy.hot = 1500;
	f->host->loads.cpus[0].squeezed = 9;
	assert_true(is_urgent(f));
	assert_false(f->board.cpus[0].panics);
}

/* But lost packets are, and on a CPU that is full it is no matter of services alone. */
static void while_services_start_a_squeeze_is_not_urgent(void **state)
{
	struct fixture *f = *state;

	look(f);
	f->host->policy.hot = 1500;
	f->host->loads.cpus[0].squeezed = 9;
	f->host->memory.begun_nsec = f->host->snapshot.taken_nsec - 5 * NB_NSEC_PER_SEC;
	assert_false(is_urgent(f));
	f->host->loads.cpus[0].dropped = 9;
	assert_true(is_urgent(f));
	f->host->loads.cpus[0].dropped = 0;
	assert_false(is_urgent(f));
	f->host->policy.panic = 1500;
	assert_true(is_urgent(f));
	assert_true(f->board.cpus[0].squeezed);
	f->host->policy.panic = 9000;
	f->host->memory.begun_nsec -= 10 * NB_NSEC_PER_SEC;
	assert_true(is_urgent(f));
}

/* CPU 0 shares its core with CPU 2. */
static void a_busy_sibling_alone_is_no_panic(void **state)
{
	struct fixture *f = *state;

	f->host->fixed[0] = 6900;
	f->host->fixed[2] = 10000;
	look(f);
	assert_false(f->board.cpus[0].panics);
	f->host->fixed[0] = 7100;
	for (unsigned i = 0; i < 3; i++)
		look(f);
	assert_true(f->board.cpus[0].panics);
}

static bool panics_after(struct fixture *f, unsigned n_looks)
{
	while (n_looks--)
		look(f);
	return f->board.cpus[0].panics;
}

static void what_an_application_takes_for_a_moment_is_no_panic(void **state)
{
	struct fixture *f = *state;

	f->host->policy.sibling_weight = 0;
	f->host->time[0] = 2000;
	f->host->fixed[0] = 7500;
	assert_false(panics_after(f, 2));
	assert_true(panics_after(f, 1));
	f->host->fixed[0] = 7400;
	assert_false(panics_after(f, 1));
	f->host->time[0] = 9100;
	assert_true(panics_after(f, 1));
}

static void what_the_sibling_costs_is_taken_out(void **state)
{
	struct fixture *f = *state;
	const struct nb_board_cpu *cpu;

	f->host->fixed[0] = 3000;
	f->host->fixed[2] = 8000;
	look(f);
	cpu = &f->board.cpus[0];
	assert_int_equal(cpu->stretch, 10000 + 8000 * 65 / 100);
	assert_int_equal(cpu->fixed, 3000 * 10000 / 15200);
	assert_int_equal(f->board.queues[0].load, 1000 * 10000 / 15200);
	assert_int_equal(cpu->queues, 2 * (1000 * 10000 / 15200));
	assert_int_equal(cpu->busy, 5000);
	assert_int_equal(f->board.cpus[2].fixed, 8000 * 10000 / 13250);
	assert_int_equal(f->board.cpus[1].stretch, 10000);
}

static void what_was_had_and_is_wanted_counts_as_load(void **state)
{
	struct fixture *f = *state;
	uint32_t before;

	look(f);
	before = nb_board_load(&f->board, 0);
	assert_false(f->board.queues[0].known);
	f->host->loads.cpus[0].starved = 2500;
	f->host->loads.queues[0].wanted = f->board.queues[0].load + 300;
	lay_out(f);
	assert_true(f->board.queues[0].known);
	assert_int_equal(nb_board_load(&f->board, 0), before + 2800);
	assert_int_equal(f->board.cpus[0].fixed, f->host->loads.cpus[0].fixed);
}

static void what_was_had_beside_a_busy_sibling_was_less_work(void **state)
{
	struct fixture *f = *state;

	f->host->fixed[2] = 10000;
	look(f);
	f->host->loads.cpus[0].starved = 1650;
	lay_out(f);
	assert_int_equal(f->board.cpus[0].starved, 1000);
	assert_int_equal(f->board.cpus[0].wanted, 1000);
}

/* A queue that is booked elsewhere looks like one; a tick may miss it. */
static void applications_get_what_is_neither_the_networks_nor_queues(void **state)
{
	struct fixture *f = *state;
	struct nb_cpu_load *load;

	look(f);
	load = &f->host->loads.cpus[1];
	*load = (struct nb_cpu_load){.id = load->id, .fixed = 6000, .backlog = 1000};
	load->window_busy = 9000;
	load->softirq = 4500;
	load->irq = 500;
	lay_out(f);
	assert_int_equal(f->board.cpus[1].applications.least, 4000);
	assert_int_equal(f->board.cpus[1].applications.most, 5000);
}

/* 40 where it is polled, and 80 where it goes. */
static void a_queue_that_is_to_leave_counts_on_each_cpu_for_what_it_is_there(void **state)
{
	struct fixture *f = *state;
	unsigned queue, cpu = f->host->machine.topology.n_cpus - 1;

	queue = nb_host_add_nic(f->host, NB_NODE_NONE, 1, cpu, 4000);
	nb_host_set_capacity(f->host, cpu, 5000);
	nb_host_stick(f->host, queue, 0);
	f->host->fixed[0] = 5000;
	look(f);
	assert_int_equal(f->board.queues[queue].cpu, cpu);
	assert_int_equal(f->board.queues[queue].load, 8000);
	assert_int_equal(f->board.cpus[0].leaving, 4000);
	assert_int_equal(f->board.cpus[cpu].queues, 8000);
}

static void assert_not_carried(struct fixture *f)
{
	lay_out(f);
	assert_int_equal(f->board.queues[0].load, 1000);
	assert_int_equal(f->board.cpus[0].fixed, 5000);
	assert_true(f->board.queues[0].threaded);
}

/* And no softirq runs out of budget for it, however much of its own it uses. */
static void what_a_bound_thread_takes_is_load_of_its_queue(void **state)
{
	struct fixture *f = *state;
	struct nb_queue *queue = &f->host->machine.queues[0];
	struct nb_follow_memory *row = nb_follow_get(&f->host->memory.threads, queue->key.ifindex);

	row->ours = true;
	row->places = 5;
	queue->thread = 901;
	f->host->fixed[0] = 5000;
	look(f);
	f->host->loads.queues[0].threaded = 4000;
	f->host->loads.queues[0].saturated = true;
	f->host->loads.cpus[0].squeezed = 1;
	lay_out(f);
	assert_int_equal(f->board.queues[0].load, 5000);
	assert_int_equal(f->board.queues[0].measured, 5000);
	assert_int_equal(f->board.cpus[0].queues, 6000);
	assert_int_equal(f->board.cpus[0].fixed, 1000);
	assert_int_equal(f->board.cpus[0].busy, 7000);
	assert_false(f->board.queues[0].threaded);
	assert_false(f->board.queues[0].saturated);

	row->yielded_nsec = 1;
	assert_not_carried(f);
	row->yielded_nsec = 0;
	row->places = 0; /* not bound yet, or no more */
	assert_not_carried(f);
	row->places = 5;
	row->ours = false;
	assert_not_carried(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_HOST(domain_means_leave_out_ineligible_cpus),
		WITH_HOST(a_pending_or_refused_queue_is_not_movable),
		WITH_HOST(a_queue_that_a_timer_polls_is_put_in_its_place_alone),
		WITH_HOST(one_that_defers_and_did_not_follow_would_not_the_next_time),
		WITH_HOST(knows_each_domain_that_a_queue_has),
		WITH_HOST(only_a_hot_cpu_with_queues_makes_its_domain_urgent),
		WITH_HOST(a_squeeze_is_urgent_and_no_panic),
		WITH_HOST(while_services_start_a_squeeze_is_not_urgent),
		WITH_HOST(a_busy_sibling_alone_is_no_panic),
		WITH_HOST(what_an_application_takes_for_a_moment_is_no_panic),
		WITH_HOST(what_the_sibling_costs_is_taken_out),
		WITH_HOST(what_was_had_and_is_wanted_counts_as_load),
		WITH_HOST(what_was_had_beside_a_busy_sibling_was_less_work),
		WITH_HOST(applications_get_what_is_neither_the_networks_nor_queues),
		WITH_HOST(a_queue_that_is_to_leave_counts_on_each_cpu_for_what_it_is_there),
		WITH_HOST(what_a_bound_thread_takes_is_load_of_its_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
