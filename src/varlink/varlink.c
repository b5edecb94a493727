/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "varlink/internal.h"
#include "version.h"

bool nb_varlink_is_built(void)
{
	return true;
}

static int on_change(sd_event_source *source, void *userdata)
{
	(void)source;
	(void)nb_varlink_tell(userdata);
	return 0;
}

/* A change is told before the next order is taken, so that none is left out. */
static int add_change(struct nb_varlink *varlink, sd_event *event)
{
	int r;

	r = sd_event_add_defer(event, &varlink->change, on_change, varlink);
	if (r < 0)
		return r;
	r = sd_event_source_set_priority(varlink->change, SD_EVENT_PRIORITY_IMPORTANT);
	if (r < 0)
		return r;
	return sd_event_source_set_enabled(varlink->change, SD_EVENT_OFF);
}

static int make_server(sd_varlink_server **ret)
{
	g_autoptr(sd_varlink_server) server = NULL;
	int r;

	r = sd_varlink_server_new(&server, 0);
	if (r < 0)
		return r;
	r = sd_varlink_server_set_info(server, "nicbalance", "nicbalanced", NB_VERSION, NULL);
	if (r < 0)
		return r;
	r = sd_varlink_server_add_interface(server, &vl_interface_constraints);
	if (r < 0)
		return r;
	r = nb_varlink_bind(server);
	if (r < 0)
		return r;
	r = sd_varlink_server_bind_disconnect(server, nb_varlink_on_disconnect);
	if (r < 0)
		return r;
	*ret = g_steal_pointer(&server);
	return 0;
}

int nb_varlink_new(sd_event *event, const char *path, const struct nb_handlers *handlers,
		   void *userdata, struct nb_varlink **ret)
{
	g_autoptr(nb_varlink) varlink = g_new0(struct nb_varlink, 1);
	int r;

	varlink->handlers = *handlers;
	varlink->userdata = userdata;
	r = make_server(&varlink->server);
	if (r < 0)
		return r;
	r = add_change(varlink, event);
	if (r < 0)
		return r;
	r = nb_listener_new(event, path, &nb_varlink_protocol, varlink, &varlink->listener);
	if (r < 0)
		return r;
	*ret = g_steal_pointer(&varlink);
	return 0;
}

void nb_varlink_free(struct nb_varlink *varlink)
{
	if (!varlink)
		return;
	nb_listener_free(varlink->listener);
	sd_event_source_disable_unref(varlink->change);
	sd_varlink_server_unref(varlink->server);
	g_free(varlink);
}

void nb_varlink_emit_list(struct nb_varlink *varlink)
{
	if (varlink)
		(void)sd_event_source_set_enabled(varlink->change, SD_EVENT_ONESHOT);
}
