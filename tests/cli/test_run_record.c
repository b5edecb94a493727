/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recording, a second of the canned daemon's time for each second of ours. */
#include "bus/canned.h"
#include "cli/run.h"

#include <string.h>

static const char *const failing[] = {"--fail", NULL};

static void a_trace_goes_to_stdout(void **state)
{
	struct run run;

	(void)state;
	run_against(NULL, "record --seconds 2", &run);
	assert_string_equal(run.err, "");
	assert_int_equal(run.status, 0);
	assert_golden(&run, "record");
	run_clear(&run);
}

static void or_to_a_file(void **state)
{
	g_autofree char *arguments = NULL, *text = NULL;
	char *dir = nb_tmp_make();
	struct run run;

	(void)state;
	arguments = g_strdup_printf("record --seconds 1 --file %s/trace", dir);
	run_against(NULL, arguments, &run);
	assert_string_equal(run.out, "");
	assert_string_equal(run.err, "");
	assert_int_equal(run.status, 0);
	run_clear(&run);
	text = nb_tmp_read(dir, "trace");
	assert_true(g_str_has_prefix(text, "nicbalance-trace 2\n"));
	nb_tmp_remove(dir);
}

static void assert_replays(const char *dir, const char *file, const char *err)
{
	g_autofree char *arguments = g_strdup_printf("replay %s/%s --config /dev/null", dir, file);
	struct run run;

	run_ctl("/nonexistent", arguments, &run);
	if (!strstr(run.err, err))
		fail_msg("%s: \"%s\" does not hold \"%s\"", file, run.err, err);
	assert_int_equal(run.status, *err ? 1 : 0);
	assert_int_equal(*run.out != '\0', !*err);
	run_clear(&run);
}

static void write_bytes(const char *dir, const char *file, const char *bytes, size_t len)
{
	g_autofree char *path = g_build_filename(dir, file, NULL);

	assert_true(g_file_set_contents(path, bytes, (gssize)len, NULL));
}

/* The first window is on disk before the second one comes, so that it survives any later cut. */
static void a_name_in_gz_is_compressed_and_a_cut_one_is_replayed(void **state)
{
	char *dir = nb_tmp_make();
	g_autofree char *arguments = g_strdup_printf("record --seconds 2 --file %s/a.gz", dir);
	g_autofree char *path = g_build_filename(dir, "a.gz", NULL);
	g_autofree char *bytes = NULL;
	struct run run;
	size_t len;

	(void)state;
	run_against(NULL, arguments, &run);
	assert_int_equal(run.status, 0);
	run_clear(&run);
	assert_true(g_file_get_contents(path, &bytes, &len, NULL));
	assert_memory_equal(bytes, "\x1f\x8b", 2);
	assert_replays(dir, "a.gz", "");
	write_bytes(dir, "cut.gz", bytes, len - 16);
	assert_replays(dir, "cut.gz", "");
	bytes[len - 6] ^= 1; /* of its checksum */
	write_bytes(dir, "wrong.gz", bytes, len);
	assert_replays(dir, "wrong.gz", "wrong.gz: incorrect data check");
	nb_tmp_remove(dir);
}

static void what_was_lost_is_told_and_it_goes_on(void **state)
{
	struct run run;

	(void)state;
	run_against(failing, "record --seconds 3", &run);
	assert_non_null(strstr(run.err, "some seconds are lost"));
	assert_int_equal(run.status, 0);
	assert_non_null(strstr(run.out + 1, "\nnicbalance-trace 2\n"));
	run_clear(&run);
}

static void a_full_disk_is_1(void **state)
{
	struct run run;

	(void)state;
	run_against(NULL, "record --seconds 1 --file /dev/full", &run);
	assert_non_null(strstr(run.err, "cannot write /dev/full: No space left on device"));
	assert_int_equal(run.status, 1);
	run_clear(&run);
	run_against(NULL, "record --seconds 1 --file /nonexistent/trace", &run);
	assert_non_null(strstr(run.err, "cannot open /nonexistent/trace: No such file"));
	assert_int_equal(run.status, 1);
	run_clear(&run);
}

static void assert_fails(const char *arguments, int status, const char *err)
{
	struct run run;

	run_ctl("/nonexistent/bus", arguments, &run);
	assert_non_null(strstr(run.err, err));
	assert_int_equal(run.status, status);
	run_clear(&run);
}

static void what_cannot_be_is_said_first(void **state)
{
	(void)state;
	assert_fails("record", 3, "no nicbalanced listens on /nonexistent/bus");
	assert_fails("record --json", 2, "prints no table");
	assert_fails("record --seconds 0", 2, "--seconds takes a number from 1 to 604800");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_trace_goes_to_stdout),
		cmocka_unit_test(or_to_a_file),
		cmocka_unit_test(a_name_in_gz_is_compressed_and_a_cut_one_is_replayed),
		cmocka_unit_test(what_was_lost_is_told_and_it_goes_on),
		cmocka_unit_test(a_full_disk_is_1),
		cmocka_unit_test(what_cannot_be_is_said_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
