/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* How the files of this folder find a path below the root. */

#include "sysroot/sysroot.h"

#include <fcntl.h>
#include <unistd.h>

struct nb_sysroot {
	int fd; /* O_PATH of the root directory */
	bool is_host;
	nb_sysroot_writer writer; /* NULL: nb_sysroot_write_real() */
	void *writer_userdata;
};

/* Opens path below the root, with O_CLOEXEC added. Returns a descriptor or a negative errno; "" is
 * the root itself. */
int nb_sysroot_open_path(struct nb_sysroot *root, const char *path, int flags);

/* Closes the descriptor of a scope that is left. */
static inline void nb_closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}
#define nb_autoclose __attribute__((cleanup(nb_closep)))
