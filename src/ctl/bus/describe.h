/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The daemon's document as it is read: fields that it does not have are null, ones that are not
 * known yet stay in it. On failure the reason was said on stderr. */

#include "ctl/bus/sd_cleanup.h"

#include <jansson.h>

/* Caller drops it (json_decref). */
int nb_describe(sd_bus *bus, json_t **ret);
/* From text. -EBADMSG: no JSON, without a part that belongs to it, or of another version. */
/* The document of owners. */
int nb_describe_owners(sd_bus *bus, json_t **ret);
int nb_describe_parse(const char *text, json_t **ret);
