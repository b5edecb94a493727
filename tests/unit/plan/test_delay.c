/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/delay.h"

#include "base/delays.h"
#include "unit/plan/fixture.h"

#define GAIN 350u

/* Four CPUs; two queues of 20 % on CPU 0, which lets NET_RX wait for 8 ms. */
static int set_up(void **state)
{
	struct nb_host *host = nb_host_new(4, 1, 1);

	nb_host_add_nic(host, NB_NODE_NONE, 2, 0, 2000);
	host->memory.delays = g_new0(struct nb_delay_memory, 1);
	host->memory.delays[0] =
		(struct nb_delay_memory){.id = 0, .usec = 8000, .over_msec = 3000, .delayed = true};
	host->memory.n_delays = 1;
	return begin_with(state, host);
}

static enum nb_delay_answer relieve(struct fixture *f)
{
	look(f);
	return nb_delay_relieve(&f->board, &f->host->memory, GAIN, f->moves);
}

static void one_of_two_queues_leaves_for_the_coolest_cpu(void **state)
{
	struct fixture *f = *state;

	f->host->fixed[1] = f->host->fixed[2] = 1000;
	assert_int_equal(relieve(f), NB_DELAY_MOVED);
	assert_int_equal(f->moves->len, 1);
	assert_int_equal(move(f, 0)->reason, NB_REASON_DELAY);
	assert_int_equal(move(f, 0)->cpu_from, 0);
	assert_int_equal(move(f, 0)->cpu_to, 3);
	assert_int_equal(move(f, 0)->delay_usec, 8000);
	assert_int_equal(move(f, 0)->source_after, 2000);
}

static void a_move_has_to_gain_as_much_as_any(void **state)
{
	struct fixture *f = *state;

	f->host->fixed[1] = f->host->fixed[2] = f->host->fixed[3] = 1651;
	assert_int_equal(relieve(f), NB_DELAY_HELPLESS);
	assert_int_equal(f->moves->len, 0);
	f->host->fixed[2] = 1650;
	assert_int_equal(relieve(f), NB_DELAY_MOVED);
	assert_int_equal(move(f, 0)->cpu_to, 2);
}

static void a_queue_alone_stays(void **state)
{
	struct fixture *f = *state;

	f->host->time[1] = 349;
	assert_int_equal(relieve(f), NB_DELAY_HELPLESS);
	/* Though leaving the application would even out loads. */
	f->host->fixed[0] = 1500;
	assert_int_equal(relieve(f), NB_DELAY_HELPLESS);
	f->host->time[1] = 350;
	assert_int_equal(relieve(f), NB_DELAY_MOVED);
}

/* It is what they wait for. */
static void an_application_moves_nothing(void **state)
{
	struct fixture *f = *state;

	f->host->time[0] = f->host->time[1] = 1000;
	f->host->fixed[0] = 2001;
	assert_int_equal(relieve(f), NB_DELAY_HELPLESS);
	assert_int_equal(f->moves->len, 0);
	f->host->fixed[0] = 2000;
	assert_int_equal(relieve(f), NB_DELAY_MOVED);
}

static void two_moves_are_all(void **state)
{
	struct fixture *f = *state;

	f->host->memory.delays[0].moves = 1;
	assert_int_equal(relieve(f), NB_DELAY_MOVED);
	f->host->memory.delays[0].moves = 2;
	assert_int_equal(relieve(f), NB_DELAY_HELPLESS);
	assert_int_equal(f->moves->len, 0);
}

static void what_no_longer_waits_moves_nothing(void **state)
{
	struct fixture *f = *state;

	f->host->memory.delays[0].over_msec = 0;
	assert_int_equal(relieve(f), NB_DELAY_NONE);
	f->host->memory.delays[0].over_msec = 3000;
	f->host->memory.delays[0].delayed = false;
	assert_int_equal(relieve(f), NB_DELAY_NONE);
}

static void a_hot_cpu_is_left_to_balancing(void **state)
{
	struct fixture *f = *state;

	f->host->time[0] = f->host->time[1] = 3501;
	assert_int_equal(relieve(f), NB_DELAY_NONE);
	f->host->time[0] = f->host->time[1] = 3500;
	assert_int_equal(relieve(f), NB_DELAY_MOVED);
}

static void constraints_hold(void **state)
{
	struct fixture *f = *state;

	nb_cpumask_add(&f->host->policy.banned, 1);
	nb_cpumask_add(&f->host->policy.banned, 2);
	assert_int_equal(relieve(f), NB_DELAY_MOVED);
	assert_int_equal(move(f, 0)->cpu_to, 3);
	nb_cpumask_add(&f->host->policy.banned, 3);
	assert_int_equal(relieve(f), NB_DELAY_HELPLESS);
}

static void a_cpu_that_is_gone_is_passed_over(void **state)
{
	struct fixture *f = *state;

	f->host->memory.delays[0].id = 77;
	assert_int_equal(relieve(f), NB_DELAY_NONE);
}

static void a_cpu_without_queues_is_passed_over(void **state)
{
	struct fixture *f = *state;

	f->host->memory.delays[0].id = 3;
	assert_int_equal(relieve(f), NB_DELAY_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_HOST(one_of_two_queues_leaves_for_the_coolest_cpu),
		WITH_HOST(a_move_has_to_gain_as_much_as_any),
		WITH_HOST(a_queue_alone_stays),
		WITH_HOST(an_application_moves_nothing),
		WITH_HOST(two_moves_are_all),
		WITH_HOST(what_no_longer_waits_moves_nothing),
		WITH_HOST(a_hot_cpu_is_left_to_balancing),
		WITH_HOST(constraints_hold),
		WITH_HOST(a_cpu_that_is_gone_is_passed_over),
		WITH_HOST(a_cpu_without_queues_is_passed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
