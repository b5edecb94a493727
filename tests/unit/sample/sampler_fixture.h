/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A sampler on a machine of files. */

#include "nicbalance/units.h"
#include "sample/sampler.h"
#include "unit/sample/machine.h"

#define SEC NB_NSEC_PER_SEC

struct fixture {
	char *dir;
	struct nb_sysroot *root;
	struct nb_sampler *sampler;
};

/* Takes dir, see nb_machine(). */
static inline void open_machine(struct fixture *f, char *dir)
{
	f->dir = dir;
	f->root = nb_machine_open(dir);
	assert_int_equal(nb_sampler_new(f->root, NULL, NULL, &f->sampler), 0);
	assert_int_equal(nb_sampler_rescan(f->sampler), 0);
}

/* One of tests/sysroots. */
static inline void open_stored(struct fixture *f, const char *name)
{
	char *dir = nb_tmp_make();

	nb_tmp_unpack(dir, name);
	open_machine(f, dir);
}

static inline void close_machine(struct fixture *f)
{
	nb_sampler_free(f->sampler);
	nb_sysroot_free(f->root);
	nb_tmp_remove(f->dir);
}

static inline const struct nb_snapshot *read_good(struct fixture *f, uint64_t now_nsec,
						  bool complete)
{
	const struct nb_snapshot *snapshot = NULL;

	assert_int_equal(nb_sampler_read(f->sampler, now_nsec,
					 complete ? NB_DEPTH_COMPLETE : NB_DEPTH_COUNTERS,
					 &snapshot),
			 0);
	assert_int_equal(snapshot->taken_nsec, now_nsec);
	assert_int_equal(snapshot->grade, NB_GRADE_ESTIMATED);
	return snapshot;
}
