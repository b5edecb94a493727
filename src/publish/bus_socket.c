/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "publish/bus_internal.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/epoll.h>
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

/* Without a free descriptor the waiting connection cannot even be refused, and the event would come
 * again at once, for ever. */
static void pause_accepting(struct nb_bus *bus)
{
	(void)sd_event_source_set_enabled(bus->accept, SD_EVENT_OFF);
	(void)sd_event_source_set_time_relative(bus->accept_again, ACCEPT_PAUSE_USEC);
	(void)sd_event_source_set_enabled(bus->accept_again, SD_EVENT_ONESHOT);
}

static int on_accept_again(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct nb_bus *bus = userdata;

	(void)source;
	(void)usec;
	(void)sd_event_source_set_enabled(bus->accept, SD_EVENT_ON);
	return 0;
}

/* One connection a turn: a crowd of clients takes turns with the loop's own work. */
static int on_connection(sd_event_source *source, int listen_fd, uint32_t events, void *userdata)
{
	struct nb_bus *bus = userdata;
	int fd;

	(void)source;
	(void)events;
	fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd >= 0)
		nb_bus_add_peer(bus, fd);
	else if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
		pause_accepting(bus);
	return 0;
}

int nb_bus_open_socket(struct nb_bus *bus, const char *path)
{
	int r;

	bus->peers = g_ptr_array_new_with_free_func(nb_bus_peer_free);

	r = nb_bus_listen(path, &bus->listen_fd);
	if (r < 0)
		return r;
	bus->socket_path = g_strdup(path);

	r = sd_event_add_io(bus->event, &bus->accept, bus->listen_fd, EPOLLIN, on_connection, bus);
	if (r < 0)
		return r;
	r = sd_event_add_time_relative(bus->event, &bus->accept_again, CLOCK_MONOTONIC,
				       ACCEPT_PAUSE_USEC, 0, on_accept_again, bus);
	if (r < 0)
		return r;
	return sd_event_source_set_enabled(bus->accept_again, SD_EVENT_OFF);
}

void nb_bus_close_socket(struct nb_bus *bus)
{
	sd_event_source_disable_unref(bus->accept);
	sd_event_source_disable_unref(bus->accept_again);
	if (bus->peers)
		g_ptr_array_unref(bus->peers);
	if (bus->socket_path)
		g_unlink(bus->socket_path);
	g_free(bus->socket_path);
	if (bus->listen_fd >= 0)
		close(bus->listen_fd);
}
