/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bans and claims: for root alone. */
#include "base/refusal.h"
#include "publish/bus_internal.h"

#include <errno.h>

static const char *owner_or_default(const char *owner)
{
	return *owner ? owner : NB_DEFAULT_OWNER;
}

/* An order that hangs on a connection counts only while that is watched. */
static int hold(struct nb_bus *bus, sd_bus_message *call, const struct nb_order_request *order)
{
	int r = order->connection ? nb_bus_hold(bus, call) : 0;

	if (r < 0)
		nb_bus_end_orders(bus, order->connection);
	return r;
}

static int carry_out(sd_bus_message *call, struct nb_bus *bus, struct nb_order_request *order,
		     bool while_connected, sd_bus_error *error)
{
	g_autofree char *connection = while_connected ? nb_bus_connection_name(bus, call) : NULL;
	g_autofree char *remains = NULL;
	g_auto(nb_refusal) refusal = {};
	uint64_t id;
	int r;

	order->owner = owner_or_default(order->owner);
	order->connection = connection;
	r = bus->handlers.order(bus->userdata, order, &id, &remains, &refusal);
	if (r < 0)
		return nb_bus_fail(error, r, NB_BUS_ERROR_REFUSED, refusal.text);
	r = hold(bus, call, order);
	nb_bus_emit_changed(bus);
	if (r < 0)
		return sd_bus_error_set_errno(error, r);
	return sd_bus_reply_method_return(call, "ts", id, remains);
}

int nb_bus_ban(sd_bus_message *call, void *userdata, sd_bus_error *error)
{
	struct nb_order_request order = {};
	int while_connected, r;

	r = nb_bus_check_caller(call, error);
	if (r < 0)
		return r;
	r = sd_bus_message_read(call, "sstb", &order.cpus, &order.owner, &order.lease_usec,
				&while_connected);
	if (r < 0)
		return r;
	return carry_out(call, userdata, &order, while_connected, error);
}

int nb_bus_claim(sd_bus_message *call, void *userdata, sd_bus_error *error)
{
	struct nb_order_request order = {};
	int exclusive, while_connected, r;

	r = nb_bus_check_caller(call, error);
	if (r < 0)
		return r;
	r = sd_bus_message_read(call, "ssbstb", &order.target, &order.cpus, &exclusive,
				&order.owner, &order.lease_usec, &while_connected);
	if (r < 0)
		return r;
	order.exclusive = exclusive;
	return carry_out(call, userdata, &order, while_connected, error);
}

int nb_bus_unban(sd_bus_message *call, void *userdata, sd_bus_error *error)
{
	struct nb_bus *bus = userdata;
	g_auto(nb_refusal) refusal = {};
	const char *cpus, *owner;
	int r;

	r = nb_bus_check_caller(call, error);
	if (r < 0)
		return r;
	r = sd_bus_message_read(call, "ss", &cpus, &owner);
	if (r < 0)
		return r;
	r = bus->handlers.unban(bus->userdata, cpus, owner_or_default(owner), &refusal);
	if (r < 0)
		return nb_bus_fail(error, r, NB_BUS_ERROR_REFUSED, refusal.text);
	nb_bus_emit_changed(bus);
	return sd_bus_reply_method_return(call, NULL);
}

int nb_bus_release(sd_bus_message *call, void *userdata, sd_bus_error *error)
{
	struct nb_bus *bus = userdata;
	g_auto(nb_refusal) refusal = {};
	const char *what, *owner;
	unsigned n = 0;
	int r;

	r = nb_bus_check_caller(call, error);
	if (r < 0)
		return r;
	r = sd_bus_message_read(call, "ss", &what, &owner);
	if (r < 0)
		return r;
	r = bus->handlers.release(bus->userdata, what, owner_or_default(owner), &n, &refusal);
	if (r < 0)
		return nb_bus_fail(error, r, NB_BUS_ERROR_REFUSED, refusal.text);
	nb_bus_emit_changed(bus);
	return sd_bus_reply_method_return(call, "u", (uint32_t)n);
}
