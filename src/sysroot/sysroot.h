/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The one door to /proc, /sys, /run and /etc. Paths are relative to the root ("proc/stat") and
 * cannot leave it (openat2 with RESOLVE_IN_ROOT below a captured root), so that a captured machine
 * serves as well as the host. All functions return 0 or a negative errno unless they say otherwise.
 */

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct nb_sysroot nb_sysroot;

/* dir NULL or "/": the host itself. */
int nb_sysroot_open(const char *dir, struct nb_sysroot **ret);
void nb_sysroot_free(struct nb_sysroot *root);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(nb_sysroot, nb_sysroot_free)

/* True for the host itself, where netlink and the clock speak of the same machine as the files. */
bool nb_sysroot_is_host(const struct nb_sysroot *root);

/* The whole file, NUL-terminated behind its length. Caller frees (g_free). */
int nb_sysroot_read(struct nb_sysroot *root, const char *path, char **ret_text, size_t *ret_len);
/* A file that holds one decimal number, most at the largest. -EBADMSG: it holds something else. */
int nb_sysroot_read_number(struct nb_sysroot *root, const char *path, uint64_t most, uint64_t *ret);
/* The same as nb_sysroot_read() into buffer, which is emptied first and keeps its memory for the
 * next time. */
int nb_sysroot_read_into(struct nb_sysroot *root, const char *path, GString *buffer);
/* A descriptor for files read again and again with nb_sysroot_pread(). Caller closes. */
int nb_sysroot_open_file(struct nb_sysroot *root, const char *path, int *ret_fd);
int nb_sysroot_pread(int fd, GString *buffer);

bool nb_sysroot_exists(struct nb_sysroot *root, const char *path);
/* Whether the owner may write the file by its mode. False too where there is no such file. */
bool nb_sysroot_is_writable(struct nb_sysroot *root, const char *path);

/* Tells a file that was written or replaced. All zero: there is none. */
struct nb_file_stamp {
	uint64_t inode;
	uint64_t size;
	uint64_t written_nsec; /* CLOCK_REALTIME */
};
struct nb_file_stamp nb_sysroot_stamp(struct nb_sysroot *root, const char *path);

/* Names in a directory, sorted by number where they end in one; caller frees (g_strfreev). */
int nb_sysroot_list(struct nb_sysroot *root, const char *path, char ***ret_names);
/* The last component of a symlink's target ("igb" of …/driver); caller frees. */
int nb_sysroot_link_name(struct nb_sysroot *root, const char *path, char **ret_name);

/* One write(2) of the whole text to an existing file, so that the errno is the kernel's answer. */
int nb_sysroot_write(struct nb_sysroot *root, const char *path, const char *text, size_t len);
/* Replaces or creates a regular file so that readers see the old or the new text, never a part.
 * Makes missing parent directories, mode 0755; the file has mode 0644. */
int nb_sysroot_replace(struct nb_sysroot *root, const char *path, const char *text, size_t len);
int nb_sysroot_unlink(struct nb_sysroot *root, const char *path);

/* For tests: every nb_sysroot_write() goes to this function instead, which may call
 * nb_sysroot_write_real(). The fake kernel of tests/support answers writes as the real one does. */
typedef int (*nb_sysroot_writer)(struct nb_sysroot *root, const char *path, const char *text,
				 size_t len, void *userdata);
void nb_sysroot_set_writer(struct nb_sysroot *root, nb_sysroot_writer writer, void *userdata);
int nb_sysroot_write_real(struct nb_sysroot *root, const char *path, const char *text, size_t len);
