/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "publish/bus_internal.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

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
