/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A listener whose protocol says nothing, and notes what it is asked. */

#include "publish/listener.h"
#include "support/support.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

struct listening {
	char *dir, *path;
	sd_event *event;
	struct nb_listener *listener;
	bool refuses; /* to serve */
	char *ended;  /* the connection whose orders ended last */
};

static inline int open_mute(struct nb_peer *peer, int fd, void **ret_connection)
{
	const struct listening *listening = peer->listener->userdata;

	if (listening->refuses) {
		close(fd);
		return -ENOBUFS;
	}
	*ret_connection = GINT_TO_POINTER(fd);
	return 0;
}

static inline void close_mute(void *connection)
{
	close(GPOINTER_TO_INT(connection));
}

static inline void note_end(void *userdata, const char *connection)
{
	struct listening *listening = userdata;

	g_free(listening->ended);
	listening->ended = g_strdup(connection);
}

static const struct nb_protocol mute = {
	.name = "mute",
	.open = open_mute,
	.close = close_mute,
	.end_orders = note_end,
};

static inline int listen_at(struct listening *listening)
{
	return nb_listener_new(listening->event, listening->path, &mute, listening,
			       &listening->listener);
}

static inline int make_dir(void **state)
{
	struct listening *listening = g_new0(struct listening, 1);

	listening->dir = nb_tmp_make();
	listening->path = g_build_filename(listening->dir, "socket", NULL);
	assert_true(sd_event_new(&listening->event) >= 0);
	*state = listening;
	return 0;
}

static inline int remove_dir(void **state)
{
	struct listening *listening = *state;

	nb_listener_free(listening->listener);
	sd_event_unref(listening->event);
	nb_tmp_remove(listening->dir);
	g_free(listening->path);
	g_free(listening->ended);
	g_free(listening);
	return 0;
}
