/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/limits.h"

#include "unit/sample/machine.h"

#include <unistd.h>

#define DEFAULT_AFFINITY "proc/irq/default_smp_affinity"
#define ISOLATED "sys/fs/cgroup/cpuset.cpus.isolated"

struct fixture {
	char *dir;
	struct nb_sysroot *root;
	struct nb_limits limits;
};

static int set_up(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);

	f->dir = nb_tmp_make();
	nb_tmp_write(f->dir, DEFAULT_AFFINITY, "ff\n");
	nb_tmp_write(f->dir, ISOLATED, "\n");
	f->root = nb_machine_open(f->dir);
	nb_limits_init(&f->limits, f->root);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	nb_limits_clear(&f->limits);
	nb_sysroot_free(f->root);
	nb_tmp_remove(f->dir);
	g_free(f);
	return 0;
}

static unsigned n_default(const struct fixture *f)
{
	return nb_cpumask_count(&f->limits.default_affinity);
}

static void tells_what_changed_since_the_last_time(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(nb_limits_read(&f->limits), 0);
	assert_int_equal(n_default(f), 8);
	assert_int_equal(nb_limits_read(&f->limits), 0);
	nb_tmp_write(f->dir, DEFAULT_AFFINITY, "0f\n");
	assert_int_equal(nb_limits_read(&f->limits), NB_LIMITS_DEFAULT_AFFINITY);
	assert_int_equal(n_default(f), 4);
	assert_int_equal(nb_limits_read(&f->limits), 0);
	nb_tmp_write(f->dir, ISOLATED, "4-5\n");
	assert_int_equal(nb_limits_read(&f->limits), NB_LIMITS_ISOLATION);
	nb_tmp_write(f->dir, DEFAULT_AFFINITY, "ff\n");
	nb_tmp_write(f->dir, ISOLATED, "\n");
	assert_int_equal(nb_limits_read(&f->limits),
			 NB_LIMITS_DEFAULT_AFFINITY | NB_LIMITS_ISOLATION);
	assert_int_equal(n_default(f), 8);
}

static void what_cannot_be_understood_changes_nothing(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(nb_limits_read(&f->limits), 0);
	nb_tmp_write(f->dir, DEFAULT_AFFINITY, "0f,what\n");
	assert_int_equal(nb_limits_read(&f->limits), 0);
	assert_int_equal(n_default(f), 8);
	nb_tmp_write(f->dir, DEFAULT_AFFINITY, "03\n");
	assert_int_equal(nb_limits_read(&f->limits), NB_LIMITS_DEFAULT_AFFINITY);
	assert_int_equal(n_default(f), 2);
}

static void delete_default_affinity(struct fixture *f)
{
	g_autofree char *path = g_build_filename(f->dir, DEFAULT_AFFINITY, NULL);

	assert_int_equal(unlink(path), 0);
}

static void a_file_may_come_and_go(void **state)
{
	struct fixture *f = *state;

	delete_default_affinity(f);
	assert_int_equal(nb_limits_read(&f->limits), 0);
	assert_int_equal(n_default(f), 0);
	nb_tmp_write(f->dir, DEFAULT_AFFINITY, "03\n");
	assert_int_equal(nb_limits_read(&f->limits), NB_LIMITS_DEFAULT_AFFINITY);
	delete_default_affinity(f);
	assert_int_equal(nb_limits_read(&f->limits), NB_LIMITS_DEFAULT_AFFINITY);
	assert_int_equal(n_default(f), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(tells_what_changed_since_the_last_time, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_cannot_be_understood_changes_nothing, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_file_may_come_and_go, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
