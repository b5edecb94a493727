/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Runs nicbalancectl in the time zone UTC and UTF-8. Fails the test when it cannot. */

#include "bus/client.h"

struct run {
	char *out;
	char *err;
	int status; /* exit status */
};

/* arguments: separated by spaces. socket may be NULL: the usual way. */
void run_ctl(const char *socket, const char *arguments, struct run *ret);
/* A copy of it in dir, for a user who cannot reach the one that was built; and such a copy run. */
char *copy_ctl(const char *dir);
void run_copy(const char *program, const char *socket, const char *arguments, struct run *ret);
/* Its status on a terminal of that many columns; out is what it showed, err is empty. environment:
 * "NAME=VALUE", or empty. Skips the test without script(1). */
void run_ctl_on_screen(const char *socket, const char *environment, unsigned columns,
		       struct run *ret);
/* Its status where nothing can be written. */
void run_ctl_to_full_disk(const char *socket, struct run *ret);
void run_clear(struct run *run);

/* Against a canned daemon with options, and only for this call. */
void run_against(const char *const *options, const char *arguments, struct run *ret);

/* out is tests/cli/golden/NAME.txt but for the version, the source directory, and what depends on
 * the time of the run. NB_GOLDEN_WRITE in the environment writes the file again. */
void assert_golden(const struct run *run, const char *name);
