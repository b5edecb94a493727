/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/refusal.h"
#include "varlink/internal.h"

#include <stddef.h>

/* What all methods of changes take, each some of it. */
struct parameters {
	struct nb_order_request request;
	const char *what;
	bool while_connected;
};

/* libsystemd's own dispatchers of numbers and truth values refuse null, which the interface has for
 * what is not given. */
static int dispatch_lease(const char *name, sd_json_variant *variant,
			  sd_json_dispatch_flags_t flags, void *ret)
{
	return sd_json_variant_is_null(variant)
		       ? 0
		       : sd_json_dispatch_uint64(name, variant, flags, ret);
}

static int dispatch_bool(const char *name, sd_json_variant *variant, sd_json_dispatch_flags_t flags,
			 void *ret)
{
	return sd_json_variant_is_null(variant)
		       ? 0
		       : sd_json_dispatch_stdbool(name, variant, flags, ret);
}

#define FIELD(name, type, dispatch, member, flags)                                                 \
	{                                                                                          \
		name, SD_JSON_VARIANT_##type, dispatch, offsetof(struct parameters, member), flags \
	}
#define TEXT(name, member, flags) FIELD(name, STRING, sd_json_dispatch_const_string, member, flags)
#define TRUTH(name, member) FIELD(name, BOOLEAN, dispatch_bool, member, SD_JSON_NULLABLE)
#define CPUS TEXT("cpus", request.cpus, SD_JSON_MANDATORY)
#define TARGET TEXT("target", request.target, SD_JSON_MANDATORY)
#define WHAT TEXT("what", what, SD_JSON_MANDATORY)
#define OWNER TEXT("owner", request.owner, SD_JSON_NULLABLE)
#define LEASE FIELD("leaseUSec", UNSIGNED, dispatch_lease, request.lease_usec, SD_JSON_NULLABLE)
#define EXCLUSIVE TRUTH("exclusive", request.exclusive)
#define WHILE_CONNECTED TRUTH("whileConnected", while_connected)

/* What a method of changes begins with: 0 and *ret, or it is answered, and returns this. */
static int take(struct nb_varlink_client *client, sd_json_variant *parameters,
		const sd_json_dispatch_field *fields, struct parameters *ret)
{
	int r;

	nb_peer_called(client->peer);
	r = nb_varlink_client_serve(client);
	if (r < 0)
		return r;
	if (client->peer->uid != 0)
		return sd_varlink_error(client->link, SD_VARLINK_ERROR_PERMISSION_DENIED, NULL);
	*ret = (struct parameters){};
	r = sd_varlink_dispatch(client->link, parameters, fields, ret);
	if (r != 0)
		return r;
	if (!ret->request.owner || !*ret->request.owner)
		ret->request.owner = NB_DEFAULT_OWNER;
	return 0;
}

static int reply_with_order(sd_varlink *link, uint64_t id, const char *remains)
{
	g_auto(GStrv) lines = g_strsplit(remains, "\n", -1);

	return sd_varlink_replybo(link, SD_JSON_BUILD_PAIR_UNSIGNED("id", id),
				  SD_JSON_BUILD_PAIR_STRV("remains", lines));
}

static int carry_out(struct nb_varlink_client *client, struct parameters *parameters)
{
	const struct nb_varlink *varlink = client->owner;
	g_auto(nb_refusal) refusal = {};
	g_autofree char *remains = NULL;
	uint64_t id;
	int r;

	if (parameters->while_connected)
		parameters->request.connection = client->peer->name;
	r = varlink->handlers.order(varlink->userdata, &parameters->request, &id, &remains,
				    &refusal);
	if (r < 0)
		return nb_varlink_refuse(client->link, &refusal);
	if (parameters->while_connected)
		nb_peer_hold(client->peer);
	return reply_with_order(client->link, id, remains);
}

static int on_ban(sd_varlink *link, sd_json_variant *given, sd_varlink_method_flags_t flags,
		  void *userdata)
{
	static const sd_json_dispatch_field fields[] = {CPUS, OWNER, LEASE, WHILE_CONNECTED, {}};
	struct parameters parameters;
	int r;

	(void)link;
	(void)flags;
	r = take(userdata, given, fields, &parameters);
	return r != 0 ? r : carry_out(userdata, &parameters);
}

static int on_claim(sd_varlink *link, sd_json_variant *given, sd_varlink_method_flags_t flags,
		    void *userdata)
{
	static const sd_json_dispatch_field fields[] = {
		TARGET, CPUS, EXCLUSIVE, OWNER, LEASE, WHILE_CONNECTED, {}};
	struct parameters parameters;
	int r;

	(void)link;
	(void)flags;
	r = take(userdata, given, fields, &parameters);
	return r != 0 ? r : carry_out(userdata, &parameters);
}

