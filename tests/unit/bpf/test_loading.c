/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bpf/probe_internal.h"
#include "support/loading.h"
#include "support/support.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Loaders have no arguments: what they and the test share. */
static int pipe_fds[2];

static int setup(void **state)
{
	(void)state;
	return pipe2(pipe_fds, O_CLOEXEC);
}

static int teardown(void **state)
{
	(void)state;
	close(pipe_fds[0]);
	if (pipe_fds[1] >= 0)
		close(pipe_fds[1]);
	return 0;
}

/* Afterwards nobody can write but a loader that runs. */
static void close_own_end(void)
{
	close(pipe_fds[1]);
	pipe_fds[1] = -1;
}

static bool is_closed_by_all(void)
{
	char byte;

	return read(pipe_fds[0], &byte, 1) == 0;
}

static void give_both_ends(struct nb_loaded *ret)
{
	ret->typed = true;
	ret->n_cpus = 7;
	ret->fds[NB_ARRAY_NAPIS] = pipe_fds[0];
	ret->fds[_NB_FD_MAX - 1] = pipe_fds[1];
}

static void descriptors_arrive_in_their_places(void **state)
{
	struct nb_loaded loaded;
	char byte = 0;

	(void)state;
	assert_int_equal(nb_await_loaded(give_both_ends, &loaded), 0);
	assert_int_equal(loaded.result, 0);
	assert_true(loaded.typed);
	assert_int_equal(loaded.n_cpus, 7);
	for (unsigned i = 0; i < _NB_FD_MAX; i++)
		if (i != NB_ARRAY_NAPIS && i != _NB_FD_MAX - 1)
			assert_int_equal(loaded.fds[i], -1);
	assert_int_equal(write(loaded.fds[_NB_FD_MAX - 1], "x", 1), 1);
	assert_int_equal(read(loaded.fds[NB_ARRAY_NAPIS], &byte, 1), 1);
	assert_int_equal(byte, 'x');
	close(loaded.fds[NB_ARRAY_NAPIS]);
	close(loaded.fds[_NB_FD_MAX - 1]);
}

static void descriptors_are_not_for_other_programs(void **state)
{
	struct nb_loaded loaded;

	(void)state;
	assert_int_equal(nb_await_loaded(give_both_ends, &loaded), 0);
	assert_int_equal(fcntl(loaded.fds[NB_ARRAY_NAPIS], F_GETFD), FD_CLOEXEC);
	close(loaded.fds[NB_ARRAY_NAPIS]);
	close(loaded.fds[_NB_FD_MAX - 1]);
}

static void refuse(struct nb_loaded *ret)
{
	ret->result = -EPERM;
	g_strlcpy(ret->reason, "not today", sizeof(ret->reason));
}

static void a_refusal_arrives_with_its_reason(void **state)
{
	struct nb_loaded loaded;

	(void)state;
	assert_int_equal(nb_await_loaded(refuse, &loaded), 0);
	assert_int_equal(loaded.result, -EPERM);
	assert_string_equal(loaded.reason, "not today");
}

static void die(struct nb_loaded *ret)
{
	(void)ret;
	raise(SIGKILL);
}

static void a_loader_that_dies_is_told(void **state)
{
	struct nb_loaded loaded;

	(void)state;
	assert_int_equal(nb_await_loaded(die, &loaded), -EPIPE);
}

/* Until the test writes. */
static void wait_for_a_byte(struct nb_loaded *ret)
{
	char byte;

	ret->result = read(pipe_fds[0], &byte, 1) == 1 ? 0 : -EIO;
}

static void nobody_waits_for_an_answer(void **state)
{
	g_autoptr(nb_probe_loading) loading = NULL;
	struct nb_loaded loaded;
	siginfo_t info;

	(void)state;
	assert_int_equal(nb_probe_loading_new(wait_for_a_byte, &loading), 0);
	assert_int_equal(nb_probe_loading_answer(loading, &loaded), -EINPROGRESS);
	assert_int_equal(write(pipe_fds[1], "x", 1), 1);
	assert_int_equal(waitid(P_ALL, 0, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(nb_probe_loading_answer(loading, &loaded), 0);
	assert_int_equal(loaded.result, 0);
}

static void wait_for_ever(struct nb_loaded *ret)
{
	(void)ret;
	for (;;)
		pause();
}

static void a_loader_that_is_given_up_ends(void **state)
{
	nb_probe_loading *loading = NULL;

	(void)state;
	assert_int_equal(nb_probe_loading_new(wait_for_ever, &loading), 0);
	close_own_end();
	nb_probe_loading_free(loading);
	assert_true(is_closed_by_all());
	assert_int_equal(waitpid(-1, NULL, 0), -1);
	assert_int_equal(errno, ECHILD);
}

static void a_loader_ends_with_its_daemon(void **state)
{
	pid_t daemon = fork();
	int status;

	(void)state;
	assert_true(daemon >= 0);
	if (daemon == 0) {
		nb_probe_loading *loading = NULL;

		_exit(nb_probe_loading_new(wait_for_ever, &loading) < 0 ? EXIT_FAILURE
									: EXIT_SUCCESS);
	}
	close_own_end();
	assert_true(is_closed_by_all());
	assert_int_equal(waitpid(daemon, &status, 0), daemon);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS);
}

int main(void)
{
#define WITH_PIPE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		WITH_PIPE(descriptors_arrive_in_their_places),
		WITH_PIPE(descriptors_are_not_for_other_programs),
		cmocka_unit_test(a_refusal_arrives_with_its_reason),
		cmocka_unit_test(a_loader_that_dies_is_told),
		WITH_PIPE(nobody_waits_for_an_answer),
		WITH_PIPE(a_loader_that_is_given_up_ends),
		WITH_PIPE(a_loader_ends_with_its_daemon),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
