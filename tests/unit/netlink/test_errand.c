/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netlink/errand.h"

#include "support/support.h"

#include <errno.h>
#include <unistd.h>

#define SHORT_USEC 20000

/* A call that waits until the test lets it go. */
struct wait {
	int from_test[2];
	int result;
	unsigned n_calls;
	GThread *thread;
};

static int wait_for_test(void *userdata)
{
	struct wait *wait = userdata;
	char byte;

	wait->n_calls++;
	wait->thread = g_thread_self();
	return read(wait->from_test[0], &byte, 1) == 1 ? wait->result : -EPIPE;
}

static int count(void *userdata)
{
	struct wait *wait = userdata;

	wait->n_calls++;
	return wait->result;
}

struct fixture {
	struct nb_errand *errand;
	struct wait wait;
};

static void let_go(struct fixture *f)
{
	assert_int_equal(write(f->wait.from_test[1], "", 1), 1);
}

static void until_free(struct fixture *f)
{
	while (!nb_errand_is_free(f->errand))
		g_usleep(1000);
}

static int set_up(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);

	assert_int_equal(pipe(f->wait.from_test), 0);
	f->errand = nb_errand_new();
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	assert_true(nb_errand_free(f->errand));
	close(f->wait.from_test[0]);
	close(f->wait.from_test[1]);
	g_free(f);
	return 0;
}

static void a_call_is_made_by_another_thread(void **state)
{
	struct fixture *f = *state;

	let_go(f);
	f->wait.result = -ENODEV;
	assert_int_equal(nb_errand_run(f->errand, wait_for_test, &f->wait), -ENODEV);
	assert_ptr_not_equal(f->wait.thread, g_thread_self());
	f->wait.result = 0;
	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(nb_errand_run(f->errand, count, &f->wait), 0);
	assert_int_equal(f->wait.n_calls, 1001);
	assert_int_equal(nb_errand_given_up(f->errand), 0);
}

static void one_that_takes_too_long_is_left_alone(void **state)
{
	struct fixture *f = *state;

	nb_errand_set_patience(f->errand, SHORT_USEC);
	assert_int_equal(nb_errand_run(f->errand, wait_for_test, &f->wait), -ETIMEDOUT);
	assert_false(nb_errand_is_free(f->errand));
	assert_false(nb_errand_free(f->errand));
	assert_int_equal(nb_errand_run(f->errand, count, &f->wait), -EBUSY);
	assert_int_equal(nb_errand_see_through(f->errand, count, &f->wait), -EBUSY);
	assert_int_equal(nb_errand_reserve(f->errand), -EBUSY);
	assert_int_equal(nb_errand_given_up(f->errand), 4);
	let_go(f);
	until_free(f);
	assert_int_equal(f->wait.n_calls, 1);
	assert_int_equal(nb_errand_reserve(f->errand), 0);
	assert_int_equal(nb_errand_run(f->errand, count, &f->wait), 0);
	assert_int_equal(nb_errand_given_up(f->errand), 4);
}

static void *let_go_later(void *userdata)
{
	g_usleep(5 * SHORT_USEC);
	let_go(userdata);
	return NULL;
}

static void what_is_to_be_seen_through_is_waited_for(void **state)
{
	struct fixture *f = *state;
	GThread *other = g_thread_new("other", let_go_later, f);

	nb_errand_set_patience(f->errand, SHORT_USEC);
	assert_int_equal(nb_errand_see_through(f->errand, wait_for_test, &f->wait), 0);
	assert_int_equal(nb_errand_given_up(f->errand), 0);
	g_thread_join(other);
}

static void without_a_call_there_is_no_thread(void **state)
{
	struct fixture *f = *state;

	assert_true(nb_errand_is_free(f->errand));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(a_call_is_made_by_another_thread),
		TEST(one_that_takes_too_long_is_left_alone),
		TEST(what_is_to_be_seen_through_is_waited_for),
		TEST(without_a_call_there_is_no_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
