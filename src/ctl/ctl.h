/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* nicbalancectl: asks nicbalanced over the bus and prints what it hears, or rehearses without it.
 */

#include "ctl/bus/sd_cleanup.h"
#include "ctl/show/table.h"

/* Exit statuses; nicbalancectl(1) promises them. */
enum {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_NOT_RUNNING = 3,
	EXIT_NOT_PERMITTED = 4,
	EXIT_REMAINS = 5,
};

/* Of --seconds. Within an hour a counter of 32 bits wraps once at most, at a million runs a second.
 */
#define SECONDS_DEFAULT 5
#define SECONDS_MAX 3600
/* A week of a recording. */
#define RECORD_SECONDS_MAX 604800
#define SECONDS_NOT_GIVEN G_MININT

struct nb_ctl {
	sd_bus *bus;
	json_t *document; /* the daemon's answer; NULL until it was asked */
	struct nb_style style;
	bool json;
	bool all;
	unsigned seconds; /* to look for; 0: not given */
	/* Borrowed; NULL when not given. */
	const char *file; /* to write: a trace, or a page */
	const char
		*argument; /* what the command is about: a file, CPUs, or the target of a claim */
	const char *cpus;  /* of a claim */
	const char *owner;
	const char *config;
	uint64_t lease_usec; /* 0: none */
	bool exclusive;
	bool while_connected;
	/* By -o, of the command's main table, which is all that is printed then; or NULL. */
	GPtrArray *columns;
};

/* The commands. One that fails has said why on stderr; it returns -ECONNREFUSED (not running),
 * -EACCES (not permitted), -EINPROGRESS (something has not left the CPUs it had to leave) or
 * another negative errno. */
int nb_ctl_status(struct nb_ctl *ctl);
int nb_ctl_plan(struct nb_ctl *ctl);
int nb_ctl_config(struct nb_ctl *ctl);
int nb_ctl_latency(struct nb_ctl *ctl);
int nb_ctl_record(struct nb_ctl *ctl);
int nb_ctl_pause(struct nb_ctl *ctl);
int nb_ctl_resume(struct nb_ctl *ctl);
int nb_ctl_restore(struct nb_ctl *ctl);
int nb_ctl_reload(struct nb_ctl *ctl);
int nb_ctl_ban(struct nb_ctl *ctl);
int nb_ctl_unban(struct nb_ctl *ctl);
int nb_ctl_claim(struct nb_ctl *ctl);
int nb_ctl_release(struct nb_ctl *ctl);
int nb_ctl_claims(struct nb_ctl *ctl);
int nb_ctl_owners(struct nb_ctl *ctl);
int nb_ctl_simulate(struct nb_ctl *ctl);
int nb_ctl_replay(struct nb_ctl *ctl);
int nb_ctl_report(struct nb_ctl *ctl);

/* Asks for the document, and for what is hot. Errors as above. */
int nb_ctl_describe(struct nb_ctl *ctl);
/* One table and nothing else, as text or JSON, with the columns of -o. */
void nb_ctl_print_only(const struct nb_ctl *ctl, const struct nb_form *form, const json_t *rows);
