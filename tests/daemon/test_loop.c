/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks at a captured machine, which this daemon only observes. */
#include "daemon/daemon.h"
#include "support/fake_rss.h"
#include "support/support.h"

#include <stdlib.h>

struct fixture {
	char *dir;
	struct nb_options options;
	nb_daemon *daemon;
};

static int setup(void **state)
{
	struct fixture *fixture = g_new0(struct fixture, 1);
	g_autofree char *copy = NULL;

	*state = fixture;
	fixture->dir = nb_tmp_make();
	fixture->options.root = g_build_filename(fixture->dir, "machine", NULL);
	copy = g_strdup_printf("cp -r --no-preserve=mode '%s' '%s'",
			       NB_SOURCE_DIR "/tests/sysroots/igb8", fixture->options.root);
	if (system(copy) != 0)
		return -1;
	nb_tmp_write(fixture->options.root, "etc/nicbalance/nicbalance.conf",
		     "[Daemon]\nMode=observe\n");
	return nb_daemon_new(&fixture->options, &fixture->daemon);
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	nb_daemon_free(fixture->daemon);
	g_free(fixture->options.root);
	nb_tmp_remove(fixture->dir);
	g_free(fixture);
	return 0;
}

/* A second after the last. */
static void look(nb_daemon *daemon)
{
	static uint64_t now_nsec = 1000 * NB_NSEC_PER_SEC;

	now_nsec += NB_NSEC_PER_SEC;
	nb_daemon_look(daemon, now_nsec);
}

static void a_window_that_was_spoilt_is_left_out_and_no_other(void **state)
{
	nb_daemon *daemon = ((struct fixture *)*state)->daemon;

	look(daemon);
	look(daemon);
	assert_true(daemon->loop.loads->window_nsec > 0);

	daemon->window_spoilt = true;
	look(daemon);
	assert_int_equal(daemon->loop.loads->window_nsec, 0);
	look(daemon);
	assert_true(daemon->loop.loads->window_nsec > 0);
}

/* A baseline says that packets of lab0 go to the queues 0 and 2 alone, and so they do. */
static void leave_table(struct fixture *fixture, struct nb_fake_rss *rss)
{
	nb_daemon *daemon = fixture->daemon;

	nb_tmp_write(fixture->options.root, "run/nicbalance/baseline",
		     "nicbalance baseline 1\nrss 2 default default 0,2,0,2 lab0\n");
	*rss = (struct nb_fake_rss){.ifname = "lab0", .n = 4, .n_rings = 8, .hfunc = 1};
	nb_fake_rss_set(rss, "0,2,0,2");
	g_clear_pointer(&daemon->applier, nb_applier_free);
	assert_int_equal(nb_netlink_new_ethtool(&daemon->netlink), 0);
	nb_fake_rss_attach(rss, daemon->netlink);
	assert_int_equal(nb_applier_new(daemon->root, daemon->netlink, &daemon->applier), 0);
}

/* One that a run left set which died, or was restarted, just then. */
static void an_rss_table_of_the_run_before_is_adopted(void **state)
{
	struct fixture *fixture = *state;
	nb_daemon *daemon = fixture->daemon;
	const struct nb_rss_memory *memory;
	struct nb_fake_rss rss;

	leave_table(fixture, &rss);
	look(daemon);
	assert_int_equal(daemon->loop.memory.n_rss, 1);
	memory = &daemon->loop.memory.rss[0];
	assert_int_equal(memory->ifindex, 2);
	assert_int_equal(memory->queues.words[0], 0x5);
	assert_false(memory->refused);
	assert_int_equal(rss.n_sets, 0);
}

static void an_rss_table_does_not_outlast_the_acting(void **state)
{
	struct fixture *fixture = *state;
	nb_daemon *daemon = fixture->daemon;
	struct nb_fake_rss rss;

	leave_table(fixture, &rss);
	look(daemon);
	/* Who only looks writes nothing at all. */
	nb_daemon_set_paused(daemon, true);
	nb_daemon_set_paused(daemon, false);
	assert_int_equal(rss.n_sets, 0);

	daemon->config->mode = NB_MODE_BALANCE;
	nb_daemon_set_paused(daemon, true);
	assert_int_equal(rss.n_sets, 1);
	assert_false(rss.configured);
	assert_int_equal(daemon->loop.memory.n_rss, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_window_that_was_spoilt_is_left_out_and_no_other,
						setup, teardown),
		cmocka_unit_test_setup_teardown(an_rss_table_of_the_run_before_is_adopted, setup,
						teardown),
		cmocka_unit_test_setup_teardown(an_rss_table_does_not_outlast_the_acting, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
