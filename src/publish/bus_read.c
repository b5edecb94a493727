/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What everyone may read: the document, a recording, and the properties. */
#include "base/describe.h"
#include "document/document.h"
#include "nicbalance/names.h"
#include "publish/bus_internal.h"
#include "version.h"

/* Who asks again and again and does not read must not fill our memory. A bus in between reads. */
static bool leaves_documents_unread(sd_bus *connection)
{
	uint64_t n_waiting = 0;

	return sd_bus_is_bus_client(connection) <= 0 &&
	       sd_bus_get_n_queued_write(connection, &n_waiting) >= 0 &&
	       n_waiting > PEER_DOCUMENTS_MAX;
}

static char *make_document(struct nb_bus *bus, const struct nb_status *status)
{
	g_autoptr(GArray) delays = g_array_new(FALSE, FALSE, sizeof(struct nb_delays));

	bus->handlers.get_delays(bus->userdata, delays);
	return nb_document_make(status, bus->handlers.get_config(bus->userdata), delays);
}

static int refuse_more(sd_bus_error *error)
{
	return sd_bus_error_set(error, SD_BUS_ERROR_LIMITS_EXCEEDED,
				"Earlier answers wait to be read.");
}

int nb_bus_describe(sd_bus_message *call, void *userdata, sd_bus_error *error)
{
	struct nb_bus *bus = userdata;
	struct nb_status status;

	if (leaves_documents_unread(sd_bus_message_get_bus(call)))
		return refuse_more(error);
	/* An idle daemon samples for that, and then forgets the document. */
	nb_bus_get_status(bus, &status);
	if (!bus->document)
		bus->document = make_document(bus, &status);
	return sd_bus_reply_method_return(call, "s", bus->document);
}

int nb_bus_describe_owners(sd_bus_message *call, void *userdata, sd_bus_error *error)
{
	struct nb_bus *bus = userdata;
	g_autofree char *document = NULL;

	if (leaves_documents_unread(sd_bus_message_get_bus(call)))
		return refuse_more(error);
	document = bus->handlers.describe_owners(bus->userdata);
	return sd_bus_reply_method_return(call, "s", document);
}

/* A trace tells no more than status does. */
int nb_bus_record(sd_bus_message *call, void *userdata, sd_bus_error *error)
{
	struct nb_bus *bus = userdata;
	struct nb_recorded recorded;
	uint64_t cursor;
	int r;

	(void)error;
	r = sd_bus_message_read(call, "t", &cursor);
	if (r < 0)
		return r;
	bus->handlers.record(bus->userdata, cursor, &recorded);
	return sd_bus_reply_method_return(call, NB_BUS_RECORDED, recorded.cursor,
					  (int)recorded.lost, recorded.text);
}

int nb_bus_property_text(sd_bus *connection, const char *path, const char *interface,
			 const char *property, sd_bus_message *reply, void *userdata,
			 sd_bus_error *error)
{
	g_autofree char *text = NULL;
	struct nb_status status;

	(void)connection;
	(void)path;
	(void)interface;
	(void)error;
	nb_bus_get_status(userdata, &status);
	if (g_str_equal(property, "Version"))
		text = g_strdup(NB_VERSION);
	else if (g_str_equal(property, "Mode"))
		text = g_strdup(nb_mode_to_string(status.mode));
	else if (g_str_equal(property, "VerdictText"))
		text = nb_plan_describe(status.plan);
	else
		text = g_strdup(nb_verdict_to_string(status.plan ? status.plan->verdict
								 : NB_VERDICT_UNKNOWN));
	return sd_bus_message_append(reply, "s", text);
}

int nb_bus_property_paused(sd_bus *connection, const char *path, const char *interface,
			   const char *property, sd_bus_message *reply, void *userdata,
			   sd_bus_error *error)
{
	struct nb_status status;

	(void)connection;
	(void)path;
	(void)interface;
	(void)property;
	(void)error;
	nb_bus_get_status(userdata, &status);
	return sd_bus_message_append(reply, "b", (int)status.paused);
}
