/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profile=auto while the daemon runs. */
#include "daemon/fixture.h"
#include "nicbalance/units.h"

static int set_up(void **state)
{
	struct fixture *f;
	int r = set_up_machine(state, "[Daemon]\nProfile=auto\n");

	if (r < 0)
		return r;
	f = *state;
	nb_tmp_write(f->options.root, "etc/nicbalance/profiles/db.conf", "[Balance]\nHot=60%\n");
	nb_tmp_write(f->options.root, "etc/nicbalance/profiles/lvs.conf", "[Balance]\nHot=50%\n");
	return start_daemon(f);
}

static void show_database(struct fixture *f)
{
	nb_tmp_write(f->options.root, "sys/fs/cgroup/system.slice/redis-server.service/x", "");
}

static void show_services(struct fixture *f)
{
	nb_tmp_write(f->options.root, "proc/net/ip_vs", "IP Virtual\nTCP  0A4D0001:0050 wrr\n");
}

static void pass_a_minute(struct fixture *f)
{
	f->now_nsec += 60 * NB_NSEC_PER_SEC;
	cycle(f);
}

static void a_sign_that_comes_later_is_seen_within_a_minute(void **state)
{
	struct fixture *f = *state;

	cycle(f);
	assert_string_equal(f->daemon->config->profile_used, "none");
	show_database(f);
	cycle(f);
	assert_string_equal(f->daemon->config->profile_used, "none");
	pass_a_minute(f);
	assert_string_equal(f->daemon->config->profile_used, "db");
	assert_int_equal(f->daemon->config->policy.hot, 6000);
}

static void it_goes_on_but_not_back(void **state)
{
	struct fixture *f = *state;

	show_services(f);
	pass_a_minute(f);
	assert_string_equal(f->daemon->config->profile_used, "lvs");
	nb_tmp_write(f->options.root, "proc/net/ip_vs", "IP Virtual\n");
	show_database(f);
	pass_a_minute(f);
	assert_string_equal(f->daemon->config->profile_used, "lvs");
	assert_int_equal(nb_daemon_reload(f->daemon, f->now_nsec, NULL), 0);
	assert_string_equal(f->daemon->config->profile_used, "db");
}

static void one_that_is_refused_is_not_tried_each_minute(void **state)
{
	struct fixture *f = *state;

	cycle(f);
	nb_tmp_write(f->options.root, "etc/nicbalance/profiles/db.conf", "[Balance]\nHot=no\n");
	show_database(f);
	pass_a_minute(f);
	assert_true(f->daemon->profile_refused);
	assert_string_equal(f->daemon->config->profile_used, "none");
	nb_tmp_write(f->options.root, "etc/nicbalance/profiles/db.conf", "[Balance]\nHot=60%\n");
	pass_a_minute(f);
	assert_string_equal(f->daemon->config->profile_used, "none");
	assert_int_equal(nb_daemon_reload(f->daemon, f->now_nsec, NULL), 0);
	assert_false(f->daemon->profile_refused);
	assert_string_equal(f->daemon->config->profile_used, "db");
}

static void another_than_auto_stays(void **state)
{
	struct fixture *f = *state;

	configure(f, "[Daemon]\nProfile=db\n");
	assert_int_equal(nb_daemon_reload(f->daemon, f->now_nsec, NULL), 0);
	show_services(f);
	pass_a_minute(f);
	assert_string_equal(f->daemon->config->profile_used, "db");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_sign_that_comes_later_is_seen_within_a_minute,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(it_goes_on_but_not_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(one_that_is_refused_is_not_tried_each_minute,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(another_than_auto_stays, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
