/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/support.h"

#include <ftw.h>
#include <glib/gstdio.h>
#include <stdio.h>

char *nb_tmp_make(void)
{
	char *dir = g_dir_make_tmp("nicbalance-test-XXXXXX", NULL);

	assert_non_null(dir);
	return dir;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void nb_tmp_remove(char *dir)
{
	assert_int_equal(nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
	g_free(dir);
}

void nb_tmp_write(const char *dir, const char *path, const char *text)
{
	g_autofree char *full = g_build_filename(dir, path, NULL);
	g_autofree char *parent = g_path_get_dirname(full);

	assert_int_equal(g_mkdir_with_parents(parent, 0755), 0);
	/* Not to last: no waiting for the disk. In that mode GLib does not shorten a longer file.
	 */
	(void)g_unlink(full);
	assert_true(g_file_set_contents_full(full, text, -1, G_FILE_SET_CONTENTS_NONE, 0644, NULL));
}

char *nb_tmp_read(const char *dir, const char *path)
{
	g_autofree char *full = g_build_filename(dir, path, NULL);
	char *text = NULL;

	assert_true(g_file_get_contents(full, &text, NULL, NULL));
	return text;
}

void nb_tmp_unpack(const char *dir, const char *name)
{
	g_autofree char *file = g_strdup_printf(NB_SOURCE_DIR "/tests/sysroots/%s.machine", name);
	const char *argv[] = {NB_SOURCE_DIR "/tests/support/unpack-machine", file, dir, NULL};
	int status = -1;

	assert_true(g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, NULL,
				 &status, NULL));
	assert_int_equal(status, 0);
}
