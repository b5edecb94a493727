/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A captured machine of configuration files alone, for the tests of this folder. */

#include "support/support.h"

#include <unistd.h>

struct machine {
	char *dir;
	struct nb_sysroot *root;
};

static inline int set_up_machine(void **state)
{
	struct machine *machine = g_new0(struct machine, 1);

	machine->dir = nb_tmp_make();
	assert_int_equal(nb_sysroot_open(machine->dir, &machine->root), 0);
	*state = machine;
	return 0;
}

static inline int tear_down_machine(void **state)
{
	struct machine *machine = *state;

	nb_sysroot_free(machine->root);
	nb_tmp_remove(machine->dir);
	g_free(machine);
	return 0;
}

static inline void make_dir(struct machine *machine, const char *path)
{
	g_autofree char *full = g_build_filename(machine->dir, path, NULL);

	assert_int_equal(g_mkdir_with_parents(full, 0755), 0);
}

static inline void make_link(struct machine *machine, const char *path, const char *target)
{
	g_autofree char *full = g_build_filename(machine->dir, path, NULL);
	g_autofree char *parent = g_path_get_dirname(full);

	assert_int_equal(g_mkdir_with_parents(parent, 0755), 0);
	assert_int_equal(symlink(target, full), 0);
}

#define MACHINE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up_machine, tear_down_machine)
