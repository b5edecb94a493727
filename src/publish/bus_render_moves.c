/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/describe.h"
#include "nicbalance/names.h"
#include "publish/bus_internal.h"

static int append_change(sd_bus_message *message, const struct nb_record *record)
{
	int r;

	r = sd_bus_message_append(message, "i", record->key.ifindex);
	if (r < 0)
		return r;
	r = nb_bus_append_texts(message, record->netdev, NULL);
	if (r < 0)
		return r;
	r = sd_bus_message_append(message, "u", record->key.index);
	if (r < 0)
		return r;
	r = nb_bus_append_irqs(message, record->irqs, record->n_irqs);
	if (r < 0)
		return r;
	return sd_bus_message_append(message, "iissuuuu", record->cpu_from, record->cpu_to,
				     record->rps_from ? record->rps_from : "",
				     record->rps_to ? record->rps_to : "", record->load,
				     record->before, record->predicted, record->measured);
}

/* What others did, and putting back, has no reason of ours. */
static const char *reason_word(const struct nb_record *record)
{
	if (record->event != NB_EVENT_MOVED && record->event != NB_EVENT_STEERED &&
	    record->event != NB_EVENT_REDIRECTED)
		return "";
	return nb_reason_to_string(record->reason);
}

int nb_bus_append_record(sd_bus_message *message, const struct nb_record *record)
{
	g_autofree char *what = nb_record_what(record);
	g_autofree char *why = nb_record_why(record);
	g_autofree char *result = nb_record_result(record);
	int r;

	r = sd_bus_message_append(message, "tssss", record->realtime_usec,
				  nb_event_to_string(record->event), reason_word(record),
				  nb_outcome_to_string(record->outcome),
				  nb_effect_to_string(record->effect));
	if (r < 0)
		return r;
	r = append_change(message, record);
	if (r < 0)
		return r;
	return nb_bus_append_texts(message, what, why, result, NULL);
}

static int append_row(sd_bus_message *reply, const struct nb_record *record)
{
	int r;

	r = sd_bus_message_open_container(reply, 'r', NB_BUS_MOVE);
	if (r < 0)
		return r;
	r = nb_bus_append_record(reply, record);
	if (r < 0)
		return r;
	return sd_bus_message_close_container(reply);
}

static int render(sd_bus_message *reply, const struct nb_status *status)
{
	int r;

	for (unsigned i = 0; i < status->n_history; i++) {
		r = append_row(reply, &status->history[i]);
		if (r < 0)
			return r;
	}
	return 0;
}

int nb_bus_list_moves(sd_bus_message *call, void *userdata, sd_bus_error *error)
{
	(void)error;
	return nb_bus_reply_rows(call, userdata, NB_BUS_MOVE, render);
}
