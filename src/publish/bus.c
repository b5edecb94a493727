/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "document/document.h"
#include "publish/bus_internal.h"

/* sd-bus's own check asks for CAP_SYS_ADMIN and answers in no words: ours is in bus_change.c. */
#define CHANGE(member, handler) \
	SD_BUS_METHOD(member, NULL, NULL, handler, SD_BUS_VTABLE_UNPRIVILEGED)
#define TEXT(name, flags) SD_BUS_PROPERTY(name, "s", nb_bus_property_text, 0, flags)

/* clang-format off */
static const sd_bus_vtable vtable[] = {
	SD_BUS_VTABLE_START(0),

	TEXT("Version", SD_BUS_VTABLE_PROPERTY_CONST),
	TEXT("Mode", SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
	SD_BUS_PROPERTY("Paused", "b", nb_bus_property_paused, 0,
			SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
	TEXT("Verdict", SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
	TEXT("VerdictText", SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),

	SD_BUS_METHOD_WITH_NAMES("Describe", NULL, , "s", SD_BUS_PARAM(json), nb_bus_describe,
		SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_NAMES("DescribeOwners", NULL, , "s", SD_BUS_PARAM(json),
		nb_bus_describe_owners, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_NAMES("Record", "t", SD_BUS_PARAM(cursor), NB_BUS_RECORDED,
		SD_BUS_PARAM(next_cursor) SD_BUS_PARAM(lost) SD_BUS_PARAM(text),
		nb_bus_record, SD_BUS_VTABLE_UNPRIVILEGED),

	CHANGE("Pause", nb_bus_pause),
	CHANGE("Resume", nb_bus_resume),
	SD_BUS_METHOD_WITH_NAMES("Restore", NULL, , "u", SD_BUS_PARAM(n_restored), nb_bus_restore,
		SD_BUS_VTABLE_UNPRIVILEGED),
	CHANGE("Reload", nb_bus_reload),
	CHANGE("WatchDelays", nb_bus_watch_delays),

	SD_BUS_METHOD_WITH_NAMES("Ban", "sstb",
		SD_BUS_PARAM(cpus) SD_BUS_PARAM(owner) SD_BUS_PARAM(lease_usec)
		SD_BUS_PARAM(while_connected),
		"ts", SD_BUS_PARAM(id) SD_BUS_PARAM(remains),
		nb_bus_ban, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_NAMES("Unban", "ss", SD_BUS_PARAM(cpus) SD_BUS_PARAM(owner), NULL, ,
		nb_bus_unban, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_NAMES("Claim", "ssbstb",
		SD_BUS_PARAM(target) SD_BUS_PARAM(cpus) SD_BUS_PARAM(exclusive) SD_BUS_PARAM(owner)
		SD_BUS_PARAM(lease_usec) SD_BUS_PARAM(while_connected),
		"ts", SD_BUS_PARAM(id) SD_BUS_PARAM(remains),
		nb_bus_claim, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_NAMES("Release", "ss", SD_BUS_PARAM(what) SD_BUS_PARAM(owner),
		"u", SD_BUS_PARAM(n_released), nb_bus_release, SD_BUS_VTABLE_UNPRIVILEGED),

	SD_BUS_SIGNAL_WITH_NAMES("Recorded", "s", SD_BUS_PARAM(json), 0),

	SD_BUS_VTABLE_END
};
/* clang-format on */

int nb_bus_export(struct nb_bus *bus, sd_bus *connection, sd_bus_slot **ret_slot)
{
	return sd_bus_add_object_vtable(connection, ret_slot, NB_BUS_PATH, NB_BUS_INTERFACE, vtable,
					bus);
}

int nb_bus_new(sd_event *event, const char *socket_path, bool system_bus,
	       const struct nb_handlers *handlers, void *userdata, struct nb_bus **ret)
{
	g_autoptr(nb_bus) bus = g_new0(struct nb_bus, 1);
	int r;

	bus->event = sd_event_ref(event);
	bus->handlers = *handlers;
	bus->userdata = userdata;
	bus->holders = g_ptr_array_new_with_free_func(nb_bus_holder_free);

	r = nb_listener_new(event, socket_path, &nb_bus_protocol, bus, &bus->listener);
	if (r < 0)
		return r;
	if (system_bus) {
		r = nb_bus_open_system(bus);
		if (r < 0)
			return r;
	}

	*ret = g_steal_pointer(&bus);
	return 0;
}

void nb_bus_free(struct nb_bus *bus)
{
	if (!bus)
		return;
	nb_bus_close_system(bus);
	nb_listener_free(bus->listener);
	g_ptr_array_unref(bus->holders);
	g_free(bus->document);
	sd_event_unref(bus->event);
	g_free(bus);
}

static int send_changed(sd_bus *connection)
{
	return sd_bus_emit_properties_changed(connection, NB_BUS_PATH, NB_BUS_INTERFACE, "Mode",
					      "Paused", "Verdict", "VerdictText", NULL);
}

/* Errors are ignored: a connection that broke says so to its own handler. */
static void tell(sd_bus *connection, const char *record)
{
	if (!sd_bus_is_ready(connection))
		return;
	if (record)
		(void)sd_bus_emit_signal(connection, NB_BUS_PATH, NB_BUS_INTERFACE, "Recorded", "s",
					 record);
	(void)send_changed(connection);
}

void nb_bus_forget_document(struct nb_bus *bus)
{
	g_clear_pointer(&bus->document, g_free);
}

static void tell_everyone(struct nb_bus *bus, const char *record)
{
	nb_bus_forget_document(bus);
	if (bus->system)
		tell(bus->system, record);

	for (unsigned i = bus->listener->peers->len; i > 0; i--) {
		struct nb_peer *peer = nb_listener_peer(bus->listener, i - 1);

		tell(nb_bus_of_peer(peer), record);
		if (nb_bus_leaves_unread(nb_bus_of_peer(peer)))
			nb_peer_drop(peer);
	}
}

void nb_bus_emit_record(struct nb_bus *bus, const struct nb_record *record)
{
	json_t *move = nb_document_move(record);
	g_autofree char *text = nb_document_print_compact(move);

	json_decref(move);
	tell_everyone(bus, text);
}

void nb_bus_emit_changed(struct nb_bus *bus)
{
	tell_everyone(bus, NULL);
}
