/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/support.h"

#include "base/describe.h"
#include "publish/journal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* stderr is a file while a test runs; what it holds afterwards is what was said. */
struct fixture {
	char *dir;
	int real_stderr;
};

static int catch_stderr(void **state)
{
	struct fixture *fixture = g_new0(struct fixture, 1);
	g_autofree char *path = NULL;
	int fd;

	fixture->dir = nb_tmp_make();
	path = g_build_filename(fixture->dir, "stderr", NULL);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	fixture->real_stderr = dup(STDERR_FILENO);
	assert_true(fd >= 0 && fixture->real_stderr >= 0);
	assert_true(dup2(fd, STDERR_FILENO) >= 0);
	close(fd);
	g_unsetenv("JOURNAL_STREAM");
	*state = fixture;
	return 0;
}

static int release_stderr(void **state)
{
	struct fixture *fixture = *state;

	dup2(fixture->real_stderr, STDERR_FILENO);
	close(fixture->real_stderr);
	nb_journal_set_max_priority(LOG_INFO);
	nb_tmp_remove(fixture->dir);
	g_free(fixture);
	return 0;
}

static void assert_said(void **state, const char *expected)
{
	struct fixture *fixture = *state;
	g_autofree char *text = nb_tmp_read(fixture->dir, "stderr");

	assert_string_equal(text, expected);
}

static void a_sentence_is_a_plain_line_without_a_journal(void **state)
{
	nb_journal_say(LOG_NOTICE, NULL, "There are %d CPUs.", 8);
	assert_said(state, "There are 8 CPUs.\n");
}

static void a_record_is_the_sentence_that_describes_it(void **state)
{
	struct nb_record record = {
		.netdev = "eth0", .cpu_to = 1, .measured = NB_UNMEASURED, .reason = 0};
	g_autofree char *text = nb_record_describe(&record);
	g_autofree char *line = g_strdup_printf("%s\n", text);

	nb_journal_record(&record);
	assert_said(state, line);
}

static void debug_is_silent_unless_asked_for(void **state)
{
	nb_journal_say(LOG_DEBUG, NULL, "one");
	nb_journal_set_max_priority(LOG_DEBUG);
	nb_journal_say(LOG_DEBUG, NULL, "two");
	assert_said(state, "two\n");
}

/* The variable is inherited by whoever redirects stderr afterwards. */
static void a_stream_that_is_not_stderr_is_not_believed(void **state)
{
	g_setenv("JOURNAL_STREAM", "1:1", true);
	nb_journal_say(LOG_NOTICE, NULL, "plain");
	assert_said(state, "plain\n");
}

static void the_journal_gets_the_entry_when_stderr_is_its_own(void **state)
{
	g_autofree char *stream = NULL;
	struct stat st;

	assert_int_equal(fstat(STDERR_FILENO, &st), 0);
	stream = g_strdup_printf("%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
	g_setenv("JOURNAL_STREAM", stream, true);
	nb_journal_say(LOG_DEBUG, NULL, "dropped");
	nb_journal_say(LOG_INFO, "0123456789abcdef0123456789abcdef", "a test of nicbalance");
	assert_said(state, "");
}

#define JOURNAL_TEST(name) cmocka_unit_test_setup_teardown(name, catch_stderr, release_stderr)

int main(void)
{
	const struct CMUnitTest tests[] = {
		JOURNAL_TEST(a_sentence_is_a_plain_line_without_a_journal),
		JOURNAL_TEST(a_record_is_the_sentence_that_describes_it),
		JOURNAL_TEST(debug_is_silent_unless_asked_for),
		JOURNAL_TEST(a_stream_that_is_not_stderr_is_not_believed),
		JOURNAL_TEST(the_journal_gets_the_entry_when_stderr_is_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
