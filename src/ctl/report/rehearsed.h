/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A rehearsal as commands show it: what came of a file without our plans and with them. */

#include "config/config.h"
#include "rehearse/rehearse.h"

#include <jansson.h>

typedef struct nb_rehearsed {
	char *title;             /* what was rehearsed, in a few words; owned */
	const char *note;        /* what the second run cannot tell; NULL: nothing is to be said */
	const char *names[2];    /* of the runs: a word */
	const char *headings[2]; /* and a few */
	struct nb_rehearsal
		*runs[2];         /* as it was or would be by itself, then by our plans; owned */
	struct nb_config *config; /* owned */
} nb_rehearsed;

/* Read a scenario or trace and the configuration (NULL: this host's), and run them. On failure
 * every fault was said on stderr, a line each with file, line and what to write instead. */
int nb_rehearsed_simulate(const char *path, const char *config_file, nb_rehearsed *ret);
int nb_rehearsed_replay(const char *path, const char *config_file, nb_rehearsed *ret);
void nb_rehearsed_clear(nb_rehearsed *rehearsed);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(nb_rehearsed, nb_rehearsed_clear)

/* Its tables, as arrays of rows. Callers drop them (json_decref). */
json_t *nb_rehearsed_runs(const nb_rehearsed *rehearsed);
json_t *nb_rehearsed_verdicts(const struct nb_rehearsal *run);
json_t *nb_rehearsed_advice(const struct nb_rehearsal *run);
json_t *nb_rehearsed_moves(const struct nb_rehearsal *run);
