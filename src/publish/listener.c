/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "publish/listener.h"

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

static int listen_at(const char *path, int *ret_fd)
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
static void pause_accepting(struct nb_listener *listener)
{
	(void)sd_event_source_set_enabled(listener->accept, SD_EVENT_OFF);
	(void)sd_event_source_set_time_relative(listener->accept_again, ACCEPT_PAUSE_USEC);
	(void)sd_event_source_set_enabled(listener->accept_again, SD_EVENT_ONESHOT);
}

static int on_accept_again(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct nb_listener *listener = userdata;

	(void)source;
	(void)usec;
	(void)sd_event_source_set_enabled(listener->accept, SD_EVENT_ON);
	return 0;
}

/* One connection a turn: a crowd of clients takes turns with the loop's own work. */
static int on_connection(sd_event_source *source, int listen_fd, uint32_t events, void *userdata)
{
	struct nb_listener *listener = userdata;
	int fd;

	(void)source;
	(void)events;
	fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd >= 0)
		nb_listener_add_peer(listener, fd);
	else if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
		pause_accepting(listener);
	return 0;
}

static int start_accepting(struct nb_listener *listener)
{
	int r;

	r = sd_event_add_io(listener->event, &listener->accept, listener->fd, EPOLLIN,
			    on_connection, listener);
	if (r < 0)
		return r;
	r = sd_event_add_time_relative(listener->event, &listener->accept_again, CLOCK_MONOTONIC,
				       ACCEPT_PAUSE_USEC, 0, on_accept_again, listener);
	if (r < 0)
		return r;
	return sd_event_source_set_enabled(listener->accept_again, SD_EVENT_OFF);
}

int nb_listener_new(sd_event *event, const char *path, const struct nb_protocol *protocol,
		    void *userdata, struct nb_listener **ret)
{
	g_autoptr(nb_listener) listener = g_new0(struct nb_listener, 1);
	int r;

	listener->event = sd_event_ref(event);
	listener->protocol = protocol;
	listener->userdata = userdata;
	listener->fd = -1;
	listener->peers = g_ptr_array_new();

	r = listen_at(path, &listener->fd);
	if (r < 0)
		return r;
	listener->path = g_strdup(path);
	r = start_accepting(listener);
	if (r < 0)
		return r;
	*ret = g_steal_pointer(&listener);
	return 0;
}

void nb_listener_free(struct nb_listener *listener)
{
	if (!listener)
		return;
	sd_event_source_disable_unref(listener->accept);
	sd_event_source_disable_unref(listener->accept_again);
	while (listener->peers->len > 0)
		nb_peer_drop(nb_listener_peer(listener, 0));
	g_ptr_array_unref(listener->peers);
	if (listener->path)
		g_unlink(listener->path);
	g_free(listener->path);
	if (listener->fd >= 0)
		close(listener->fd);
	sd_event_unref(listener->event);
	g_free(listener);
}
