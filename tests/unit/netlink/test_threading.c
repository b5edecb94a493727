/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netlink/netlink.h"
#include "support/fake_napis.h"
#include "support/support.h"

#include <errno.h>

struct fixture {
	struct nb_netlink *netlink;
	struct nb_fake_napis napis;
};

static int set_up(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);

	f->napis = (struct nb_fake_napis){.ifindex = 2, .n = 4, .first_id = 8193};
	assert_int_equal(nb_netlink_new_ethtool(&f->netlink), 0);
	nb_fake_napis_attach(&f->napis, f->netlink);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	nb_netlink_free(f->netlink);
	g_free(f);
	return 0;
}

static void the_napi_of_one_queue_is_switched(void **state)
{
	struct fixture *f = *state;
	enum nb_threading threading;

	assert_int_equal(nb_netlink_set_threading(f->netlink, 2, 1, true), 0);
	for (unsigned i = 0; i < f->napis.n; i++) {
		assert_int_equal(f->napis.threaded[i], i == 1);
		assert_int_equal(nb_netlink_get_threading(f->netlink, 2, i, &threading), 0);
		assert_int_equal(threading, i == 1 ? NB_THREADING_ON : NB_THREADING_OFF);
	}
	/* As after the device was down. */
	f->napis.first_id += 100;
	assert_int_equal(nb_netlink_set_threading(f->netlink, 2, 1, false), 0);
	assert_int_equal(f->napis.threaded[1], 0);
	f->napis.threaded[1] = 2;
	assert_int_equal(nb_netlink_get_threading(f->netlink, 2, 1, &threading), 0);
	assert_int_equal(threading, NB_THREADING_BUSY);
}

static void assert_both(struct fixture *f, int ifindex, unsigned queue, int error)
{
	enum nb_threading threading = NB_THREADING_BUSY;

	assert_int_equal(nb_netlink_get_threading(f->netlink, ifindex, queue, &threading), error);
	assert_int_equal(threading, NB_THREADING_BUSY);
	assert_int_equal(nb_netlink_set_threading(f->netlink, ifindex, queue, true), error);
}

static void what_is_not_there_is_told_from_what_comes_back(void **state)
{
	struct fixture *f = *state;

	assert_both(f, 3, 0, -ENODEV);
	assert_both(f, 2, 4, -ENOENT);
	f->napis.down = true;
	assert_both(f, 2, 0, -EAGAIN);
	assert_int_equal(f->napis.n_sets, 0);
}

/* Its id was still told, and then it was not found. */
static int vanish(struct nlmsghdr *request, int (*take)(struct nlmsghdr *hdr, void *userdata),
		  void *taker, void *userdata)
{
	unsigned *n = userdata;
	struct nb_fake_napis napis = {.ifindex = 2, .n = 1, .first_id = 8193};

	(void)request;
	(*n)++;
	if (*n == 2)
		return -ENOENT;
	return nb_fake_napis_answer(&napis, request, take, taker);
}

static void a_napi_that_its_driver_disables_meanwhile_comes_back(void **state)
{
	struct fixture *f = *state;
	enum nb_threading threading;
	unsigned n = 0;

	nb_netlink_set_netdev(f->netlink, vanish, &n);
	assert_int_equal(nb_netlink_get_threading(f->netlink, 2, 0, &threading), -EAGAIN);
	n = 0;
	assert_int_equal(nb_netlink_set_threading(f->netlink, 2, 0, true), -EAGAIN);
}

static void older_kernels_and_drivers_that_link_nothing_have_no_such_switch(void **state)
{
	struct fixture *f = *state;
	g_autoptr(nb_netlink) plain = NULL;
	enum nb_threading threading;

	f->napis.unlinked = true;
	assert_both(f, 2, 0, -EOPNOTSUPP);
	f->napis.unlinked = false;
	f->napis.old = true;
	assert_int_equal(nb_netlink_get_threading(f->netlink, 2, 0, &threading), -EOPNOTSUPP);
	assert_int_equal(nb_netlink_new_ethtool(&plain), 0);
	assert_int_equal(nb_netlink_get_threading(plain, 2, 0, &threading), -EOPNOTSUPP);
	assert_int_equal(nb_netlink_set_threading(plain, 2, 0, true), -EOPNOTSUPP);
}

static void a_refusal_is_told(void **state)
{
	struct fixture *f = *state;

	f->napis.set_error = -EPERM;
	assert_int_equal(nb_netlink_set_threading(f->netlink, 2, 0, true), -EPERM);
}

static void a_rescan_finds_which_queues_have_the_switch(void **state)
{
	struct fixture *f = *state;
	g_autoptr(GArray) queues = g_array_new(FALSE, FALSE, sizeof(struct nb_netlink_queue));

	f->napis.threaded[3] = 1;
	assert_int_equal(nb_netlink_get_queues(f->netlink, 2, queues), 0);
	assert_int_equal(queues->len, 8);
	for (unsigned i = 0; i < queues->len; i++) {
		const struct nb_netlink_queue *queue =
			&g_array_index(queues, struct nb_netlink_queue, i);

		assert_int_equal(queue->napi_id, 8193 + queue->index);
		assert_int_equal(queue->threading,
				 queue->index == 3 ? NB_THREADING_ON : NB_THREADING_OFF);
	}
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(the_napi_of_one_queue_is_switched),
		TEST(what_is_not_there_is_told_from_what_comes_back),
		TEST(a_napi_that_its_driver_disables_meanwhile_comes_back),
		TEST(older_kernels_and_drivers_that_link_nothing_have_no_such_switch),
		TEST(a_refusal_is_told),
		TEST(a_rescan_finds_which_queues_have_the_switch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
