/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who wrote which setting: read when someone asks. */
#include "daemon/daemon.h"

#include "document/document.h"
#include "owners/owners.h"

/* Everyone may ask, again and again: reading takes one per cent of a CPU at most. */
#define LASTS 100u

static char *read_owners(struct nb_daemon *daemon)
{
	struct nb_status status;
	const struct nb_owners_source source = {
		.root = daemon->root,
		.netlink = daemon->netlink,
		.applier = daemon->applier,
		.status = &status,
		.realtime_usec = (uint64_t)g_get_real_time(),
	};
	g_autoptr(GArray) rows = NULL;

	nb_daemon_handlers.get_status(daemon, &status);
	rows = nb_owners_read(&source);
	return nb_document_owners((const struct nb_owned *)(const void *)rows->data, rows->len);
}

char *nb_daemon_describe_owners(struct nb_daemon *daemon)
{
	uint64_t begin_nsec = nb_daemon_now_nsec(), end_nsec;

	if (daemon->owners.text && begin_nsec < daemon->owners.until_nsec)
		return g_strdup(daemon->owners.text);
	g_free(daemon->owners.text);
	daemon->owners.text = read_owners(daemon);
	end_nsec = nb_daemon_now_nsec();
	daemon->owners.until_nsec = end_nsec + LASTS * (end_nsec - begin_nsec);
	return g_strdup(daemon->owners.text);
}
