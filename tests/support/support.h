/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What every test program needs: cmocka, and a machine made of files in a temporary directory. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib.h>

#include "sysroot/sysroot.h"

/* A test that cannot run here says what it lacks and counts as skipped. */
#define nb_skip(...)                                    \
	do {                                            \
		print_message("skipped: " __VA_ARGS__); \
		print_message("\n");                    \
		skip();                                 \
	} while (0)

/* A fresh directory below the system's temporary one. Caller passes it to nb_tmp_remove(). */
char *nb_tmp_make(void);
void nb_tmp_remove(char *dir);
/* Writes one file below dir, making its parents. */
void nb_tmp_write(const char *dir, const char *path, const char *text);
/* The text of a file below dir; caller frees. Fails the test when it cannot be read. */
char *nb_tmp_read(const char *dir, const char *path);
/* Makes dir the machine of tests/sysroots/NAME.machine, or lays it over the one that is there. */
void nb_tmp_unpack(const char *dir, const char *name);
