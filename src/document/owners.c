/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "document/json.h"
#include "document/parts.h"
#include "nicbalance/names.h"

static json_t *row_of(const struct nb_owned *owned)
{
	json_t *row = json_object();

	nb_json_set(row, "nic", nb_json_text(*owned->nic ? owned->nic : NULL));
	nb_json_set(row, "queue", nb_json_id(owned->queue));
	nb_json_set(row, "irq", owned->irq < 0 ? json_null() : json_integer(owned->irq));
	nb_json_set(row, "setting", nb_json_text(nb_tunable_to_string(owned->tunable)));
	nb_json_set(row, "value", nb_json_text(owned->value));
	nb_json_set(row, "who", nb_json_text(nb_writer_to_string(owned->writer)));
	nb_json_set(row, "owner", nb_json_text(*owned->owner ? owned->owner : NULL));
	nb_json_set(row, "since",
		    owned->since_realtime_usec ? nb_json_time(owned->since_realtime_usec)
					       : json_null());
	return row;
}

char *nb_document_owners(const struct nb_owned *rows, unsigned n)
{
	GString *out = g_string_new(NULL);

	g_string_printf(out, "{\"version\":%d,\"owners\":[", NB_DOCUMENT_VERSION);
	for (unsigned i = 0; i < n; i++)
		nb_document_add_row(out, row_of(&rows[i]));
	g_string_append(out, "]}");
	return g_string_free(out, FALSE);
}
