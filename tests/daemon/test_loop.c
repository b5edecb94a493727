/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks at a captured machine, which this daemon only observes. */
#include "daemon/daemon.h"
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

static void a_window_that_was_spoilt_is_left_out_and_no_other(void **state)
{
	nb_daemon *daemon = ((struct fixture *)*state)->daemon;

	nb_daemon_look(daemon);
	nb_daemon_look(daemon);
	assert_true(daemon->loads->window_nsec > 0);

	daemon->window_spoilt = true;
	nb_daemon_look(daemon);
	assert_int_equal(daemon->loads->window_nsec, 0);
	nb_daemon_look(daemon);
	assert_true(daemon->loads->window_nsec > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_window_that_was_spoilt_is_left_out_and_no_other,
						setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
