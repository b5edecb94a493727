/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "publish/bus_internal.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static int make_address(const char *path, struct sockaddr_un *ret)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, path, strlen(path) + 1);
	*ret = address;
	return 0;
}

static int open_socket(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	return fd < 0 ? -errno : fd;
}

static int bind_to(int fd, const struct sockaddr_un *address)
{
	return bind(fd, (const struct sockaddr *)address, sizeof(*address)) < 0 ? -errno : 0;
}

/* The kernel refuses a connection at once when the file has no listener behind it
 * (net/unix/af_unix.c unix_find_bsd); a full backlog answers EAGAIN. */
static bool is_stale(const struct sockaddr_un *address)
{
	int fd = open_socket();
	bool stale;

	if (fd < 0)
		return false;
	stale = connect(fd, (const struct sockaddr *)address, sizeof(*address)) < 0 &&
		errno == ECONNREFUSED;
	close(fd);
	return stale;
}

static bool is_socket(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISSOCK(st.st_mode);
}

static int bind_replacing(int fd, const struct sockaddr_un *address)
{
	int r = bind_to(fd, address);

	if (r != -EADDRINUSE || !is_socket(address->sun_path) || !is_stale(address))
		return r;
	if (g_unlink(address->sun_path) < 0)
		return -errno;
	return bind_to(fd, address);
}

/* Everyone may read, whatever the umask is. */
static int open_to_all(int fd, const char *path)
{
	if (g_chmod(path, 0666) < 0 || listen(fd, SOMAXCONN) < 0)
		return -errno;
	return 0;
}

int nb_bus_listen(const char *path, int *ret_fd)
{
	struct sockaddr_un address;
	int fd, r;

	r = make_address(path, &address);
	if (r < 0)
		return r;
	fd = open_socket();
	if (fd < 0)
		return fd;

	r = bind_replacing(fd, &address);
	if (r < 0)
		goto fail;
	r = open_to_all(fd, path);
	if (r < 0)
		goto fail_bound;

	*ret_fd = fd;
	return 0;

fail_bound:
	g_unlink(path);
fail:
	close(fd);
	return r;
}
