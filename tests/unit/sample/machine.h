/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Machines for the tests of this folder, made by tests/support/generate-machine. */

#include "support/support.h"

/* Words are arguments of generate-machine behind DIR, NULL-terminated. Caller passes the directory
 * to nb_tmp_remove(). */
static inline char *nb_machine_make(const char *const *words)
{
	g_autoptr(GPtrArray) argv = g_ptr_array_new();
	char *dir = nb_tmp_make();
	int status = -1;

	g_ptr_array_add(argv, (gpointer)NB_SOURCE_DIR "/tests/support/generate-machine");
	g_ptr_array_add(argv, dir);
	for (; *words; words++)
		g_ptr_array_add(argv, (gpointer)*words);
	g_ptr_array_add(argv, NULL);
	assert_true(g_spawn_sync(NULL, (char **)argv->pdata, NULL, G_SPAWN_DEFAULT, NULL, NULL,
				 NULL, NULL, &status, NULL));
	assert_int_equal(status, 0);
	return dir;
}

#define nb_machine(...) nb_machine_make((const char *const[]){__VA_ARGS__, NULL})

/* The tree as a sysroot; caller frees. */
static inline struct nb_sysroot *nb_machine_open(const char *dir)
{
	struct nb_sysroot *root = NULL;

	assert_int_equal(nb_sysroot_open(dir, &root), 0);
	return root;
}
