/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/discover/scan.h"
#include "sample/rps.h"
#include "unit/sample/machine.h"

#define QUEUES "sys/class/net/lab0/queues/"

/* The machine "holes": lab0, ifindex 2, with four queues. */
struct fixture {
	char *dir;
	struct nb_sysroot *root;
	struct nb_scan *scan;
	GArray *rps;
};

static int setup(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);

	f->dir = nb_machine("holes");
	f->root = nb_machine_open(f->dir);
	assert_int_equal(nb_scan_new(f->root, NULL, NULL, NULL, 1, &f->scan), 0);
	f->rps = g_array_new(FALSE, FALSE, sizeof(struct nb_rps_state));
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	g_array_unref(f->rps);
	nb_scan_unref(f->scan);
	nb_sysroot_free(f->root);
	nb_tmp_remove(f->dir);
	g_free(f);
	return 0;
}

/* "1:2 3:1 ": how many CPUs the masks of the queues have. */
static void assert_rps(const struct fixture *f, const char *expected)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (unsigned i = 0; i < f->rps->len; i++) {
		const struct nb_rps_state *rps = &g_array_index(f->rps, struct nb_rps_state, i);

		assert_int_equal(rps->key.ifindex, 2);
		g_string_append_printf(text, "%u:%u ", rps->key.index,
				       nb_cpumask_count(&rps->cpus));
	}
	assert_string_equal(text->str, expected);
}

static void survey(struct fixture *f)
{
	nb_rps_find_all(f->root, &f->scan->machine, f->rps);
}

static void review(struct fixture *f)
{
	nb_rps_review(f->root, &f->scan->machine, f->rps);
}

static void a_survey_finds_every_mask(void **state)
{
	struct fixture *f = *state;

	survey(f);
	assert_rps(f, "");
	nb_tmp_write(f->dir, QUEUES "rx-3/rps_cpus", "00000080\n");
	nb_tmp_write(f->dir, QUEUES "rx-1/rps_cpus", "0000000a\n");
	nb_tmp_write(f->dir, QUEUES "rx-2/rps_cpus", "garbage\n");
	survey(f);
	assert_rps(f, "1:2 3:1 ");
}

static void a_device_out_of_scope_is_not_asked(void **state)
{
	struct fixture *f = *state;

	nb_tmp_write(f->dir, QUEUES "rx-1/rps_cpus", "0000000a\n");
	f->scan->machine.nics[0].scope = NB_SCOPE_IGNORED;
	survey(f);
	assert_rps(f, "");
	f->scan->machine.nics[0].scope = NB_SCOPE_STEERED;
	survey(f);
	assert_rps(f, "1:2 ");
}

static void a_review_sees_what_became_of_those_there_were(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 3; i++) {
		g_autofree char *path = g_strdup_printf(QUEUES "rx-%u/rps_cpus", i);

		nb_tmp_write(f->dir, path, "00000001\n");
	}
	survey(f);
	assert_rps(f, "0:1 1:1 2:1 ");
	nb_tmp_write(f->dir, QUEUES "rx-0/rps_cpus", "00000000\n");
	nb_tmp_write(f->dir, QUEUES "rx-2/rps_cpus", "000000c0\n");
	nb_tmp_write(f->dir, QUEUES "rx-3/rps_cpus", "00000001\n");
	review(f);
	assert_rps(f, "1:1 2:2 ");
	nb_tmp_write(f->dir, QUEUES "rx-1/rps_cpus", "garbage\n");
	review(f);
	assert_rps(f, "2:2 ");
}

static void a_review_of_none_reads_nothing(void **state)
{
	struct fixture *f = *state;

	nb_tmp_write(f->dir, QUEUES "rx-1/rps_cpus", "0000000a\n");
	review(f);
	assert_rps(f, "");
}

int main(void)
{
#define claim(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		claim(a_survey_finds_every_mask),
		claim(a_device_out_of_scope_is_not_asked),
		claim(a_review_sees_what_became_of_those_there_were),
		claim(a_review_of_none_reads_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