static int on_unban(sd_varlink *link, sd_json_variant *given, sd_varlink_method_flags_t flags,
		    void *userdata)
{
	static const sd_json_dispatch_field fields[] = {CPUS, OWNER, {}};
	const struct nb_varlink_client *client = userdata;
	g_auto(nb_refusal) refusal = {};
	struct parameters parameters;
	int r;

	(void)flags;
	r = take(userdata, given, fields, &parameters);
	if (r != 0)
		return r;
	r = client->owner->handlers.unban(client->owner->userdata, parameters.request.cpus,
					  parameters.request.owner, &refusal);
	return r < 0 ? nb_varlink_refuse(link, &refusal) : sd_varlink_reply(link, NULL);
}

static int on_release(sd_varlink *link, sd_json_variant *given, sd_varlink_method_flags_t flags,
		      void *userdata)
{
	static const sd_json_dispatch_field fields[] = {WHAT, OWNER, {}};
	const struct nb_varlink_client *client = userdata;
	g_auto(nb_refusal) refusal = {};
	struct parameters parameters;
	unsigned n = 0;
	int r;

	(void)flags;
	r = take(userdata, given, fields, &parameters);
	if (r != 0)
		return r;
	r = client->owner->handlers.release(client->owner->userdata, parameters.what,
					    parameters.request.owner, &n, &refusal);
	if (r < 0)
		return nb_varlink_refuse(link, &refusal);
	return sd_varlink_replybo(link, SD_JSON_BUILD_PAIR_UNSIGNED("nReleased", n));
}

/* The same of a method that reads: for everyone, without parameters. */
static int take_nothing(struct nb_varlink_client *client, sd_json_variant *parameters)
{
	static const sd_json_dispatch_field none[] = {{}};
	int r;

	nb_peer_called(client->peer);
	r = nb_varlink_client_serve(client);
	return r < 0 ? r : sd_varlink_dispatch(client->link, parameters, none, NULL);
}

static int make(const struct nb_varlink *varlink,
		int (*json)(const struct nb_status *status, sd_json_variant **ret),
		sd_json_variant **ret)
{
	struct nb_status status;

	varlink->handlers.get_status(varlink->userdata, &status);
	return json(&status, ret);
}

static int answer_with(struct nb_varlink_client *client, sd_json_variant *given,
		       int (*json)(const struct nb_status *status, sd_json_variant **ret))
{
	g_autoptr(sd_json_variant) answer = NULL;
	int r;

	r = take_nothing(client, given);
	if (r != 0)
		return r;
	r = make(client->owner, json, &answer);
	return r < 0 ? r : sd_varlink_reply(client->link, answer);
}

static int on_describe(sd_varlink *link, sd_json_variant *given, sd_varlink_method_flags_t flags,
		       void *userdata)
{
	(void)link;
	(void)flags;
	return answer_with(userdata, given, nb_varlink_status_json);
}

static int on_list(sd_varlink *link, sd_json_variant *given, sd_varlink_method_flags_t flags,
		   void *userdata)
{
	(void)link;
	(void)flags;
	return answer_with(userdata, given, nb_varlink_list_json);
}

/* It may be silent from now on: what it called for goes on. */
static int on_subscribe(sd_varlink *link, sd_json_variant *given, sd_varlink_method_flags_t flags,
			void *userdata)
{
	struct nb_varlink_client *client = userdata;
	g_autoptr(sd_json_variant) answer = NULL;
	int r;

	(void)flags;
	r = take_nothing(userdata, given);
	if (r != 0)
		return r;
	r = make(client->owner, nb_varlink_list_json, &answer);
	if (r >= 0)
		r = sd_varlink_notify(link, answer);
	if (r < 0)
		return r;
	client->subscribed = true;
	nb_peer_excuse(client->peer);
	return 0;
}

int nb_varlink_bind(sd_varlink_server *server)
{
	return sd_varlink_server_bind_method_many(
		server, NB_VARLINK_INTERFACE ".Describe", on_describe, NB_VARLINK_INTERFACE ".List",
		on_list, NB_VARLINK_INTERFACE ".Subscribe", on_subscribe,
		NB_VARLINK_INTERFACE ".Ban", on_ban, NB_VARLINK_INTERFACE ".Unban", on_unban,
		NB_VARLINK_INTERFACE ".Claim", on_claim, NB_VARLINK_INTERFACE ".Release",
		on_release);
}

int nb_varlink_tell(struct nb_varlink *varlink)
{
	g_autoptr(sd_json_variant) list = NULL;
	int r;

	r = make(varlink, nb_varlink_list_json, &list);
	for (unsigned i = varlink->listener->peers->len; r >= 0 && i > 0; i--) {
		struct nb_varlink_client *client =
			nb_listener_peer(varlink->listener, i - 1)->connection;

		if (client->subscribed && nb_varlink_client_serve(client) >= 0)
			(void)sd_varlink_notify(client->link, list);
	}
	return r;
}
