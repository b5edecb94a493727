/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Where configuration files are found, and how one is read. */

#include "sysroot/sysroot.h"

/* Far above any file that people write; below what would hurt to read. */
#define NB_CONFIG_FILE_MAX ((size_t)1 << 20)

/* Places of the main file below the root, the first that exists counts. NULL ends it. */
extern const char *const nb_config_main_files[];

/* Appends the drop-ins of a file with such places, below the root, in the order they are to be
 * read, those that are hidden left out. A directory that is there but cannot be read: its errno
 * and, in *ret_path, its path, owned; the drop-ins of the others are appended all the same. */
int nb_config_list_dropins(struct nb_sysroot *root, const char *const *places, GPtrArray *paths,
			   char **ret_path);

/* The text of one file. A device such as /dev/null, and a link to it in a captured machine, is
 * empty. -EISDIR; -ENXIO: a FIFO, a socket or a disk; -EFBIG: above NB_CONFIG_FILE_MAX; -ENOLINK: a
 * link to a file that is not there; else the errno of the system call. */
int nb_config_read_file(struct nb_sysroot *root, const char *path, GString *text);
/* The sentence for such a failure, with what to do; caller frees. */
char *nb_config_explain_read(int error);
