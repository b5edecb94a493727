/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What there is of Varlink where libsystemd has none. */
#include "varlink/varlink.h"

bool nb_varlink_is_built(void)
{
	return false;
}

int nb_varlink_new(sd_event *event, const char *path, const struct nb_handlers *handlers,
		   void *userdata, struct nb_varlink **ret)
{
	(void)event;
	(void)path;
	(void)handlers;
	(void)userdata;
	*ret = NULL;
	return 0;
}

void nb_varlink_free(struct nb_varlink *varlink)
{
	(void)varlink;
}

void nb_varlink_emit_list(struct nb_varlink *varlink)
{
	(void)varlink;
}
