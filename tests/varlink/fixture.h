/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The daemon of daemon/orders.h with its Varlink socket, and clients of it; both sides in this
 * thread. */

#include "daemon/orders.h"
#include "varlink/internal.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <sys/socket.h>
#include <sys/un.h>

#define NOBODY 65534
#define ERROR_OF_OURS(name) NB_VARLINK_INTERFACE "." name

struct client {
	struct fixture *f;
	sd_varlink *link;
	unsigned n_replies;
	sd_json_variant *reply; /* the last one */
	char *error;            /* its error; NULL: none */
};
typedef struct client scoped_client;

static inline char *socket_of(const struct fixture *f)
{
	return g_build_filename(f->dir, "socket", NULL);
}

static inline int serve(void **state)
{
	g_autofree char *path = NULL;
	struct fixture *f;
	int r = set_up_spread(state);

	if (r < 0)
		return r;
	f = *state;
	path = socket_of(f);
	assert_int_equal(g_chmod(f->dir, 0755), 0);
	return nb_varlink_new(f->daemon->event, path, &nb_daemon_handlers, f->daemon,
			      &f->daemon->varlink);
}

/* The server's side, until there is nothing left to do. */
static inline void run(struct fixture *f)
{
	while (sd_event_run(f->daemon->event, 0) > 0)
		;
}

static inline unsigned n_peers(const struct fixture *f)
{
	return f->daemon->varlink->listener->peers->len;
}

static inline int on_reply(sd_varlink *link, sd_json_variant *reply, const char *error,
			   sd_varlink_reply_flags_t flags, void *userdata)
{
	struct client *client = userdata;

	(void)link;
	(void)flags;
	client->n_replies++;
	sd_json_variant_unref(client->reply);
	client->reply = sd_json_variant_ref(reply);
	g_free(client->error);
	client->error = g_strdup(error);
	return 0;
}

static inline void client_connect(struct fixture *f, struct client *client)
{
	g_autofree char *path = socket_of(f);

	*client = (struct client){.f = f};
	assert_true(sd_varlink_connect_address(&client->link, path) >= 0);
	sd_varlink_set_userdata(client->link, client);
	assert_true(sd_varlink_bind_reply(client->link, on_reply) >= 0);
}

/* The kernel notes the effective user of whoever calls connect(2) (net/unix/af_unix.c
 * init_peercred). */
static inline void client_connect_as_nobody(struct fixture *f, struct client *client)
{
	if (geteuid() != 0)
		nb_skip("only root can become another user");
	assert_int_equal(seteuid(NOBODY), 0);
	client_connect(f, client);
	assert_int_equal(seteuid(0), 0);
}

static inline void client_clear(struct client *client)
{
	sd_varlink_flush_close_unref(client->link);
	sd_json_variant_unref(client->reply);
	g_free(client->error);
	run(client->f);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(scoped_client, client_clear)

/* Both sides, until there is nothing left to do. */
static inline void turn(struct client *client)
{
	int r;

	do {
		run(client->f);
		r = sd_varlink_process(client->link);
	} while (r > 0);
}

static inline char *method_of(const char *name)
{
	return g_strconcat(NB_VARLINK_INTERFACE ".", name, NULL);
}

static inline sd_json_variant *json_of(const char *text)
{
	sd_json_variant *json = NULL;

	assert_true(sd_json_parse(text, 0, &json, NULL, NULL) >= 0);
	return json;
}

/* Calls, and waits for the answer. */
static inline void call(struct client *client, const char *name, const char *parameters)
{
	g_autofree char *method = method_of(name);
	g_autoptr(sd_json_variant) json = json_of(parameters);
	unsigned n = client->n_replies;

	assert_true(sd_varlink_invoke(client->link, method, json) >= 0);
	turn(client);
	assert_int_equal(client->n_replies, n + 1);
}

static inline void assert_done(struct client *client, const char *name, const char *parameters)
{
	call(client, name, parameters);
	if (client->error)
		fail_msg("%s(%s): %s", name, parameters, client->error);
}

static inline void assert_error(struct client *client, const char *name, const char *parameters,
				const char *expected)
{
	call(client, name, parameters);
	assert_non_null(client->error);
	assert_string_equal(client->error, expected);
}

static inline void subscribe(struct client *client)
{
	assert_true(sd_varlink_observe(client->link, NB_VARLINK_INTERFACE ".Subscribe", NULL) >= 0);
	turn(client);
}

/* A field of the last answer. */
static inline sd_json_variant *field(const struct client *client, const char *name)
{
	return sd_json_variant_by_key(client->reply, name);
}

static inline const char *text_of(sd_json_variant *object, const char *name)
{
	return sd_json_variant_string(sd_json_variant_by_key(object, name));
}

static inline bool is_true(sd_json_variant *object, const char *name)
{
	return sd_json_variant_boolean(sd_json_variant_by_key(object, name));
}

static inline uint64_t number_of(sd_json_variant *object, const char *name)
{
	return sd_json_variant_unsigned(sd_json_variant_by_key(object, name));
}

/* The list of the last answer. */
static inline size_t n_listed(const struct client *client)
{
	return sd_json_variant_elements(field(client, "orders"));
}

static inline sd_json_variant *listed(const struct client *client, size_t i)
{
	return sd_json_variant_by_index(field(client, "orders"), i);
}

static inline void need_root(void)
{
	if (geteuid() != 0)
		nb_skip("only root may order anything");
}
