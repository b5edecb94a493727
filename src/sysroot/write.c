/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sysroot/open.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

void nb_sysroot_set_writer(struct nb_sysroot *root, nb_sysroot_writer writer, void *userdata)
{
	root->writer = writer;
	root->writer_userdata = userdata;
}

int nb_sysroot_write(struct nb_sysroot *root, const char *path, const char *text, size_t len)
{
	if (root->writer)
		return root->writer(root, path, text, len, root->writer_userdata);
	return nb_sysroot_write_real(root, path, text, len);
}

int nb_sysroot_write_real(struct nb_sysroot *root, const char *path, const char *text, size_t len)
{
	/* In a captured machine the knobs are regular files: the old value must not show behind. */
	nb_autoclose int fd =
		nb_sysroot_open_path(root, path, O_WRONLY | (root->is_host ? 0 : O_TRUNC));
	ssize_t n;

	if (fd < 0)
		return fd;
	do
		n = write(fd, text, len);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return (size_t)n == len ? 0 : -EIO;
}

static void split(const char *path, char **ret_parent, const char **ret_name)
{
	const char *slash = strrchr(path, '/');

	*ret_parent = slash ? g_strndup(path, (gsize)(slash - path)) : g_strdup("");
	*ret_name = slash ? slash + 1 : path;
}

/* The directory, made where it is missing. Returns a descriptor to use with the …at() calls. */
static int open_directory(struct nb_sysroot *root, const char *path)
{
	g_autofree char *parent = NULL;
	const char *name;
	int fd = nb_sysroot_open_path(root, path, O_PATH | O_DIRECTORY);

	if (fd != -ENOENT || *path == '\0')
		return fd;

	split(path, &parent, &name);
	nb_autoclose int parent_fd = open_directory(root, parent);

	if (parent_fd < 0)
		return parent_fd;
	if (mkdirat(parent_fd, name, 0755) < 0 && errno != EEXIST)
		return -errno;
	/* Whatever the umask. */
	if (fchmodat(parent_fd, name, 0755, 0) < 0)
		return -errno;
	return nb_sysroot_open_path(root, path, O_PATH | O_DIRECTORY);
}

static int write_all(int fd, const char *text, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text += n;
		len -= (size_t)n;
	}
	return 0;
}

static int write_new(int dir_fd, const char *name, const char *text, size_t len)
{
	nb_autoclose int fd =
		openat(dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	int r;

	if (fd < 0)
		return -errno;
	r = write_all(fd, text, len);
	if (r < 0)
		return r;
	/* Before the rename, or a power failure could leave the new name with no text. */
	if (fchmod(fd, 0644) < 0 || fsync(fd) < 0)
		return -errno;
	return 0;
}

int nb_sysroot_replace(struct nb_sysroot *root, const char *path, const char *text, size_t len)
{
	g_autofree char *parent = NULL, *temporary = NULL;
	const char *name;
	int r;

	split(path, &parent, &name);
	nb_autoclose int dir_fd = open_directory(root, parent);

	if (dir_fd < 0)
		return dir_fd;

	temporary = g_strconcat(".", name, ".new", NULL);
	/* Left behind by a crash in here. */
	(void)unlinkat(dir_fd, temporary, 0);
	r = write_new(dir_fd, temporary, text, len);
	if (r == 0 && renameat(dir_fd, temporary, dir_fd, name) < 0)
		r = -errno;
	if (r < 0)
		(void)unlinkat(dir_fd, temporary, 0);
	return r;
}

int nb_sysroot_unlink(struct nb_sysroot *root, const char *path)
{
	g_autofree char *parent = NULL;
	const char *name;

	split(path, &parent, &name);
	nb_autoclose int dir_fd = nb_sysroot_open_path(root, parent, O_PATH | O_DIRECTORY);

	if (dir_fd < 0)
		return dir_fd;
	return unlinkat(dir_fd, name, 0) < 0 ? -errno : 0;
}
